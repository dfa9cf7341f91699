import { luhn } from './checksums.ts'
import type { DetectorInput } from './detector.ts'
import type { Group } from './digits.ts'
import { gluedWord, isGluedBefore, type Match } from './scanner.ts'

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

/** Issuer, length and check digit vouch for the number, so a word may be written onto it; a hexadecimal number may not. */
export function paymentCards({ text, series }: DetectorInput): Match[] {
  const found: Match[] = []
  for (const groups of series())
    for (let at = 0; at < groups.length; ) {
      const end = isPartOfOther(text, (groups[at] as Group).from) ? at : cardAt(groups, at)
      if (end > at) found.push(matchOf(groups, at, end))
      at = Math.max(end, at + 1)
    }
  return found
}

const isPartOfOther = (text: string, from: number): boolean => isGluedBefore(text, from) && !gluedWord(text, from)

function matchOf(groups: readonly Group[], from: number, to: number): Match {
  const value = groups.slice(from, to).reduce((digits, group) => digits + group.digits, '')
  return { from: (groups[from] as Group).from, to: (groups[to - 1] as Group).to, value }
}

/** The end of the longest card number that begins with this group, or its begin. */
function cardAt(groups: readonly Group[], from: number): number {
  const lengths = lengthsOf(groups, from)
  let digits = ''
  let end = from
  for (let to = from; lengths.length > 0 && to < groups.length && digits.length < LONGEST; to++) {
    const group = groups[to] as Group
    digits += group.digits
    if (lengths.includes(digits.length) && isCard(digits) && isGrouped(groups, from, to + 1)) end = to + 1
  }
  return end
}

/** By the first four digits: the lengths they allow. Most series of digits end here. */
const LENGTHS: readonly (readonly number[])[] = Array.from({ length: 10_000 }, (_, lead) =>
  ISSUERS.filter(([low, high]) => isBetween(lead, low, high)).flatMap(([, , lengths]) => lengths),
)

function lengthsOf(groups: readonly Group[], from: number): readonly number[] {
  let lead = ''
  for (let at = from; at < groups.length && lead.length < 4; at++) lead += (groups[at] as Group).digits
  return lead.length < 4 ? [] : (LENGTHS[Number(lead.slice(0, 4))] ?? [])
}

function isBetween(lead: number, low: number, high: number): boolean {
  const prefix = Math.floor(lead / 10 ** (4 - String(low).length))
  return prefix >= low && prefix <= high
}

/** As it is embossed, whatever parts the groups. */
const EMBOSSED = ['4-4-4-4', '4-6-5', '4-6-4', '4-4-4-4-3']

/** Otherwise parted by one mark, which is no dot; groups of fewer than three digits only where all of them are. */
function isGrouped(groups: readonly Group[], from: number, to: number): boolean {
  const sizes = groups.slice(from, to).map(({ digits }) => digits.length)
  if (EMBOSSED.includes(sizes.join('-'))) return true
  const separators = new Set(groups.slice(from, to - 1).map(({ separator }) => separator))
  if (separators.size > 1 || separators.has('.')) return false
  return Math.min(...sizes) >= 3 || sizes.slice(0, -1).every((size) => size === sizes[0])
}

function isCard(digits: string): boolean {
  return digits.length >= SHORTEST && luhn(digits) && [...digits].some((digit) => digit !== digits[0])
}
