/** Why a stop with whitespace behind it does not end a sentence. Each guard is on the record: a reviewer sees every cut
 *  that was not made. */
import { type CodePoints, slice } from './code-points.ts'
import { isDigit, skipSpace } from './markers.ts'
import { ABBREVIATIONS, GUARD_RULES, MONTHS, OPENERS, STARTERS } from './splitter-tables.ts'
import { isWhitespace } from './whitespace.ts'

/** A run of stops [at, runEnd) with its closers up to `end`. */
export interface Stop {
  at: number
  runEnd: number
  end: number
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
const SPACED = new Set(ABBREVIATIONS.spaced)
const MONTH = new Set(MONTHS)
const DAY = /^(?:0?[1-9]|[12]\d|3[01])$/
const YEAR = /^\d{4}(?!\d)/
const MONTH_AND_YEAR = /^(?:0?[1-9]|1[0-2])\. ?\d{4}(?!\d)/
const MONTH_WITHOUT_YEAR = /^(?:0?[1-9]|1[0-2])\. \p{Ll}/u
const DAY_BEFORE = /(?:^|\s)\d{1,2}\. ?$/

type GuardName = (typeof GUARD_RULES)[number]

const GUARDS: Readonly<Record<GuardName, (around: Surroundings) => boolean>> = {
  quote: (around) => around.closed && LOWER.test(around.next),
  entity: (around) => around.run === ';' && ENTITY.test(around.token),
  ellipsis: (around) => around.run !== '.' && DOTS.test(around.run) && !UPPER.test(around.next),
  abbreviation: (around) => around.run === '.' && isAbbreviation(around),
  initial: (around) =>
    around.run === '.' && UPPER_LETTER.test(around.token) && UPPER.test(around.next) && !STARTER.has(around.next),
  date: (around) => around.run === '.' && DAY.test(around.token) && isDated(around),
}

/** "3. Mai", and both dots of "3. 5. 2026" and of "am 3. 5. stieg". */
const isDated = (around: Surroundings): boolean =>
  MONTH.has(around.next) ||
  MONTH_AND_YEAR.test(around.following(9)) ||
  MONTH_WITHOUT_YEAR.test(around.following(5)) ||
  ((YEAR.test(around.following(5)) || LOWER.test(around.next)) && DAY_BEFORE.test(around.preceding(4)))

function isAbbreviation(around: Surroundings): boolean {
  const { token } = around
  const word = token.toLowerCase()
  if (TITLE.has(word) || isSpaced(around, word)) return true
  if (NUMBER.has(word)) return isDigit(around.nextPoint)
  return (TAIL.has(word) || JOINED_LETTERS.test(token)) && !STARTER.has(around.next)
}

/** "z. B.": either of the two dots. */
function isSpaced(around: Surroundings, letter: string): boolean {
  if (letter.length !== 1) return false
  const [before] = /\p{L}(?=\. ?$)/u.exec(around.preceding(3).toLowerCase()) ?? []
  return (
    SPACED.has(`${letter} ${around.next.toLowerCase()}`) || (before !== undefined && SPACED.has(`${before} ${letter}`))
  )
}

/** The first guard that holds, or null where the stop cuts. `from` is where the piece began, `lineEnd` where it must
 *  end: with nothing left to keep together there is nothing to guard. */
export function guardOf(text: CodePoints, stop: Stop, from: number, lineEnd: number): GuardName | null {
  const behind = skipSpace(text.points, stop.end, lineEnd)
  if (behind === lineEnd) return null
  const around = surroundingsOf(text, stop, from, behind, lineEnd)
  for (const rule of GUARD_RULES) if (GUARDS[rule](around)) return rule
  return null
}

/** What stands around a stop, between where the piece began and where its line ends. Read when a guard asks for it: most
 *  stops are decided by the run alone. `behind` is where the next word begins, its opening quotes and brackets included. */
function surroundingsOf(text: CodePoints, stop: Stop, from: number, behind: number, lineEnd: number) {
  const { points } = text
  const nextStart = (): number => afterOpeners(points, behind, lineEnd)
  return {
    run: slice(text, stop.at, stop.runEnd),
    closed: stop.end > stop.runEnd,
    /** The non-space run before the stop, without opening quotes or brackets. */
    get token(): string {
      let start = stop.at
      while (start > from && !isWhitespace(points[start - 1]!)) start -= 1
      return slice(text, afterOpeners(points, start, stop.at), stop.at)
    },
    /** The letters that the following word begins with. */
    get next(): string {
      const start = nextStart()
      let end = start
      while (end < lineEnd && LETTER.test(String.fromCodePoint(points[end]!))) end += 1
      return slice(text, start, end)
    },
    /** So many characters before the token, or fewer where the piece begins. */
    preceding(count: number): string {
      const end = stop.at - [...this.token].length
      return slice(text, Math.max(from, end - count), end)
    },
    following: (count: number): string => slice(text, nextStart(), Math.min(lineEnd, nextStart() + count)),
    get nextPoint(): number | undefined {
      return points[nextStart()]
    },
  }
}
type Surroundings = ReturnType<typeof surroundingsOf>

function afterOpeners(points: Uint32Array, start: number, end: number): number {
  let at = start
  while (at < end && OPENERS.has(points[at]!)) at += 1
  return at
}
