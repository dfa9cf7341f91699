/** Encoded values in pieces, which a model reads as easily: base64 with blanks inside, and bytes in hexadecimal side by side. */
import { unitAt } from './code-points.ts'
import { base64Run, hexBytes, hexDigit, isAlphanumeric, isBase64, type Run, textOf, type UnpackLimit } from './runs.ts'

const MIN_LETTERS = 24
const MAX_GAP = 3

/** Pieces from the first to the last that no word looks like. */
interface Row {
  from: number
  to: number
  pieces: number
  /** Those that look like no word. */
  odd: number
  /** Pieces since the last of those. */
  behind: number
}

/** `alone` are the values that were found without blanks. Where each piece is one of them they may be values side by side,
 *  and are one value only where all are of one length. */
export function groupedBase64Runs(text: string, alone: readonly Run[], limit: UnpackLimit): Run[] {
  const runs: Run[] = []
  let row: Row | null = null
  let end = 0
  for (let at = 0; at < text.length; at++) {
    const from = at
    // Written like no word: a capital behind a small letter, or a digit beside a letter.
    let [isOdd, before] = [false, 0]
    for (; at < text.length; at++) {
      const kind = kindOf(text.charCodeAt(at))
      if (kind === 0) break
      isOdd ||= before !== 0 && kind !== before && !(before === CAPITAL && kind === SMALL && at === from + 1)
      before = kind
    }
    if (at === from) continue
    if (row !== null && !isGap(text, end, from)) {
      runs.push(...readRow(text, row, alone, limit))
      row = null
    }
    if (row !== null) row.behind++
    if (isOdd) {
      row ??= { from, to: at, pieces: 0, odd: 0, behind: 1 }
      row.pieces += row.behind
      row.behind = 0
      row.odd++
      row.to = at
    }
    end = at
  }
  return row === null ? runs : [...runs, ...readRow(text, row, alone, limit)]
}

const [SMALL, CAPITAL, OTHER] = [1, 2, 3]
/** 0 for what is no letter of base64. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return SMALL
  if (code >= 65 && code <= 90) return CAPITAL
  return isBase64(code) ? OTHER : 0
})
const kindOf = (code: number): number => (code < 128 ? (KINDS[code] as number) : 0)

function isGap(text: string, from: number, to: number): boolean {
  if (to - from > MAX_GAP) return false
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code !== 32 && (code < 9 || code > 13)) return false
  }
  return true
}

function readRow(text: string, { from, to, pieces, odd }: Row, alone: readonly Run[], limit: UnpackLimit): Run[] {
  if (pieces < 2 || 2 * odd < pieces || to - from < MIN_LETTERS) return []
  const parts = text.slice(from, to).split(/\s{1,3}/)
  const all = parts.join('')
  // A last piece that looks like a word is missing, and with it the letters that would complete this one.
  const letters = all.length % 4 === 1 ? all.slice(0, -1) : all
  const run =
    letters.length < MIN_LETTERS || isKnown(from, to, parts, alone) ? null : base64Run(letters, from, to, limit)
  return run === null ? [] : [run]
}

function isKnown(from: number, to: number, parts: readonly string[], alone: readonly Run[]): boolean {
  if (alone.some((run) => run.from <= from && to <= run.to)) return true
  const size = parts[0]!.length
  const isEven = parts.every((part, at) => part.length === size || (at === parts.length - 1 && part.length < size))
  return !isEven && alone.filter((run) => from <= run.from && run.to <= to).length >= parts.length
}

const MIN_PAIRS = 12
const MAX_BETWEEN = 2

/** The first of them, with a mark behind it. */
const PAIR = /(?:0x)?[0-9a-f]{2}[ ,:-]/gi

/** 69 67 6e, 0x69, 0x67 and 69:67:6e; an address of a network card has six. */
export function hexPairRuns(text: string): Run[] {
  const runs: Run[] = []
  PAIR.lastIndex = 0
  for (let found = PAIR.exec(text); found !== null; found = PAIR.exec(text)) {
    const from = found.index
    if (isAlphanumeric(unitAt(text, from - 1))) {
      PAIR.lastIndex = from + 1
      continue
    }
    let [to, count] = [pairEnd(text, from), 1]
    for (;;) {
      const begin = betweenEnd(text, to)
      const next = begin === to ? 0 : pairEnd(text, begin)
      if (next === 0) break
      to = next
      count++
    }
    const bytes = count < MIN_PAIRS ? null : hexBytes(text.slice(from, to).replace(/0x|[ ,:-]/gi, ''))
    const decoded = bytes && textOf(bytes)
    if (decoded) runs.push({ encoding: 'hex', from, to, decoded })
    PAIR.lastIndex = to
  }
  return runs
}

/** Behind two digits that stand by themselves; 0 where none do. */
function pairEnd(text: string, from: number): number {
  const begin = text.charCodeAt(from) === 48 && (unitAt(text, from + 1) | 32) === 120 ? from + 2 : from
  if (hexDigit(unitAt(text, begin)) < 0 || hexDigit(unitAt(text, begin + 1)) < 0) return 0
  return isAlphanumeric(unitAt(text, begin + 2)) ? 0 : begin + 2
}

function betweenEnd(text: string, from: number): number {
  let to = from
  while (to < from + MAX_BETWEEN && ' ,:-'.includes(text.charAt(to) || 'x')) to++
  return to
}
