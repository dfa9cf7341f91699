/** What the data can tell about the parameters: the Fisher information without units, its eigenvectors, and which parameters
 *  have to be refused. The initial state is estimated along and removed by its Schur complement. */
import { symmetricEigen } from '../../../domain/linear-solve.ts'

/** More than thirty percent of relative error is no knowledge of a value. */
export const MAX_RELATIVE_SD = 0.3
const MAX_SLOPPY_WEIGHT = 0.25
/** Of columns of length 1: below it a direction has no effect on the data at all, whatever the units. */
const NULL_EIGENVALUE = 1e-13

export const REFUSAL_CODES = [
  'NO_EFFECT',
  'SLOPPY_DIRECTION',
  'RELATIVE_ERROR',
  'INTERVAL_UNBOUNDED',
  'NOT_CONVERGED',
  'AT_BOUND',
  'FIXED_CONTRADICTED',
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
  const { unit, lengths } = gramOf(jacobian, width, sigma)
  const silent = names.filter((_, j) => !(lengths[j]! > 0 && lengths[j]! < Infinity))
  const retained = names.flatMap((name, j) => (silent.includes(name) ? [] : [j]))
  const schur = schurComplement(unit, retained, range(names.length, width))
  const correlated = symmetricEigen(schur)
  const nulls = correlated.values.filter((value) => !(value > NULL_EIGENVALUE)).length
  const stretch = (j: number): number => lengths[j]! * scale[j]!
  const { values, vectors } = symmetricEigen(
    schur.map((row, a) => row.map((value, b) => value * stretch(retained[a]!) * stretch(retained[b]!))),
  )
  values.fill(0, 0, nulls)
  const kept_names = retained.map((j) => names[j]!)
  const weightsOf = (vector: readonly number[]) =>
    Object.fromEntries(kept_names.map((name, i) => [name, vector[i]! ** 2]))
  const sds = inverseRoots(correlated, nulls).map((root, i) => root / lengths[retained[i]!]!)
  const relative = sds.map((sd, i) => sd / scale[retained[i]!]!)
  const directions = values
    .map((value, e) => ({
      relative_error: e < nulls ? Infinity : 1 / Math.sqrt(value),
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
  const asserted = retained.filter((j) => refusals[names[j]!] === undefined)
  const alone = schurComplement(unit, asserted, range(names.length, width))
  const conditional = inverseRoots(symmetricEigen(alone), 0).map((root, i) => root / lengths[asserted[i]!]!)
  return {
    eigenvalues: [...silent.map(() => 0), ...values],
    kappa: silent.length > 0 || nulls > 0 ? null : values.at(-1)! / values[0]!,
    sloppy: [
      ...silent.map((name) => ({ relative_error: null, direction: { [name]: 1 } })),
      ...directions.map(({ relative_error, direction }) => ({ relative_error: finite(relative_error), direction })),
    ],
    sd: Object.fromEntries([
      ...silent.map((name) => [name, null] as const),
      ...retained.map((j, i) => [names[j]!, finite(sds[i]!)] as const),
    ]),
    conditionalSd: Object.fromEntries(asserted.map((j, i) => [names[j]!, finite(conditional[i]!)])),
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

/** The products of the columns, each divided by its length, and the lengths. */
function gramOf(jacobian: Float64Array, width: number, sigma: number): { unit: number[][]; lengths: number[] } {
  const gram = Array.from({ length: width }, () => new Array<number>(width).fill(0))
  for (let at = 0; at < jacobian.length; at += width)
    for (let i = 0; i < width; i++)
      for (let j = 0; j < width; j++) gram[i]![j]! += jacobian[at + i]! * jacobian[at + j]!
  const lengths = gram.map((row, i) => Math.sqrt(row[i]!))
  const unit = gram.map((row, i) => row.map((value, j) => value / (lengths[i]! * lengths[j]!)))
  return { unit, lengths: lengths.map((length) => length / sigma) }
}

/** The information about the kept ones when the others are estimated as well. */
function schurComplement(unit: readonly number[][], retained: readonly number[], out: readonly number[]): number[][] {
  const live = out.filter((j) => unit[j]![j]! > 0)
  const { values, vectors } = symmetricEigen(live.map((i) => live.map((j) => unit[i]![j]!)))
  const projected = retained.map((i) =>
    vectors.map((vector, e) =>
      values[e]! > 1e-14 ? live.reduce((sum, j, a) => sum + vector[a]! * unit[i]![j]!, 0) / Math.sqrt(values[e]!) : 0,
    ),
  )
  return retained.map((i, a) =>
    retained.map((j, b) => unit[i]![j]! - projected[a]!.reduce((sum, value, e) => sum + value * projected[b]![e]!, 0)),
  )
}

/** The roots of the diagonal of the inverse; the first `nulls` values have none. */
const inverseRoots = ({ values, vectors }: ReturnType<typeof symmetricEigen>, nulls: number): number[] =>
  values.map((_, i) =>
    Math.sqrt(
      values.reduce((sum, value, e) => {
        const component = vectors[e]![i]!
        return sum + (e < nulls ? nullShare(component) : component ** 2 / value)
      }, 0),
    ),
  )
