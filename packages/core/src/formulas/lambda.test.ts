import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSemantics, geometricMean, lambdaCounterexample } from './lambda.ts'

test('the maximum has all five properties on the grid and is not the geometric mean of 4 and 1', () => {
  const found = lambdaCounterexample()
  assert.deepEqual(found.satisfies, {
    monotone: true,
    homogeneous: true,
    diagonal: true,
    at_most_max: true,
    symmetric: true,
  })
  assert.deepEqual([found.value, found.geometric_mean, found.stands], [4, 2, true])
  assert.ok(Math.abs(geometricMean([4, 1]) - 2) < 1e-12)
})

const others: [what: string, aggregate: (a: number, b: number) => number, lost: string][] = [
  ['the sum', (a, b) => a + b, 'diagonal'],
  ['the first of two', (a) => a, 'symmetric'],
  ['a constant', () => 1, 'homogeneous'],
]
for (const [what, aggregate, lost] of others)
  test(`${what} is no counterexample: it is not ${lost}`, () => {
    const found = lambdaCounterexample(aggregate)
    assert.equal(found.stands, false)
    assert.equal(found.satisfies[lost as keyof typeof found.satisfies], false)
  })

test('the four semantic claims are each checked and none has a counterexample', () => {
  const checks = checkSemantics()
  assert.deepEqual(
    checks.map(({ claim_id }) => claim_id),
    ['lambda-bounds', 'lambda-normalisation', 'lambda-uniqueness-if-separable', 'dsse-binding'],
  )
  for (const check of checks) assert.deepEqual(check.counterexamples, [], check.claim_id)
})

test('a zero factor gives zero and a negative or absent one is misuse', () => {
  assert.equal(geometricMean([0.9, 0]), 0)
  assert.throws(() => geometricMean([]), RangeError)
  assert.throws(() => geometricMean([-1]), RangeError)
  assert.throws(() => geometricMean([Number.NaN]), RangeError)
})
