/** SQLite's full-text engine, in memory and with fixed statements: it cuts texts into stemmed words and finds the texts
 *  that may match. What a caller wrote is a bound value or a quoted word, never a part of the language of queries. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { TermCounts, TextStatistics } from '../rank.ts'
import {
  MAX_CANDIDATES,
  type RankedText,
  type RankOptions,
  rankTexts,
  type SearchedText,
  type TextSearch,
} from '../search.ts'

const MAX_WORDS = 64
/** Letters at which a word that is spelled another way may still be found. */
const PREFIX = 4

interface Statements {
  insert: StatementSync
  remove: StatementSync
  size: StatementSync
  holders: StatementSync
  match: StatementSync
  marked: StatementSync
  counts: StatementSync
  terms: StatementSync
}

const SQL: Record<keyof Statements, string> = {
  insert: 'INSERT INTO texts (rowid, text) VALUES (?, ?)',
  remove: 'DELETE FROM texts WHERE rowid = ?',
  size: 'SELECT sz FROM texts_docsize WHERE id = ?',
  holders: 'SELECT doc FROM by_term WHERE term = ?',
  match: 'SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?',
  marked: 'SELECT highlight(texts, 0, char(2), char(3)) AS text FROM texts WHERE texts MATCH ? AND rowid = ?',
  counts: 'SELECT doc, count(*) AS n FROM instances WHERE term = ? GROUP BY doc',
  terms: 'SELECT DISTINCT term FROM instances WHERE doc = ?',
}

/** Texts by their numbers, with the counts that BM25 is made of. */
export class TextIndex<T extends SearchedText = SearchedText> implements TextSearch<T>, TextStatistics {
  readonly #db = new DatabaseSync(':memory:')
  readonly #sql: Statements
  readonly #rows = new Map<string, { row: number; length: number }>()
  readonly #texts = new Map<number, T>()
  #words = 0
  #next = 1
  /** UTF-16 units of all texts. */
  characters = 0

  constructor(texts: Iterable<T> = []) {
    this.#db.exec(`
      CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61', prefix = '${PREFIX}');
      CREATE VIRTUAL TABLE instances USING fts5vocab(texts, 'instance');
      CREATE VIRTUAL TABLE by_term USING fts5vocab(texts, 'row');`)
    this.#sql = Object.fromEntries(
      Object.entries(SQL).map(([name, text]) => [name, this.#db.prepare(text)]),
    ) as unknown as Statements
    this.add(texts)
  }

  /** A text with a known id takes the place of the one before. */
  add(texts: Iterable<T>): void {
    this.#db.exec('BEGIN')
    for (const document of texts) {
      const { id, text } = document
      this.remove(id)
      const row = this.#next++
      this.#sql.insert.run(row, text)
      const { sz } = this.#sql.size.get(row) as { sz: Uint8Array }
      const length = sz.reduce((sum, byte) => sum * 128 + (byte & 127), 0)
      this.#rows.set(id, { row, length })
      this.#texts.set(row, document)
      this.#words += length
      this.characters += text.length
    }
    this.#db.exec('COMMIT')
  }

  remove(id: string): void {
    const known = this.#rows.get(id)
    if (known === undefined) return
    this.#sql.remove.run(known.row)
    this.#words -= known.length
    this.characters -= this.#texts.get(known.row)!.text.length
    this.#rows.delete(id)
    this.#texts.delete(known.row)
  }

  get documents(): number {
    return this.#rows.size
  }

  get meanLength(): number {
    return this.#words / Math.max(1, this.#rows.size)
  }

  holders(term: string): number {
    return (this.#sql.holders.get(term) as { doc: number } | undefined)?.doc ?? 0
  }

  /** All texts where they are few, and those that share a word or the beginning of one with the query where not. */
  candidates(query: string, atMost = MAX_CANDIDATES): T[] {
    if (this.#rows.size <= atMost) return [...this.#texts.values()]
    const words = wordsOf(query)
    const starts = words.filter((word) => word.length > PREFIX).map((word) => `${quoted(word.slice(0, PREFIX))}*`)
    const rows = new Set<number>()
    for (const [terms, limit] of [
      [words.map(quoted), Math.ceil(atMost * 0.75)],
      [starts, atMost],
    ] as const)
      if (terms.length > 0)
        for (const { rowid } of this.#sql.match.all(terms.join(' OR '), limit) as { rowid: number }[])
          if (rows.size < atMost) rows.add(rowid)
    return [...rows].map((row) => this.#texts.get(row)!)
  }

  /** How often each term occurs in each text, in the order in which the texts were added. */
  count(terms: readonly string[]): TermCounts[] {
    const counted = new Map([...this.#rows.values()].map(({ row, length }) => [row, { length, counts: new Map() }]))
    for (const term of terms)
      for (const { doc, n } of this.#sql.counts.all(term) as { doc: number; n: number }[])
        counted.get(doc)?.counts.set(term, n)
    return [...counted.values()]
  }

  /** The stemmed words of a text that is in the index, each once. */
  terms(id: string): string[] {
    const { row } = this.#rows.get(id)!
    return this.#sql.terms.all(row).map((found) => (found as { term: string }).term)
  }

  /** Where the words of the query lie in a text, as offsets of UTF-16 units. */
  matches(id: string, query: string): { start: number; end: number }[] {
    const words = wordsOf(query).map(quoted)
    const { row } = this.#rows.get(id)!
    if (words.length === 0) return []
    const found = this.#sql.marked.get(words.join(' OR '), row) as { text: string } | undefined
    return found === undefined ? [] : unmarked(found.text, this.#texts.get(row)!.text)
  }

  rank(query: string, { cosineOf, keep = () => true, ...options }: RankOptions<T>): RankedText<T>[] {
    const terms = stem(query)
    const texts = this.candidates(query)
    const scored = texts.length === this.documents ? this : new TextIndex(texts)
    const counted = scored.count(terms)
    if (scored !== this) scored.close()
    const holders = new Map(terms.map((term) => [term, this.holders(term)]))
    const statistics = {
      documents: this.documents,
      meanLength: this.meanLength,
      holders: (term: string) => holders.get(term)!,
    }
    const chosen = [...texts.keys()].filter((at) => keep(texts[at]!))
    return rankTexts(
      chosen.map((at) => texts[at]!),
      query,
      { terms, counts: chosen.map((at) => counted[at]!), statistics },
      { ...options, ...(cosineOf === undefined ? {} : { cosines: chosen.map((at) => cosineOf(texts[at]!)) }) },
    )
  }

  close(): void {
    this.#db.close()
  }
}

/** The stemmed words of a query, each once. */
function stem(query: string): string[] {
  stemmer ??= new TextIndex()
  stemmer.add([{ id: 'query', text: query }])
  const terms = stemmer.terms('query')
  stemmer.remove('query')
  return terms
}
let stemmer: TextIndex | undefined

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
