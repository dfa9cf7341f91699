/** Which topic a turn is about: the example phrase that BM25 ranks first, where it is clearly first. */
import { bm25, type TermCounts, type TextStatistics } from '../retrieve/rank.ts'
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

  /** Pairs of topics, each with the first two phrases that say the same: more than half of all their words are common. */
  overlaps(): { topics: [string, string]; phrases: [string, string] }[] {
    const found = new Map<string, { topics: [string, string]; phrases: [string, string] }>()
    for (const [at, one] of this.#phrases.entries())
      for (const other of this.#phrases.slice(at + 1)) {
        const pair = `${one.topic} ${other.topic}`
        if (one.topic === other.topic || found.has(pair)) continue
        if (saysTheSame(one.counts, other.counts))
          found.set(pair, { topics: [one.topic, other.topic], phrases: [one.text, other.text] })
      }
    return [...found.values()]
  }
}

function saysTheSame(one: Phrase['counts'], other: Phrase['counts']): boolean {
  let shared = 0
  for (const word of one.keys()) if (other.has(word)) shared += 1
  return 3 * shared > one.size + other.size
}
