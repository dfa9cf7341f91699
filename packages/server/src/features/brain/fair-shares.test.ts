import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fairShares } from './fair-shares.ts'

type Demand = Parameters<typeof fairShares>[0][number]

const equal = (...demands: number[]): Demand[] => demands.map((demand) => ({ demand, weight: 1 }))

test('the three worked examples', () => {
  assert.deepEqual(fairShares(equal(10, 30, 80), 100), { budgets: [10, 30, 60], unallocated: 0 })
  assert.deepEqual(fairShares(equal(50, 40, 90), 120), { budgets: [40, 40, 40], unallocated: 0 })
  assert.deepEqual(fairShares(equal(10, 10, 10), 100), { budgets: [10, 10, 10], unallocated: 70 })
})

test('weights divide what is contended for, and nobody at all leaves everything', () => {
  const demands = [
    { demand: 90, weight: 2 },
    { demand: 90, weight: 1 },
  ]
  assert.deepEqual(fairShares(demands, 90), { budgets: [60, 30], unallocated: 0 })
  assert.deepEqual(fairShares([], 100), { budgets: [], unallocated: 100 })
  assert.deepEqual(fairShares(equal(0, 0), 100), { budgets: [0, 0], unallocated: 100 })
})

const someDemands = fc.array(
  fc.record({
    demand: fc.integer({ min: 0, max: 10_000 }),
    weight: fc.integer({ min: 1, max: 1_000_000 }).map((n) => n / 1000),
  }),
  { minLength: 1, maxLength: 40 },
)

/** The same shares by another road: the water level is found by halving. */
function byWaterLevel(demands: readonly Demand[], capacity: number): number[] {
  const filled = (level: number) => demands.map(({ demand, weight }) => Math.min(demand, weight * level))
  const sum = (budgets: readonly number[]) => budgets.reduce((total, budget) => total + budget, 0)
  let [low, high] = [0, Math.max(...demands.map(({ demand, weight }) => demand / weight)) + 1]
  if (sum(filled(high)) <= capacity) return filled(high)
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2
    if (sum(filled(middle)) <= capacity) low = middle
    else high = middle
  }
  return filled(low)
}

test('any demands: as the water level gives it, nobody above its demand, all together within the capacity', () => {
  fc.assert(
    fc.property(someDemands, fc.integer({ min: 1, max: 20_000 }), (demands, capacity) => {
      const { budgets, unallocated } = fairShares(demands, capacity)
      const expected = byWaterLevel(demands, capacity)
      for (const [at, budget] of budgets.entries()) {
        assert.ok(Math.abs(budget - expected[at]!) <= 1e-6 * (1 + expected[at]!), `${budget} is not ${expected[at]}`)
        assert.ok(budget <= demands[at]!.demand * (1 + 1e-12))
      }
      const sum = budgets.reduce((total, budget) => total + budget, 0)
      assert.ok(Math.abs(sum + unallocated - capacity) <= 1e-6 * capacity)
      assert.ok(unallocated === 0 || budgets.every((budget, at) => budget === demands[at]!.demand))
    }),
    { seed: 16, numRuns: 500 },
  )
})
