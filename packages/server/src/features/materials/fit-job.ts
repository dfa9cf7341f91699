/** The job of the compute pool that fits the model to all rows. Pure: the same rows give the same model. */
import { type Distances, type Domain, learnDomain } from './applicability.ts'
import { classOf } from './classes.ts'
import { describe } from './descriptors.ts'
import { type Sample, type Trained, trainProcess } from './gaussian-process.ts'
import type { Element } from './tables.ts'

export interface TrainingRows {
  rows: { counts: Readonly<Record<string, number>>; energy: number }[]
  elements: readonly Element[]
}

/** Half of the symmetric inverse: a thread sends no more than 4 MiB. */
export interface FitResult {
  model: Omit<Trained, 'inverse'>
  lower: Float64Array
  domain: Domain
  rows: Distances[]
}

export function toSamples({ rows, elements }: TrainingRows): (Sample & { elements: string[]; class: string })[] {
  const known = new Map(elements.map((one) => [one.symbol, one]))
  return rows.map(({ counts, energy }) => ({
    ...describe(counts, known),
    energy,
    elements: Object.keys(counts),
    class: classOf(counts, known),
  }))
}

export function fitModel(training: TrainingRows): FitResult {
  const trained = trainProcess(toSamples(training))
  const { inverse, ...model } = trained
  const n = training.rows.length
  const lower = new Float64Array((n * (n + 1)) / 2)
  for (let i = 0, at = 0; i < n; i++) for (let j = 0; j <= i; j++) lower[at++] = inverse[i * n + j]!
  return { model, lower, ...learnDomain(trained) }
}

export function unpacked({ model, lower }: Pick<FitResult, 'model' | 'lower'>): Trained {
  const n = model.alpha.length
  const inverse = new Float64Array(n * n)
  for (let i = 0, at = 0; i < n; i++)
    for (let j = 0; j <= i; j++, at++) inverse[i * n + j] = inverse[j * n + i] = lower[at]!
  return { ...withOwnArrays(model), inverse }
}

/** What comes from a thread are views of one message, and each of them would keep all of it. */
export const withOwnArrays = <T extends object>(model: T): T =>
  Object.fromEntries(
    Object.entries(model).map(([name, value]) => [name, value instanceof Float64Array ? value.slice() : value]),
  ) as T
