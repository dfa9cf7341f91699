// One suite for every store: what holds on SQLite holds on PostgreSQL, byte for byte.

import assert from 'node:assert/strict'
import {
  consistencyProof,
  frontierRoot,
  GENESIS_PREV,
  hexDecode,
  inclusionProof,
  leafHash,
  nodesFromTiles,
  rootOf,
  sha256Hex,
  tileWidth,
  verifyConsistency,
  verifyInclusion,
} from '@orch/core'
import fc from 'fast-check'
import { entryOf, KEYID, RING_KEY, storeSuite } from '#testing/ledger-stores.ts'
import type { ChainHead, LedgerReader } from '../contract.ts'
import { place } from '../place.ts'
import type { Entry, Head } from '../types.ts'
import type { Batch, LedgerStore } from './store.ts'

const SEED = 7
const everyStore = storeSuite()

const signatureOf = (digest: string): Uint8Array => new Uint8Array([0x30, ...hexDecode(digest)!])

async function batchOf(store: LedgerStore, head: Head, entries: readonly Entry[], signed: boolean): Promise<Batch> {
  const heads = new Map<string, ChainHead>()
  let chains = head.chainCount
  for (const { ns, chain } of entries) {
    const name = `${ns}/${chain}`
    const begun = heads.get(name) ?? (await store.chain(ns, chain))
    const fresh = { ns, chain, depth: 0, head: GENESIS_PREV, headIndex: -1, lake: GENESIS_PREV }
    heads.set(name, begun ?? { id: ++chains, ...fresh })
  }
  const placement = place(entries, head, ({ ns, chain }) => heads.get(`${ns}/${chain}`)!)
  const signatures = placement.placed.map(({ digest }) => (signed ? signatureOf(digest) : null))
  const answers = entries.flatMap(({ idempotency }, at) =>
    idempotency === null ? [] : [{ ...idempotency, nodeIndex: placement.placed[at]!.nodeIndex, atMs: 1000 + at }],
  )
  return { ...placement, signatures, keyid: signed ? KEYID : null, answers }
}

async function append(store: LedgerStore, entries: readonly Entry[], signed = true): Promise<Batch> {
  const batch = await batchOf(store, await store.lock(), entries, signed)
  await store.write(batch)
  await store.commit()
  return batch
}

const entries = (count: number, from = 0, chains = 3): Entry[] =>
  Array.from({ length: count }, (_, at) => entryOf(`chain-${(from + at) % chains}`, from + at))

everyStore('a fresh ledger is empty', async ({ store, reader }) => {
  const empty = { size: 0, frontier: { size: 0, hashes: [] }, edges: [], chainCount: 0 }
  assert.deepEqual(await store.head(), empty)
  assert.deepEqual(await store.lock(), empty)
  await store.rollback()
  assert.deepEqual(await reader.head(), { size: 0, frontier: [], chains: 0 })
  assert.equal(await reader.byIndex(0), null)
  assert.equal(await reader.byDigest('00'.repeat(32)), null)
  assert.equal(await reader.bySeq('public', 'a', 0), null)
  assert.equal(await reader.tile(0, 0), null)
  assert.equal(await reader.checkpoint(), null)
  assert.equal(await reader.answer(new Uint8Array(32)), null)
  assert.equal(await store.chain('public', 'a'), null)
  assert.equal(await store.checkpoint(), null)
  assert.equal(await store.meta('nothing'), null)
  assert.deepEqual(await reader.chains(), [])
  assert.deepEqual(await reader.range(0, 10), [])
  assert.deepEqual(await store.answers([]), [])
})

everyStore('what is committed is read back byte for byte', async ({ store, reader }) => {
  await store.putKey(RING_KEY)
  const { placed, chains, head } = await append(store, entries(40))
  const rows = await reader.range(0, 100)
  assert.deepEqual(
    rows,
    placed.map(({ chainId, ...row }, at) => ({
      ...row,
      ns: 'public',
      chain: `chain-${at % 3}`,
      signature: signatureOf(row.digest),
      keyid: KEYID,
      keyKind: RING_KEY.kind,
      signatureState: 'SIGNED',
    })),
  )
  for (const row of rows) assert.equal(sha256Hex(row.body), row.digest)
  assert.deepEqual(await reader.chains(), chains)
  assert.deepEqual(await store.head(), head)
  assert.deepEqual(await reader.head(), { size: 40, frontier: head.frontier.hashes, chains: head.chainCount })
  assert.deepEqual(await store.lock(), head)
  await store.rollback()
})

everyStore('every way to look a receipt up finds the same one', async ({ store, reader }) => {
  await append(store, [...entries(20), entryOf('chain-0', 99, { ns: 'other' })], false)
  const all = await reader.range(0, 100)
  assert.equal(all.length, 21)
  for (const row of all) {
    assert.deepEqual(await reader.byIndex(row.nodeIndex), row)
    assert.deepEqual(await reader.byDigest(row.digest), row)
    assert.deepEqual(await reader.bySeq(row.ns, row.chain, row.seq), row)
    assert.equal(row.signature, null)
    assert.equal(row.keyid, null)
    assert.equal(row.keyKind, null)
  }
  const ofChain = all.filter(({ ns, chain }) => ns === 'public' && chain === 'chain-0')
  assert.deepEqual(await reader.chainRange('public', 'chain-0', 0, 100), ofChain)
  assert.deepEqual(await reader.chainRange('public', 'chain-0', 2, 3), ofChain.slice(2, 5))
  assert.deepEqual(await reader.range(5, 4), all.slice(5, 9))
  assert.deepEqual(await reader.range(21, 4), [])
  assert.deepEqual(await reader.chainRange('public', 'nobody', 0, 10), [])
  assert.equal((await reader.chainRange('other', 'chain-0', 0, 10)).length, 1)
})

everyStore('a row that lies beyond the head is served by no look-up', async ({ store, reader, sql }) => {
  await append(store, [entryOf('a', 0), entryOf('a', 1)], false)
  const beyond = (await reader.byIndex(1))!
  await sql('UPDATE {head} SET size = 1')
  assert.equal(await reader.byIndex(1), null)
  assert.equal(await reader.byDigest(beyond.digest), null)
  assert.equal(await reader.bySeq(beyond.ns, beyond.chain, beyond.seq), null)
  assert.deepEqual(
    (await reader.range(0, 9)).map(({ nodeIndex }) => nodeIndex),
    [0],
  )
  assert.equal((await reader.chainRange(beyond.ns, beyond.chain, 0, 9)).length, 1)
})

everyStore('a batch rolled back leaves nothing', async ({ store, reader }) => {
  await append(store, entries(5), false)
  const before = [await store.head(), await reader.chains(), await reader.range(0, 100)]
  const key = new Uint8Array(32).fill(9)
  const idempotency = { key, request: key, answer: 'never' }
  const batch = await batchOf(store, await store.lock(), [entryOf('new', 5, { idempotency })], false)
  await store.write(batch)
  await store.rollback()
  assert.deepEqual([await store.head(), await reader.chains(), await reader.range(0, 100)], before)
  assert.deepEqual(await store.answers([key]), [null])
  await store.rollback()
  await append(store, entries(3, 5), false)
  assert.equal((await reader.head()).size, 8)
})

everyStore('a receipt signed by a key that is not in the ring is refused', async ({ store, reader }) => {
  const batch = await batchOf(store, await store.lock(), entries(2), true)
  await assert.rejects(store.write(batch), /ring/)
  await store.rollback()
  assert.equal((await reader.head()).size, 0)
})

/** PostgreSQL has an index over predecessors, SQLite looks at the one before. */
const FORK = /unique|receipts follow/i

everyStore('the database itself refuses a second receipt at a place, a fork and a second digest', async (ledger) => {
  const { placed } = await append(ledger.store, entries(4, 0, 1), false)
  const [taken, last] = [placed[2]!, placed[3]!]
  const other = 'cd'.repeat(32)
  const next = { index: 4, seq: last.seq + 1, prev: last.digest, digest: other }
  const insert = (changed: Partial<typeof next>) => {
    const { index, seq, prev, digest } = { ...next, ...changed }
    return ledger.sql(
      `INSERT INTO {receipts} (node_index, chain_id, seq, prev, digest, lake, body)
       VALUES (${index}, ${taken.chainId}, ${seq}, {x:${prev}}, {x:${digest}}, {x:${other}}, {x:7b7d})`,
    )
  }
  await assert.rejects(insert({ index: taken.nodeIndex }), /unique/i, 'the node index is taken')
  await assert.rejects(insert({ seq: taken.seq, prev: taken.prev }), /unique/i, 'the place in the chain is taken')
  await assert.rejects(insert({ digest: taken.digest }), /unique/i, 'the digest occurs')
  await assert.rejects(insert({ prev: taken.prev }), FORK, 'the predecessor has a successor')
  await assert.rejects(insert({ prev: GENESIS_PREV }), FORK, 'the chain has begun')
  assert.equal((await ledger.reader.range(0, 100)).length, 4)
  await insert({})
})

everyStore('the database itself refuses to change or remove receipts and tiles', async (ledger, kind) => {
  await append(ledger.store, entries(257), false)
  const before = await ledger.reader.range(0, 300)
  const tile = await ledger.reader.tile(0, 0)
  for (const attempt of [
    'UPDATE {receipts} SET body = {x:7b7d} WHERE node_index = 3',
    'UPDATE {receipts} SET sig = {x:00}',
    'DELETE FROM {receipts} WHERE node_index = 3',
    'DELETE FROM {receipts}',
    'UPDATE {tiles} SET data = {x:00}',
    'DELETE FROM {tiles}',
    ...(kind.shared ? ['TRUNCATE {receipts}', 'TRUNCATE {tiles}'] : []),
  ])
    await assert.rejects(ledger.sql(attempt), /append-only/, attempt)
  assert.deepEqual(await ledger.reader.range(0, 300), before)
  assert.deepEqual(await ledger.reader.tile(0, 0), tile)
})

everyStore('a batch that does not continue the head is refused whole', async ({ store, reader }) => {
  await append(store, entries(3), false)
  const head = await store.lock()
  const stale = await batchOf(store, head, entries(2, 3), false)
  await store.write(stale)
  await store.commit()
  await store.lock()
  await assert.rejects(store.write(stale))
  await store.rollback()
  assert.equal((await reader.head()).size, 5)
  assert.equal((await reader.range(0, 100)).length, 5)
})

const readTile = (reader: LedgerReader) => async (tile: { level: number; index: number }) => {
  const bytes = await reader.tile(tile.level, tile.index)
  if (bytes === null) throw new Error(`tile ${tile.level}/${tile.index} is missing`)
  return bytes
}

everyStore('proofs read from the tiles verify at every size, in batches of any size', async ({ store, reader }) => {
  const leaves: Uint8Array[] = []
  const sizes = fc.sample(fc.integer({ min: 1, max: 256 }), { seed: SEED, numRuns: 12 })
  for (const size of [...sizes, 255, 1, 1]) {
    if (leaves.length + size > 1200) continue
    const { placed, head } = await append(store, entries(size, leaves.length, 7), false)
    leaves.push(...placed.map(({ body }) => leafHash(body)))
    assert.deepEqual(await store.head(), head)
    assert.deepEqual(frontierRoot(head.frontier), rootOf(leaves))
  }
  const total = leaves.length
  assert.ok(total > 512, `only ${total} receipts`)
  await assertTiles(reader, total)
  const inTree = fc.tuple(fc.integer({ min: 1, max: total }), fc.nat({ max: total - 1 }))
  await fc.assert(
    fc.asyncProperty(inTree, async ([treeSize, pick]) => {
      const leafIndex = pick % treeSize
      const nodes = nodesFromTiles(treeSize, readTile(reader))
      const root = rootOf(leaves.slice(0, treeSize))
      const hashes = await inclusionProof(leafIndex, treeSize, nodes)
      assert.ok(verifyInclusion({ leafHash: leaves[leafIndex]!, leafIndex, treeSize, root, hashes }))
      const from = 1 + (pick % treeSize)
      const consistent = await consistencyProof(from, treeSize, nodes)
      const fromRoot = rootOf(leaves.slice(0, from))
      assert.ok(verifyConsistency({ from, to: treeSize, fromRoot, toRoot: root, hashes: consistent }))
    }),
    { seed: SEED, numRuns: 40 },
  )
})

async function assertTiles(reader: LedgerReader, size: number): Promise<void> {
  for (let level = 0; level < 3; level += 1)
    for (let index = 0; index < 6; index += 1) {
      const bytes = await reader.tile(level, index)
      assert.equal((bytes?.length ?? 0) / 32, tileWidth(level, index, size), `tile ${level}/${index} of ${size}`)
    }
}

everyStore('a tile that has not begun is not there, right after the one before it became full', async (ledger) => {
  await append(ledger.store, entries(256), false)
  assert.equal((await ledger.reader.tile(0, 0))!.length, 256 * 32)
  assert.equal(await ledger.reader.tile(0, 1), null)
  assert.equal((await ledger.reader.tile(1, 0))!.length, 32)
  const { head } = await append(ledger.store, entries(1, 256), false)
  assert.equal((await ledger.reader.tile(0, 1))!.length, 32)
  assert.deepEqual(await ledger.store.head(), head)
})

everyStore('answers are kept with their receipt and forgotten by age', async ({ store, reader }) => {
  const keyOf = (n: number) => new Uint8Array(32).fill(n)
  const text = '{"quote":"\\"\'","line":"\u2028","escaped":"\\u0000","rocket":"\ud83d\ude80"}'
  const keyed = [1, 2, 3].map((n) =>
    entryOf('a', n, { idempotency: { key: keyOf(n), request: keyOf(n + 100), answer: `${text}${n}` } }),
  )
  await append(store, keyed, false)
  const second = { request: keyOf(102), nodeIndex: 1, treeSize: 3, answer: `${text}2` }
  const found = await store.answers([keyOf(2), keyOf(77), keyOf(1), keyOf(2)])
  assert.deepEqual(found[0], second)
  assert.equal(found[1], null)
  assert.equal(found[2]!.answer, `${text}1`)
  assert.deepEqual(found[3], second)
  assert.deepEqual(await reader.answer(keyOf(2)), second)
  const twice = await batchOf(store, await store.lock(), [keyed[0]!], false)
  await assert.rejects(store.write(twice), /unique/i, 'a key has one answer')
  await store.rollback()
  assert.equal(await store.forgetAnswers(1002), 2)
  assert.deepEqual(
    (await store.answers([1, 2, 3].map(keyOf))).map((answer) => answer?.nodeIndex ?? null),
    [null, null, 2],
  )
  assert.equal((await reader.range(0, 10)).length, 3)
})

everyStore(
  'a key of the ring can be ended or its kind put right, and nothing else about it changed',
  async ({ store, reader }) => {
    const next = { ...RING_KEY, keyid: 'cd'.repeat(32), kind: 'production' as const, fromIndex: 2 ** 40 }
    await store.putKey(RING_KEY)
    await store.putKey(next)
    const ended = { ...RING_KEY, toIndex: 2 ** 40, to: '2026-02-01T00:00:00.000Z' }
    await store.putKey({ ...ended, spki: new Uint8Array([9]), fromIndex: 5 })
    assert.deepEqual(await store.keys(), [ended, next])
    assert.deepEqual(await reader.keys(), [ended, next])
    await store.putKey({ ...next, kind: 'demo' })
    assert.deepEqual(await store.keys(), [ended, { ...next, kind: 'demo' }])
  },
)

everyStore('checkpoints and values kept beside the ledger come back, the newest checkpoint first', async (ledger) => {
  const { store, reader } = ledger
  const note = (size: number) => ({ size, note: `origin\n${size}\nroot=\n\n\u2014 origin sig\n` })
  await store.putCheckpoint(note(7))
  await store.putCheckpoint(note(12))
  await store.putCheckpoint(note(9))
  assert.deepEqual({ ...(await store.checkpoint()) }, note(12))
  await store.putCheckpoint({ size: 12, note: 'signed again' })
  assert.deepEqual({ ...(await reader.checkpoint()) }, note(12))
  for (const [from, size] of [
    [1, 7],
    [7, 7],
    [8, 9],
    [12, 12],
  ] as const)
    assert.deepEqual({ ...(await reader.checkpointFrom(from)) }, note(size), `the first over at least ${from}`)
  assert.equal(await reader.checkpointFrom(13), null)
  await store.putMeta('log_vkey', 'one')
  await store.putMeta('log_vkey', 'two')
  assert.equal(await store.meta('log_vkey'), 'two')
  assert.equal(await reader.meta('log_vkey'), 'two')
})

everyStore('a checkpoint that was stored is neither changed nor removed', async ({ store, reader, sql }) => {
  await store.putCheckpoint({ size: 7, note: 'first' })
  await assert.rejects(sql(`UPDATE {checkpoints} SET note = 'second'`), /checkpoints are append-only/)
  await assert.rejects(sql('DELETE FROM {checkpoints}'), /checkpoints are append-only/)
  assert.deepEqual({ ...(await reader.checkpoint()) }, { size: 7, note: 'first' })
})

everyStore('a value written inside a batch goes with it', async ({ store }) => {
  await store.lock()
  await store.putMeta('probe', 'now')
  assert.equal(await store.meta('probe'), 'now')
  await store.rollback()
  assert.equal(await store.meta('probe'), null)
})

everyStore('a reader sees nothing of a batch before it is committed', async ({ store, reader }, kind) => {
  // The reader of a ledger in memory shares the writer's connection: it has no other.
  const own = kind.name !== 'SQLite in memory'
  await store.write(await batchOf(store, await store.lock(), entries(3), false))
  assert.equal((await reader.head()).size, own ? 0 : 3)
  assert.equal((await reader.byIndex(0)) === null, own)
  await store.commit()
  assert.equal((await reader.head()).size, 3)
})

everyStore('a second batch cannot be begun while one is open', async ({ store }) => {
  await store.lock()
  await assert.rejects(store.lock())
  await store.rollback()
  await append(store, entries(1), false)
})
