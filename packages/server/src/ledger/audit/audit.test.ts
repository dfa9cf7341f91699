import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate as nextTurn, type setTimeout } from 'node:timers/promises'
import {
  appendLeaf,
  bodyTemplate,
  bodyText,
  emptyFrontier,
  hexEncode,
  importPublicKey,
  type LedgerRecord,
  lakeHash,
  leafHash,
  organOf,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  sha256Hex,
} from '@orch/core'
import fc from 'fast-check'
import { fork } from '#testing/fork.ts'
import { place } from '../place.ts'
import { LedgerAudit } from './audit.ts'
import { recordedKey } from './own-record.ts'
import { AuditWalk, walkSlice } from './walk.ts'

const SIZE = 1_000
const CHAINS = ['a', 'b', 'c']
const entries = Array.from({ length: SIZE }, (_, at) => {
  const ts_utc = new Date(1_800_000_000_000 + at).toISOString()
  const chain = CHAINS[(at * 7) % 3]!
  const draft = { ns: 'public', chain, kind: 'mint' as const, ts_utc, request_id: `r${at}`, policy: null }
  const actor = { owner: 'local', key_id: null, auth_mode: 'open' }
  const template = bodyTemplate({ ...draft, actor, payload: { n: at } }, null)
  return { ns: 'public', chain, ts: ts_utc, template, idempotency: null }
})
const empty = { size: 0, frontier: { size: 0, hashes: [] }, edges: [], chainCount: 0 }
const begun = new Map(
  CHAINS.map((chain, at) => {
    const zero = '0'.repeat(64)
    return [chain, { id: at + 1, ns: 'public', chain, depth: 0, head: zero, headIndex: -1, lake: zero }]
  }),
)
const placement = place(entries, empty, ({ chain }) => begun.get(chain)!)
const nameOf = new Map(placement.chains.map(({ id, chain }) => [id, chain]))
const rows = placement.placed.map(({ chainId, ...row }) => ({
  ...row,
  ns: 'public',
  chain: nameOf.get(chainId)!,
  signature: null,
  keyid: null,
  keyKind: null,
  signatureState: 'UNSIGNED' as const,
}))
type StoredRow = (typeof rows)[number]

/** A store that somebody edited: the rows are theirs, everything else is as it was written. */
function storeOf(
  edited: readonly StoredRow[],
  { size = SIZE, leaves = rows }: { size?: number; leaves?: StoredRow[] } = {},
) {
  const sorted = [...edited].sort((a, b) => a.nodeIndex - b.nodeIndex)
  return {
    range: async (from: number, limit: number) => sorted.filter(({ nodeIndex }) => nodeIndex >= from).slice(0, limit),
    tile: async (_level: number, index: number) =>
      Buffer.concat(leaves.slice(index * 256, (index + 1) * 256).map(({ body }) => leafHash(body))),
    keys: async () => [],
    chains: async () => placement.chains,
    head: async () => ({ size, frontier: [...placement.head.frontier.hashes] }),
  } as unknown as ConstructorParameters<typeof LedgerAudit>[0]
}
const BY_CHOICE: LedgerRecord = { keys: [], unsigned: [{ from: 0, to: SIZE }] }
const unsignedByChoice = async () => BY_CHOICE

/** A clock that stands still: a report then always walks to the end. */
const audit = (edited: readonly StoredRow[], more = {}) =>
  new LedgerAudit(storeOf(edited, more), unsignedByChoice, () => 0).report()

const copy = (row: StoredRow): StoredRow => ({ ...row, body: new Uint8Array(row.body) })
const edit = (at: number, change: (row: StoredRow) => StoredRow) =>
  rows.map((row) => (row.nodeIndex === at ? change(copy(row)) : row))
const altered = (row: StoredRow): StoredRow => {
  const text = new TextDecoder().decode(row.body).replace(/"n":\d+/, '"n":123456')
  return { ...row, body: new TextEncoder().encode(text) }
}
const rehashed = (row: StoredRow): StoredRow => {
  const changed = altered(row)
  return { ...changed, digest: sha256Hex(changed.body) }
}

test('a slice leaves the thread to short questions after every few rows', async () => {
  const walk = new AuditWalk()
  let isDone = false
  const slice = walkSlice(storeOf(rows), walk, async () => () => 'valid').then(() => {
    isDone = true
  })
  const seen = [0]
  for (; !isDone; await nextTurn()) seen.push(walk.at)
  await slice
  assert.equal(walk.at, 256)
  const most = Math.max(...[...seen, walk.at].slice(1).map((at, n) => at - seen[n]!))
  assert.ok(most <= 32, `${most} rows in one round of the event loop`)
})

test('a ledger that nobody touched is verified to its head, chain by chain', async () => {
  const report = await audit(rows)
  assert.deepEqual([report.verified_to, report.walked_to, report.broken], [SIZE, SIZE, null])
  for (const chain of report.chains) {
    const wanted = placement.chains.find((one) => one.chain === chain.chain)!
    assert.deepEqual(
      [chain.links_intact, chain.depth, chain.verified_to, chain.head],
      [true, wanted.depth, wanted.depth, wanted.head],
    )
  }
})

const tampering: [what: string, apply: (at: number) => StoredRow[]][] = [
  ['an altered body', (at) => edit(at, altered)],
  ['an altered body with its digest made to fit', (at) => edit(at, rehashed)],
  ['an altered digest', (at) => edit(at, (row) => ({ ...row, digest: 'ab'.repeat(32) }))],
  ['an altered lake hash', (at) => edit(at, (row) => ({ ...row, lake: 'ab'.repeat(32) }))],
  ['a row filed at another place of its chain', (at) => edit(at, (row) => ({ ...row, seq: row.seq + 5_000 }))],
  ['bytes that are no JSON', (at) => edit(at, (row) => ({ ...row, body: new Uint8Array([0xff, 0xfe]) }))],
  [
    'an invented signature',
    (at) => edit(at, (row) => ({ ...row, signature: new Uint8Array(70), keyid: 'f'.repeat(64) }) as never),
  ],
  ['a deleted row', (at) => rows.filter(({ nodeIndex }) => nodeIndex !== at)],
]
for (const [what, apply] of tampering)
  test(`${what} is found at its exact index, and only its own chain is called broken`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: SIZE - 1 }), async (at) => {
        const report = await audit(apply(at))
        assert.equal(report.broken?.node_index, at)
        assert.equal(report.verified_to, at)
        const broken = report.chains.filter(({ links_intact }) => !links_intact)
        assert.deepEqual(
          broken.map(({ chain, broken_at }) => [chain, broken_at]),
          [[rows[at]!.chain, at]],
        )
        assert.equal(report.walked_to, SIZE)
      }),
      { seed: 1, numRuns: 12, examples: [[0], [255], [256], [SIZE - 1]] },
    )
  })

test('a chain that was hashed forward without the key is found at the first altered receipt', async () => {
  const from = 400
  const heads = new Map<string, StoredRow>()
  const forged = rows.map((row) => {
    const before = heads.get(row.chain)
    const mine = row.nodeIndex < from ? row : forge(row, before!)
    heads.set(row.chain, mine)
    return mine
  })
  const report = await audit(forged)
  assert.deepEqual([report.broken?.node_index, report.broken?.reason], [from, 'leaf_mismatch'])
})

/** The receipt again with another content, linked and hashed as if it had been so all along. */
function forge(row: StoredRow, before: StoredRow): StoredRow {
  const entry = entries[row.nodeIndex]!
  const template = { ...entry.template, beforePrev: entry.template.beforePrev.replace(/"n":\d+/, '"n":7') }
  const body = new TextEncoder().encode(bodyText(template, before.digest, row.seq))
  const digest = sha256Hex(body)
  const link = { chain_index: row.seq + 1, prev_hash: before.lake, receipt_digest: digest, ts_utc: entry.ts }
  return { ...row, body, digest, prev: before.digest, lake: lakeHash({ organ: organOf('public', row.chain), ...link }) }
}

test('a tree that was rewritten with the rows still differs from the head that was kept', async () => {
  const heads = new Map<string, StoredRow>()
  const forged = rows.map((row) => {
    const mine = row.nodeIndex < SIZE - 1 ? row : forge(row, heads.get(row.chain)!)
    heads.set(row.chain, mine)
    return mine
  })
  const report = await audit(forged, { leaves: forged })
  assert.equal(report.broken?.node_index, SIZE - 1)
})

test('two rows that changed places are found at the first of them', async () => {
  const swapped = rows.map((row) => {
    if (row.nodeIndex === 10) return { ...rows[500]!, nodeIndex: 10 }
    return row.nodeIndex === 500 ? { ...rows[10]!, nodeIndex: 500 } : row
  })
  assert.equal((await audit(swapped)).broken?.node_index, 10)
})

test('receipts cut off the end of a chain are missed even when nothing else is wrong', async () => {
  const last = rows.findLast(({ chain }) => chain === 'b')!.nodeIndex
  const report = await audit(rows.filter(({ nodeIndex }) => nodeIndex !== last))
  const chain = report.chains.find(({ chain }) => chain === 'b')!
  assert.deepEqual([chain.links_intact, chain.broken_at], [false, last])
})

test('a report goes on where the last one stopped and says how far it came', async () => {
  let time = 0
  let read = 0
  const store = storeOf(rows)
  const range = store.range.bind(store)
  store.range = async (from, limit) => {
    read += limit
    time += 200
    return range(from, limit)
  }
  const patient = new LedgerAudit(store, unsignedByChoice, () => time)
  const first = await patient.report()
  assert.deepEqual([first.walked_to, first.verified_to, first.broken, first.size], [512, 512, null, SIZE])
  const second = await patient.report()
  assert.deepEqual([second.walked_to, second.broken], [SIZE, null])
  assert.equal(read, 1_024)
})

test('a report does not wait for the rest that a walk behind it takes between two pieces', async () => {
  let time = 0
  const store = storeOf(rows)
  const { range } = store
  store.range = (from, limit) => {
    // Slow at first, so that the walk rests for longer than any test lasts.
    if (from === 0) time += 3_600_000
    return range(from, limit)
  }
  const walking = new LedgerAudit(store, unsignedByChoice, () => time)
  walking.walkOn()
  while (walking.newest().walk.to_index < 15) await nextTurn()
  for (let turn = 0; turn < 100; turn += 1) await nextTurn()
  assert.equal(walking.newest().walk.to_index, 15)
  assert.deepEqual([(await walking.report()).walked_to, time], [SIZE, 3_600_000])
})

for (const [what, growth, factor] of [
  ['takes half of the thread while nothing is appended', 0, 1],
  ['takes a twentieth while receipts are appended', 1, 19],
] as const)
  test(`the first walk ${what}`, async () => {
    let time = 0
    let appended = 0
    const store = storeOf(rows)
    const { range } = store
    store.range = (from, limit) => {
      time += 10
      return range(from, limit)
    }
    store.head = async () => ({ size: SIZE + growth * appended++, frontier: [] })
    const rests: number[] = []
    const rest = async (ms?: number) => {
      rests.push(ms ?? 0)
      // One slice is enough; the walk ends here.
      await new Promise<never>(() => undefined)
    }
    new LedgerAudit(store, unsignedByChoice, () => time, { rest: rest as typeof setTimeout }).walkOn()
    while (rests.length === 0) await nextTurn()
    assert.deepEqual(rests, [10 * factor])
  })

test('a walk is behind once receipts of an hour ago are not walked', async () => {
  let time = 0
  let size = SIZE / 2
  const store = storeOf(rows)
  store.head = async () => ({ size, frontier: [] })
  const walking = new LedgerAudit(store, unsignedByChoice, () => time)
  walking.walkOn()
  while (walking.newest().full_walk_at === null) await nextTurn()
  size = SIZE
  time = 3_600_000
  assert.equal(walking.newest().is_behind, false)
  time += 1
  assert.equal(walking.newest().is_behind, true)
  walking.walkOn()
  while (walking.newest().is_behind) await nextTurn()
  assert.equal(walking.newest().verified_to, SIZE)
})

test('a walk that began on an empty ledger has the times of the receipts it then walked, and keeps them as it goes along', async () => {
  let time = 0
  let size = 0
  const store = storeOf(rows)
  const { range } = store
  store.range = (from, limit) => {
    time += 1_000
    return range(from, Math.min(limit, size - from))
  }
  store.head = async () => ({ size, frontier: [] })
  const walking = new LedgerAudit(store, unsignedByChoice, () => time, { rest: async () => undefined as never })
  const dateOf = (at: number) => new Date(performance.timeOrigin + at).toISOString()
  const figures = () => {
    const { walk, full_walk_at, verified_to } = walking.newest()
    return [walk.size, walk.walked_at, walk.full_walk_ended_at, full_walk_at, verified_to]
  }
  await walking.report()
  assert.deepEqual(figures(), [0, dateOf(0), null, null, 0])
  size = 16
  time = 60_000
  await walking.report()
  const [begun, ended] = [dateOf(60_000), dateOf(time)]
  assert.deepEqual(figures(), [16, begun, ended, ended, 16])
  size = 32
  time = 120_000
  await walking.report()
  assert.deepEqual(figures(), [16, begun, ended, ended, 32])
})

test('a walk from genesis finds what was changed behind the one before', async () => {
  const live = [...rows]
  const store = storeOf(rows)
  store.range = (async (from: number, limit: number) => live.slice(from, from + limit)) as never
  const walking = new LedgerAudit(store, unsignedByChoice, () => 0)
  assert.equal((await walking.report()).broken, null)
  live[33] = altered(copy(rows[33]!))
  assert.equal((await walking.report()).broken, null, 'what was verified is not read again')
  walking.startOver()
  while (walking.newest().broken === null) await nextTurn()
  assert.equal((await walking.report()).broken?.node_index, 33)
})

/** The rows as they stand from `at` on after the edit, and the index that is then the first wrong one. */
const EDITS: Record<string, (at: number) => { tail: StoredRow[]; brokenAt: number }> = {
  alter: (at) => ({ tail: [altered(rows[at]!), ...rows.slice(at + 1)], brokenAt: at }),
  delete: (at) => ({ tail: rows.slice(at + 1), brokenAt: at }),
  swap: (at) => ({ tail: renumbered(at, [rows[at + 1]!, rows[at]!, ...rows.slice(at + 2)]), brokenAt: at }),
  duplicate: (at) => ({ tail: renumbered(at, [rows[at]!, ...rows.slice(at)]), brokenAt: at + 1 }),
  insert: (at) => ({ tail: renumbered(at, [rows[(at + 500) % SIZE]!, ...rows.slice(at)]), brokenAt: at }),
}
const renumbered = (from: number, list: StoredRow[]) => list.map((row, at) => ({ ...row, nodeIndex: from + at }))
const leaves = rows.map(({ body }) => hexEncode(leafHash(body)))
/** Enough rows to meet every chain again. */
const FURTHER = 8

for (const [what, edited] of Object.entries(EDITS))
  test(`${what}: at each of 1,000 positions the walk of the audit names the exact index`, () => {
    const sound = new AuditWalk()
    const take = (walk: AuditWalk, row: StoredRow) =>
      walk.take({ row, leaf: leaves[row.nodeIndex] ?? null, signature: 'declared' })
    // The last receipt has no next one to change places with.
    const positions = what === 'swap' ? SIZE - 1 : SIZE
    for (let at = 0; at < positions; at += 1) {
      const { tail, brokenAt } = edited(at)
      const walk = fork(sound)
      for (const row of tail.slice(0, FURTHER)) take(walk, row)
      walk.missUpTo(Math.min(at + FURTHER, SIZE))
      assert.deepEqual([walk.first?.node_index, walk.verifiedTo], [brokenAt, brokenAt], `${what} at ${at}`)
      take(sound, rows[at]!)
    }
    assert.deepEqual([sound.first, sound.at], [null, positions])
  })

test('hashed forward without the key, tree, chains and all, a signed ledger is broken where the forgery began', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }))
  const { keyid } = importPublicKey(spki)!
  const signed = rows.map((row) => ({
    ...row,
    signature: new Uint8Array(sign('sha256', pae(RECEIPT_PAYLOAD_TYPE, row.body), privateKey)),
    keyid,
  })) as unknown as StoredRow[]
  const whole = (list: StoredRow[]) => ({
    ...storeOf(list, { leaves: list }),
    ...storedHeadsOf(list),
    keys: async () => [key],
  })
  const key = { keyid, spki, kind: 'demo' as const, fromIndex: 0, toIndex: null, from: 'then', to: null }
  const record: LedgerRecord = { keys: [recordedKey(key)], unsigned: [] }
  const report = (list: StoredRow[]) =>
    new LedgerAudit(
      whole(list) as never,
      async () => record,
      () => 0,
    ).report()
  assert.equal((await report(signed)).broken, null)
  for (let iteration = 0; iteration < 20; iteration += 1) {
    const from = (iteration * 52 + 3) % SIZE
    const heads = new Map<string, StoredRow>()
    const forged = signed.map((row) => {
      const mine = row.nodeIndex < from ? row : forge(row, heads.get(row.chain) ?? GENESIS)
      heads.set(row.chain, mine)
      return mine
    })
    const { broken, verified_to } = await report(forged)
    assert.deepEqual([broken?.node_index, broken?.reason, verified_to], [from, 'signature_invalid', from])
  }
})

const GENESIS = { digest: '0'.repeat(64), lake: '0'.repeat(64) } as StoredRow

/** Chains and head as a forger would store them beside these rows. */
function storedHeadsOf(list: readonly StoredRow[]) {
  const newest = new Map(list.map((row) => [row.chain, row]))
  const frontier = list.reduce((grown, { body }) => appendLeaf(grown, leafHash(body)), emptyFrontier())
  const chains = placement.chains.map((one) => {
    const { digest: head, lake, nodeIndex: headIndex } = newest.get(one.chain)!
    return { ...one, head, lake, headIndex }
  })
  return { chains: async () => chains, head: async () => ({ size: list.length, frontier: [...frontier.hashes] }) }
}
