/** Words as they are indexed and asked for. */

const MARKS = /\p{M}/gu
const WORD = /[\p{L}\p{N}]+/gu
const RAW_WORD = /[\p{L}\p{N}\p{M}]+/gu
const HAS_DIGIT = /\p{N}/u

/** Lower case without accents or other marks, compatible forms made one. */
const folded = (text: string): string => text.normalize('NFKD').replace(MARKS, '').toLowerCase()

export const wordsOf = (text: string): string[] => folded(text).match(WORD) ?? []

/** What plurals and the forms in -ed and -ing have in common with their word. Names with digits are left alone. */
export function stemOf(word: string): string {
  if (word.length < 4 || HAS_DIGIT.test(word)) return word
  const short = withoutEnding(word)
  return short.length > 3 && short.endsWith('e') ? short.slice(0, -1) : short
}

function withoutEnding(word: string): string {
  if (word.endsWith('ies') || word.endsWith('ied')) return word.length > 4 ? `${word.slice(0, -3)}y` : word
  if (word.endsWith('ing')) return word.length > 5 ? undoubled(word.slice(0, -3)) : word
  if (word.endsWith('ed')) return word.length > 4 ? undoubled(word.slice(0, -2)) : word
  return /(?:[^su]|sse)s$/.test(word) && !word.endsWith('is') ? word.slice(0, -1) : word
}

const undoubled = (word: string): string => (/([^aeiouls])\1$/.test(word) ? word.slice(0, -1) : word)

/** The words of a text as it stands, with their places and stems. */
export const placedWords = (text: string): { at: number; end: number; stem: string }[] =>
  [...text.matchAll(RAW_WORD)].map(({ 0: word, index }) => ({
    at: index,
    end: index + word.length,
    stem: stemOf(folded(word)),
  }))
