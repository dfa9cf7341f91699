import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  betaQuantile,
  binomialCdf,
  binomialQuantile,
  ceiling,
  chiSquareTail,
  normalTwoSided,
} from './special-functions.ts'

const near = (found: number, expected: number, relative = 1e-10) =>
  assert.ok(Math.abs(found - expected) <= relative * Math.abs(expected), `${found} is not ${expected}`)

/** By the sum itself, in logarithms. */
function summed(k: number, n: number, p: number): number {
  let [log, sum] = [n * Math.log1p(-p), 0]
  for (let i = 0; i <= k; i += 1) {
    sum += Math.exp(log)
    log += Math.log((n - i) / (i + 1)) + Math.log(p) - Math.log1p(-p)
  }
  return sum
}

test('the binomial distribution agrees with its sum, and its quantile is where the sum passes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.double({ min: 0.001, max: 0.999, noNaN: true }),
      (n, p, u) => {
        const k = binomialQuantile(u, n, p)
        assert.ok(summed(k, n, p) >= u - 1e-9 && (k === 0 || summed(k - 1, n, p) < u + 1e-9))
        assert.ok(Math.abs(binomialCdf(k, n, p) - summed(k, n, p)) < 1e-9)
      },
    ),
    { seed: 3, numRuns: 300 },
  )
  assert.deepEqual([binomialCdf(-1, 5, 0.5), binomialCdf(5, 5, 0.5)], [0, 1])
  assert.ok(Math.abs(binomialCdf(99_000, 100_000, 0.99) - 0.5) < 0.01, 'also for large n')
})

test('quantiles of the beta distribution, where they are known', () => {
  near(betaQuantile(0.3, 1, 1), 0.3)
  near(betaQuantile(0.25, 2, 1), 0.5)
  near(betaQuantile(0.75, 1, 2), 0.5)
  near(betaQuantile(0.5, 7, 7), 0.5)
  near(betaQuantile(0.1, 1, 5), 1 - 0.9 ** 0.2)
})

test('tails of chi-square and normal, where they are known, small ones with their digits', () => {
  for (const x of [0.1, 1, 5, 50, 500]) near(chiSquareTail(x, 2), Math.exp(-x / 2))
  for (const x of [0.1, 1, 5, 50]) near(chiSquareTail(x, 4), Math.exp(-x / 2) * (1 + x / 2))
  near(normalTwoSided(1.959963984540054), 0.05)
  near(normalTwoSided(-1), 0.31731050786291415)
  near(normalTwoSided(6), 1.973175290075e-9)
  assert.deepEqual([normalTwoSided(0), chiSquareTail(0, 3)], [1, 1])
})

test('whole numbers that doubles miss are still whole', () => {
  assert.deepEqual([ceiling(0.9 / (1 - 0.9)), ceiling(9.1), ceiling(41 * 0.9), ceiling(100 * 0.29)], [9, 10, 37, 29])
})
