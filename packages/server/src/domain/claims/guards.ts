/** Why a stop with whitespace behind it does not end a sentence. Each guard is on the record: a reviewer sees every cut
 *  that was not made. */
import { type CodePoints, slice } from './code-points.ts'
import { isDigit, skipSpace } from './markers.ts'
import { ABBREVIATIONS, GUARD_RULES, type GuardRule, OPENERS, STARTERS } from './splitter-tables.ts'
import { isWhitespace } from './whitespace.ts'

/** A run of stops [at, runEnd) with its closers up to `end`. */
export interface Stop {
  at: number
  runEnd: number
  end: number
}

interface Surroundings {
  run: string
  closed: boolean
  /** The non-space run before the stop, without opening quotes or brackets. */
  token: string
  /** The letters the following word begins with, or its first character where that is no letter. */
  next: string
  nextPoint: number
}

const UPPER = /^\p{Lu}/u
const LOWER = /^\p{Ll}/u
const UPPER_LETTER = /^\p{Lu}$/u
const LETTER = /^\p{L}$/u
const JOINED_LETTERS = /^\p{L}(?:\.\p{L})+$/u
const ENTITY = /&(?:[A-Za-z][A-Za-z0-9]*|#\d+|#[xX][0-9A-Fa-f]+)$/
const DOTS = /^[.…]+$/

const TITLE = new Set(ABBREVIATIONS.title)
const NUMBER = new Set(ABBREVIATIONS.number)
const TAIL = new Set(ABBREVIATIONS.tail)
const STARTER = new Set(STARTERS)

const GUARDS: Readonly<Record<GuardRule, (around: Surroundings) => boolean>> = {
  quote: ({ closed, next }) => closed && LOWER.test(next),
  entity: ({ run, token }) => run === ';' && ENTITY.test(token),
  ellipsis: ({ run, next }) => run !== '.' && DOTS.test(run) && !UPPER.test(next),
  abbreviation: ({ run, token, next, nextPoint }) => run === '.' && isAbbreviation(token, next, nextPoint),
  initial: ({ run, token, next }) => run === '.' && UPPER_LETTER.test(token) && UPPER.test(next) && !STARTER.has(next),
}

function isAbbreviation(token: string, next: string, nextPoint: number): boolean {
  const word = token.toLowerCase()
  if (TITLE.has(word)) return true
  if (NUMBER.has(word)) return isDigit(nextPoint)
  return (TAIL.has(word) || JOINED_LETTERS.test(token)) && !STARTER.has(next)
}

/** The first guard that holds, or null where the stop cuts. `from` is where the piece began, `lineEnd` where it must
 *  end: with nothing left to keep together there is nothing to guard. */
export function guardOf(text: CodePoints, stop: Stop, from: number, lineEnd: number): GuardRule | null {
  const behind = skipSpace(text.points, stop.end, lineEnd)
  if (behind === lineEnd) return null
  const around = surroundings(text, stop, from, behind, lineEnd)
  return GUARD_RULES.find((rule) => GUARDS[rule](around)) ?? null
}

function surroundings(text: CodePoints, stop: Stop, from: number, behind: number, lineEnd: number): Surroundings {
  const { points } = text
  let start = stop.at
  while (start > from && !isWhitespace(points[start - 1]!)) start -= 1
  while (start < stop.at && OPENERS.has(points[start]!)) start += 1
  let next = behind
  while (next < lineEnd && OPENERS.has(points[next]!)) next += 1
  return {
    run: slice(text, stop.at, stop.runEnd),
    closed: stop.end > stop.runEnd,
    token: slice(text, start, stop.at),
    next: slice(text, next, wordEnd(points, next, lineEnd)),
    nextPoint: next < lineEnd ? points[next]! : 0,
  }
}

function wordEnd(points: Uint32Array, start: number, end: number): number {
  let at = start
  while (at < end && LETTER.test(String.fromCodePoint(points[at]!))) at += 1
  return at
}
