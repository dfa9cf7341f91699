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
  /** How many terms were passed over because there were enough before them. */
  ignored: number
}

/** Words, prefixes, phrases and what is left out, together: every one of them is looked up where requests are served. */
export const MAX_TERMS = 16

// A phrase in quotes, or what stands between blanks. A quote without its partner is a blank.
const PIECE = /(-?)"([^"]*)"|([^\s"]+)/gu
const STARTS_WORD = /^-(?=[\p{L}\p{N}])/u

export function readQuery(text: string): Query {
  const query: Query = { words: [], prefixes: [], phrases: [], excluded: [], ignored: 0 }
  let left = MAX_TERMS
  for (const [, minus, phrase, bare = ''] of text.matchAll(PIECE)) {
    const isExcluded = phrase === undefined ? STARTS_WORD.test(bare) : minus === '-'
    const all = wordsOf(phrase ?? bare)
    if (all.length === 0) continue
    const isOne = isExcluded || phrase !== undefined
    const taken = Math.min(left, isOne ? 1 : all.length)
    left -= taken
    query.ignored += (isOne ? 1 : all.length) - taken
    if (taken === 0) continue
    const words = isOne ? all : all.slice(0, taken)
    if (isExcluded) query.excluded.push(words.map(stemOf))
    else if (phrase !== undefined) query.phrases.push(words.map(stemOf))
    else if (bare.endsWith('*') && words.length === all.length) {
      query.words.push(...words.slice(0, -1))
      query.prefixes.push(words.at(-1)!)
    } else query.words.push(...words)
  }
  return query
}
