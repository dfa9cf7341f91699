/** Numbers that only their neighbourhood tells apart from any other number. */
import { aba, nhs } from './checksums.ts'
import { contextWords, type IsNear } from './context-words.ts'
import { type Group, joined, standsAlone } from './digits.ts'
import { type DetectorInput, gluedWord, isGluedBehind, type Match } from './scanner.ts'

type Check = (digits: string) => boolean

export function routingNumbers(input: DetectorInput): Match[] {
  return numbers(input, (digits) => digits.length === 9 && isReserveBank(digits) && aba(digits))
}

export function healthServiceNumbers(input: DetectorInput): Match[] {
  return numbers(input, (digits) => digits.length === 10 && nhs(digits))
}

const SHORTEST_RECORD = 6
const MAX_RECORD = 12

export function medicalRecordNumbers(input: DetectorInput): Match[] {
  const sized: Check = (digits) => digits.length >= SHORTEST_RECORD && digits.length <= MAX_RECORD
  return numbers(input, sized)
}

const MAX_GROUPS = 4

/** The longest number that begins at each group; what follows it in the text may be another number. */
function numbers(input: DetectorInput, check: Check): Match[] {
  const found: Match[] = []
  const isNear = contextWords(input)
  for (const groups of input.series())
    for (let at = 0; at < groups.length; ) {
      const match = numberAt(groups, at, input, check, isNear)
      if (match) found.push(match.match)
      at = match ? match.end : at + 1
    }
  return found
}

function numberAt(groups: readonly Group[], at: number, input: DetectorInput, check: Check, isNear: IsNear) {
  for (let end = Math.min(groups.length, at + MAX_GROUPS); end > at; end--) {
    const value = joined(groups, at, end)
    const [from, to] = [(groups[at] as Group).from, (groups[end - 1] as Group).to]
    if (!check(value) || isDotted(groups, at, end) || !isPlaced(from, to, input, isNear)) continue
    return { match: { from, to, value }, end }
  }
  return null
}

/** A dot inside or on either side: a version, an amount or an address. */
function isDotted(groups: readonly Group[], at: number, end: number): boolean {
  const around = groups.slice(Math.max(0, at - 1), end)
  return around.some(({ separator }) => separator === '.')
}

/** Near its name; or with the name written onto it, and nothing else. */
function isPlaced(from: number, to: number, { text, context }: DetectorInput, isNear: IsNear): boolean {
  if (standsAlone(text, from, to)) return isNear(from, to)
  return !isGluedBehind(text, to) && context.includes(gluedWord(text, from) ?? '')
}

/** The first two digits name a Federal Reserve routing symbol. */
function isReserveBank(digits: string): boolean {
  const lead = Number(digits.slice(0, 2))
  return lead <= 12 || (lead >= 21 && lead <= 32) || (lead >= 61 && lead <= 72) || lead === 80
}
