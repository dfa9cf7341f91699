import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as core from './index.ts'

const folder = new URL('../../../docs/formats/', import.meta.url)
const vectors = (name: string): string => readFileSync(new URL(`../../../vectors/${name}`, import.meta.url), 'utf8')
const golden = JSON.parse(vectors('golden.json'))

/** The named examples of a document: fences whose info string has a second word. */
function examplesOf(file: string): Map<string, string> {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const fences = [...text.matchAll(/^```\w+ ([\w-]+)\n([\s\S]*?)\n```$/gm)]
  return new Map(fences.map(([, name, content]) => [name!, content!]))
}

/** Hands out examples by name and tells which were never asked for: an example that nobody recomputes may rot. */
function document(file: string) {
  const examples = examplesOf(file)
  const unread = new Set(examples.keys())
  return {
    text(name: string): string {
      unread.delete(name)
      const found = examples.get(name)
      assert.ok(found !== undefined, `${file} has no example ${name}`)
      return found
    },
    done: () => assert.deepEqual([...unread], [], `examples of ${file} that no test recomputes`),
  }
}

const keyOf = (pem: string): core.PublicKey => core.importPublicKey(pem)!

test('receipt.md: the example is a canonical body with the digest it states', () => {
  const doc = document('receipt.md')
  const reading = core.readBody(core.utf8Encode(doc.text('body')))
  assert.equal(reading.ok, true)
  assert.equal(reading.digest, doc.text('digest'))
  assert.equal(doc.text('body'), golden.chain[0].body_text)
  doc.done()
})

test('chain.md: both chains of the example link', () => {
  const doc = document('chain.md')
  for (const name of ['first', 'second']) {
    assert.equal(core.sha256Hex(doc.text(name)), doc.text(`${name}-digest`))
    assert.equal(core.sha3_256Hex(doc.text(`${name}-lake-text`)), doc.text(`${name}-lake`))
    const link = JSON.parse(doc.text(`${name}-lake-text`))
    assert.equal(core.canonicalize(link), doc.text(`${name}-lake-text`))
    assert.equal(link.receipt_digest, doc.text(`${name}-digest`))
  }
  assert.equal(JSON.parse(doc.text('first')).prev, core.GENESIS_PREV)
  assert.equal(JSON.parse(doc.text('second')).prev, doc.text('first-digest'))
  assert.equal(JSON.parse(doc.text('second-lake-text')).prev_hash, doc.text('first-lake'))
  const entries = ['first', 'second'].map((name, node_index) => ({
    node_index,
    body: core.utf8Encode(doc.text(name)),
    digest: doc.text(`${name}-digest`),
    lake: doc.text(`${name}-lake`),
  }))
  assert.equal(core.verifyChain(entries).ok, true)
  doc.done()
})

test('canonical-json.md: the example has the canonical form and the digest it states', () => {
  const doc = document('canonical-json.md')
  assert.equal(core.canonicalizePortable(JSON.parse(doc.text('input'))), doc.text('canonical'))
  assert.equal(core.sha256Hex(doc.text('canonical')), doc.text('sha256'))
  doc.done()
})

test('dsse.md: PAE, its digest, key id and signature of the example hold', async () => {
  const doc = document('dsse.md')
  const envelope = JSON.parse(doc.text('envelope')) as core.Envelope
  const pae = core.pae(envelope.payloadType, core.base64Decode(envelope.payload)!)
  assert.equal(core.utf8Decode(pae), doc.text('pae'))
  assert.equal(core.sha256Hex(pae), doc.text('pae-sha256'))
  const key = keyOf(doc.text('key'))
  assert.equal(key.keyid, doc.text('keyid'))
  const report = await core.verifyReceipt(envelope, { keys: [{ key, kind: 'production' }] })
  assert.equal(report.verdict, 'PARTIAL')
  doc.done()
})

test('log.md: leaf, path, root and checkpoint of the example hold', async () => {
  const doc = document('log.md')
  const body = core.utf8Encode(doc.text('body'))
  assert.equal(core.hexEncode(core.leafHash(body)), doc.text('leaf'))
  const trust = { keys: [], logKeys: [doc.text('log-key')] }
  const checkpoint = `${doc.text('checkpoint')}\n`
  const check = await core.checkInclusion(body, JSON.parse(doc.text('inclusion')), checkpoint, trust)
  assert.equal(check.status, 'VERIFIED', check.reason)
  doc.done()
})

test('export.md: the ledger of the example passes under the keys of the other documents', async () => {
  const doc = document('export.md')
  const [dsse, log] = [document('dsse.md'), document('log.md')]
  const trust: core.Trust = {
    keys: [{ key: keyOf(dsse.text('key')), kind: 'production' }],
    logKeys: [log.text('log-key')],
  }
  const report = await core.verifyAny(doc.text('ledger'), trust)
  assert.equal(report.verdict, 'PASS')
  assert.equal(report.subject?.digest, doc.text('root'))
  assert.equal(`${doc.text('ledger')}\n`, vectors('ledger.jsonl'))
  doc.done()
})

test('pack.md: digest, statement and signature of the example hold', async () => {
  const doc = document('pack.md')
  const envelope = JSON.parse(doc.text('envelope'))
  assert.equal(core.packDigest(envelope.pack), envelope.pack_sha3_256)
  const signed = core.base64Decode(envelope.signature.dsse.payload)!
  assert.equal(core.utf8Decode(signed), doc.text('statement'))
  const trust: core.Trust = { keys: [{ key: keyOf(document('dsse.md').text('key')), kind: 'production' }] }
  assert.equal((await core.verifyPack(envelope, trust)).verdict, 'PARTIAL')
  doc.text('check')
  doc.done()
})

test('pack.md: the Python check agrees with the library, on a pack with receipts too', (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('SKIPPED: no python3 on this machine')
  const doc = document('pack.md')
  const place = mkdtempSync(join(tmpdir(), 'orch-docs-'))
  t.after(() => rmSync(place, { recursive: true }))
  writeFileSync(join(place, 'check.py'), doc.text('check'))
  const run = (envelope: unknown) => {
    writeFileSync(join(place, 'pack.json'), JSON.stringify(envelope))
    const { status, stdout } = spawnSync('python3', ['check.py', 'pack.json'], { cwd: place, encoding: 'utf8' })
    return [status, stdout.trim()]
  }
  for (const envelope of [JSON.parse(doc.text('envelope')), golden.pack])
    assert.deepEqual(run(envelope), [0, envelope.pack_sha3_256])
  const altered = { ...golden.pack, pack: { ...golden.pack.pack, what: 'something else' } }
  assert.equal(run(altered)[0], 1)
})

test('every format has its document and every link between them resolves', () => {
  const files = readdirSync(folder).sort()
  for (const name of ['canonical-json', 'chain', 'dsse', 'export', 'log', 'pack', 'receipt'])
    assert.ok(files.includes(`${name}.md`), name)
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), 'utf8')
    for (const [, target] of text.matchAll(/\]\(([\w-]+\.md)\)/g))
      assert.ok(files.includes(target!), `${file} -> ${target}`)
  }
})
