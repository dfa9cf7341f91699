/** Which topic a turn is about: the example phrase that BM25 ranks first, where it is clearly first; and which topics it
 *  touches, for a denied one is denied beside whatever else is said. */
import { type Confusables, skeletonWord } from '../../../domain/text/confusables.ts'
import { bm25, type TermCounts, type TextStatistics } from '../search/rank.ts'
import { stem } from '../search/stem.ts'
import common from './common-words.json' with { type: 'json' }
import { readingsOf } from './readings.ts'
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

interface Found {
  covered: string[]
  score: number
}

export const topicsOf = ({ topics = {} }: Rails): Topic[] => [...(topics.allow ?? []), ...(topics.deny ?? [])]

/** Stems of the words of letters and digits, without those that every sentence has; look-alikes have one spelling. */
const wordsOf = (text: string, table: Confusables | null): string[] =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter((word) => !COMMON.has(word))
    .map((word) => (table === null ? stem(word) : skeletonWord(stem(word), table)))

const toPhrase = (topic: string, text: string, table: Confusables | null): Phrase => {
  const words = wordsOf(readingsOf(text, table).at(-1)!, table)
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { topic, text, length: words.length, counts }
}

const leads = (one: number, other: number): boolean => one - other >= MARGIN * one

export class TopicIndex implements TextStatistics {
  readonly #phrases: Phrase[]
  readonly #table: Confusables | null
  /** By word, the phrases that hold it. */
  readonly #holders = new Map<string, number[]>()
  readonly documents: number
  readonly meanLength: number

  constructor(topics: readonly Topic[], table: Confusables | null = null) {
    this.#table = table
    this.#phrases = topics.flatMap(({ name, examples }) => examples.map((text) => toPhrase(name, text, table)))
    for (const [at, { counts }] of this.#phrases.entries())
      for (const word of counts.keys()) this.#holders.set(word, [...(this.#holders.get(word) ?? []), at])
    this.documents = this.#phrases.length
    this.meanLength = Math.max(1, this.#phrases.reduce((sum, { length }) => sum + length, 0) / this.documents)
  }

  holders(term: string): number {
    return this.#holders.get(term)?.length ?? 0
  }

  /** `touched` are the topics of all phrases that the turn holds, but for a phrase of which it holds no more than it does
   *  of a clearly better one of another topic. */
  intentOf(text: string): { intent: string | null; score: number; touched: string[] } {
    const words = readingsOf(text, this.#table).flatMap((reading) => wordsOf(reading, this.#table))
    const terms = [...new Set(words)].filter((word) => this.#holders.has(word))
    const found: (Found & { topic: string })[] = []
    for (const phrase of this.#phrases) {
      const covered = terms.filter((term) => phrase.counts.has(term))
      if (covered.length === 0 || covered.length < COVERAGE * phrase.counts.size) continue
      found.push({ topic: phrase.topic, covered, score: bm25(terms, phrase, this) })
    }
    const best = new Map<string, Found>()
    for (const { topic, ...one } of found) if (one.score > (best.get(topic)?.score ?? 0)) best.set(topic, one)
    const isOutdone = (one: (typeof found)[number]): boolean =>
      [...best].some(
        ([topic, { covered, score }]) =>
          topic !== one.topic && leads(score, one.score) && one.covered.every((term) => covered.includes(term)),
      )
    const touched = [...new Set(found.filter((one) => !isOutdone(one)).map(({ topic }) => topic))]
    const [first, second] = [...best].sort((one, other) => other[1].score - one[1].score)
    if (first === undefined || !leads(first[1].score, second?.[1].score ?? 0))
      return { intent: null, score: 0, touched }
    return { intent: first[0], score: first[1].score, touched }
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
