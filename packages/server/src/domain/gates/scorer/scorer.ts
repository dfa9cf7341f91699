/** A linear scorer over hashed n-grams. It looks at every n-gram once, weighs a window by the n-grams that training
 *  texts held, and takes the worst window, so that harmless text around an attack does not dilute it. */
import { int32s } from '../../text/slab.ts'
import { Ngrams } from './ngrams.ts'

/** Two models by length: a short text is one order or question, a long one a scene with rules, and what gives an attack
 *  away in the one is ordinary in the other. */
export interface Scorer {
  digest: string
  /** Units of a block. */
  block: number
  /** Texts of so many units and more are scored, and of so many are long. */
  shortFrom: number
  longFrom: number
  short: LinearModel
  long: LinearModel
}

/** A narrow window finds an attack in a long text and, being one of many, has to score higher than a wide one. */
export interface WindowSize {
  blocks: number
  handicap: number
}

export interface LinearModel {
  /** Slots are a power of two; the low bits of an n-gram name its slot. */
  mask: number
  /** The high bits of the n-gram that owns the slot: one that no training text held weighs nothing. */
  owners: Uint16Array
  weights: Int8Array
  /** What one step of a weight is worth. */
  scale: number
  bias: number
  threshold: number
  /** From a score to the probability of an attack at even odds. */
  calibration: { slope: number; offset: number }
  windows: readonly WindowSize[]
  /** A window of fewer n-grams is weighed as if it had as many: a few words are little evidence. */
  minNgrams: number
}

/** A window in units of the text, and the n-grams it holds. */
export interface ScoredWindow {
  score: number
  ngrams: number
  from: number
  to: number
}

export const isKnown = ({ mask, owners }: LinearModel, hash: number): boolean => owners[hash & mask] === hash >>> 16
export const weightOf = (model: LinearModel, hash: number): number =>
  isKnown(model, hash) ? (model.weights[hash & model.mask] as number) : 0

export const spreadOver = ({ scale, minNgrams }: LinearModel, ngrams: number): number =>
  scale / Math.sqrt(Math.max(ngrams, minNgrams))

export const modelFor = (text: string, { longFrom, short, long }: Scorer): LinearModel =>
  text.length >= longFrom ? long : short

export function worstWindow(text: string, model: LinearModel, block: number): ScoredWindow {
  const { bias } = model
  const { counts, sums } = blocksOf(text, model, block)
  const worst = { score: Number.NEGATIVE_INFINITY, ngrams: 0, from: 0, to: 0 }
  for (const { blocks: size, handicap } of model.windows) {
    let [sum, ngrams] = [0, 0]
    for (let at = 0; at < counts.length; at++) {
      sum += (sums[at] as number) - (sums[at - size] ?? 0)
      ngrams += (counts[at] as number) - (counts[at - size] ?? 0)
      if (at < size - 1 && at < counts.length - 1) continue
      const score = bias + sum * spreadOver(model, ngrams) - handicap
      if (score <= worst.score) continue
      worst.score = score
      worst.ngrams = ngrams
      worst.from = Math.max(0, at + 1 - size) * block
      worst.to = Math.min((at + 1) * block, text.length)
    }
  }
  return worst
}

/** An n-gram belongs to the block in which it begins. */
export const blockAt = (from: number, block: number, blocks: number): number =>
  Math.min(Math.floor(from / block), blocks - 1)
export const blockCount = (length: number, block: number): number => Math.max(1, Math.ceil(length / block))

const ngrams = new Ngrams()

type BlockSums = { counts: Int32Array; sums: Int32Array }

function blocksOf(text: string, { mask, owners, weights }: LinearModel, block: number): BlockSums {
  const blocks = blockCount(text.length, block)
  const counts = int32s(blocks)
  const sums = int32s(blocks)
  let [at, end] = [0, block]
  ngrams.read(text, ({ hashes, from: begins, count }) => {
    for (let n = 0; n < count; n++) {
      const from = begins[n] as number
      // They come in the order of their ends, so the block at hand is nearly always the right one.
      if (from >= end || from < end - block) {
        at = blockAt(from, block, blocks)
        end = (at + 1) * block
      }
      counts[at] = (counts[at] as number) + 1
      const hash = hashes[n] as number
      const slot = hash & mask
      if (owners[slot] === hash >>> 16) sums[at] = (sums[at] as number) + (weights[slot] as number)
    }
  })
  return { counts, sums }
}
