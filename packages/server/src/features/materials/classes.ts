/** Classes of compounds, and the errors that calibrate an interval. A compound of a class that the table knows well is compared
 *  with rows left out one by one, those of two elements and those of more apart; another one with rows whose whole class was
 *  left out, since what stands beside a row in its class is what a compound of a new class does not have. */
import { cholesky, invertCholesky } from '../../domain/linear-solve.ts'
import { intervalFactor, leaveOneOut, type Trained } from './gaussian-process.ts'
import type { Element } from './tables.ts'

/** So many other rows make a class known. */
const KNOWN_FROM = 10

/** What is left without the least electronegative element: O for an oxide, O P for a phosphate, Al O for an aluminate. */
export function classOf(
  counts: Readonly<Record<string, number>>,
  elements: ReadonlyMap<string, Pick<Element, 'electronegativity'>>,
): string {
  const [, ...rest] = Object.keys(counts)
    .map((symbol) => ({ symbol, value: elements.get(symbol)!.electronegativity }))
    .sort((one, other) => one.value - other.value || (one.symbol < other.symbol ? -1 : 1))
  return rest
    .map(({ symbol }) => symbol)
    .sort()
    .join(' ')
}

export const GROUPS = ['BINARY_ROWS_LEFT_OUT', 'ROWS_LEFT_OUT', 'CLASSES_LEFT_OUT'] as const
type Group = (typeof GROUPS)[number]

export interface Errors {
  sizes: ReadonlyMap<string, number>
  /** Errors over their own standard deviations. */
  scaled: Readonly<Record<Group, readonly number[]>>
}

export function errorsOf(model: Trained, classes: readonly string[]): Errors {
  const members = Map.groupBy(classes.keys(), (i) => classes[i]!)
  const { mean, sd } = leaveOneOut(model)
  const scaled: Record<Group, number[]> = { BINARY_ROWS_LEFT_OUT: [], ROWS_LEFT_OUT: [], CLASSES_LEFT_OUT: [] }
  for (const [name, rows] of members) {
    const group = groupOf(name, rows.length - 1)
    if (group !== 'CLASSES_LEFT_OUT')
      scaled[group].push(...rows.map((i) => Math.abs(model.energies[i]! - mean[i]!) / sd[i]!))
    if (group !== 'BINARY_ROWS_LEFT_OUT') scaled.CLASSES_LEFT_OUT.push(...withoutAll(model, rows))
  }
  return { sizes: new Map([...members].map(([name, rows]) => [name, rows.length])), scaled }
}

/** `others`: rows of the same class, without the one that is asked for. */
export const groupOf = (name: string, others: number): Group =>
  others < KNOWN_FROM ? 'CLASSES_LEFT_OUT' : name.includes(' ') ? 'ROWS_LEFT_OUT' : 'BINARY_ROWS_LEFT_OUT'

export const factorOf = ({ scaled }: Errors, group: Group, confidence: number): number =>
  intervalFactor(scaled[group], confidence)

/** All of these rows predicted from the others at once. */
function withoutAll({ alpha, inverse, variance }: Trained, rows: readonly number[]): number[] {
  const [n, m] = [alpha.length, rows.length]
  const block = Float64Array.from({ length: m * m }, (_, at) => inverse[rows[Math.floor(at / m)]! * n + rows[at % m]!]!)
  if (!cholesky(block, m)) throw new Error('the kernel of a class is not positive definite')
  const covariance = invertCholesky(block, m)
  return rows.map((_, i) => {
    const error = rows.reduce((sum, row, j) => sum + covariance[i * m + j]! * alpha[row]!, 0)
    return Math.abs(error) / Math.sqrt(variance * covariance[i * m + i]!)
  })
}
