// Logistic regression with a quadratic penalty, by stochastic descent with a step for each weight. The order is drawn
// from a seed and all arithmetic is plain doubles, so the same texts give the same weights.
import { SETTINGS, type TrainingText, type Window } from './examples.ts'

export const TRAINING = { seed: 1, epochs: 20, penalty: 0.001, step: 0.2, folds: 5 } as const

export interface Model {
  vocabulary: Vocabulary
  weights: Float64Array
  bias: number
}

interface Example {
  slots: Int32Array
  values: Float64Array
  isAttack: boolean
  /** Not every window of a long attack is one; every window of another text is none. */
  share: number
}

const MAX_COUNTED = 4
const FIRST_SQUARE = 0.01

export function fitted(texts: readonly TrainingText[]): Model {
  const vocabulary = vocabularyOf(texts)
  const examples = texts.flatMap(({ windows, isAttack }) =>
    windows.map((window) => ({
      ...sparse(window, vocabulary),
      isAttack,
      share: isAttack ? Math.min(1, MAX_COUNTED / windows.length) : 1,
    })),
  )
  const model: Model = { vocabulary, weights: new Float64Array(SETTINGS.slots), bias: 0 }
  const squares = new Float64Array(SETTINGS.slots + 1).fill(FIRST_SQUARE)
  const random = randomFrom(TRAINING.seed)
  for (let epoch = 0; epoch < TRAINING.epochs; epoch++)
    for (const example of shuffled(examples, random)) descend(model, squares, example)
  return model
}

export const scoreOf = (model: Model, { windows }: TrainingText): number =>
  Math.max(...windows.map((window) => logit(model, sparse(window, model.vocabulary))))

function descend(model: Model, squares: Float64Array, example: Example): void {
  const { slots, values, isAttack, share } = example
  const error = share * (1 / (1 + Math.exp(-logit(model, example))) - Number(isAttack))
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number
    const weight = model.weights[slot] as number
    const slope = error * (values[at] as number) + TRAINING.penalty * weight
    model.weights[slot] = weight - stepFor(squares, slot, slope)
  }
  model.bias -= stepFor(squares, SETTINGS.slots, error)
}

function stepFor(squares: Float64Array, at: number, slope: number): number {
  const square = (squares[at] as number) + slope * slope
  squares[at] = square
  return (TRAINING.step * slope) / Math.sqrt(square)
}

function logit({ weights, bias }: Model, { slots, values }: Pick<Example, 'slots' | 'values'>): number {
  let sum = bias
  for (let at = 0; at < slots.length; at++) sum += (weights[slots[at] as number] as number) * (values[at] as number)
  return sum
}

function sparse(window: Window, vocabulary: Vocabulary): Pick<Example, 'slots' | 'values'> {
  const known = [...window].filter(([ngram]) => vocabulary.has(ngram))
  return {
    slots: Int32Array.from(known, ([ngram]) => vocabulary.get(ngram) as number),
    values: Float64Array.from(known, ([, value]) => value),
  }
}

/** The generator of Numerical Recipes: enough to part the order of the texts from their labels. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = [...items]
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[order[at], order[other]] = [order[other] as T, order[at] as T]
  }
  return order
}

// Which n-gram owns each slot of the table: of those that share it, the one that tells attacks from other texts best.
/** N-grams of fewer texts are noise, and might be somebody's name. */
const MIN_TEXTS = 3

/** The slot of each n-gram that owns one. */
type Vocabulary = Map<number, number>

function vocabularyOf(texts: readonly TrainingText[]): Vocabulary {
  const attacks = texts.filter(({ isAttack }) => isAttack).length
  const owners = new Map<number, { ngram: number; worth: number }>()
  for (const [ngram, seen] of counted(texts)) {
    if (seen.attacks + seen.others < MIN_TEXTS) continue
    const odds = Math.log((seen.attacks + 0.5) / (attacks + 1) / ((seen.others + 0.5) / (texts.length - attacks + 1)))
    const worth = Math.abs(odds) * Math.sqrt(seen.attacks + seen.others)
    const slot = ngram & (SETTINGS.slots - 1)
    const owner = owners.get(slot)
    if (!owner || worth > owner.worth || (worth === owner.worth && ngram < owner.ngram))
      owners.set(slot, { ngram, worth })
  }
  return new Map([...owners].map(([slot, { ngram }]) => [ngram, slot]))
}

function counted(texts: readonly TrainingText[]): Map<number, { attacks: number; others: number }> {
  const counts = new Map<number, { attacks: number; others: number }>()
  for (const { windows, isAttack } of texts)
    for (const ngram of new Set(windows.flatMap((window) => [...window.keys()]))) {
      const seen = counts.get(ngram) ?? { attacks: 0, others: 0 }
      seen[isAttack ? 'attacks' : 'others']++
      counts.set(ngram, seen)
    }
  return counts
}
