import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sfc32 } from '../../../domain/sfc32.ts'
import { wilson } from '../../../domain/wilson.ts'
import { SCORES_EXAMPLE } from '../examples.ts'
import { roundResult } from '../rounding.ts'
import type { ScoresBody } from '../schemas.ts'
import { evalScores } from './job.ts'

const SEED = 20_261_116
const near = (found: number | null | undefined, expected: number, tolerance = 1e-9) =>
  assert.ok(typeof found === 'number' && Math.abs(found - expected) <= tolerance, `${found} is not ${expected}`)
const score = (body: ScoresBody) => evalScores({ bootstrap: 0, ...body })
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

test('the example has every score of the contract', () => {
  const binary = roundResult(score(SCORES_EXAMPLE).binary!)
  assert.deepEqual(
    [binary.brier, binary.log_loss, binary.ece.equal_width, binary.auc, binary.murphy.uncertainty, binary.skill],
    [0.175, 0.510826, 0.35, 0.8125, 0.25, 0.3],
  )
  assert.deepEqual([binary.spiegelhalter?.z, binary.crps, binary.clipped], [0, 0.175, 0])
})

test('the ensemble (1, 2, 4) against 2.5 scores 0.5, and 0.166667 fairly', () => {
  const { crps, crps_fair } = roundResult(score({ forecasts: [[1, 2, 4]], observed: [2.5] }).ensemble!)
  assert.deepEqual([crps, crps_fair], [0.5, 0.166667])
})

test('of the four rows A, B and C are on the front', () => {
  const row = (model: string, brier: number, ece: number, coverage: number) => ({ model, brier, ece, coverage })
  const candidates = [row('A', 0.12, 0.04, 0.91), row('B', 0.18, 0.02, 0.93), row('C', 0.1, 0.07, 0.88)]
  const worse = row('D', 0.2, 0.09, 0.8)
  assert.deepEqual(score({ candidates: [...candidates, worse] }).pareto, { front: ['A', 'B', 'C'], of: 4 })
  const equal = row('E', 0.12, 0.04, 0.91)
  assert.deepEqual(score({ candidates: [candidates[0]!, equal] }).pareto!.front, ['A', 'E'], 'equals stand together')
})

test('Wilson’s interval of 8 in 10', () => {
  const { low, high } = roundResult(wilson(8, 10))
  assert.deepEqual([low, high], [0.490162, 0.943318])
})

const cases = fc.array(
  fc.record({
    p: fc.oneof(
      fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
      fc.double({ min: 0, max: 1, noNaN: true }),
    ),
    o: fc.integer({ min: 0, max: 1 }),
  }),
  { minLength: 1, maxLength: 60 },
)

test('binary CRPS is the Brier score, and both decompositions add up to it, whatever the bins', () => {
  fc.assert(
    fc.property(cases, fc.integer({ min: 2, max: 50 }), (list, bins) => {
      const [probs, outcomes] = [list.map(({ p }) => p), list.map(({ o }) => o)]
      const { brier, crps, murphy, isotonic } = score({ probs, outcomes, bins }).binary!
      near(brier, sum(list.map(({ p, o }) => (p - o) ** 2)) / list.length, 1e-12)
      near(crps, brier, 1e-12)
      near(murphy.reliability - murphy.resolution + murphy.uncertainty + murphy.within_bin, brier, 1e-12)
      near(isotonic.miscalibration - isotonic.discrimination + isotonic.uncertainty, brier, 1e-12)
      assert.ok(isotonic.miscalibration >= -1e-12 && isotonic.discrimination >= -1e-12)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

const numbersIn = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : value === null || typeof value !== 'object'
      ? []
      : Object.values(value).flatMap(numbersIn)

test('the order of the cases changes no score', () => {
  fc.assert(
    fc.property(
      cases.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
      ([list, shuffled]) => {
        const of = (some: typeof list) =>
          numbersIn(score({ probs: some.map(({ p }) => p), outcomes: some.map(({ o }) => o) }))
        const [one, other] = [of(list), of(shuffled)]
        assert.equal(one.length, other.length)
        for (const [i, value] of one.entries()) near(value, other[i]!)
      },
    ),
    { seed: SEED, numRuns: 200 },
  )
})

test('AUC is the share of pairs, the isotonic fit the best of all monotone ones, both by enumeration', () => {
  const small = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 1 })), {
    minLength: 1,
    maxLength: 7,
  })
  fc.assert(
    fc.property(small, (list) => {
      const [probs, outcomes] = [list.map(([p]) => p / 4), list.map(([, o]) => o)]
      const { auc, isotonic, brier } = score({ probs, outcomes }).binary!
      const pairs = list.flatMap(([p, o]) =>
        list.flatMap(([q, r]) => (o === 1 && r === 0 ? [Math.sign(p - q) / 2 + 0.5] : [])),
      )
      if (pairs.length === 0) assert.equal(auc, null)
      else near(auc, sum(pairs) / pairs.length)
      // Every way to cut the levels into runs with one value each; the best monotone one has the runs' own means.
      const levels = [...new Set(probs)].sort((a, b) => a - b)
      let best = Infinity
      for (let cut = 0; cut < 1 << (levels.length - 1); cut += 1) {
        const starts = levels.flatMap((_, i) => (i === 0 || (cut >> (i - 1)) & 1 ? [i] : []))
        const runs = starts.map((start, i) => levels.slice(start, starts[i + 1]))
        const means = runs.map((run) => {
          const inside = outcomes.filter((_, i) => run.includes(probs[i]!))
          return sum(inside) / inside.length
        })
        if (means.some((mean, i) => i > 0 && mean < means[i - 1]!)) continue
        const errors = probs.map((p, i) => (means[runs.findIndex((run) => run.includes(p))]! - outcomes[i]!) ** 2)
        best = Math.min(best, sum(errors) / errors.length)
      }
      near(brier - isotonic.miscalibration, best)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

/** Probabilities that are right by construction: the outcome is drawn with them. */
function calibrated(n: number, seed: number, distort = (p: number) => p) {
  const random = sfc32('orch.test.calibrated', { seed })
  const truth = Array.from({ length: n }, () => random.uniform())
  const outcomes = truth.map((p) => Number(random.uniform() < p))
  return { probs: truth.map(distort), outcomes }
}

test('on calibrated data the debiased error is near 0 where the plain one is not, and a real one is found', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed)
  const mean = (of: (seed: number) => number) => sum(seeds.map(of)) / seeds.length
  const right = (seed: number) => score({ ...calibrated(500, seed), bins: 20 }).binary!
  near(
    mean((seed) => right(seed).debiased_calibration_error!.squared),
    0,
    0.0006,
  )
  assert.ok(mean((seed) => right(seed).ece.equal_mass) > 0.05, 'the plain error is biased by the noise of its bins')
  const wrong = (p: number) => p ** 2
  // E (p^2 - p)^2 of uniform p is 1/30.
  const found = mean(
    (seed) => score({ ...calibrated(500, seed, wrong), bins: 20 }).binary!.debiased_calibration_error!.squared,
  )
  near(found, 1 / 30, 0.004)
})

test('Spiegelhalter’s z is standard normal on calibrated data and far out on others', () => {
  const z = Array.from({ length: 200 }, (_, seed) => score(calibrated(200, seed)).binary!.spiegelhalter!.z)
  near(sum(z) / z.length, 0, 0.25)
  near(sum(z.map((one) => one ** 2)) / z.length, 1, 0.35)
  const far = score(calibrated(2000, 1, (p) => (p < 0.5 ? p / 3 : 1 - (1 - p) / 3))).binary!.spiegelhalter!
  assert.ok(Math.abs(far.z) > 5 && far.p_value < 1e-6)
})

test('bootstrap intervals hold the score, shrink with the cases, and are the same for the same seed', () => {
  const at = (n: number, seed = 1) => evalScores({ ...calibrated(n, 3), bootstrap: 400, seed }).binary!
  const [small, large] = [at(100), at(2000)]
  for (const { brier, bootstrap } of [small, large])
    assert.ok(bootstrap!.brier95.low < brier && brier < bootstrap!.brier95.high)
  const width = ({ bootstrap }: typeof small) => bootstrap!.brier95.high - bootstrap!.brier95.low
  assert.ok(width(large) < width(small) / 3)
  assert.equal(JSON.stringify(at(100)), JSON.stringify(small))
  assert.notDeepEqual(at(100, 2).bootstrap, small.bootstrap)
  // About twice the standard error of a mean to either side.
  const { probs, outcomes } = calibrated(2000, 3)
  const errors = probs.map((p, i) => (p - outcomes[i]!) ** 2)
  const variance = sum(errors.map((error) => (error - large.brier) ** 2)) / errors.length
  near(width(large) / (2 * 1.96 * Math.sqrt(variance / errors.length)), 1, 0.15)
})

test('one class, certain forecasts and clipped ones are said to be what they are', () => {
  const one = score({ probs: [0.5, 0.7], outcomes: [1, 1] }).binary!
  assert.deepEqual([one.auc, one.skill, one.murphy.uncertainty], [null, null, 0])
  const certain = score({ probs: [0, 1], outcomes: [0, 1] }).binary!
  assert.deepEqual([certain.spiegelhalter, certain.brier, certain.clipped], [null, 0, 2])
  const wrong = score({ probs: [0], outcomes: [1] }).binary!
  near(wrong.log_loss, -Math.log(1e-15), 1e-6)
  assert.equal(wrong.debiased_calibration_error, null)
  // 0.58 * 50 is a little less than 29 in doubles.
  assert.equal(score({ probs: [0.58], outcomes: [1], bins: 50 }).binary!.bins[29]!.cases, 1)
  assert.equal(score({ probs: [1], outcomes: [1] }).binary!.bins[9]!.cases, 1)
})

test('ensemble scores agree with the double sum, and the fair one is unbiased for a sample', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 2, maxLength: 20 }),
      fc.double({ min: -100, max: 100, noNaN: true }),
      (members, y) => {
        const m = members.length
        const distance = sum(members.map((e) => Math.abs(e - y))) / m
        const pairs = sum(members.flatMap((a) => members.map((b) => Math.abs(a - b))))
        const { crps, crps_fair } = score({ forecasts: [members], observed: [y] }).ensemble!
        near(crps, distance - pairs / (2 * m * m))
        near(crps_fair, distance - pairs / (2 * m * (m - 1)))
      },
    ),
    { seed: SEED, numRuns: 300 },
  )
  // Of two draws from N(0, 1) against N(0, 1): E|X - Y| / 2 = 1/sqrt(pi), whatever the size of the ensemble.
  const random = sfc32('orch.test.fair', {})
  const drawn = Array.from({ length: 20_000 }, () => [random.normal(), random.normal()])
  const { crps_fair } = score({ forecasts: drawn, observed: drawn.map(() => random.normal()) }).ensemble!
  near(crps_fair, 1 / Math.sqrt(Math.PI), 0.02)
})

test('pinball loss by hand, with crossing quantiles counted', () => {
  const result = score({
    quantiles: {
      levels: [0.1, 0.5],
      values: [
        [1, 3],
        [4, 2],
      ],
    },
    observed: [2, 5],
  }).quantile!
  near(result.levels[0]!.pinball, (0.1 * 1 + 0.1 * 1) / 2)
  near(result.levels[1]!.pinball, (0.5 * 1 + 0.5 * 3) / 2)
  near(result.pinball, 0.55)
  assert.deepEqual([result.crossing_cases, result.levels[1]!.coverage], [1, 0.5])
})
