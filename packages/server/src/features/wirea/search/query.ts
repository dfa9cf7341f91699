/** Reads what was typed. Every text has a meaning; what cannot be one is passed over. */
import { stemOf, wordsOf } from './terms.ts'

export interface Query {
  /** Any of these words may occur. */
  words: string[]
  prefixes: string[]
  /** Each of these must occur, its stems side by side. */
  phrases: string[][]
  /** None of these may. */
  excluded: string[][]
}

// A phrase in quotes, or what stands between blanks. A quote without its partner is a blank.
const PIECE = /(-?)"([^"]*)"|([^\s"]+)/gu
const STARTS_WORD = /^-(?=[\p{L}\p{N}])/u

export function readQuery(text: string): Query {
  const query: Query = { words: [], prefixes: [], phrases: [], excluded: [] }
  for (const [, minus, phrase, bare = ''] of text.matchAll(PIECE)) {
    const isExcluded = phrase === undefined ? STARTS_WORD.test(bare) : minus === '-'
    const words = wordsOf(phrase ?? bare)
    if (words.length === 0) continue
    if (isExcluded) query.excluded.push(words.map(stemOf))
    else if (phrase !== undefined) query.phrases.push(words.map(stemOf))
    else if (bare.endsWith('*')) {
      query.words.push(...words.slice(0, -1))
      query.prefixes.push(words.at(-1)!)
    } else query.words.push(...words)
  }
  return query
}
