// Logistic regression with a quadratic penalty, by stochastic descent with a step for each weight. The order is drawn
// from a seed and all arithmetic is plain doubles, so the same texts give the same weights.
import { UNKNOWN_TO_KNOWN } from '../../packages/server/src/domain/gates/scorer/scorer.ts'
import { type BlockedText, type ModelSettings, shareOf, windowsOf } from './examples.ts'
import { slotOf, type Vocabulary } from './vocabulary.ts'

export const TRAINING = { seed: 1, epochs: 6, penalty: 0.0003, step: 0.2 } as const

export interface SlottedText {
  text: BlockedText
  /** Of each block: its n-grams that own a slot, by slot, and how many n-grams it counts. */
  slots: Int32Array[]
  counts: Float64Array
}

export interface Model {
  weights: Float64Array
  bias: number
}

interface Example {
  slots: Int32Array[]
  share: number
  isAttack: boolean
  weight: number
}

const MAX_COUNTED = 3
const TRAINING_STEP = 4
const FIRST_SQUARE = 0.01

export function slotted(text: BlockedText, vocabulary: Vocabulary, { once_in }: ModelSettings): SlottedText {
  const last = new Map<number, number>()
  const isNew = (slot: number, at: number): boolean => {
    if (slot < 0 || at - (last.get(slot) ?? -once_in) < once_in) return false
    last.set(slot, at)
    return true
  }
  const slots = text.blocks.map((block, at) =>
    block.map((ngram) => slotOf(vocabulary, ngram)).filter((slot) => isNew(slot, at)),
  )
  const counts = slots.map(({ length }, at) => length + (text.blocks[at]!.length - length) / UNKNOWN_TO_KNOWN)
  return { text, slots, counts: Float64Array.from(counts) }
}

export function fitted(texts: readonly SlottedText[], settings: ModelSettings): Model {
  const all = texts.map((text) => examplesOf(text, settings))
  const model: Model = { weights: new Float64Array(settings.slots), bias: 0 }
  const squares = new Float64Array(settings.slots + 1).fill(FIRST_SQUARE)
  const random = randomFrom(TRAINING.seed)
  for (let epoch = 0; epoch < TRAINING.epochs; epoch++) {
    const examples = all.flatMap((own) => (settings.isPlanted && epoch > 0 ? likeliest(own, model) : own))
    shuffle(examples, random)
    for (const example of examples) descend(model, squares, example)
  }
  return model
}

function examplesOf({ text, slots, counts }: SlottedText, { window, least_ngrams }: ModelSettings): Example[] {
  const windows = windowsOf(slots.length, window, TRAINING_STEP)
  return windows.map(({ from, to }) => ({
    slots: slots.slice(from, to),
    share: shareOf(sum(counts.subarray(from, to)), least_ngrams),
    isAttack: text.isAttack,
    weight: text.weight * Math.min(1, MAX_COUNTED / windows.length),
  }))
}

/** As the service scores it: the worst of all windows. */
export function scoreOf(
  { weights, bias }: Model,
  { slots, counts }: SlottedText,
  settings: ModelSettings,
  window = settings.window,
): number {
  const sums = slots.map((block) => block.reduce((total, slot) => total + (weights[slot] as number), 0))
  const scores = windowsOf(slots.length, window, 1).map(
    ({ from, to }) => bias + sum(sums.slice(from, to)) * shareOf(sum(counts.subarray(from, to)), settings.least_ngrams),
  )
  return Math.max(...scores)
}

const sum = (values: Iterable<number>): number => {
  let total = 0
  for (const value of values) total += value
  return total
}

/** Of the windows of an attack the one that is most like one; all windows of any other text. */
function likeliest(own: readonly Example[], model: Model): readonly Example[] {
  if (own.length < 2 || !own[0]!.isAttack) return own
  const weight = sum(own.map((example) => example.weight))
  const logits = own.map((example) => logitOf(model, example))
  return [{ ...own[logits.indexOf(Math.max(...logits))]!, weight }]
}

function logitOf({ weights, bias }: Model, { slots, share }: Example): number {
  let logit = bias
  for (const block of slots)
    for (let at = 0; at < block.length; at++) logit += (weights[block[at] as number] as number) * share
  return logit
}

function descend(model: Model, squares: Float64Array, example: Example): void {
  const { weights } = model
  const { slots, share, isAttack, weight } = example
  const logit = logitOf(model, example)
  const error = weight * (1 / (1 + Math.exp(-logit)) - Number(isAttack))
  for (const block of slots)
    for (let at = 0; at < block.length; at++) {
      const slot = block[at] as number
      const slope = error * share + TRAINING.penalty * (weights[slot] as number)
      const square = (squares[slot] as number) + slope * slope
      squares[slot] = square
      weights[slot] = (weights[slot] as number) - (TRAINING.step * slope) / Math.sqrt(square)
    }
  const last = squares.length - 1
  squares[last] = (squares[last] as number) + error * error
  model.bias -= (TRAINING.step * error) / Math.sqrt(squares[last] as number)
}

/** The generator of Numerical Recipes: enough to part the order of the texts from their labels. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function shuffle<T>(items: T[], random: () => number): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[items[at], items[other]] = [items[other] as T, items[at] as T]
  }
}
