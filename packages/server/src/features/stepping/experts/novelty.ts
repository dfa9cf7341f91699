/** How new a request is to its session: one less the largest Jaccard similarity of three-word shingles. The store
 *  keeps keyed 64-bit hashes of shingles, so that who reads the store without the key reads no text. The words come
 *  from the folded text: a zero-width space inside a word would otherwise make a denied request new again. */
import { characterClass } from '../../../domain/text/character-class.ts'
import { ONE, ratio, toMicro } from '../rules/millionths.ts'

/** MUST depend on a secret key and the text alone and give 16 hex digits. */
export type KeyedHash = (text: string) => string

/** Similarity as the two counts it is made of, so that 0.8 is compared exactly. */
export interface Similarity {
  shared: number
  together: number
}

export const NOVELTY_STEPS = 1000
const SHINGLE = 3

/** Texts of fewer words than this are too short for shingles: one word more or another order makes them new. */
export const SHORT_TEXT = 8

/** The words of a short text, each once; of a longer one none are kept. */
export function hashShortWords(folded: string, hash: KeyedHash): string[] {
  const words = wordsOf(folded)
  return words.length < SHORT_TEXT ? [...new Set(words)].map(hash).sort() : []
}

export interface Remembered {
  shingles: readonly string[]
  /** None where the text is not short. */
  words: readonly string[]
}

/** Of two short texts, how much of the smaller set of words is in the other; of longer ones, Jaccard of their shingles. */
export function compareTexts(own: Remembered): (earlier: Remembered) => Similarity {
  const [shingles, words] = [new Set(own.shingles), new Set(own.words)]
  return (earlier) => {
    if (own.words.length === 0 || earlier.words.length === 0) return compareShingles(shingles, earlier.shingles)
    const { shared } = compareShingles(words, earlier.words)
    return { shared, together: Math.min(own.words.length, earlier.words.length) }
  }
}

export function hashShingles(folded: string, hash: KeyedHash): string[] {
  const words = wordsOf(folded)
  if (words.length === 0) return [hash(folded.trim())]
  if (words.length < SHINGLE) return [hash(words.join(' '))]
  const shingles = new Set<string>()
  for (let at = 0; at + SHINGLE <= words.length; at++) shingles.add(words.slice(at, at + SHINGLE).join(' '))
  return [...shingles].map(hash).sort()
}

/** Shingles of a step are distinct; the list of an earlier step is walked once. */
function compareShingles(own: ReadonlySet<string>, earlier: readonly string[]): Similarity {
  let shared = 0
  for (const shingle of earlier) if (own.has(shingle)) shared++
  return { shared, together: own.size + earlier.length - shared }
}

export const isAtLeast = ({ shared, together }: Similarity, micro: number): boolean =>
  together > 0 && BigInt(shared) * BigInt(ONE) >= BigInt(together) * BigInt(micro)

export const similarityMicro = ({ shared, together }: Similarity): number =>
  together === 0 ? 0 : toMicro(ratio(shared, together))

/** Over the latest recorded steps, whatever was decided about them; no history is all new. */
export function measureNovelty(own: readonly string[], earlier: Iterable<readonly string[]>): number {
  const mine = new Set(own)
  let nearest: Similarity = { shared: 0, together: 1 }
  for (const shingles of earlier) {
    const found = compareShingles(mine, shingles)
    if (found.shared * nearest.together > nearest.shared * found.together) nearest = found
  }
  return toMicro(ratio(nearest.together - nearest.shared, nearest.together))
}

const isLetterOrDigit = characterClass(/[\p{L}\p{N}]/u)

function wordsOf(text: string): string[] {
  const words: string[] = []
  let word = ''
  for (const letter of text) {
    if (isLetterOrDigit(letter.codePointAt(0)!)) word += letter
    else if (word !== '') {
      words.push(word)
      word = ''
    }
  }
  if (word !== '') words.push(word)
  return words
}
