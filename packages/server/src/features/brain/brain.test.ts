import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joulesBetween } from './energy.ts'
import { shareOf } from './pulse.ts'
import { ClaimCount, countStores } from './stores.ts'
import { listSurfaces } from './surfaces.ts'

const clock = { now: () => 0, monotonic: () => 0 }
const counter = (zone: string, name: string, energy: bigint, range = 1_000_000n) => ({ zone, name, energy, range })

test('energy is the sum of the packages, across the end of a counter, each package once and no platform beside it', () => {
  const before = [
    counter('intel-rapl-mmio:0', 'package-0', 900_000n),
    counter('intel-rapl:0', 'package-0', 900_000n),
    counter('intel-rapl:1', 'package-1', 100n),
    counter('intel-rapl:2', 'psys', 5n),
  ]
  const after = [
    counter('intel-rapl-mmio:0', 'package-0', 100_000n),
    counter('intel-rapl:0', 'package-0', 100_000n),
    counter('intel-rapl:1', 'package-1', 50_100n),
    counter('intel-rapl:2', 'psys', 500_000n),
  ]
  assert.equal(joulesBetween(before, after), 0.25)
  assert.equal(joulesBetween(before, []), null)
  assert.equal(joulesBetween([], after), null)
})

test('surfaces are what operations belong to, in small letters, each with the calls of all its operations', () => {
  const catalog = ['organs.run', 'organs.catalog', 'organHealth.all', 'log.size'].map((id) => ({ id }))
  const calls = [
    { id: 'organs.run', recent: 3 },
    { id: 'organs.catalog', recent: 4 },
    { id: 'organHealth.all', recent: 1 },
    { id: 'gone.away', recent: 9 },
  ]
  assert.deepEqual(listSurfaces(catalog, calls), [
    { id: 'log', demand: 0 },
    { id: 'organ-health', demand: 1 },
    { id: 'organs', demand: 7 },
  ])
})

const answering = {
  head: async () => ({ size: 12, frontier: [] }),
  chains: async () => [chainOf('public', 'n25', 3), chainOf('public', 'n2x', 4), chainOf('other', 'n1', 2)],
  countDocuments: async () => 100_000,
}
function chainOf(ns: string, chain: string, depth: number) {
  return { id: 1, ns, chain, depth, head: '', headIndex: 0, lake: '' }
}

test('a store that throws or waits is null with a reason that tells nothing of its inside, and the others are counted', async () => {
  const stores = await countStores({
    reader: { ...answering, head: () => Promise.reject(new Error('postgres://secret@host')) },
    clock,
    claimsEvaluated: async () => null,
    searchDocuments: null,
    surfaces: () => 3,
  })
  assert.deepEqual(stores.receipts, {
    value: null,
    is_lower_bound: false,
    label: 'UNAVAILABLE',
    source: 'head of the ledger',
    reason: 'the store did not answer',
  })
  assert.deepEqual([stores.chains.value, stores.organ_runs.value], [3, 5])
  assert.deepEqual([stores.step_sessions.value, stores.step_sessions.is_lower_bound], [100_000, true])
  assert.match(stores.claims_evaluated.reason!, /still being counted/)
  assert.equal(stores.search_documents.label, 'UNAVAILABLE')
  assert.deepEqual([stores.surfaces.value, stores.surfaces.label], [3, 'MEASURED'])
})

test('evaluations are counted over several requests where the chain is long, and never twice', async () => {
  let depth = 1201
  const body = (kind: string) => new TextEncoder().encode(JSON.stringify({ kind, payload: {}, actor: {} }))
  const read: number[] = []
  const count = new ClaimCount({
    chains: async () => [chainOf('public', 'claims', depth)],
    chainRange: async (_ns, _chain, from, limit) =>
      Array.from({ length: Math.min(limit, depth - from) }, (_, n) => {
        read.push(from + n)
        return { body: body((from + n) % 2 === 0 ? 'claim-evaluate' : 'claim-atomize') } as never
      }),
  })
  assert.deepEqual([await count.count(), await count.count()], [null, null])
  assert.deepEqual(await Promise.all([count.count(), count.count()]), [601, 601])
  depth = 1203
  assert.equal(await count.count(), 602)
  assert.deepEqual(
    read,
    Array.from({ length: 1203 }, (_, n) => n),
  )
})

const stores = () =>
  countStores({ reader: answering, clock, claimsEvaluated: async () => 0, searchDocuments: null, surfaces: () => 6 })
const sourcesOf = (demands: Record<string, number>, more = {}) => ({
  clock,
  process: () => assert.fail('the share reads nothing of the process'),
  stores,
  energy: async () => ({
    joules: null,
    window_s: null,
    watts: null,
    label: 'UNAVAILABLE' as const,
    source: 's',
    reason: 'none',
  }),
  surfaces: () => Object.entries(demands).map(([id, demand]) => ({ id, demand })),
  activeOrgans: () => 0,
  windowSeconds: 300,
  capacity: 100,
  weights: {},
  ...more,
})

test('the share of a surface is its budget over the capacity; budgets that do not divide never add up to more', async () => {
  const six = { a: 90, b: 90, c: 90, d: 90, e: 90, f: 90 }
  const { request_budget, share, shares_sum, unallocated, demand } = await shareOf('c', sourcesOf(six))
  assert.deepEqual([request_budget, share, demand, unallocated], [16.666666, 0.166667, 90, 0])
  assert.ok(shares_sum <= 1 && 6 * request_budget <= 100)
  const vector = await Promise.all(['a', 'b', 'c'].map((id) => shareOf(id, sourcesOf({ a: 10, b: 30, c: 80 }))))
  assert.deepEqual(
    vector.map((one) => one.request_budget),
    [10, 30, 60],
  )
})

test('configured weights count, and one that names no surface is told', async () => {
  const weighted = await shareOf('a', sourcesOf({ a: 90, b: 90 }, { capacity: 90, weights: { a: 2, typo: 3 } }))
  assert.deepEqual([weighted.request_budget, weighted.weight, weighted.weights_without_surface], [60, 2, ['typo']])
})

test('an unknown surface gets nothing, and names of objects are no surfaces', async () => {
  for (const id of ['nowhere', 'constructor', 'tostring']) {
    const found = await shareOf(id, sourcesOf({ a: 10 }))
    const { surface_known, demand, weight, request_budget, share } = found
    assert.deepEqual([surface_known, demand, weight, request_budget, share], [false, 0, 0, 0, 0])
    assert.deepEqual(found.known_surfaces, ['a'])
  }
})

test('an energy budget is modeled from a measured power, by the share', async () => {
  const energy = async () => ({
    joules: 2,
    window_s: 0.1,
    watts: 20,
    label: 'MEASURED' as const,
    source: 's',
    reason: null,
  })
  const { energy_budget } = await shareOf('a', sourcesOf({ a: 50 }, { energy }))
  assert.deepEqual(energy_budget, { joules: 3000, label: 'MODELED', reason: null })
})
