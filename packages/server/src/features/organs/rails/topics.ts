/** Which topic a turn is about: the example phrase that BM25 ranks first, where it is clearly first. */
import { bm25, type TermCounts, type TextStatistics } from '../search/rank.ts'
import common from './common-words.json' with { type: 'json' }
import type { Rails, Topic } from './shapes.ts'

/** Share of the best score by which it leads the best of any other topic. */
const MARGIN = 0.15
/** Share of the words of the phrase that the turn holds. */
const COVERAGE = 0.5
const COMMON = new Set(common)

interface Phrase extends TermCounts {
  topic: string
  text: string
}

export const topicsOf = ({ topics = {} }: Rails): Topic[] => [...(topics.allow ?? []), ...(topics.deny ?? [])]

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
  return { topic, text, length: words.length, counts }
}

export class TopicIndex implements TextStatistics {
  readonly #phrases: Phrase[]
  /** By word, the phrases that hold it. */
  readonly #holders = new Map<string, number[]>()
  readonly documents: number
  readonly meanLength: number

  constructor(topics: readonly Topic[]) {
    this.#phrases = topics.flatMap(({ name, examples }) => examples.map((text) => toPhrase(name, text)))
    for (const [at, { counts }] of this.#phrases.entries())
      for (const word of counts.keys()) this.#holders.set(word, [...(this.#holders.get(word) ?? []), at])
    this.documents = this.#phrases.length
    this.meanLength = Math.max(1, this.#phrases.reduce((sum, { length }) => sum + length, 0) / this.documents)
  }

  holders(term: string): number {
    return this.#holders.get(term)?.length ?? 0
  }

  intentOf(text: string): { intent: string | null; score: number } {
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

  /** Pairs of topics with the first two phrases that say the same: more than half of all their words are common. */
  overlaps(): { topics: [string, string]; phrases: [string, string] }[] {
    const found = new Map<string, { topics: [string, string]; phrases: [string, string] }>()
    for (const [at, one] of this.#phrases.entries()) {
      const shared = new Uint16Array(this.documents)
      for (const word of one.counts.keys()) for (const holder of this.#holders.get(word)!) shared[holder]! += 1
      for (const [behind, other] of this.#phrases.entries()) {
        const isSame = 3 * shared[behind]! > one.counts.size + other.counts.size
        if (behind <= at || !isSame || one.topic === other.topic) continue
        const pair = `${one.topic} ${other.topic}`
        if (!found.has(pair)) found.set(pair, { topics: [one.topic, other.topic], phrases: [one.text, other.text] })
      }
    }
    return [...found.values()]
  }
}
