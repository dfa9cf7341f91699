/** Which topic a turn is about: the example phrase that BM25 ranks first, where it is clearly first. */
import { bm25, type TermCounts, type TextStatistics } from '../search/rank.ts'
import type { Topic } from './shapes.ts'

/** Share of the best score by which it leads the best of any other topic. */
const MARGIN = 0.15
/** Share of the words of the phrase that the turn holds. */
const COVERAGE = 0.5

const COMMON = new Set(
  'a an and are as at be but by can could do does for from give had has have how i if in into is it its may me my no not of on or our please should so some tell that the their them then there they this to us was we what when where which who why will with would you your'.split(
    ' ',
  ),
)

interface Phrase extends TermCounts {
  topic: string
}

interface Intent {
  intent: string | null
  score: number
}

/** Lower-cased words of letters and digits, without those that every sentence has. */
const wordsOf = (text: string): string[] =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter((word) => !COMMON.has(word))

const toPhrase = (topic: string, text: string): Phrase => {
  const words = wordsOf(text)
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { topic, length: words.length, counts }
}

export class TopicIndex implements TextStatistics {
  readonly #phrases: Phrase[]
  readonly #holders = new Map<string, number>()
  readonly documents: number
  readonly meanLength: number

  constructor(topics: readonly Topic[]) {
    this.#phrases = topics.flatMap(({ name, examples }) => examples.map((text) => toPhrase(name, text)))
    for (const { counts } of this.#phrases)
      for (const word of counts.keys()) this.#holders.set(word, this.holders(word) + 1)
    this.documents = this.#phrases.length
    this.meanLength = Math.max(1, this.#phrases.reduce((sum, { length }) => sum + length, 0) / this.documents)
  }

  holders(term: string): number {
    return this.#holders.get(term) ?? 0
  }

  intentOf(text: string): Intent {
    const terms = [...new Set(wordsOf(text))].filter((word) => this.#holders.has(word))
    const best = new Map<string, number>()
    for (const phrase of this.#phrases) {
      const covered = terms.filter((term) => phrase.counts.has(term)).length
      if (covered === 0 || covered < COVERAGE * phrase.counts.size) continue
      best.set(phrase.topic, Math.max(best.get(phrase.topic) ?? 0, bm25(terms, phrase, this)))
    }
    const [first, second] = [...best].sort((one, other) => other[1] - one[1])
    if (first === undefined || first[1] - (second?.[1] ?? 0) < MARGIN * first[1]) return { intent: null, score: 0 }
    return { intent: first[0], score: first[1] }
  }
}

/** Phrases of two topics that say the same: more than half of all their words are common to both. */
export function overlaps(one: Topic, other: Topic): [string, string] | null {
  for (const a of one.examples)
    for (const b of other.examples) {
      const [left, right] = [new Set(wordsOf(a)), new Set(wordsOf(b))]
      const common = left.intersection(right).size
      if (2 * common > left.union(right).size) return [a, b]
    }
  return null
}
