// Numbers that only their neighbourhood tells apart from any other number.
import { aba, nhs } from './checksums.ts'
import type { DetectorInput } from './detector.ts'
import { type Group, joined } from './digits.ts'
import { hasContext, type Match } from './scanner.ts'

type Check = (digits: string) => boolean

export function routingNumbers(input: DetectorInput): Match[] {
  return numbers(input, (digits) => digits.length === 9 && isReserveBank(digits) && aba(digits))
}

export function healthServiceNumbers(input: DetectorInput): Match[] {
  return numbers(input, (digits) => digits.length === 10 && nhs(digits))
}

const SHORTEST_RECORD = 6
const LONGEST_RECORD = 12

export function medicalRecordNumbers(input: DetectorInput): Match[] {
  const sized: Check = (digits) => digits.length >= SHORTEST_RECORD && digits.length <= LONGEST_RECORD
  return numbers(input, sized)
}

function numbers({ text, series, context, label }: DetectorInput, check: Check): Match[] {
  const found: Match[] = []
  for (const groups of series()) {
    const from = (groups[0] as Group).from
    const to = (groups.at(-1) as Group).to
    const value = joined(groups, 0, groups.length)
    const plain = groups.every(({ separator }) => separator !== '.')
    if (plain && check(value) && hasContext(text, from, to, context, label)) found.push({ from, to, value })
  }
  return found
}

/** The first two digits name a Federal Reserve routing symbol. */
function isReserveBank(digits: string): boolean {
  const lead = Number(digits.slice(0, 2))
  return lead <= 12 || (lead >= 21 && lead <= 32) || (lead >= 61 && lead <= 72) || lead === 80
}
