/** Numbers that only their neighbourhood tells apart from any other number. */
import { aba, nhs } from './checksums.ts'
import { type ContextWords, contextWords } from './context-words.ts'
import { type Group, joined, standsAlone } from './digits.ts'
import { type DetectorInput, gluedWord, isGluedBehind, type Match } from './scanner.ts'

/** So many digits at least and at most, and whether they pass the check. */
interface NumberKind {
  least: number
  most: number
  isValid(digits: string): boolean
}

const ROUTING: NumberKind = { least: 9, most: 9, isValid: (digits) => isReserveBank(digits) && aba(digits) }
const HEALTH_SERVICE: NumberKind = { least: 10, most: 10, isValid: nhs }
const MEDICAL_RECORD: NumberKind = { least: 6, most: 12, isValid: () => true }

export const routingNumbers = (input: DetectorInput): Match[] => numbers(input, ROUTING)
export const healthServiceNumbers = (input: DetectorInput): Match[] => numbers(input, HEALTH_SERVICE)
export const medicalRecordNumbers = (input: DetectorInput): Match[] => numbers(input, MEDICAL_RECORD)

const MAX_GROUPS = 4

/** The longest number that begins at each group; what follows it in the text may be another number. */
function numbers(input: DetectorInput, kind: NumberKind): Match[] {
  const found: Match[] = []
  const context = contextWords(input)
  if (input.series().length === 0 || context.isWithout()) return found
  for (const groups of input.series())
    for (let at = 0; at < groups.length; ) {
      const match = numberAt(groups, at, input, kind, context)
      if (match) found.push(match.match)
      at = match ? match.end : at + 1
    }
  return found
}

function numberAt(
  groups: readonly Group[],
  at: number,
  input: DetectorInput,
  { least, most, isValid }: NumberKind,
  { isNear }: ContextWords,
) {
  for (let end = Math.min(groups.length, at + MAX_GROUPS); end > at; end--) {
    let size = 0
    for (let part = at; part < end; part++) size += (groups[part] as Group).digits.length
    if (size < least) return null
    if (size > most) continue
    const value = joined(groups, at, end)
    const [from, to] = [(groups[at] as Group).from, (groups[end - 1] as Group).to]
    if (!isValid(value) || isDotted(groups, at, end) || !isPlaced(from, to, input, isNear)) continue
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
function isPlaced(from: number, to: number, { text, context }: DetectorInput, isNear: ContextWords['isNear']): boolean {
  if (standsAlone(text, from, to)) return isNear(from, to)
  return !isGluedBehind(text, to) && context.includes(gluedWord(text, from) ?? '')
}

/** The first two digits name a Federal Reserve routing symbol. */
function isReserveBank(digits: string): boolean {
  const lead = Number(digits.slice(0, 2))
  return lead <= 12 || (lead >= 21 && lead <= 32) || (lead >= 61 && lead <= 72) || lead === 80
}
