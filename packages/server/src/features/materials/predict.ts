/** A prediction with its interval, its distance from the training rows and the competing phases; or a refusal. */
import { normalTail } from '../../domain/normal.ts'
import { type Distances, type Domain, mahalanobis, oodScore } from './applicability.ts'
import { classOf, type Errors, errorsOf, factorOf, groupOf } from './classes.ts'
import { type Composition, describe } from './descriptors.ts'
import { type FitResult, unpacked, withOwnArrays } from './fit-job.ts'
import { leaveOneOut, predictAt, priorVariance, standardise, type Trained } from './gaussian-process.ts'
import { competingPhases } from './hull.ts'
import { type Refusal, refusalOf } from './refusals.ts'
import type { PredictReply } from './schemas.ts'
import { compositionKey, type Element, fractionsOf, isTrained, type Phase } from './tables.ts'

export interface FittedModel {
  model: Trained
  domain: Domain
  /** Of the training rows, in their order. */
  distances: Distances[]
  training: Phase[]
  phases: Phase[]
  elements: ReadonlyMap<string, Element>
  leftOut: { mean: number[]; sd: number[] }
  errors: Errors
}

const WIDE = 0.5
const FAR = 0.8
const METASTABLE = 0.1
/** Where the 95 % interval of a normal distribution ends. */
const NORMAL_95 = 1.96
const MIN_ROWS = 2
export const KERNEL = "s1^2 Matern5/2(r/l) + s2^2 z.z'/D + noise^2, mean b0 + b1 P"
const HULL_NOTE =
  'enthalpies at 298.15 K stand for energies; elements are 0 by definition; gases and liquids are at 100 kPa without entropy; phases that are not in the table cannot compete'

export function makeFitted(fit: FitResult, phases: Phase[], elements: readonly Element[]): FittedModel {
  const training = phases.filter(isTrained)
  const model = unpacked(fit)
  const leftOut = leaveOneOut(model)
  const known = new Map(elements.map((one) => [one.symbol, one]))
  const classes = training.map(({ counts }) => classOf(counts, known))
  return {
    model,
    domain: withOwnArrays(fit.domain),
    distances: fit.rows,
    training,
    phases,
    elements: known,
    leftOut,
    errors: errorsOf(model, classes),
  }
}

type Result = Pick<
  PredictReply,
  | 'basis'
  | 'value'
  | 'sd'
  | 'interval'
  | 'verdict'
  | 'refusal'
  | 'ood_score'
  | 'ood'
  | 'reference'
  | 'hull'
  | 'hull_reason'
> & { prediction_excludes_reference: boolean }

const NOTHING = { value: null, sd: null, interval: null, ood_score: null, ood: null } as const

export function predict(fitted: FittedModel, composition: Composition, confidence: number): Result {
  const key = compositionKey(composition)
  const row = fitted.phases.find((phase) => phase.key === key)
  const reference = row === undefined ? null : referenceOf(row)
  const shared = { reference, prediction_excludes_reference: row !== undefined }
  const symbols = Object.keys(composition)
  if (symbols.length === 1)
    return {
      ...NOTHING,
      ...shared,
      basis: 'DEFINITION',
      value: 0,
      sd: 0,
      interval: { low: 0, high: 0, half_width: 0, factor: 0, class_rows: 0, calibrated_on: 'DEFINITION' },
      verdict: 'GREEN',
      refusal: null,
      hull: null,
      hull_reason: 'an element in its reference state is the zero of the scale',
    }
  const rows = (symbol: string) => fitted.training.filter(({ counts }) => counts[symbol] !== undefined).length
  const outside = symbols.filter((symbol) => rows(symbol) < MIN_ROWS)
  if (outside.length > 0) {
    const reason = `${outside.join(', ')}: fewer than ${MIN_ROWS} rows of the table have it, so nothing was learned about it`
    const hull_reason = 'phases of an element outside of the table are not known'
    return {
      ...NOTHING,
      ...shared,
      basis: 'MODEL',
      ...refused('element_outside_table', reason),
      hull: null,
      hull_reason,
    }
  }
  const { mean, sd, ood, score } = judge(fitted, composition, key)
  const { others, group } = placeOf(fitted, composition, key)
  const factor = factorOf(fitted.errors, group, confidence)
  const half = factor * sd
  // Reliability does not depend on the confidence that was asked for.
  const widest = factorOf(fitted.errors, group, 0.95) * sd
  const refusal = refusalOf(fitted.training, { composition, key, score, halfWidth: widest })
  const verdict = refusal !== null ? 'RED' : isDoubtful(score, widest, others) ? 'YELLOW' : 'GREEN'
  const isTold = refusal === null
  return {
    ...shared,
    basis: 'MODEL',
    value: isTold ? mean : null,
    sd: isTold ? sd : null,
    interval: isTold
      ? { low: mean - half, high: mean + half, half_width: half, factor, class_rows: others, calibrated_on: group }
      : null,
    verdict,
    refusal,
    ood_score: score,
    ood,
    hull: hullOf(
      fitted,
      composition,
      key,
      isTold ? { mean, sd: sd * Math.max(1, widest / (NORMAL_95 * sd)) } : null,
      row,
    ),
    hull_reason: null,
  }
}

/** The training rows of the class of a composition, itself aside, and the errors that its interval is made of. */
export function placeOf({ errors, elements, training }: FittedModel, composition: Composition, key: string) {
  const name = classOf(composition, elements)
  const others = (errors.sizes.get(name) ?? 0) - (training.some((phase) => phase.key === key) ? 1 : 0)
  return { others, group: groupOf(name, others) }
}

export const isDoubtful = (score: number, halfWidth: number, others: number): boolean =>
  score > FAR || halfWidth > WIDE || others === 0

const refused = (code: Refusal['code'], reason: string) => ({ verdict: 'RED' as const, refusal: { code, reason } })

const referenceOf = ({ energy, formula, phase, source, sourceRef }: Phase) => ({
  ...{ value: energy, formula, phase, source, source_ref: sourceRef },
  label: 'SAMPLE' as const,
})

/** A row of the table is predicted from the others; everything else from all of them. */
function judge(fitted: FittedModel, composition: Composition, key: string) {
  const { model, domain, training, distances, leftOut } = fitted
  const index = training.findIndex((phase) => phase.key === key)
  const { values, polarity } = describe(composition, fitted.elements)
  const found = predictAt(model, values, polarity)
  const z = standardise(model, values)
  const own = index >= 0
  const mean = own ? leftOut.mean[index]! : found.mean
  const sd = own ? leftOut.sd[index]! : found.sd
  const distance: Distances = own
    ? distances[index]!
    : {
        variance_ratio: sd ** 2 / priorVariance(model, z),
        neighbour_distance: found.nearest.distance,
        mahalanobis: mahalanobis(domain.covarianceFactor, z),
      }
  const { limits } = domain
  const nearest = own ? nearestOther(model, index) : found.nearest.index
  return {
    mean,
    sd,
    score: oodScore(distance, domain),
    ood: {
      variance_ratio: distance.variance_ratio / limits.variance_ratio,
      neighbour_distance: distance.neighbour_distance / limits.neighbour_distance,
      mahalanobis: distance.mahalanobis / limits.mahalanobis,
      nearest: training[nearest]!.formula,
    },
  }
}

function nearestOther({ z, dimensions }: Trained, index: number): number {
  let best = { index: 0, square: Infinity }
  for (let i = 0; i < z.length / dimensions; i++) {
    if (i === index) continue
    let square = 0
    for (let d = 0; d < dimensions; d++) square += (z[i * dimensions + d]! - z[index * dimensions + d]!) ** 2
    if (square < best.square) best = { index: i, square }
  }
  return best.index
}

/** Competing phases: all of the table within these elements, without the composition itself. */
export function hullOf(
  { phases }: Pick<FittedModel, 'phases'>,
  composition: Composition,
  key: string,
  predicted: { mean: number; sd: number } | null,
  row: Phase | undefined,
): NonNullable<Result['hull']> {
  const competing = phases.filter(
    (phase) => phase.key !== key && Object.keys(phase.counts).every((symbol) => composition[symbol] !== undefined),
  )
  const hull = competingPhases(fractionsOf(composition), competing)
  const above = predicted === null ? null : predicted.mean - hull.competing_energy
  return {
    ...hull,
    energy_above_hull: above,
    reference_above_hull: row === undefined ? null : row.energy - hull.competing_energy,
    p_stable: above === null ? null : normalTail(above / predicted!.sd),
    state: above === null ? 'UNKNOWN' : above <= 0 ? 'STABLE' : above <= METASTABLE ? 'METASTABLE' : 'UNSTABLE',
    note: HULL_NOTE,
  }
}
