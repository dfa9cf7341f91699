import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sfc32 } from '../../../domain/sfc32.ts'
import { upright } from './carried.ts'
import { makeExample } from './example.ts'
import { identify } from './identify.ts'
import type { Problem } from './model.ts'

const growth = (x: (t: number) => number, seed: number): Problem => {
  const random = sfc32('carried', { seed })
  const t = Array.from({ length: 40 }, (_, i) => i)
  const y = t.map((at) => [x(at) + 0.2 * random.normal()])
  return { system: 'logistic', t, y, unknowns: ['r', 'K'], fixed: {} }
}

test('a population that does not change tells neither its rate nor its limit', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const { found } = identify({ problem: growth(() => 10, seed), bounds: {}, seed: 1 })
    assert.deepEqual(Object.keys(found!.refusals).toSorted(), ['K', 'r'], `seed ${seed}`)
  }
  // Who knows that it grows knows that it has arrived.
  const known = identify({ problem: growth(() => 10, 1), bounds: { r: [1, 2] }, seed: 1 }).found!
  assert.equal(known.refusals.K, undefined)
})

test('a growth that is over after the first points tells its limit, even where its rate is not told', () => {
  for (const rate of [0.5, 3, 8]) {
    const { found } = identify({
      problem: growth((t) => 10 / (1 + 49 * Math.exp(-rate * t)), 1),
      bounds: {},
      seed: 1,
    })
    const { value, sd } = found!.discovered[1]!
    assert.equal(found!.refusals.K, undefined)
    assert.equal(found!.refusals.r === undefined, rate < 8)
    assert.ok(Math.abs(value - 10) < 4 * sd!, `${value} ${sd}`)
  }
})

test('a force that noise may have made has no frequency, and one that shows has a positive one', () => {
  const unknowns = ['F', 'w']
  for (const [noise, seed] of [
    [1, 1],
    [1, 2],
    [0.05, 1],
  ] as const) {
    const { problem } = makeExample({ system: 'duffing', noise, seed, case: 'identifiable', unknowns, fixed: {} })!
    const { found } = identify({ problem, bounds: {}, seed, profile: false })
    assert.deepEqual(Object.keys(found!.refusals).toSorted(), noise === 1 ? ['F', 'w'] : [], `${noise} ${seed}`)
    assert.ok(found!.discovered[1]!.value > 0)
  }
})

test('a negative frequency is turned with its derivatives where the bounds let it be', () => {
  const problem: Problem = { system: 'duffing', t: [], y: [], unknowns: ['w', 'F'], fixed: {} }
  const [theta, jacobian] = [Float64Array.of(-2, 3), Float64Array.of(1, 2, 3, 4)]
  const fit = { theta, jacobian, values: Float64Array.of(), ssr: 0, iterations: 0, converged: true, gradientNorm: 0 }
  const bounds = (high: number) => ({ low: Float64Array.of(-9, -9), high: Float64Array.of(high, 9) })
  const turned = upright(problem, fit, bounds(9))
  assert.deepEqual(
    [[...turned.theta], [...turned.jacobian]],
    [
      [2, 3],
      [-1, 2, -3, 4],
    ],
  )
  assert.equal(upright(problem, fit, bounds(0)), fit)
})
