/** SQLite's full-text engine, in memory and with fixed statements: it cuts texts into stemmed words and finds the texts
 *  that may match. What a caller wrote is a bound value or a quoted word, never a part of the language of queries. */
import { DatabaseSync } from 'node:sqlite'
import { sha256Hex } from '@orch/core'
import type { Static, TSchema } from 'typebox'
import { derivedIndexes } from '../derived.ts'
import { bm25, fuse, MAX_CANDIDATES, type TermCounts, toRanks } from '../rank.ts'
import { cutSnippet } from '../snippet.ts'
import { cosine, countGrams, type GramCounts, gramSimilarities } from '../vectors.ts'

const MAX_WORDS = 64
/** Letters at which a word that is spelled another way may still be found. */
const PREFIX = 4
/** Bytes of texts and vectors that are kept at a time, about. */
const MAX_SIZE = 192 * 1024 * 1024

export interface SearchedText {
  id: string
  text: string
  vector?: readonly number[]
  /** When it may be found, in milliseconds since the epoch: always where nothing is said. */
  from?: number
  until?: number | null
  /** Comes back with a hit. */
  about?: Readonly<Record<string, unknown>>
}

export interface TextQuery {
  q: string
  fusion: 'rrf' | 'bm25' | 'vector'
  rrfK: number
  /** To compare with the vectors of the texts; those are made of the texts where there is none. */
  vector?: readonly number[]
  now?: number
  /** How many hits are told, and of how many also the text. */
  k: number
  texts?: number
}

/** The best hits, how many were found, how many texts there are, and how long the index took where it was made for this. */
export type TextAnswer = ReturnType<TextIndex['answer']> & { indexUs?: number }

const SQL = {
  insert: 'INSERT INTO texts (rowid, text) VALUES (?, ?)',
  remove: 'DELETE FROM texts WHERE rowid = ?',
  size: 'SELECT sz FROM texts_docsize WHERE id = ?',
  holders: 'SELECT doc FROM by_term WHERE term = ?',
  match: 'SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?',
  marked: 'SELECT highlight(texts, 0, char(2), char(3)) AS text FROM texts WHERE texts MATCH ? AND rowid = ?',
  counts: 'SELECT doc, count(*) AS n FROM instances WHERE term = ? GROUP BY doc',
  terms: 'SELECT DISTINCT term FROM instances WHERE doc = ?',
}

interface IndexedText extends SearchedText {
  row: number
  /** Words. */
  length: number
  /** Counted when it is first compared: that is nine tenths of the work of a query. */
  grams?: GramCounts
}

export class TextIndex {
  readonly #db = new DatabaseSync(':memory:')
  readonly #sql = (name: keyof typeof SQL) => (this.#prepared[name] ??= this.#db.prepare(SQL[name]))
  readonly #prepared: { [Name in keyof typeof SQL]?: ReturnType<DatabaseSync['prepare']> } = {}
  readonly #byId = new Map<string, IndexedText>()
  readonly #byRow = new Map<number, IndexedText>()
  #words = 0
  #next = 1
  /** Bytes of texts and vectors, about. */
  size = 0

  constructor(texts: Iterable<SearchedText> = []) {
    this.#db.exec(`
      CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61', prefix = '${PREFIX}');
      CREATE VIRTUAL TABLE instances USING fts5vocab(texts, 'instance');
      CREATE VIRTUAL TABLE by_term USING fts5vocab(texts, 'row');`)
    this.put(texts)
  }

  /** A text with a known id takes the place of the one before. */
  put(texts: Iterable<SearchedText>): void {
    this.#db.exec('BEGIN')
    for (const text of texts) {
      this.remove(text.id)
      const row = this.#next++
      this.#sql('insert').run(row, text.text)
      const { sz } = this.#sql('size').get(row) as { sz: Uint8Array }
      const length = sz.reduce((sum, byte) => sum * 128 + (byte & 127), 0)
      const indexed = { ...text, row, length }
      this.#byId.set(text.id, indexed)
      this.#byRow.set(row, indexed)
      this.#words += length
      this.size += sizeOf(text)
    }
    this.#db.exec('COMMIT')
  }

  remove(id: string): void {
    const known = this.#byId.get(id)
    if (known === undefined) return
    this.#sql('remove').run(known.row)
    this.#words -= known.length
    this.size -= sizeOf(known)
    this.#byId.delete(id)
    this.#byRow.delete(known.row)
  }

  close(): void {
    this.#db.close()
  }

  answer({ k, texts = 0, ...query }: TextQuery) {
    const ranked = this.#rank(query)
    const hits = ranked.slice(0, k).map(({ text: { id, text, about, row }, ...rank }) => ({
      ...{ id, ...(about && { about }), ...rank },
      ...cutSnippet(text, this.#matches(row, query.q)),
      sha256: sha256Hex(text),
    }))
    const topTexts = ranked.slice(0, texts).map(({ text: { id, text } }) => ({ id, text }))
    return { documents: this.#byId.size, found: ranked.length, hits, texts: topTexts }
  }

  /** Best first; a text that neither words nor vectors find is left out. */
  #rank({ q, fusion, rrfK, vector, now = 0 }: Omit<TextQuery, 'k' | 'texts'>) {
    const terms = stem(q)
    const texts = this.#candidates(q).filter(
      ({ from = now, until = null }) => from <= now && (until === null || now < until),
    )
    const names = texts.map(({ id }) => id)
    const holders = new Map(terms.map((term) => [term, this.#holders(term)]))
    const statistics = {
      documents: this.#byId.size,
      meanLength: this.#words / Math.max(1, this.#byId.size),
      holders: (term: string) => holders.get(term)!,
    }
    const byWords = this.#count(texts, terms).map((counts) => bm25(terms, counts, statistics))
    const byVectors = fusion === 'bm25' ? names.map(() => 0) : likeness(texts, q, vector)
    const [wordRanks, vectorRanks] = [toRanks(byWords, names), toRanks(byVectors, names)]
    const scoreOf = {
      rrf: (at: number) => fuse([wordRanks[at]!, vectorRanks[at]!], rrfK),
      bm25: (at: number) => byWords[at]!,
      vector: (at: number) => byVectors[at]!,
    }[fusion]
    return texts
      .map((text, at) => ({ text, score: scoreOf(at), rank_bm25: wordRanks[at]!, rank_vec: vectorRanks[at]! }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.text.id < b.text.id ? -1 : 1))
  }

  /** All texts where they are few, and those that share a word or the beginning of one with the query where not. */
  #candidates(query: string): IndexedText[] {
    if (this.#byId.size <= MAX_CANDIDATES) return [...this.#byId.values()]
    const words = wordsOf(query)
    const starts = words.filter((word) => word.length > PREFIX).map((word) => `${quoted(word.slice(0, PREFIX))}*`)
    const rows = new Set<number>()
    for (const [terms, limit] of [
      [words.map(quoted), Math.ceil(MAX_CANDIDATES * 0.75)],
      [starts, MAX_CANDIDATES],
    ] as const)
      if (terms.length > 0)
        for (const { rowid } of this.#sql('match').all(terms.join(' OR '), limit) as { rowid: number }[])
          if (rows.size < MAX_CANDIDATES) rows.add(rowid)
    return [...rows].map((row) => this.#byRow.get(row)!)
  }

  /** How often each term occurs in each text. Where the texts are not all there are, they are counted by themselves: the
   *  lists of a common word are as long as the index is large. */
  #count(texts: readonly IndexedText[], terms: readonly string[]): TermCounts[] {
    if (texts.length < this.#byId.size) {
      const few = new TextIndex(texts)
      const counted = few.#count([...few.#byId.values()], terms)
      few.close()
      return counted
    }
    const counted = new Map(texts.map(({ row, length }) => [row, { length, counts: new Map<string, number>() }]))
    for (const term of terms)
      for (const { doc, n } of this.#sql('counts').all(term) as { doc: number; n: number }[])
        counted.get(doc)!.counts.set(term, n)
    return [...counted.values()]
  }

  #holders(term: string): number {
    return (this.#sql('holders').get(term) as { doc: number } | undefined)?.doc ?? 0
  }

  /** The stemmed words of a text that is in the index, each once. */
  terms(id: string): string[] {
    const found = this.#sql('terms').all(this.#byId.get(id)!.row) as { term: string }[]
    return found.map(({ term }) => term)
  }

  /** Where the words of the query lie in a text, as offsets of UTF-16 units. */
  #matches(row: number, query: string): { start: number; end: number }[] {
    const words = wordsOf(query).map(quoted)
    if (words.length === 0) return []
    const found = this.#sql('marked').get(words.join(' OR '), row) as { text: string } | undefined
    return found === undefined ? [] : unmarked(found.text, this.#byRow.get(row)!.text)
  }
}

/** The jobs of indexes of stored documents; `toTexts` says what of a document can be found. */
export const derivedTexts = <Schema extends TSchema>(
  schema: Schema,
  toTexts: (value: Static<Schema>, now: number) => SearchedText[],
) =>
  derivedIndexes(schema, MAX_SIZE, () => {
    const index = new TextIndex()
    return {
      get size() {
        return index.size
      },
      add: (values, now) => index.put(values.flatMap(({ value }) => toTexts(value, now))),
      remove: (key) => index.remove(key),
      answer: (query: TextQuery) => index.answer(query),
      close: () => index.close(),
    }
  })

/** With what is counted of it later. */
const sizeOf = ({ text, vector = [] }: SearchedText): number => 3 * text.length + 8 * vector.length + 200

/** The stemmed words of a query, each once. */
function stem(query: string): string[] {
  stemmer ??= new TextIndex()
  stemmer.put([{ id: 'query', text: query }])
  const terms = stemmer.terms('query')
  stemmer.remove('query')
  return terms
}
let stemmer: TextIndex | undefined

/** Less than 0 is far away, and what has no vector is not found by one. */
function likeness(texts: readonly IndexedText[], query: string, asked: readonly number[] | undefined): number[] {
  if (asked !== undefined)
    return texts.map(({ vector }) => (vector?.length === asked.length ? cosine(asked, vector) : 0))
  const grams = texts.map((text) => {
    text.grams ??= countGrams(text.text)
    return text.grams
  })
  return gramSimilarities(grams, query)
}

const wordsOf = (query: string): string[] => [...new Set(query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])].slice(0, MAX_WORDS)
const quoted = (word: string): string => `"${word}"`

function unmarked(marked: string, text: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = []
  let at = 0
  for (const unit of marked) {
    if (text.startsWith(unit, at)) at += unit.length
    else if (unit === '\u0002') spans.push({ start: at, end: at })
    else if (spans.length > 0) spans.at(-1)!.end = at
  }
  return spans
}
