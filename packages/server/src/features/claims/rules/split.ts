/** Cuts a text into pieces by lines and guarded punctuation. A pure function of the text: no locale, no dictionary of
 *  the host, every character looked at a bounded number of times. Positions are code points. */
import { characterClass } from '../../../domain/text/character-class.ts'
import { type CodePoints, codePoints } from './code-points.ts'
import { guardOf, type Stop } from './guards.ts'
import { afterMarkers } from './markers.ts'
import { CLOSERS, type GuardRule, LINE_BREAKS, STOPS, WIDE_STOPS } from './splitter-tables.ts'
import { isWhitespace } from './whitespace.ts'

interface GuardedStop {
  at: number
  rule: GuardRule
}

export interface Piece {
  start: number
  /** Exclusive. */
  end: number
  guarded: GuardedStop[]
}

export interface Split {
  source: CodePoints
  pieces: Piece[]
}

export const split = (text: string): Split => splitPoints(codePoints(text))

export function splitPoints(source: CodePoints): Split {
  const { points } = source
  const pieces: Piece[] = []
  let start = 0
  for (let at = 0; at <= points.length; at += 1) {
    if (at < points.length && !LINE_BREAKS.has(points[at]!)) continue
    splitLine(source, afterMarkers(points, start, at), at, pieces)
    start = at + 1
  }
  return { source, pieces }
}

function splitLine(source: CodePoints, from: number, end: number, pieces: Piece[]): void {
  const { points } = source
  const found: Cut[] = []
  let start = from
  let guarded: GuardedStop[] = []
  let at = from
  while (at < end) {
    if (!isStop(points[at]!)) {
      at += 1
      continue
    }
    const stop = readStop(points, at, end)
    at = stop.end
    if (!stop.wide && (at === end || !isWhitespace(points[at]!))) continue
    const rule = stop.wide ? null : guardOf(source, stop, start, end)
    if (rule !== null) {
      guarded.push({ at: stop.at, rule })
      continue
    }
    keep(points, { start, end: at, guarded, stop: stop.at }, found)
    start = at
    guarded = []
  }
  keep(points, { start, end, guarded, stop: end }, found)
  for (const { stop: _, bare: __, ...piece } of joined(found)) pieces.push(piece)
}

/** A piece with the stop that ended it. */
interface Cut extends Piece {
  stop: number
  /** Nothing but digits and punctuation. */
  bare: boolean
}

/** A number says nothing by itself: it belongs to the piece before it on its line, or else to the one behind. */
function joined(cuts: readonly Cut[]): Cut[] {
  const whole: Cut[] = []
  for (const cut of cuts) {
    const before = whole.at(-1)
    if (before === undefined || (!before.bare && !cut.bare)) whole.push(cut)
    else {
      before.guarded.push({ at: before.stop, rule: 'digits' }, ...cut.guarded)
      before.end = cut.end
      before.stop = cut.stop
      before.bare &&= cut.bare
    }
  }
  return whole
}

const isStop = (point: number): boolean => STOPS.has(point) || WIDE_STOPS.has(point)

function readStop(points: Uint32Array, at: number, lineEnd: number): Stop & { wide: boolean } {
  let runEnd = at
  let wide = false
  for (; runEnd < lineEnd && isStop(points[runEnd]!); runEnd += 1) wide ||= WIDE_STOPS.has(points[runEnd]!)
  let end = runEnd
  while (end < lineEnd && CLOSERS.has(points[end]!)) end += 1
  return { at, runEnd, end, wide }
}

/** Trimmed of whitespace alone, and dropped where no word is left in it. */
function keep(points: Uint32Array, { start, end, guarded, stop }: Omit<Cut, 'bare'>, cuts: Cut[]): void {
  let first = start
  let last = end
  while (first < last && isWhitespace(points[first]!)) first += 1
  while (last > first && isWhitespace(points[last - 1]!)) last -= 1
  const [some, bare] = contentOf(points, first, last)
  if (some) cuts.push({ start: first, end: last, guarded, stop, bare })
}

/** Whether anything but punctuation is there, and whether that is digits alone. */
function contentOf(points: Uint32Array, start: number, end: number): [some: boolean, bare: boolean] {
  let some = false
  for (let at = start; at < end; at += 1) {
    if (isMark(points[at]!)) continue
    some = true
    if (!isNumeral(points[at]!)) return [true, false]
  }
  return [some, some]
}

/** Digits of any script, signs of currency and the punctuation that is not ASCII. */
const isNumeral = characterClass(/[\p{Nd}\p{P}\p{Sc}]/u)

const isMark = (point: number): boolean =>
  isWhitespace(point) || isAsciiPunctuation(point) || isGeneralPunctuation(point)

const isAsciiPunctuation = (point: number): boolean =>
  (point >= 0x21 && point <= 0x2f) ||
  (point >= 0x3a && point <= 0x40) ||
  (point >= 0x5b && point <= 0x60) ||
  (point >= 0x7b && point <= 0x7e)

const isGeneralPunctuation = (point: number): boolean =>
  (point >= 0x2010 && point <= 0x2027) || (point >= 0x2030 && point <= 0x205e)
