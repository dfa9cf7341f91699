/** A linear scorer over hashed n-grams. It looks at every n-gram once, weighs a window by the n-grams that training
 *  texts held, and takes the worst window, so that harmless text around an attack does not dilute it. */
import { int32s } from '../../text/slab.ts'
import type { Origin } from '../finding.ts'
import { isUnspaced } from '../lexicon.ts'
import { Ngrams } from './ngrams.ts'

/** Of what somebody says there are two models by length: a short text is one order or question, a long one a scene with rules,
 *  and what gives an attack away in the one is ordinary in the other. Data has a model of its own: there an order to its reader
 *  is what gives it away. */
export interface Scorer {
  digest: string
  /** Units of a block. */
  block: number
  /** Texts of so many letters and more are scored, those of so many are long, and data from so many on. */
  shortFrom: number
  longFrom: number
  dataFrom: number
  short: LinearModel
  long: LinearModel
  data: LinearModel
}

/** A narrow window finds an attack in a long text and, being one of many, has to score higher than a wide one. */
export interface WindowSize {
  blocks: number
  handicap: number
}

export interface LinearModel {
  /** Slots are a power of two; the low bits of an n-gram name its slot. */
  mask: number
  /** The high bits of the n-gram that owns the slot: nearly none that no training text held weighs anything. */
  owners: Uint16Array
  weights: Int8Array
  /** What one step of a weight is worth. */
  scale: number
  bias: number
  threshold: number
  /** From a score to the probability of an attack at even odds. */
  calibration: { slope: number; offset: number }
  windows: readonly WindowSize[]
  /** An n-gram counts once in so many blocks, since what a log repeats in every line is said once; 0 where every time counts. */
  onceIn: number
  /** A window that counts fewer n-grams is weighed as if it had as many: a few words are little evidence. */
  minNgrams: number
}

/** A window in units of the text, and how many n-grams it counts. */
export interface ScoredWindow {
  score: number
  ngrams: number
  from: number
  to: number
}

/** So many low bits of an n-gram do not tell who owns its slot. */
export const OWNER_SHIFT = 20

export const isKnown = ({ mask, owners }: LinearModel, hash: number): boolean =>
  owners[hash & mask] === hash >>> OWNER_SHIFT
export const weightOf = (model: LinearModel, hash: number): number =>
  isKnown(model, hash) ? (model.weights[hash & model.mask] as number) : 0

export const spreadOver = ({ scale, minNgrams }: LinearModel, ngrams: number): number =>
  scale / Math.sqrt(Math.max(ngrams, minNgrams))

export const isData = (origin: Origin): boolean => origin === 'tool' || origin === 'retrieved'

export function modelFor(text: string, origin: Origin, { longFrom, short, long, data }: Scorer): LinearModel {
  if (isData(origin)) return data
  return isOfLength(text, longFrom) ? long : short
}

/** A character of Chinese or Japanese says what three letters do. */
const LETTERS_OF_UNSPACED = 3

/** Whether a text has so many letters, or as much to say in a script that needs fewer. */
export const isOfLength = (text: string, min: number): boolean => text.length >= min || readLength(text) >= min

export function readLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) if (isUnspaced(text.charCodeAt(at))) length += LETTERS_OF_UNSPACED - 1
  return length
}

export function worstWindow(text: string, model: LinearModel, block: number): ScoredWindow {
  const { bias } = model
  const { counts, sums } = blocksOf(text, model, block)
  const worst = { score: Number.NEGATIVE_INFINITY, ngrams: 0, from: 0, to: 0 }
  for (const { blocks: size, handicap } of model.windows) {
    let [sum, ngrams] = [0, 0]
    for (let at = 0; at < counts.length; at++) {
      sum += (sums[at] as number) - (sums[at - size] ?? 0)
      ngrams += ((counts[at] as number) - (counts[at - size] ?? 0)) / UNKNOWN_TO_KNOWN
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

/** So many n-grams that the model does not know count as one that it knows: a language of which few are known is not more
 *  harmless for that, and a text of random letters is not what a few of them are like. */
export const UNKNOWN_TO_KNOWN = 3

/** By slot, the block in which it was counted last. Numbers of blocks go on from text to text, so that none is taken back. */
let countedIn = new Float64Array(0)
let firstBlock = 0

type BlockSums = { counts: Int32Array; sums: Int32Array }

function blocksOf(text: string, { mask, owners, weights, onceIn }: LinearModel, block: number): BlockSums {
  const blocks = blockCount(text.length, block)
  const counts = int32s(blocks)
  const sums = int32s(blocks)
  let [at, end] = [0, block]
  if (countedIn.length <= mask) countedIn = new Float64Array(mask + 1)
  const last = countedIn
  const first = firstBlock + onceIn
  firstBlock = first + blocks
  ngrams.read(text, ({ hashes, from: begins, count }) => {
    for (let n = 0; n < count; n++) {
      const from = begins[n] as number
      // They come in the order of their ends, so the block at hand is nearly always the right one.
      if (from >= end || from < end - block) {
        at = blockAt(from, block, blocks)
        end = (at + 1) * block
      }
      const hash = hashes[n] as number
      const slot = hash & mask
      counts[at] = (counts[at] as number) + 1
      if (owners[slot] !== hash >>> OWNER_SHIFT || first + at - (last[slot] as number) < onceIn) continue
      last[slot] = first + at
      counts[at] = (counts[at] as number) + UNKNOWN_TO_KNOWN - 1
      sums[at] = (sums[at] as number) + (weights[slot] as number)
    }
  })
  return { counts, sums }
}
