/** Which documents answer a query, best first. Several indexes are ranked as the one corpus that they make together. */
import { distance } from 'fastest-levenshtein'
import type { SearchResult } from '../replies.ts'
import { MAX_TERMS, type Query, readQuery } from './query.ts'
import { snippetOf } from './snippet.ts'
import { stemOf } from './terms.ts'
import { holdsPhrase, type IndexedDocument, type TextIndex } from './text-index.ts'

const K1 = 1.2
const B = 0.75

type Found = Pick<SearchResult, 'results' | 'did_you_mean' | 'results_for' | 'matches' | 'ignored_terms' | 'note'>

export function searchIndexes(indexes: readonly TextIndex[], text: string, limit: number): Found {
  const query = readQuery(text)
  const { ignored } = query
  const read = {
    ignored_terms: ignored,
    note: ignored === 0 ? null : `only the first ${MAX_TERMS} terms were looked up; ${ignored} after them were ignored`,
  }
  const terms = alternatives(indexes, query)
  const found = rank(indexes, query, terms)
  if (found.length > 0) return { ...shown(found, terms, limit), did_you_mean: null, results_for: 'query', ...read }
  const corrected = correct(indexes, query)
  const others = corrected === null ? [] : alternatives(indexes, corrected)
  const instead = corrected === null ? [] : rank(indexes, corrected, others)
  if (corrected === null || instead.length === 0)
    return { matches: 0, results: [], did_you_mean: null, results_for: 'query', ...read }
  const meant = [...corrected.words, ...corrected.prefixes.map((prefix) => `${prefix}*`)].join(' ')
  return { ...shown(instead, others, limit), did_you_mean: meant, results_for: 'did_you_mean', ...read }
}

interface Ranked {
  indexed: IndexedDocument
  score: number
}

/** A word, or all that begin with a prefix: counted as one word. */
const alternatives = (indexes: readonly TextIndex[], { words, prefixes, phrases }: Query): string[][] => {
  const stems = [...new Set([...words.map(stemOf), ...phrases.flat()])].map((stem) => [stem])
  return [...stems, ...[...new Set(prefixes)].map((prefix) => stemsFrom(indexes, prefix))]
}

const stemsFrom = (indexes: readonly TextIndex[], prefix: string): string[] => [
  ...new Set(indexes.flatMap((index) => [...index.stemsFrom(prefix)])),
]

function rank(indexes: readonly TextIndex[], query: Query, terms: readonly (readonly string[])[]): Ranked[] {
  const documents = indexes.reduce((sum, index) => sum + index.documents.length, 0)
  const meanLength = indexes.reduce((sum, index) => sum + index.totalLength, 0) / Math.max(1, documents)
  const scores = new Map<IndexedDocument, number>()
  for (const stems of terms) {
    const holders = new Map<IndexedDocument, number>()
    for (const index of indexes)
      for (const stem of stems)
        for (const holder of index.holders(stem))
          holders.set(holder, (holders.get(holder) ?? 0) + holder.counts.get(stem)!)
    const idf = Math.log(1 + (documents - holders.size + 0.5) / (holders.size + 0.5))
    for (const [holder, count] of holders) {
      const part = (idf * count * (K1 + 1)) / (count + K1 * (1 - B + (B * holder.length) / meanLength))
      scores.set(holder, (scores.get(holder) ?? 0) + part)
    }
  }
  const isWanted = (indexed: IndexedDocument): boolean =>
    query.phrases.every((phrase) => holdsPhrase(indexed, phrase)) &&
    !query.excluded.some((phrase) => holdsPhrase(indexed, phrase))
  return [...scores]
    .filter(([indexed]) => isWanted(indexed))
    .map(([indexed, score]) => ({ indexed, score }))
    .sort((a, b) => b.score - a.score || (a.indexed.document.key < b.indexed.document.key ? -1 : 1))
}

function shown(ranked: readonly Ranked[], terms: readonly (readonly string[])[], limit: number) {
  const stems = new Set(terms.flat())
  return {
    matches: ranked.length,
    results: ranked.slice(0, limit).map(({ indexed: { document }, score }) => ({
      key: document.key,
      kind: document.kind,
      title: document.title,
      url: document.url,
      score,
      bm25: -score,
      snippet: snippetOf(document.body === '' ? document.title : document.body, stems),
    })),
  }
}

/** The query with every unknown word replaced by the known one that is one letter away and occurs most often; null where
 *  there is none to replace. What was quoted is meant as it stands. */
function correct(indexes: readonly TextIndex[], query: Query): Query | null {
  const holders = (word: string): number => indexes.reduce((sum, index) => sum + index.holders(stemOf(word)).length, 0)
  let changed = false
  const words = query.words.map((word) => {
    if (holders(word) > 0) return word
    const near = indexes.flatMap(({ surface }) => [...surface.keys()].filter((known) => isNear(known, word)))
    if (near.length === 0) return word
    changed = true
    return near.sort((a, b) => holders(b) - holders(a) || (a < b ? -1 : 1))[0]!
  })
  return changed ? { ...query, words } : null
}

const isNear = (known: string, word: string): boolean =>
  Math.abs(known.length - word.length) <= 1 && mayDifferByOne(known, word) && distance(known, word) === 1

/** One letter cannot change the beginning and the end: told apart without counting, for nearly all of a vocabulary. */
const mayDifferByOne = (known: string, word: string): boolean =>
  known.length < 2 || word.length < 2 || known[0] === word[0] || known.at(-1) === word.at(-1)
