/** A stated count against the list behind its colon: "three files: a, b". Lists of long phrases, open lists and
 *  numbered lines are left alone. */
import type { Token } from './tokens.ts'
import { COUNTING } from './word-lists.ts'

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const MAX = 100
const REACH = 4
const MAX_ITEM = 6
const MAX_ITEMS = 128

/** By their first and last token. */
export function countsIn(text: string, tokens: readonly Token[]) {
  return tokens.flatMap((token, colon) => (token.mark === ':' ? (countBefore(text, tokens, colon) ?? []) : []))
}

function countBefore(text: string, tokens: readonly Token[], colon: number) {
  const { sentence } = tokens[colon]!
  for (let at = colon - 2; at >= 0 && colon - at <= REACH && tokens[at]!.sentence === sentence; at--) {
    if (tokens[at + 1]!.mark !== '') return null
    const stated = numberOf(tokens[at]!.word)
    if (stated === null) continue
    if (COUNTING.units.has(tokens[at + 1]!.word) || isNumber(tokens[at + 1]!.word)) return null
    return compare(text, tokens, at, colon, stated)
  }
  return null
}

function compare(text: string, tokens: readonly Token[], at: number, colon: number, stated: number) {
  const [before, second] = [tokens[at - 1]?.word ?? '', tokens[at - 2]?.word ?? '']
  if (COUNTING.labels.has(before) || COUNTING.about.has(before)) return null
  const list = itemsFrom(text, tokens, colon)
  if (list === null) return null
  // `and` may join two items or stand inside one: a count that fits either reading is right.
  const [fewest, most] = [list.byMarks, list.byWords]
  const bound = `${second} ${before}`
  const isMost = bound === 'at most' || bound === 'up to'
  const isExact = fewest === stated || most === stated
  const fits = bound === 'at least' ? most >= stated : isMost ? fewest <= stated : isExact
  return fits ? null : { at, to: list.to, stated, listed: most }
}

/** Null where it is no list, or one that is not complete. */
function itemsFrom(text: string, tokens: readonly Token[], colon: number) {
  const { sentence } = tokens[colon]!
  let [byMarks, byWords, words, at] = [1, 1, 0, colon]
  for (; at < tokens.length && tokens[at]!.sentence === sentence; at++) {
    const { word, mark } = tokens[at]!
    if (mark === ':' && at > colon) return null
    const joint = word === 'and' || word === 'or'
    if (at > colon && mark !== '') {
      byMarks++
      byWords++
      words = 0
    } else if (joint && words > 0) {
      byWords++
      words = 0
    }
    if (!joint && ++words > MAX_ITEM) return null
    if (COUNTING.open.has(word) || byWords > MAX_ITEMS) return null
  }
  const asks = text.charAt(tokens[at - 1]!.to) === '?'
  return asks || isNumber(tokens[at - 1]!.word) ? null : { byMarks, byWords, to: at - 1 }
}

const isNumber = (word: string): boolean => /^[0-9]/.test(word)

function numberOf(word: string): number | null {
  const spelled = NUMBERS.indexOf(word)
  if (spelled > 0) return spelled
  return /^[0-9]{1,3}$/.test(word) && Number(word) > 0 && Number(word) <= MAX ? Number(word) : null
}
