/** What the data can tell about the parameters: the Fisher information without units, its eigenvectors, and which parameters
 *  have to be refused. The initial state is estimated along and removed by its Schur complement. */
import { symmetricEigen } from '../../../domain/linear-solve.ts'

/** More than thirty percent of relative error is no knowledge of a value. */
export const MAX_RELATIVE_SD = 0.3
const MAX_SLOPPY_WEIGHT = 0.25
/** Relative to the largest eigenvalue: below it a direction has no effect on the data at all. */
const NULL_EIGENVALUE = 1e-13

export const REFUSAL_CODES = [
  'NO_EFFECT',
  'SLOPPY_DIRECTION',
  'RELATIVE_ERROR',
  'INTERVAL_UNBOUNDED',
  'NOT_CONVERGED',
  'AT_BOUND',
] as const

export interface Refusal {
  code: (typeof REFUSAL_CODES)[number]
  reason: string
  /** Squared weights of the parameters in the direction that the data do not fix; null where there is none to blame. */
  direction: Record<string, number> | null
}

interface Information {
  eigenvalues: number[]
  kappa: number | null
  sloppy: { relative_error: number | null; direction: Record<string, number> }[]
  /** In units of the parameter; null where the data put no bound on it. */
  sd: Record<string, number | null>
  /** The same with every refused parameter held at its estimate. */
  conditionalSd: Record<string, number | null>
  refusals: Record<string, Refusal>
}

/** `jacobian` has a column for each name, in this order: parameters, then the initial state. `scale` belongs to the
 *  parameters. */
export function informationOf(
  names: readonly string[],
  nuisance: number,
  jacobian: Float64Array,
  scale: readonly number[],
  sigma: number,
): Information {
  const width = names.length + nuisance
  const gram = gramOf(jacobian, width, (j) => (scale[j] ?? 1) / sigma)
  const silent = names.filter((_, j) => gram[j]![j]! === 0 || !Number.isFinite(gram[j]![j]!))
  const kept = names.flatMap((name, j) => (silent.includes(name) ? [] : [j]))
  const schur = schurComplement(gram, kept, range(names.length, width))
  const { values, vectors } = symmetricEigen(schur)
  const top = Math.max(0, ...values)
  const kept_names = kept.map((j) => names[j]!)
  const weightsOf = (vector: readonly number[]) =>
    Object.fromEntries(kept_names.map((name, i) => [name, vector[i]! ** 2]))
  const isNull = (value: number) => !(value > NULL_EIGENVALUE * top)
  const relative = kept.map((_, i) =>
    Math.sqrt(
      values.reduce(
        (sum, value, e) => sum + (isNull(value) ? nullShare(vectors[e]![i]!) : vectors[e]![i]! ** 2 / value),
        0,
      ),
    ),
  )
  const directions = values
    .map((value, e) => ({
      relative_error: isNull(value) ? Infinity : 1 / Math.sqrt(value),
      direction: weightsOf(vectors[e]!),
    }))
    .filter(({ relative_error }) => relative_error > MAX_RELATIVE_SD)
  const refusals: Record<string, Refusal> = {}
  for (const name of silent)
    refusals[name] = { code: 'NO_EFFECT', reason: 'the data do not change with it', direction: { [name]: 1 } }
  kept_names.forEach((name, i) => {
    const refusal = refusalOf(name, relative[i]!, directions)
    if (refusal !== null) refusals[name] = refusal
  })
  const asserted = kept.filter((j) => refusals[names[j]!] === undefined)
  const conditional = conditionalSds(gram, asserted, range(names.length, width))
  return {
    eigenvalues: [...silent.map(() => 0), ...values],
    kappa: silent.length > 0 || isNull(values[0] ?? 0) ? null : top / values[0]!,
    sloppy: [
      ...silent.map((name) => ({ relative_error: null, direction: { [name]: 1 } })),
      ...directions.map(({ relative_error, direction }) => ({ relative_error: finite(relative_error), direction })),
    ],
    sd: Object.fromEntries([
      ...silent.map((name) => [name, null] as const),
      ...kept.map((j, i) => [names[j]!, finite(relative[i]! * scale[j]!)] as const),
    ]),
    conditionalSd: Object.fromEntries(asserted.map((j, i) => [names[j]!, finite(conditional[i]! * scale[j]!)])),
    refusals,
  }
}

/** A component in a direction without effect that is not just rounding leaves the parameter without any bound. */
const nullShare = (component: number): number => (component ** 2 > 1e-9 ? Infinity : 0)
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

function refusalOf(
  name: string,
  relative: number,
  directions: readonly { relative_error: number; direction: Record<string, number> }[],
): Refusal | null {
  const weight = directions.reduce((sum, { direction }) => sum + direction[name]!, 0)
  const worst = directions.reduce<(typeof directions)[number] | null>(
    (one, other) => (one === null || other.direction[name]! > one.direction[name]! ? other : one),
    null,
  )
  const percent = (value: number) => (Number.isFinite(value) ? `${(100 * value).toPrecision(3)} %` : 'unbounded')
  if (relative > MAX_RELATIVE_SD)
    return {
      code: 'RELATIVE_ERROR',
      reason: `its relative standard deviation is ${percent(relative)}, above ${percent(MAX_RELATIVE_SD)}`,
      direction: worst?.direction ?? null,
    }
  if (weight <= MAX_SLOPPY_WEIGHT) return null
  return {
    code: 'SLOPPY_DIRECTION',
    reason: `${percent(weight)} of it lies in directions that the data do not fix to ${percent(MAX_RELATIVE_SD)}`,
    direction: worst?.direction ?? null,
  }
}

function gramOf(jacobian: Float64Array, width: number, factor: (j: number) => number): number[][] {
  const gram = Array.from({ length: width }, () => new Array<number>(width).fill(0))
  for (let at = 0; at < jacobian.length; at += width)
    for (let i = 0; i < width; i++) for (let j = 0; j <= i; j++) gram[i]![j]! += jacobian[at + i]! * jacobian[at + j]!
  for (let i = 0; i < width; i++)
    for (let j = 0; j <= i; j++) {
      gram[i]![j]! *= factor(i) * factor(j)
      gram[j]![i] = gram[i]![j]!
    }
  return gram
}

/** The information about the kept ones when the others are estimated as well. */
function schurComplement(gram: readonly number[][], kept: readonly number[], out: readonly number[]): number[][] {
  const live = out.filter((j) => gram[j]![j]! > 0)
  if (live.length === 0) return kept.map((i) => kept.map((j) => gram[i]![j]!))
  const sizes = live.map((j) => Math.sqrt(gram[j]![j]!))
  const block = live.map((i, a) => live.map((j, b) => gram[i]![j]! / (sizes[a]! * sizes[b]!)))
  const { values, vectors } = symmetricEigen(block)
  const projected = kept.map((i) =>
    vectors.map((vector, e) =>
      values[e]! > 1e-14
        ? live.reduce((sum, j, a) => sum + (vector[a]! * gram[i]![j]!) / sizes[a]!, 0) / Math.sqrt(values[e]!)
        : 0,
    ),
  )
  return kept.map((i, a) =>
    kept.map((j, b) => gram[i]![j]! - projected[a]!.reduce((sum, value, e) => sum + value * projected[b]![e]!, 0)),
  )
}

function conditionalSds(gram: readonly number[][], asserted: readonly number[], out: readonly number[]): number[] {
  const { values, vectors } = symmetricEigen(schurComplement(gram, asserted, out))
  return asserted.map((_, i) => Math.sqrt(values.reduce((sum, value, e) => sum + vectors[e]![i]! ** 2 / value, 0)))
}
