/** Vectors of hashed character n-grams: texts that share parts of words lie close, whatever the language. */

const DIMENSIONS = 4096
const MIN_GRAM = 3
const MAX_GRAM = 5

/** How often a text meets each dimension that it meets at all, by rising dimension. */
export interface GramCounts {
  dimensions: Uint16Array
  counts: Uint16Array
}

/** Of length 1, or empty. */
export interface SparseVector {
  dimensions: Uint16Array
  weights: Float32Array
}

/** Every word stands between two blanks; its n-grams are hashed by FNV-1a over the bytes of their UTF-16 units. */
export function countGrams(text: string): GramCounts {
  const met = new Uint16Array(DIMENSIONS)
  for (const word of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []) {
    const padded = ` ${word} `
    for (let from = 0; from + MIN_GRAM <= padded.length; from += 1) {
      let hash = 0x811c9dc5
      for (let at = from; at < padded.length && at < from + MAX_GRAM; at += 1) {
        const unit = padded.charCodeAt(at)
        hash = Math.imul(hash ^ (unit & 0xff), 0x01000193)
        hash = Math.imul(hash ^ (unit >>> 8), 0x01000193)
        if (at - from + 1 >= MIN_GRAM) met[((hash >>> 16) ^ hash) & (DIMENSIONS - 1)]! += 1
      }
    }
  }
  const dimensions = new Uint16Array(met.reduce((sum, count) => (count > 0 ? sum + 1 : sum), 0))
  const counts = new Uint16Array(dimensions.length)
  let place = 0
  for (let at = 0; at < DIMENSIONS; at += 1)
    if (met[at]! > 0) {
      dimensions[place] = at
      counts[place++] = met[at]!
    }
  return { dimensions, counts }
}

function toVector({ dimensions, counts }: GramCounts, idf: Float64Array | null): SparseVector {
  const weights = new Float32Array(counts.length)
  let squares = 0
  for (let at = 0; at < counts.length; at += 1) {
    const weight = (1 + Math.log(counts[at]!)) * (idf === null ? 1 : idf[dimensions[at]!]!)
    weights[at] = weight
    squares += weight * weight
  }
  const norm = Math.sqrt(squares)
  for (let at = 0; at < weights.length; at += 1) weights[at]! /= norm
  return { dimensions, weights }
}

/** One text by itself: every dimension weighs the same. */
export const gramVector = (text: string): SparseVector => toVector(countGrams(text), null)

/** How close each text is to the query: what few of the texts have weighs more. */
export function gramSimilarities(texts: readonly GramCounts[], query: string): number[] {
  const idf = new Float64Array(DIMENSIONS)
  for (const { dimensions } of texts) for (const at of dimensions) idf[at]! += 1
  for (let at = 0; at < DIMENSIONS; at += 1) idf[at] = Math.log((1 + texts.length) / (1 + idf[at]!)) + 1
  const asked = new DenseVector(toVector(countGrams(query), idf))
  return texts.map((counts) => asked.cosine(toVector(counts, idf)))
}

/** Cosine of two lists of numbers of the same length. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, at) => sum + value * y[at]!, 0)
  const norms = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b))
  return norms === 0 ? 0 : Math.max(-1, Math.min(1, dot(a, b) / norms))
}

/** A vector to compare with many. */
export class DenseVector {
  readonly #weights = new Float32Array(DIMENSIONS)

  constructor({ dimensions, weights }: SparseVector) {
    for (let at = 0; at < dimensions.length; at += 1) this.#weights[dimensions[at]!] = weights[at]!
  }

  cosine({ dimensions, weights }: SparseVector): number {
    let sum = 0
    for (let at = 0; at < dimensions.length; at += 1) sum += this.#weights[dimensions[at]!]! * weights[at]!
    return Math.min(1, sum)
  }
}
