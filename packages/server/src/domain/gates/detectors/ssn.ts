import type { DetectorInput } from './detector.ts'
import { type Group, joined } from './digits.ts'
import { hasContext, type Match } from './scanner.ts'

/** Printed in advertisements and on sample cards for decades: nobody's number. */
const SPECIMENS = new Set(['078051120', '219099999', '457555462'])
const DASHES = '-\u2010\u2011\u2013'

export function socialSecurityNumbers({ text, series, context, label }: DetectorInput): Match[] {
  const found: Match[] = []
  for (const groups of series())
    groups.forEach((group, at) => {
      const size = shapeAt(groups, at)
      if (size === 0) return
      const last = groups[at + size - 1] as Group
      const value = joined(groups, at, at + size)
      if (!isIssued(value)) return
      if (size === 1 && !hasContext(text, group.from, last.to, context, label)) return
      found.push({
        from: group.from,
        to: last.to,
        value,
        ...(SPECIMENS.has(value) ? { severity: 'note' as const } : {}),
      })
    })
  return found
}

/** How many groups make a number here: 3-2-4 with one separator and no more digits around, or nine digits alone. */
function shapeAt(groups: readonly Group[], at: number): number {
  const [first, second, third] = groups.slice(at, at + 3)
  if (at > 0 && isTight(groups[at - 1]?.separator)) return 0
  if (first?.digits.length === 9 && groups.length === 1) return 1
  if (first?.digits.length !== 3 || second?.digits.length !== 2 || third?.digits.length !== 4) return 0
  if (first.separator !== second.separator || first.separator === '.' || isTight(third.separator)) return 0
  return first.separator === ' ' && groups.length > 3 ? 0 : 3
}

const isTight = (separator: string | undefined): boolean =>
  separator !== undefined && separator !== '' && DASHES.includes(separator)

function isIssued(digits: string): boolean {
  const area = digits.slice(0, 3)
  return area !== '000' && area !== '666' && area < '900' && digits.slice(3, 5) !== '00' && digits.slice(5) !== '0000'
}
