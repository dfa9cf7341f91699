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

export interface FitResult {
  model: Trained
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
  const model = trainProcess(toSamples(training))
  return { model, ...learnDomain(model) }
}
