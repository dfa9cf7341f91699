import { luhn } from './checksums.ts'
import { digitSeries, type Group } from './digits.ts'
import type { Match } from './scanner.ts'

/** Issuer prefixes and the lengths they issue. */
const ISSUERS: readonly (readonly [from: number, to: number, lengths: readonly number[]])[] = [
  [4, 4, [13, 16, 19]],
  [51, 55, [16]],
  [2221, 2720, [16]],
  [34, 34, [15]],
  [37, 37, [15]],
  [300, 305, [14, 16, 19]],
  [36, 36, [14, 16, 19]],
  [38, 39, [14, 16, 19]],
  [3528, 3589, [16, 17, 18, 19]],
  [1800, 1800, [15]],
  [2131, 2131, [15]],
  [6011, 6011, [16, 19]],
  [644, 649, [16, 19]],
  [65, 65, [16, 19]],
  [62, 62, [16, 17, 18, 19]],
  [2200, 2204, [16, 17, 18, 19]],
  [50, 50, [13, 14, 15, 16, 17, 18, 19]],
  [56, 58, [13, 14, 15, 16, 17, 18, 19]],
  [6304, 6304, [13, 14, 15, 16, 17, 18, 19]],
  [6759, 6763, [13, 14, 15, 16, 17, 18, 19]],
]
const SHORTEST = 13
const LONGEST = 19

export function paymentCards(text: string): Match[] {
  const found: Match[] = []
  for (const groups of digitSeries(text))
    for (let at = 0; at < groups.length; ) {
      const end = cardAt(groups, at)
      if (end > at) found.push(matchOf(groups, at, end))
      at = Math.max(end, at + 1)
    }
  return found
}

function matchOf(groups: readonly Group[], from: number, to: number): Match {
  const value = groups.slice(from, to).reduce((digits, group) => digits + group.digits, '')
  return { from: (groups[from] as Group).from, to: (groups[to - 1] as Group).to, value }
}

/** The end of the longest card number that begins with this group, or its begin. */
function cardAt(groups: readonly Group[], from: number): number {
  let digits = ''
  let end = from
  for (let to = from; to < groups.length && digits.length < LONGEST; to++) {
    const group = groups[to] as Group
    digits += group.digits
    if (isCard(digits) && isGrouped(groups, from, to + 1)) end = to + 1
    if (group.separator !== (groups[from] as Group).separator) break
  }
  return end
}

/** Groups of fewer than three digits only where the whole number is written that way. */
function isGrouped(groups: readonly Group[], from: number, to: number): boolean {
  const sizes = groups.slice(from, to).map(({ digits }) => digits.length)
  const smallest = Math.min(...sizes)
  if (groups.slice(from, to - 1).some(({ separator }) => separator === '.')) return false
  return smallest >= 3 || sizes.slice(0, -1).every((size) => size === sizes[0])
}

function isCard(digits: string): boolean {
  if (digits.length < SHORTEST || digits.length > LONGEST || !isIssued(digits) || !luhn(digits)) return false
  return [...digits].some((digit) => digit !== digits[0])
}

function isIssued(digits: string): boolean {
  return ISSUERS.some(([from, to, lengths]) => {
    const prefix = Number(digits.slice(0, String(from).length))
    return prefix >= from && prefix <= to && lengths.includes(digits.length)
  })
}
