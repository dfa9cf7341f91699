/** Numbers as people write them: digits in groups parted by one space, dash or dot. */
import { unitAt } from '../../text/code-points.ts'
import { isDigitCode, isGluedBefore, isGluedBehind } from './scanner.ts'

export interface Group {
  from: number
  to: number
  digits: string
  /** What stands between this group and the next of the same number; empty after the last. */
  separator: string
}

/** No number is longer; the digits of a longer group are kept up to here and fit none. */
const MAX_GROUP = 24

/** An address of four groups has as many; no rule looks for a shorter number. */
const MIN_DIGITS = 4

/** Groups that stand together, however many: a number may begin and end at any of them. */
export function digitSeries(text: string): Group[][] {
  const found: Group[][] = []
  for (let at = 0; at < text.length; ) {
    if (!isDigitCode(text.charCodeAt(at))) {
      at++
      continue
    }
    let [digits, to] = [1, at + 1]
    for (let code = unitAt(text, to); ; code = unitAt(text, ++to))
      if (isDigitCode(code)) digits++
      else if (!isSeparator(code) || !isDigitCode(unitAt(text, to + 1))) break
    if (digits >= MIN_DIGITS) found.push(seriesAt(text, at))
    at = to
  }
  return found
}

function seriesAt(text: string, from: number): Group[] {
  const groups: Group[] = []
  for (let at = from; ; ) {
    const to = digitsEnd(text, at)
    const next = isDigitCode(unitAt(text, to + 1)) && isSeparator(unitAt(text, to))
    const separator = next ? text.charAt(to) : ''
    groups.push({ from: at, to, digits: text.slice(at, Math.min(to, at + MAX_GROUP)), separator })
    if (!next) break
    at = to + 1
  }
  return groups
}

function digitsEnd(text: string, from: number): number {
  let to = from
  while (to < text.length && isDigitCode(text.charCodeAt(to))) to++
  return to
}

const isSeparator = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 0x2010 || code === 0x2011 || code === 0x2013

/** Whether the digits from..to stand by themselves, and are not those of an identifier or a hexadecimal number. */
export const standsAlone = (text: string, from: number, to: number): boolean =>
  !isGluedBefore(text, from) && unitAt(text, from - 1) !== 95 && !isGluedBehind(text, to) && unitAt(text, to) !== 95

/** The groups from..to as one number. */
export function joined(groups: readonly Group[], from: number, to: number): string {
  let digits = ''
  for (let at = from; at < to; at++) digits += (groups[at] as Group).digits
  return digits
}
