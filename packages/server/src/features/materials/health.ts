/** What the surface says of itself: the model, what it is worth beside a naive baseline, and two known answers. */
import { oodScore } from './applicability.ts'
import { type CalibrationPart, summarise } from './calibration-job.ts'
import { factorOf } from './classes.ts'
import { type FittedModel, hullOf, isDoubtful, placeOf, predict } from './predict.ts'
import type { Calibration, MaterialsHealth } from './schemas.ts'
import type { Phase } from './tables.ts'

const [FEO_COMPETING, TOLERANCE] = [-1.44892, 1e-5]

export function selfTest(fitted: FittedModel): NonNullable<MaterialsHealth['self_test']> {
  const magnesia = predict(fitted, { Mg: 1, O: 1 }, 0.95)
  const { key } = fitted.phases.find(({ formula }) => formula === 'FeO')!
  const { competing_energy } = hullOf(fitted, { Fe: 1, O: 1 }, key, null, undefined)
  const reference = magnesia.reference!.value
  const predicted = magnesia.value ?? Number.NaN
  const inside = magnesia.interval !== null && Math.abs(predicted - reference) <= magnesia.interval.half_width
  return {
    passed: inside && Math.abs(competing_energy - FEO_COMPETING) < TOLERANCE,
    MgO: { reference, predicted: magnesia.value ?? 0, inside_95: inside },
    FeO_hull: { competing_energy, expected: FEO_COMPETING },
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export function toCalibration({ training, leftOut }: FittedModel, parts: readonly CalibrationPart[]): Calibration {
  const judged = parts.flatMap((part) => ('judged' in part ? part.judged : []))
  const elements = parts.flatMap((part) => ('elements' in part ? part.elements : []))
  const errors = training.map(({ energy }, i) => Math.abs(energy - leftOut.mean[i]!))
  const average = mean(training.map(({ energy }) => energy))
  const n = training.length
  const { levels, mae, baseline_mae } = summarise(judged, n)
  const weight = elements.reduce((sum, { rows }) => sum + rows, 0)
  return {
    method:
      'ten folds, five times, each row predicted with scaling, line, hyperparameters and interval factors of the other folds; no guarantee in finite samples is claimed',
    leave_one_out: {
      mae: mean(errors),
      rmse: Math.sqrt(mean(errors.map((error) => error ** 2))),
      // The mean of the others misses a row by n/(n - 1) times its distance from the mean of all.
      baseline_mae: (mean(training.map(({ energy }) => Math.abs(energy - average))) * n) / (n - 1),
      rows: n,
    },
    cross_validation: { mae, baseline_mae },
    baseline: 'the mean of the training rows, with the quantile of their distances from it as half-width',
    levels,
    by_element_count: [2, 3, 4].flatMap((count) => {
      const own = training.flatMap((phase, i) => (Object.keys(phase.counts).length === count ? [errors[i]!] : []))
      return own.length === 0 ? [] : [{ elements: count, rows: own.length, leave_one_out_mae: mean(own) }]
    }),
    leave_one_element_out: {
      mae: elements.reduce((sum, one) => sum + one.mae * one.rows, 0) / weight,
      note: 'weighted by rows; hyperparameters of all rows; an element that no row has is refused, so no prediction that is told is this bad',
      elements,
    },
  }
}

/** Bars that were set before anything was measured; what is missed is shown. */
export function acceptance(fitted: FittedModel, calibration: Calibration | null): MaterialsHealth['acceptance'] {
  const errors = fitted.training.map(({ energy }, i) => Math.abs(energy - fitted.leftOut.mean[i]!))
  const green = fitted.training.flatMap(({ counts, key }, i) => {
    const { others, group } = placeOf(fitted, counts, key)
    const half = factorOf(fitted.errors, group, 0.95) * fitted.leftOut.sd[i]!
    return isDoubtful(oodScore(fitted.distances[i]!, fitted.domain), half, others) ? [] : [errors[i]! <= half]
  })
  const share = green.filter(Boolean).length / green.length
  const mae = mean(errors)
  const coverage = calibration?.levels.find(({ level }) => level === 0.95)?.coverage ?? null
  return [
    { name: 'green_rows_inside_95', bar: `at least 0.90, of ${green.length} rows`, measured: share, met: share >= 0.9 },
    { name: 'leave_one_out_mae', bar: 'at most 0.35 eV/atom', measured: mae, met: mae <= 0.35 },
    {
      name: 'coverage_95',
      bar: 'between 0.90 and 0.99',
      measured: coverage,
      met: coverage === null ? null : coverage >= 0.9 && coverage <= 0.99,
    },
  ]
}

export const systemsOf = (phases: readonly Phase[]): number =>
  new Set(phases.map(({ counts }) => Object.keys(counts).sort().join(' '))).size
