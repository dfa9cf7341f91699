/** Ranks texts for a query by words, by vectors and by both. */
import { bm25, fuse, type TermCounts, type TextStatistics, toRanks } from './rank.ts'
import { countGrams, type GramCounts, gramSimilarities } from './vectors.ts'

type Fusion = 'rrf' | 'bm25' | 'vector'

export interface SearchedText {
  id: string
  text: string
}

/** As many texts as are scored for one query. */
export const MAX_CANDIDATES = 64

export interface RankOptions<T extends SearchedText> {
  fusion: Fusion
  rrfK: number
  /** Likeness by vectors that are not made of the text. */
  cosineOf?: (text: T) => number
  /** Whether a text may be found at all. */
  keep?: (text: T) => boolean
}

/** Texts that can be searched. */
export interface TextSearch<T extends SearchedText> {
  readonly documents: number
  /** All texts where they are few, the candidates of the engine where not. */
  rank(query: string, options: RankOptions<T>): RankedText<T>[]
  /** Where the words of the query lie in a text, as offsets of UTF-16 units. */
  matches(id: string, query: string): { start: number; end: number }[]
  close(): void
}

/** Where stored texts stand. */
export interface TextsRevision {
  /** One more with every write. */
  revision: number
  /** The revision of the newest removal: an index from before holds what is gone. */
  purged: number
}

/** Indexes of stored texts, kept as long as there is room. */
export interface SearchCache<T extends SearchedText> {
  /** Up to date when it resolves. `load` gives what was written after a revision, in pages. */
  get(key: string, wanted: TextsRevision, load: (since: number) => AsyncIterable<T[]>): Promise<TextSearch<T>>
  /** Nothing of it stays in memory. */
  drop(key: string): void
}

export interface SearchEngine {
  index<T extends SearchedText>(texts: readonly T[]): TextSearch<T>
  keep<T extends SearchedText>(): SearchCache<T>
}

/** What cutting the texts into words gave. */
interface CutTexts {
  terms: readonly string[]
  counts: readonly TermCounts[]
  statistics: TextStatistics
}

export interface RankedText<T extends SearchedText = SearchedText> {
  document: T
  score: number
  rank_bm25: number | null
  rank_vec: number | null
}

/** Best first; a text that neither words nor vectors find is left out. `cosines`: of vectors that are not made here. */
export function rankTexts<T extends SearchedText>(
  texts: readonly T[],
  query: string,
  { terms, counts, statistics }: CutTexts,
  { fusion, rrfK, cosines }: { fusion: Fusion; rrfK: number; cosines?: readonly number[] },
): RankedText<T>[] {
  const names = texts.map(({ id }) => id)
  const byWords = counts.map((one) => bm25(terms, one, statistics))
  const byVectors = fusion === 'bm25' ? names.map(() => 0) : (cosines ?? gramSimilarities(texts.map(gramsOf), query))
  const [wordRanks, vectorRanks] = [toRanks(byWords, names), toRanks(byVectors, names)]
  const scoreOf = {
    rrf: (at: number) => fuse([wordRanks[at]!, vectorRanks[at]!], rrfK),
    bm25: (at: number) => byWords[at]!,
    vector: (at: number) => byVectors[at]!,
  }[fusion]
  return texts
    .map((document, at) => ({
      document,
      score: scoreOf(at),
      rank_bm25: wordRanks[at]!,
      rank_vec: vectorRanks[at]!,
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.document.id < b.document.id ? -1 : 1))
}

/** Kept as long as the document is: counting is nine tenths of the work. */
const counted = new WeakMap<SearchedText, GramCounts>()
function gramsOf(document: SearchedText): GramCounts {
  const known = counted.get(document) ?? countGrams(document.text)
  counted.set(document, known)
  return known
}

const SNIPPET = 240

/** The stretch of the text with the most matches in it. */
export function cutSnippet(text: string, matches: readonly { start: number; end: number }[]) {
  let best = { start: 0, count: 0 }
  for (const [at, { start }] of matches.entries()) {
    let count = 1
    while (matches[at + count] !== undefined && matches[at + count]!.end <= start + SNIPPET - 40) count += 1
    if (count > best.count) best = { start: Math.max(0, start - 40), count }
  }
  const start = wordStart(text, best.start)
  let end = Math.min(text.length, start + SNIPPET)
  if (isLowSurrogate(text, end)) end -= 1
  return { snippet: text.slice(start, end), start, end }
}

/** The beginning of the word at an offset, so that no word and no character is cut in two. */
function wordStart(text: string, offset: number): number {
  if (offset === 0) return 0
  const blank = text.indexOf(' ', offset - 1)
  const at = blank >= 0 && blank < offset + 20 ? blank + 1 : offset
  return isLowSurrogate(text, at) ? at - 1 : at
}

const isLowSurrogate = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? '')
