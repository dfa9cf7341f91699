// Numbers as people write them: digits in groups parted by one space, dash or dot.
import { isAlnumCode, isDigitCode } from './scanner.ts'

export interface Group {
  from: number
  to: number
  digits: string
  /** What stands between this group and the next of the same number; empty after the last. */
  separator: string
}

const MOST_GROUPS = 24
const LONGEST_GROUP = 24

/** Groups that stand together; a longer series than any number has is cut, and its cut is no beginning of a number. */
export function digitSeries(text: string): Group[][] {
  const found: Group[][] = []
  for (let at = 0; at < text.length; ) {
    if (!isDigitCode(text.charCodeAt(at))) {
      at++
      continue
    }
    const groups = seriesAt(text, at)
    const last = groups.at(-1) as Group
    if (isWhole(text, at, last.to)) found.push(groups)
    at = last.to
  }
  return found
}

function seriesAt(text: string, from: number): Group[] {
  const groups: Group[] = []
  for (let at = from; groups.length < MOST_GROUPS; ) {
    const to = digitsEnd(text, at)
    const next = isDigitCode(text.charCodeAt(to + 1)) && isSeparator(text.charCodeAt(to))
    const separator = next ? text.charAt(to) : ''
    groups.push({ from: at, to, digits: text.slice(at, Math.min(to, at + LONGEST_GROUP)), separator })
    if (!next) break
    at = to + 1
  }
  return groups
}

function digitsEnd(text: string, from: number): number {
  let to = from
  while (isDigitCode(text.charCodeAt(to))) to++
  return to
}

const isSeparator = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 0x2010 || code === 0x2011 || code === 0x2013

/** Not the digits of an identifier, a hexadecimal number or a decimal fraction. */
function isWhole(text: string, from: number, to: number): boolean {
  const before = text.charCodeAt(from - 1)
  const after = text.charCodeAt(to)
  if (isAlnumCode(before) || before === 95 || before > 0x2fff) return false
  return !isAlnumCode(after) && after !== 95
}

/** The groups from..to as one number. */
export function joined(groups: readonly Group[], from: number, to: number): string {
  let digits = ''
  for (let at = from; at < to; at++) digits += (groups[at] as Group).digits
  return digits
}
