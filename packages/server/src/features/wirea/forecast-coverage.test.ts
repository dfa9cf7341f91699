import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundDeep } from '../../domain/rounded.ts'
import { coverageWork, forecastCoverage, TEST_ROWS } from './forecast-coverage.ts'
import { coveragePlot } from './plots.ts'
import type { CoverageInput } from './schemas.ts'

const run = (more: Partial<CoverageInput> = {}) =>
  forecastCoverage({ target: 0.9, n: 40, seed: 7, trials: 20, scenario: 'iid', ...more })

test('rank, expectation and law of the default are those of the contract', () => {
  const { k, expected_coverage, coverage_law, guarantee, within_law } = roundDeep(run())
  assert.deepEqual(
    [k, expected_coverage, coverage_law],
    [37, 0.902439, { beta: [37, 4], p05: 0.817413, p95: 0.965115 }],
  )
  assert.deepEqual(guarantee, [0.9, 0.92439])
  assert.equal(within_law, true)
  assert.equal(run({ target: 0.95, trials: 1 }).k, 39)
})

test('too few rows give an infinite band, the rows that would do, and no coverage', () => {
  for (const [target, n, minimum] of [
    [0.9, 8, 9],
    [0.99, 40, 99],
  ] as const) {
    const found = run({ target, n })
    assert.deepEqual(
      [found.band, found.insufficient_n, found.band_halfwidth, found.minimum_n],
      ['INFINITE', true, null, minimum],
    )
    assert.deepEqual(
      [found.mean_coverage, found.expected_coverage, found.coverage_law, found.trials, found.within_law],
      [null, null, null, [], null],
    )
    const enough = run({ target, n: minimum, trials: 1 })
    assert.deepEqual([enough.band, enough.k, enough.insufficient_n], ['FINITE', minimum, false])
    assert.equal(run({ target, n: minimum - 1, trials: 1 }).band, 'INFINITE')
  }
})

test('over many seeds the measured coverage lies in its law', () => {
  // 400 trials from 20 seeds: mean, spread and tails against Beta(37, 4) with the noise of 2000 test rows.
  const runs = Array.from({ length: 20 }, (_, seed) => run({ seed }))
  const shares = runs.flatMap(({ trials }) => trials.map(({ coverage }) => coverage))
  const [a, b] = [37, 4]
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
  const variance = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / (shares.length - 1)
  const law = (a * b) / ((a + b) ** 2 * (a + b + 1))
  const expected = law + ((a / (a + b)) * (b / (a + b)) - law) / TEST_ROWS
  assert.ok(Math.abs(mean - a / (a + b)) < 4 * Math.sqrt(expected / shares.length), `mean ${mean}`)
  assert.ok(variance / expected > 0.75 && variance / expected < 1.3, `variance ${variance}, law ${expected}`)
  const inside = shares.filter((share) => share >= 0.817413 && share <= 0.965115).length / shares.length
  assert.ok(inside > 0.85 && inside < 0.94, `${inside} of the trials between the 5 % and the 95 % of the law`)
  assert.ok(runs.filter(({ within_law }) => within_law === true).length >= 19)
})

test('other targets and sizes keep their law as well', () => {
  for (const [target, n] of [
    [0.5, 3],
    [0.8, 25],
    [0.95, 200],
    [0.999, 1200],
  ] as const) {
    const { within_law, law_z } = run({ target, n, trials: 60, seed: 3 })
    assert.equal(within_law, true, `${target} of ${n}: ${law_z}`)
  }
})

test('under drift the fixed band fails, the adaptive one holds its bound, and no law is claimed', () => {
  const { adaptive, within_law, mean_coverage } = run({ scenario: 'drift' })
  assert.equal(within_law, null)
  assert.ok(mean_coverage! < 0.7 && adaptive!.within_bound && Math.abs(adaptive!.coverage - 0.9) < adaptive!.bound)
  assert.ok(adaptive!.infinite_share > 0, 'how often the adaptive band was infinite is told')
})

test('under drift nothing is expected or promised, the reason is told, and the plot has no line of a law', () => {
  const drifting = run({ scenario: 'drift' })
  const { expected_coverage, guarantee, coverage_law, law_z } = drifting
  assert.deepEqual([expected_coverage, guarantee, coverage_law, law_z], [null, null, null, null])
  assert.match(drifting.law_reason!, /not exchangeable/)
  const lines = (result: ReturnType<typeof run>) => coveragePlot(result).reference_lines.map(({ name }) => name)
  assert.deepEqual(lines(drifting), ['target'])
  assert.deepEqual([run().law_reason, lines(run()).length], [null, 3])
  assert.match(run({ n: 8 }).law_reason!, /no finite band/)
})

test('the same parameters give the same bytes, more trials begin with the same ones, other seeds differ', () => {
  assert.equal(JSON.stringify(run()), JSON.stringify(run()))
  assert.deepEqual(run({ trials: 30 }).trials.slice(0, 20), run().trials)
  assert.notDeepEqual(run({ seed: 8 }).trials, run().trials)
})

test('the largest request is within the cap', () => {
  assert.ok(coverageWork({ target: 0.9, n: 5000, seed: 1, trials: 200, scenario: 'drift' }) <= 2e6)
})
