import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InputError } from '../../errors.ts'
import { scoreAnomalies } from './anomaly.ts'
import { gapReply, panelReply } from './calculators.ts'
import { trustGap } from './divergence.ts'
import { anomalyPlot } from './plots.ts'
import { roundResult } from './rounding.ts'
import type { AnomalyBody } from './schemas.ts'
import { fitTail, tailProbability } from './tail-fit.ts'

const SEED = 20_261_116
const near = (found: number | null, expected: number, tolerance = 1e-6) =>
  assert.ok(found !== null && Math.abs(found - expected) <= tolerance, `${found} is not ${expected}`)
const score = (body: AnomalyBody) => roundResult(scoreAnomalies(body))
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const faultOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof InputError, String(error))
    return error.detail[0]!.loc.join('.')
  }
  return assert.fail('it was taken')
}

test('the p-value of a value above all of 200 is 1 in 201', () => {
  assert.equal(score({ baseline: upTo(200), value: 1e9 }).results[0]!.p_value, 0.004975)
})

test('a value of 25 against 1 to 20 has the p-value, the two-sided one and the robust score of the contract', () => {
  const result = score({ baseline: upTo(20), value: 25 })
  const [row] = result.results
  assert.deepEqual([row!.p_value, row!.robust_z, row!.empirical_percentile], [0.047619, 1.95605, 100])
  assert.deepEqual([result.median, result.mad, result.p99, result.p99_interval.insufficient_n], [10.5, 5, null, true])
  assert.equal(score({ baseline: upTo(20), value: 25, tail: 'two-sided' }).results[0]!.p_value, 0.095238)
  assert.equal(score({ baseline: upTo(20), value: -5, tail: 'lower' }).results[0]!.p_value, 0.047619)
})

test('the 95 % quantile of 200 lies between ranks 184 and 197 with its exact coverage', () => {
  const { p95, p95_interval: interval } = score({ baseline: upTo(200), value: 1 })
  assert.deepEqual(
    [p95, interval.rank, interval.lower_rank, interval.upper_rank, interval.coverage],
    [191, 191, 184, 197, 0.967152],
  )
  // Nineteen values are enough for a 95 % order statistic, eighteen are not.
  assert.deepEqual(
    [score({ baseline: upTo(19), value: 1 }).p95, score({ baseline: upTo(18), value: 1 }).p95],
    [19, null],
  )
})

test('counts behind a p-value agree with counting, ties included', () => {
  const numbers = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 40 })
  fc.assert(
    fc.property(numbers, fc.integer({ min: -6, max: 6 }), (baseline, value) => {
      const n = baseline.length
      const upper = (1 + baseline.filter((x) => x >= value).length) / (n + 1)
      const lower = (1 + baseline.filter((x) => x <= value).length) / (n + 1)
      const p = (tail: AnomalyBody['tail']) => scoreAnomalies({ baseline, value, tail }).results[0]!.p_value
      near(p('upper'), upper)
      near(p('lower'), lower)
      near(p('two-sided'), Math.min(1, 2 * Math.min(upper, lower)))
    }),
    { seed: SEED, numRuns: 200 },
  )
})

test('severity follows p and says undecidable where no value could be significant', () => {
  const severity = (n: number, value: number, more: Partial<AnomalyBody> = {}) =>
    score({ baseline: upTo(n), value, ...more }).results[0]!.severity
  assert.equal(severity(200, 1e9), 'critical')
  assert.equal(severity(200, 195), 'elevated')
  assert.equal(severity(200, 100), 'nominal')
  assert.equal(severity(18, 1e9), 'undecidable')
  assert.equal(severity(19, 1e9), 'elevated')
  // Two-sided the smallest p is twice as large.
  assert.equal(severity(38, 1e9, { tail: 'two-sided' }), 'undecidable')
  assert.equal(severity(39, 1e9, { tail: 'two-sided' }), 'elevated')
})

test('several values are judged together: q-values are those of Benjamini and Hochberg by hand', () => {
  const { results } = score({ baseline: upTo(99), values: [1000, 99, 96, 50], alpha: 0.05 })
  // p = 0.01, 0.02, 0.05, 0.51: 4/1 p, 4/2 p, 4/3 p and p itself.
  assert.deepEqual(
    results.map(({ q_value }) => q_value),
    [0.04, 0.04, 0.066667, 0.51],
  )
  assert.deepEqual(
    results.map(({ rejected }) => rejected),
    [true, true, false, false],
  )
})

test('equal values have no robust score, and the tail is fitted from thirty exceedances on', () => {
  const flat = score({ baseline: [3, 3, 3], value: 4 })
  assert.deepEqual([flat.mad, flat.results[0]!.robust_z], [0, null])
  assert.equal(score({ baseline: upTo(299), value: 4 }).tail_fit?.exceedances, 30)
  const few = score({ baseline: upTo(289), value: 4 })
  assert.equal(few.tail_fit, null)
  assert.match(few.tail_fit_reason!, /29 values/)
  assert.equal(score({ baseline: upTo(300), value: 4, tail: 'lower' }).tail_fit, null)
})

test('the largest and the smallest numbers that are taken give finite answers', () => {
  const tiny = Array.from({ length: 400 }, (_, i) => i * 5e-324)
  const huge = Array.from({ length: 400 }, (_, i) => (i - 200) * 5e97)
  for (const baseline of [tiny, huge, [-1e100, 1e100], [0, 5e-324]])
    for (const value of [-1e100, 0, 5e-324, 1e100])
      for (const tail of ['upper', 'two-sided'] as const)
        assert.match(JSON.stringify(score({ baseline, value, tail })), /"n":/)
})

test('the fitted tail of an exponential sample is exponential', () => {
  // Quantiles of the exponential distribution in place of draws: no chance in the test.
  const sample = Float64Array.from({ length: 20_000 }, (_, i) => -Math.log(1 - (i + 0.5) / 20_000))
  const { fit } = fitTail(sample)
  near(fit!.xi, 0, 0.02)
  near(fit!.sigma, 1, 0.02)
  near(Math.log(tailProbability(fit!, 9)!), -9, 0.2)
  assert.equal(tailProbability(fit!, fit!.u), null)
  // Of a uniform sample the tail ends, and nothing lies beyond its end.
  const uniform = fitTail(Float64Array.from({ length: 2000 }, (_, i) => i)).fit!
  near(uniform.xi, -1, 0.05)
  assert.equal(tailProbability(uniform, 1e6), 0)
})

test('the default gap has every value of the contract', () => {
  const gap = gapReply({ observed: '0.6,0.25,0.15', reference: '0.5,0.3,0.2', n: 1000 })
  assert.deepEqual(
    [gap.kl_observed_vs_reference_nats, gap.kl_reference_vs_observed_nats, gap.jeffreys_divergence_nats, gap.psi],
    [0.02066, 0.021072, 0.041732, 0.041732],
  )
  assert.deepEqual(
    [gap.total_variation, gap.hellinger, gap.jensen_shannon_nats, gap.jensen_shannon_distance],
    [0.1, 0.072188, 0.005206, 0.07215],
  )
  assert.deepEqual(
    [gap.fisher_rao, gap.chi_square, gap.pinsker_bound, gap.bretagnolle_huber_bound, gap.trust_gap_pct],
    [0.204267, 0.040833, 0.101637, 0.142997, 2.044827],
  )
  assert.deepEqual([gap.g_test?.g, gap.g_test?.df], [41.320468, 2])
  near(gap.g_test!.p_value, 1.07e-9, 0.01e-9)
  assert.deepEqual([gap.label, gap.normalised, gap.support_mismatch], ['MODELED', false, false])
})

test('a reply is a sample only where no parameter is the caller’s own', () => {
  const gap = { observed: '0.6,0.25,0.15', reference: '0.5,0.3,0.2' }
  assert.equal(gapReply(gap).label, 'SAMPLE')
  for (const own of [{ n: 10 }, { observed: '1,2,3' }, { reference: '1,2,3' }])
    assert.equal(gapReply({ ...gap, ...own }).label, 'MODELED', JSON.stringify(own))
  const panel = { scores: '0.97,0.94,0.92,0.99,0.88,0.95', kind: 'geometric' as const, p: 2 }
  assert.equal(panelReply(panel).label, 'SAMPLE')
  for (const own of [{ kind: 'harmonic' as const }, { p: 3 }, { weights: '1,1,1,1,1,1' }, { scores: '0.5' }])
    assert.equal(panelReply({ ...panel, ...own }).label, 'MODELED', JSON.stringify(own))
})

test('the support is said to differ in either direction, and only what the reference calls impossible makes the gap 100', () => {
  const [forward, backward] = [trustGap([0.5, 0.5], [1, 0], null), trustGap([1, 0], [0.5, 0.5], null)]
  assert.deepEqual([forward.support_mismatch, forward.trust_gap_pct], [true, 100])
  assert.equal(backward.support_mismatch, true)
  assert.ok(backward.trust_gap_pct < 100 && backward.kl_reference_vs_observed_nats === null)
})

test('the picture of an anomaly holds its bars, its values and its lines', () => {
  for (const values of [[100], [-1e6, 5, 1e6], upTo(30).map((x) => x * 10)])
    for (const baseline of [upTo(100), [5, 5, 5], [1, 2, 2, 3, 50]]) {
      const result = scoreAnomalies({ baseline, values })
      const { x, series, reference_lines } = anomalyPlot(baseline, result)
      const at = [...baseline, ...values, ...reference_lines.map(({ value }) => value)]
      assert.ok(
        at.every((one) => one >= x.min! && one <= x.max!),
        JSON.stringify([x, at]),
      )
      const points = series[0]!.points.map(([one]) => one!)
      const half = points.length < 2 ? 0 : (points[1]! - points[0]!) / 2
      assert.ok(points[0]! - half >= x.min! - 1e-6 && points.at(-1)! + half <= x.max! + 1e-6)
    }
})

const proportions = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 })), { minLength: 2, maxLength: 8 })
  .filter((pairs) => pairs.some(([p]) => p > 0) && pairs.some(([, q]) => q > 0))

test('whatever the lists, Gibbs and both bounds hold, swapping swaps, and equal lists are no distance apart', () => {
  fc.assert(
    fc.property(proportions, (pairs) => {
      const [p, q] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
      const [gap, swapped, same] = [trustGap(p, q, 10), trustGap(q, p, 10), trustGap(p, p, 10)]
      assert.ok(gap.gibbs_nonneg_holds && gap.bounds_hold)
      assert.equal(gap.kl_observed_vs_reference_nats, swapped.kl_reference_vs_observed_nats)
      assert.deepEqual(
        [same.kl_observed_vs_reference_nats, same.total_variation, same.fisher_rao, same.trust_gap_pct],
        [0, 0, 0, 0].map((zero) => zero),
      )
      // The same by the definition, summed otherwise.
      const [sp, sq] = [p.reduce((a, b) => a + b), q.reduce((a, b) => a + b)]
      const kl = p.reduce((sum, x, i) => (x === 0 ? sum : sum + (x / sp) * Math.log(x / sp / (q[i]! / sq))), 0)
      if (Number.isFinite(kl)) near(gap.kl_observed_vs_reference_nats, kl, 1e-9)
      else assert.equal(gap.kl_observed_vs_reference_nats, null)
      const cosine = p.reduce((sum, x, i) => sum + Math.sqrt((x / sp) * (q[i]! / sq)), 0)
      near(gap.fisher_rao, 2 * Math.acos(Math.min(1, cosine)), 1e-6)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test('what the reference calls impossible and was observed is an infinite divergence, told as null', () => {
  const gap = gapReply({ observed: '0.5,0.5', reference: '1,0', n: 10 })
  assert.deepEqual(
    [gap.kl_observed_vs_reference_nats, gap.support_mismatch, gap.trust_gap_pct, gap.pinsker_bound, gap.chi_square],
    [null, true, 100, null, null],
  )
  assert.deepEqual([gap.g_test?.g, gap.g_test?.p_value, gap.contributions[1]], [null, 0, null])
  near(gap.kl_reference_vs_observed_nats, Math.log(2))
  assert.equal(gapReply({ observed: '3,1', reference: '1,1' }).normalised, true)
  assert.equal(gapReply({ observed: '3,0', reference: '1,0', n: 5 }).g_test?.p_value, 1)
})

test('lists that cannot be read are refused with their place', () => {
  const gap = (observed: string, reference: string) => faultOf(() => gapReply({ observed, reference }))
  const list = (n: number) => new Array(n).fill('1').join(',')
  assert.equal(gap('1', '1'), 'query.observed')
  assert.equal(gap(list(65), list(65)), 'query.observed')
  assert.equal(gapReply({ observed: list(64), reference: list(64) }).observed.length, 64)
  assert.equal(gap('1,2', '1,2,3'), 'query.reference')
  for (const odd of ['1,,2', '1, 2', '1,x', '1,0x10', '1,Infinity', '1,1e999', '1,-1', ',', '1,2,'])
    assert.match(gap(odd, '1,2'), /^query\.observed/, odd)
  assert.equal(gap('0,0', '1,2'), 'query.observed')
  assert.equal(gap('1,2', '1e308,1e308'), 'query.reference')
  assert.equal(gap('1e-320,1e300', '1,1'), 'query.observed')
  assert.equal(gap('1,1', '1e-301,1'), 'query.reference')
  assert.ok(Number.isFinite(gapReply({ observed: '1,1', reference: '1e-299,1', n: 1e9 }).chi_square))
})
