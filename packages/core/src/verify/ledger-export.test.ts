import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { KeysFile } from '../../../../vectors/cases.ts'
import { importPublicKey, verifyP256Sync } from '../p256.ts'
import { LedgerExportVerifier, type SignatureJob } from './ledger-export.ts'
import { readReceiptLine, receiptLine } from './ledger-lines.ts'
import { linesOf, verifyLedgerExport } from './recognise.ts'
import type { Trust } from './trust.ts'

const read = (name: string): string => readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8')
const keys = JSON.parse(read('keys.json')) as KeysFile
const text = read('ledger.jsonl')
const lines = linesOf(text)
const trust: Trust = {
  keys: [{ key: importPublicKey(keys.p256.production!.pem)!, kind: 'production' }],
  logKeys: [keys.ed25519.log!.vkey],
}
const verifyJobs = async (jobs: readonly SignatureJob[]): Promise<boolean[]> =>
  jobs.map(({ key, message, signature }) => verifyP256Sync(key, message, signature))

test('a ledger export passes line by line, in batches of any size, here or delegated', async () => {
  for (const batch of [1, 2, 3, 256])
    for (const verifySignatures of [undefined, verifyJobs]) {
      const options = { batch, inFlight: 1, ...(verifySignatures && { verifySignatures }) }
      assert.equal((await verifyLedgerExport(lines, trust, options)).verdict, 'PASS')
    }
})

test('delegated batches have the size asked for, and no more than the limit wait', async () => {
  const sizes: number[] = []
  let waiting = 0
  let most = 0
  const verifySignatures = async (jobs: readonly SignatureJob[]): Promise<boolean[]> => {
    sizes.push(jobs.length)
    waiting += 1
    most = Math.max(most, waiting)
    await new Promise((done) => setImmediate(done))
    waiting -= 1
    return verifyJobs(jobs)
  }
  const report = await verifyLedgerExport(lines, trust, { verifySignatures, batch: 1, inFlight: 2 })
  assert.equal(report.verdict, 'PASS')
  assert.deepEqual(sizes, [1, 1, 1, 1, 1])
  assert.ok(most <= 3)
})

test('the earliest bad line is named whatever order the batches end in', async () => {
  const bad = new Set([1, 3])
  let seen = 0
  const verifySignatures = async (jobs: readonly SignatureJob[]): Promise<boolean[]> => {
    const at = seen++
    for (let wait = 5 - at; wait > 0; wait -= 1) await new Promise((done) => setImmediate(done))
    return jobs.map(() => !bad.has(at))
  }
  const report = await verifyLedgerExport(lines, trust, { verifySignatures, batch: 1 })
  assert.equal(report.verdict, 'FAIL')
  const first = report.subject?.first_bad as { line: number; node_index: number; chain: string; seq: number }
  assert.deepEqual([first.line, first.node_index, first.chain, first.seq], [3, 1, 'stepping', 0])
})

test('a verifier that answers too few verdicts has verified nothing', async () => {
  const report = await verifyLedgerExport(lines, trust, { verifySignatures: async () => [true] })
  assert.equal(report.verdict, 'FAIL')
})

test('a signature verifier that breaks down is an error of the caller, not a verdict', async () => {
  const verifySignatures = () => Promise.reject(new Error('a worker died'))
  await assert.rejects(verifyLedgerExport(lines, trust, { verifySignatures }), /a worker died/)
  await assert.rejects(verifyLedgerExport(lines, trust, { verifySignatures, batch: 1, inFlight: 1 }), /a worker died/)
})

test('an export cut off after any character never passes', async () => {
  for (let end = 0; end < text.length - 1; end += 7) {
    const { verdict } = await verifyLedgerExport(linesOf(text.slice(0, end)), trust)
    assert.equal(verdict, 'FAIL', `cut at ${end}`)
  }
})

test('a change of any character is found, on its own line or where it first contradicts', async () => {
  let tried = 0
  for (let at = 0; at < text.length - 1; at += 3) {
    const altered = `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
    const report = await verifyLedgerExport(linesOf(altered), trust)
    const isKeyListing = at < text.indexOf('"origin"') && at > text.indexOf('"keys"')
    // The keys of the header are words: nobody verifies with them.
    if (!isKeyListing) assert.notEqual(report.verdict, 'PASS', `character ${at}`)
    tried += 1
  }
  assert.ok(tried > 1_500)
})

test('one bad receipt among many is named by its line', async () => {
  const bad = receiptLine({ ...readReceiptLine(lines[4]!)!, signature: readReceiptLine(lines[1]!)!.signature })
  const report = await verifyLedgerExport(lines.with(4, bad), trust)
  const first = report.subject?.first_bad as { line: number; node_index: number }
  assert.deepEqual([first.line, first.node_index], [5, 3])
  assert.match(report.checks[1]!.reason, /^line 5: .*does not verify/)
})

test('keys that came with the file are never used', async () => {
  const report = await verifyLedgerExport(lines, { keys: [], logKeys: trust.logKeys! })
  assert.equal(report.verdict, 'INCONCLUSIVE')
  assert.equal(report.checks[1]!.status, 'UNAVAILABLE')
})

test('a demo key among the signers is said in words', async () => {
  const demo: Trust = { ...trust, keys: [{ ...trust.keys[0]!, kind: 'demo' }] }
  const honest = lines.with(0, lines[0]!.replace('"kind":"production"', '"kind":"demo"'))
  const report = await verifyLedgerExport(honest, demo)
  assert.equal(report.verdict, 'PARTIAL')
  assert.equal(report.checks[5]!.status, 'DEMO')
  assert.match(report.checks[5]!.reason, /demo key/)
  assert.equal((await verifyLedgerExport(honest, { ...demo, requireProduction: true })).verdict, 'PARTIAL')
  assert.equal((await verifyLedgerExport(lines, demo)).verdict, 'FAIL', 'its header calls the demo key production')
})

test('a key that was used outside its validity is not trusted', async () => {
  const early: Trust = { ...trust, keys: [{ ...trust.keys[0]!, to: '2026-01-02T03:04:04.000Z' }] }
  const report = await verifyLedgerExport(lines, early)
  assert.equal(report.verdict, 'PARTIAL')
  assert.match(report.checks[5]!.reason, /validity/)
})

test('the verifier says how far it is', () => {
  const verifier = new LedgerExportVerifier(trust)
  assert.deepEqual(verifier.progress, { lines: 0, size: null })
  for (const line of lines.slice(0, 3)) verifier.push(line)
  assert.deepEqual(verifier.progress, { lines: 3, size: 5 })
})
