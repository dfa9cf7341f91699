/** What the model is worth: ten folds, five times, with scaling, line, hyperparameters and interval factors refitted inside;
 *  beside it what the mean of the training rows would give. And rows of an element that no training row has. */
import { sfc32 } from '../../domain/sfc32.ts'
import { wilson } from '../../domain/wilson.ts'
import { errorsOf, factorOf, groupOf } from './classes.ts'
import { type TrainingRows, toSamples } from './fit-job.ts'
import { intervalFactor, predictAt, type Ratios, trainProcess } from './gaussian-process.ts'

const FOLDS = 10
const REPEATS = 5
export const LEVELS = [0.5, 0.8, 0.9, 0.95] as const

type Labelled = ReturnType<typeof toSamples>[number]

export interface CalibrationInput extends TrainingRows {
  ratios: Ratios
  /** One fold of one repeat, or some of the elements. */
  part: { repeat: number; fold: number } | { elements: string[] }
}

interface Judged {
  row: number
  error: number
  naiveError: number
  halfWidths: number[]
  naiveHalfWidths: number[]
}

export type CalibrationPart = { judged: Judged[] } | { elements: { symbol: string; rows: number; mae: number }[] }

/** In pieces of about a second, so that others who wait for a thread get theirs in between. */
export function partsOf({ rows }: TrainingRows): CalibrationInput['part'][] {
  const symbols = [...new Set(rows.flatMap(({ counts }) => Object.keys(counts)))].sort()
  const groups = Array.from({ length: Math.ceil(symbols.length / 8) }, (_, i) => symbols.slice(8 * i, 8 * i + 8))
  const folds = Array.from({ length: REPEATS * FOLDS }, (_, i) => ({ repeat: Math.floor(i / FOLDS), fold: i % FOLDS }))
  return [...folds, ...groups.map((elements) => ({ elements }))]
}

export function calibrate({ ratios, part, ...training }: CalibrationInput): CalibrationPart {
  const samples = toSamples(training)
  return 'elements' in part
    ? { elements: withoutElements(samples, ratios, part.elements) }
    : { judged: judgeFold(samples, part) }
}

function judgeFold(samples: readonly Labelled[], { repeat, fold }: { repeat: number; fold: number }): Judged[] {
  const random = sfc32('materials-folds/v1', { repeat, rows: samples.length })
  const order = samples.map((_, i) => i)
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  const test = order.filter((_row, at) => at % FOLDS === fold)
  const testRows = new Set(test)
  return judge(
    samples.filter((_row, i) => !testRows.has(i)),
    test.map((row) => ({ row, sample: samples[row]! })),
  )
}

function judge(training: readonly Labelled[], test: readonly { row: number; sample: Labelled }[]): Judged[] {
  const model = trainProcess(training)
  const errors = errorsOf(
    model,
    training.map((one) => one.class),
  )
  const average = training.reduce((sum, { energy }) => sum + energy, 0) / training.length
  const distances = training.map(({ energy }) => Math.abs(energy - average))
  const naiveHalfWidths = LEVELS.map((level) => intervalFactor(distances, level))
  return test.map(({ row, sample }) => {
    const found = predictAt(model, sample.values, sample.polarity)
    const group = groupOf(sample.class, errors.sizes.get(sample.class) ?? 0)
    return {
      row,
      error: Math.abs(sample.energy - found.mean),
      naiveError: Math.abs(sample.energy - average),
      halfWidths: LEVELS.map((level) => factorOf(errors, group, level) * found.sd),
      naiveHalfWidths,
    }
  })
}

/** All rows with one element are predicted from those without it, with the hyperparameters of all rows. */
function withoutElements(samples: readonly Labelled[], ratios: Ratios, symbols: readonly string[]) {
  return symbols.map((symbol) => {
    const test = samples.filter(({ elements }) => elements.includes(symbol))
    const training = samples.filter(({ elements }) => !elements.includes(symbol))
    const model = trainProcess(training, ratios)
    const errors = test.map((one) => Math.abs(one.energy - predictAt(model, one.values, one.polarity).mean))
    return { symbol, rows: test.length, mae: errors.reduce((sum, value) => sum + value, 0) / errors.length }
  })
}

export function summarise(judged: readonly Judged[], rows: number) {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
  const levels = LEVELS.map((level, at) => {
    const hits = judged.filter(({ error, halfWidths }) => error <= halfWidths[at]!).length
    const naiveHits = judged.filter((one) => one.naiveError <= one.naiveHalfWidths[at]!).length
    const share = hits / judged.length
    // The repeats predict the same rows: no more than that many are independent.
    const interval = wilson(Math.round(share * rows), rows)
    return {
      level,
      coverage: share,
      n: judged.length,
      distinct_rows: rows,
      wilson: { low: interval.low, high: interval.high },
      median_half_width: median(judged.map(({ halfWidths }) => halfWidths[at]!)),
      baseline_coverage: naiveHits / judged.length,
      baseline_median_half_width: median(judged.map(({ naiveHalfWidths }) => naiveHalfWidths[at]!)),
    }
  })
  return {
    levels,
    mae: mean(judged.map(({ error }) => error)),
    baseline_mae: mean(judged.map(({ naiveError }) => naiveError)),
  }
}
