/** What a list, a heading or a quotation puts before its text. A marker is one only when whitespace and then text
 *  follow: `-5` keeps its sign, `- 5` is a bullet. */
import { BULLETS } from './splitter-tables.ts'
import { isWhitespace } from './whitespace.ts'

const HASH = 0x23
const OPEN_ROUND = 0x28
const CLOSE_ROUND = 0x29
const DOT = 0x2e
const OPEN_SQUARE = 0x5b
const CLOSE_SQUARE = 0x5d
const LETTER_X = 0x78
const SPACE = 0x20
const MAX_HASHES = 6
const MAX_DIGITS = 3

const LETTER = /^\p{L}$/u
export const isDigit = (point: number | undefined): boolean => point !== undefined && point >= 0x30 && point <= 0x39

/** Where the text of a line begins: behind its white space and all of its markers. */
export function afterMarkers(points: Uint32Array, start: number, end: number): number {
  let at = skipSpace(points, start, end)
  for (;;) {
    const behind = markerEnd(points, at, end)
    if (behind === at || behind === end || !isWhitespace(points[behind]!)) return at
    const next = skipSpace(points, behind, end)
    if (next === end || isRowOfNumbers(points, at, next, end)) return at
    at = next
  }
}

/** One number counts a list; a second one behind it is what the line says, as in "1. 2. 3." or "1. 1. 2026". */
const isRowOfNumbers = (points: Uint32Array, at: number, next: number, end: number): boolean =>
  isDigit(points[at]) && isDigit(points[next]) && markerEnd(points, next, end) > next

export function skipSpace(points: Uint32Array, start: number, end: number): number {
  let at = start
  while (at < end && isWhitespace(points[at]!)) at += 1
  return at
}

/** One past the marker at `at`, or `at` where there is none. */
function markerEnd(points: Uint32Array, at: number, end: number): number {
  const point = at < end ? points[at]! : 0
  if (BULLETS.has(point)) return at + 1
  if (point === HASH) return hashesEnd(points, at, end)
  if (point === OPEN_SQUARE) return boxEnd(points, at)
  if (point === OPEN_ROUND) return numberEnd(points, at, at + 1, [CLOSE_ROUND])
  if (isDigit(point)) return numberEnd(points, at, at, [DOT, CLOSE_ROUND])
  return points[at + 1] === CLOSE_ROUND && LETTER.test(String.fromCodePoint(point)) ? at + 2 : at
}

function hashesEnd(points: Uint32Array, at: number, end: number): number {
  let behind = at
  while (behind < end && points[behind] === HASH) behind += 1
  return behind - at <= MAX_HASHES ? behind : at
}

function boxEnd(points: Uint32Array, at: number): number {
  const isMark = points[at + 1] === SPACE || points[at + 1] === LETTER_X
  return isMark && points[at + 2] === CLOSE_SQUARE ? at + 3 : at
}

function numberEnd(points: Uint32Array, at: number, digits: number, closers: readonly number[]): number {
  let behind = digits
  while (behind - digits < MAX_DIGITS && isDigit(points[behind])) behind += 1
  return behind > digits && closers.includes(points[behind] ?? 0) ? behind + 1 : at
}
