/** Days that cannot be, and spans that end before they begin. Full dates only: 2024-05-01, 1 May 2024, May 1, 2024. */
import type { Token } from './tokens.ts'

interface Day {
  value: number
  valid: boolean
  at: number
  to: number
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const SPAN = new Set(['to', 'until', 'till', 'through'])
const BEGINNING = new Set('start starts starting started begin begins beginning began opens since'.split(' '))
const ENDING = new Set('end ends ending ended finish finishes expires closes'.split(' '))

/** By their first and last token. */
export function datesIn(text: string, tokens: readonly Token[]) {
  const days = daysIn(text, tokens)
  const impossible = days
    .filter(({ valid }) => !valid)
    .map(({ at, to }) => ({ code: 'IMPOSSIBLE_DATE' as const, at, to }))
  const turned = days.slice(1).flatMap((second, at) => {
    const first = days[at]!
    const close = second.at - first.to <= 8 && tokens[first.at]!.sentence === tokens[second.at]!.sentence
    return close && first.valid && second.valid && isTurned(tokens, first, second)
      ? [{ code: 'DATE_ORDER' as const, at: first.at, to: second.to }]
      : []
  })
  return [...impossible, ...turned]
}

function isTurned(tokens: readonly Token[], first: Day, second: Day): boolean {
  const between = tokens.slice(first.to + 1, second.at).map(({ word }) => word)
  const before = tokens.slice(Math.max(0, first.at - 3), first.at).map(({ word }) => word)
  const only = between.length === 1 ? between[0]! : ''
  if (SPAN.has(only) || (only === 'and' && before.includes('between'))) return first.value > second.value
  if (between.at(-1) === 'before') return first.value >= second.value && between.includes('is')
  if (between.at(-1) === 'after') return first.value <= second.value && between.includes('is')
  if (has(BEGINNING, before) && has(ENDING, between)) return first.value > second.value
  return has(ENDING, before) && has(BEGINNING, between) && second.value > first.value
}

const has = (set: ReadonlySet<string>, words: readonly string[]): boolean => words.some((word) => set.has(word))

function daysIn(text: string, tokens: readonly Token[]): Day[] {
  const days: Day[] = []
  for (let at = 0; at + 2 < tokens.length; at++) {
    const day = dayAt(text, tokens, at)
    if (!day) continue
    days.push(day)
    at = day.to
  }
  return days
}

function dayAt(text: string, tokens: readonly Token[], at: number): Day | null {
  const [a, b, c] = [tokens[at]!, tokens[at + 1]!, tokens[at + 2]!]
  if (isDigits(a.word, 4) && isDash(text, a, b) && isDash(text, b, c) && isDigits(b.word, 2) && isDayOf(c.word))
    return dayOf(Number(a.word), Number(b.word), Number(c.word.slice(0, 2)), at)
  const [first, second] = [MONTHS.indexOf(a.word) + 1, MONTHS.indexOf(b.word) + 1]
  if (!isDigits(c.word, 4)) return null
  if (first > 0 && ordinal(b.word) !== null) return dayOf(Number(c.word), first, ordinal(b.word)!, at)
  return second > 0 && ordinal(a.word) !== null ? dayOf(Number(c.word), second, ordinal(a.word)!, at) : null
}

const isDash = (text: string, a: Token, b: Token): boolean => b.from === a.to + 1 && text.charAt(a.to) === '-'
const isDigits = (word: string, size: number): boolean => word.length === size && /^[0-9]{1,4}$/.test(word)
/** Alone, or with a time behind it: 01T10. */
const isDayOf = (word: string): boolean => /^[0-9]{2}(?:t[0-9]{2}z?)?$/.test(word)
const ordinal = (word: string): number | null =>
  /^[0-9]{1,2}(?:st|nd|rd|th)?$/.test(word) ? Number.parseInt(word, 10) : null

function dayOf(year: number, month: number, day: number, at: number): Day {
  const valid = month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month)
  return { value: year * 10_000 + month * 100 + day, valid, at, to: at + 2 }
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
