import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { after, test } from 'node:test'
import { type ReceiptDraft, verifyConsistency, verifyInclusion } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'

const P = '/api/orch/v1'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const { ledger } = service.app.ports
const get = (path: string) => send(`${service.url}${path}`)
const bytesOf = async (path: string) => Buffer.from(await (await fetch(`${service.url}${path}`)).arrayBuffer())

const draft = (at: number): ReceiptDraft => ({
  ns: 'public',
  chain: `c${at % 3}`,
  kind: 'mint',
  ts_utc: '2027-01-15T08:00:00.000Z',
  request_id: `r${at}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { n: at },
})
const append = (from: number, to: number) =>
  Promise.all(Array.from({ length: to - from }, (_, at) => ledger.append(draft(from + at))))

// The tree once more, written from RFC 6962 and sharing nothing with the code under test.
const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const leafOf = (entry: Uint8Array) => sha(Buffer.of(0), entry)
function rootOf(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return sha()
  if (leaves.length === 1) return leaves[0]!
  const half = 2 ** Math.floor(Math.log2(leaves.length - 1))
  return sha(Buffer.of(1), rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)))
}
function entriesOf(bundle: Buffer): Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0; at < bundle.length; at += 2 + bundle.readUInt16BE(at))
    entries.push(bundle.subarray(at + 2, at + 2 + bundle.readUInt16BE(at)))
  return entries
}

/** A signed note, read from the specification of notes alone. */
function readNote(note: string, vkey: string) {
  const text = note.slice(0, note.indexOf('\n\n') + 1)
  const [origin, size, root] = text.split('\n') as [string, string, string]
  const [name, keyHash, key] = vkey.trim().split('+') as [string, string, string]
  const rest = vkey.trim().slice(name.length + keyHash.length + 2)
  const raw = Buffer.from(rest || key, 'base64').subarray(1)
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const line = note.slice(note.indexOf('\n\n') + 2).trim()
  const blob = Buffer.from(line.split(' ')[2]!, 'base64')
  assert.equal(blob.subarray(0, 4).toString('hex'), keyHash)
  assert.ok(verify(null, Buffer.from(text), publicKey, blob.subarray(4)), 'the note is signed')
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') }
}

test('an empty log has a key and no checkpoint, no tile and no proof', async () => {
  assert.match((await get('/log/key')).text, /^[^+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+\n$/)
  assert.deepEqual([(await get('/log/checkpoint')).json.error.code], ['log_empty'])
  assert.equal((await get('/log/tile/0/000.p/1')).json.error.code, 'tile_not_found')
  assert.equal((await get(`${P}/log/proof/consistency?from=0`)).json.error.code, 'log_empty')
})

test('the signed root is the root of the served entries, recomputed by another implementation', async () => {
  await append(0, 300)
  const { origin, size, root } = readNote((await get('/log/checkpoint')).text, (await get('/log/key')).text)
  assert.equal(size, 300)
  assert.equal((await get('/api/lake/v1/log')).json.origin, origin)
  const entries = [
    ...entriesOf(await bytesOf('/log/tile/entries/000')),
    ...entriesOf(await bytesOf('/log/tile/entries/001.p/44')),
  ]
  assert.equal(entries.length, 300)
  assert.deepEqual(rootOf(entries.map(leafOf)), root)
  const rows = await ledger.reader.range(0, 300)
  assert.ok(rows.every(({ body }, at) => entries[at]!.equals(body)))
})

test('hash tiles hold the leaves, and above them the roots of full tiles', async () => {
  const leaves = entriesOf(await bytesOf('/log/tile/entries/000')).map(leafOf)
  const full = await fetch(`${service.url}/log/tile/0/000`)
  assert.equal(full.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.deepEqual(Buffer.from(await full.arrayBuffer()), Buffer.concat(leaves))
  assert.deepEqual(await bytesOf('/log/tile/1/000.p/1'), rootOf(leaves))
  const partial = await fetch(`${service.url}/log/tile/0/001.p/44`)
  assert.equal(partial.headers.get('cache-control'), 'no-store')
  assert.equal((await partial.arrayBuffer()).byteLength, 44 * 32)
  assert.deepEqual(
    await bytesOf('/log/tile/0/001.p/5'),
    Buffer.from(await (await fetch(`${service.url}/log/tile/0/001.p/44`)).arrayBuffer()).subarray(0, 160),
  )
})

for (const path of ['0/001', '0/001.p/45', '0/002.p/1', '1/000', '2/000.p/1', 'entries/001', 'entries/001.p/45'])
  test(`/log/tile/${path} is not in a log of 300 and is not served`, async () => {
    const answer = await get(`/log/tile/${path}`)
    assert.deepEqual([answer.status, answer.json.error.code], [404, 'tile_not_found'])
  })

for (const path of [
  '0/0',
  '0/000.p/0',
  '0/000.p/256',
  '0/x000/000',
  '-1/000',
  '64/000',
  'entries/000.p/01',
  '..',
  '0/000/',
])
  test(`/log/tile/${path} is no name of a tile`, async () => {
    assert.equal((await get(`/log/tile/${path}`)).status, 404)
  })

test('the refusal of a level no tree has states the size of the log', async () => {
  assert.match((await get('/log/tile/64/000')).json.error.message, /of the log of 300 entries/)
})

test('what no checkpoint covers is not served, and the next checkpoint covers it', async () => {
  await append(300, 310)
  const known = (await ledger.reader.checkpoint())!.size
  if (known === 300) assert.equal((await get('/log/tile/0/001.p/54')).status, 404)
  assert.equal(readNote((await get('/log/checkpoint')).text, ledger.vkey).size, 310)
  assert.equal((await get('/log/tile/0/001.p/54')).status, 200)
})

const hash = (hex: string) => Buffer.from(hex, 'hex')

test('inclusion proofs verify against the signed root for every receipt and size asked for', async () => {
  const { size, root } = readNote((await get('/log/checkpoint')).text, ledger.vkey)
  for (const index of [0, 1, 2, 255, 256, 299, 309]) {
    const { digest, body } = (await ledger.reader.byIndex(index))!
    for (const treeSize of [index + 1, size]) {
      const { json } = await get(`${P}/log/proof/inclusion?digest=${digest}&tree_size=${treeSize}`)
      assert.equal(json.leaf_hash, leafOf(body).toString('hex'))
      const claim = { leafHash: hash(json.leaf_hash), leafIndex: index, treeSize, hashes: json.hashes.map(hash) }
      assert.ok(verifyInclusion({ ...claim, root: hash(json.root) }), `${index} in ${treeSize}`)
      if (treeSize === size) assert.deepEqual(hash(json.root), root)
    }
  }
})

test('consistency proofs join every two sizes, and from nothing there is nothing to prove', async () => {
  const nothing = (await get(`${P}/log/proof/consistency?from=0`)).json
  assert.deepEqual([nothing.from, nothing.to, nothing.hashes], [0, 310, []])
  for (const [from, to] of [
    [1, 2],
    [1, 310],
    [255, 256],
    [256, 310],
    [300, 310],
    [310, 310],
  ] as const) {
    const { json } = await get(`${P}/log/proof/consistency?from=${from}&to=${to}`)
    const claim = {
      from,
      to,
      fromRoot: hash(json.from_root),
      toRoot: hash(json.to_root),
      hashes: json.hashes.map(hash),
    }
    assert.ok(verifyConsistency(claim), `${from} to ${to}`)
  }
})

for (const query of ['from=5&to=4', 'from=0&to=311', 'from=-1', 'from=a', ''])
  test(`consistency ${query || 'of nothing'} is refused`, async () => {
    assert.equal((await get(`${P}/log/proof/consistency?${query}`)).status, 422)
  })

test('an inclusion of what is not there, or in a tree that cannot hold it, is refused', async () => {
  const { digest } = (await ledger.reader.byIndex(100))!
  assert.equal((await get(`${P}/log/proof/inclusion?digest=${'ab'.repeat(32)}`)).json.error.code, 'receipt_not_found')
  for (const size of [100, 311]) {
    const answer = await get(`${P}/log/proof/inclusion?digest=${digest}&tree_size=${size}`)
    assert.deepEqual([answer.status, answer.json.detail[0].loc], [422, ['query', 'tree_size']])
  }
  assert.equal((await get(`${P}/log/proof/inclusion`)).status, 422)
})
