/** Who comes first where one estate was conveyed more than once, by the recording statute. */
import { compareTimes, type Estate, type Instrument, type Title } from './record.ts'

export const STATUTES = ['race', 'notice', 'race_notice'] as const
export type Statute = (typeof STATUTES)[number]

/** A conveyance out of an estate, as far as one purchaser on its line claims by it. */
export interface Claim {
  deed: Instrument
  purchaser: Instrument
}

export interface Rules {
  statute: Statute
  title: Title
  /** Pairs whose order hangs on two moments that are written as the same one. */
  uncertain: Map<string, [string, string]>
}

/** Claims that come one after the other; those of one group beat each other in a circle. */
export function rank({ out, via }: Pick<Estate, 'out' | 'via'>, rules: Rules): Claim[][] {
  const acquired = via?.executed ?? ''
  const whole = out.map((deed): Claim => ({ deed, purchaser: deed }))
  const ahead = (one: Claim, other: Claim): boolean => isAhead(one, other, acquired, rules)
  const sheltered = whole.flatMap((claim) => {
    const winners = whole.filter((other) => other !== claim && ahead(other, claim)).map(({ deed }) => deed)
    if (winners.length === 0) return []
    return [...rules.title.below.get(claim.deed)!.keys()]
      .filter((purchaser) => purchaser !== claim.deed)
      .filter((purchaser) => winners.some((rival) => protects({ ...claim, purchaser }, rival, acquired, rules)))
      .map((purchaser): Claim => ({ ...claim, purchaser }))
  })
  const left = new Set([...whole, ...sheltered])
  const groups: Claim[][] = []
  while (left.size > 0) {
    const group = firstGroup([...left], ahead)
    groups.push(group)
    for (const claim of group) left.delete(claim)
  }
  return groups
}

/** Those that nothing outside them is ahead of. */
function firstGroup(claims: readonly Claim[], ahead: (one: Claim, other: Claim) => boolean): Claim[] {
  let group = new Set([claims[0]!])
  for (const claim of claims) {
    const above = new Set([claim])
    for (const one of above)
      for (const other of claims)
        if (!above.has(other) && other.deed !== one.deed && ahead(other, one)) above.add(other)
    if (above.size === 1) return [...above]
    if (claim === claims[0] || above.size < group.size) group = above
  }
  return [...group]
}

/** The later purchaser is asked first: whom the statute protects beats what came before. Without protection the first
 *  conveyance stands, since nothing was left for the second. */
function isAhead(one: Claim, other: Claim, acquired: string, rules: Rules): boolean {
  const [later, earlier] = one.purchaser.at > other.purchaser.at ? [one, other] : [other, one]
  if (protects(later, earlier.deed, acquired, rules)) return later === one
  if (protects(earlier, later.deed, acquired, rules)) return earlier === one
  return one.deed.at < other.deed.at
}

/** Whether the statute lets a purchaser on the line of a conveyance prevail over a rival conveyance made before. */
export function protects({ deed, purchaser }: Claim, rival: Instrument, acquired: string, rules: Rules): boolean {
  if (!purchaser.isForValue || purchaser.at < rival.at || purchaser === rival) return false
  const { statute, title, uncertain } = rules
  // An instrument that was recorded before its grantor had anything is where no searcher looks.
  const recorded = rival.recorded !== null && compareTimes(rival.recorded, acquired) >= 0 ? rival.recorded : null
  const complete = (title.below.get(deed) ?? new Map([[purchaser, purchaser.recorded]])).get(purchaser) ?? null
  const doubt = (one: string, other: string): void => {
    const ids: [string, string] = [rival.id, purchaser.id]
    if (compareTimes(one, other) === 0) uncertain.set(ids.toSorted().join('\n'), ids.toSorted() as [string, string])
  }
  const isFirst = (): boolean => {
    if (complete === null || recorded === null) return complete !== null
    doubt(complete, recorded)
    return complete < recorded || (complete === recorded && purchaser.id < rival.id)
  }
  const isNotified = (): boolean => {
    if (knows(purchaser, deed, rival, title)) return true
    if (recorded === null) return false
    doubt(recorded, purchaser.executed)
    return compareTimes(recorded, purchaser.executed) <= 0
  }
  if (statute === 'race') return isFirst()
  return !isNotified() && (statute === 'notice' || isFirst())
}

/** Whoever knows of a conveyance, or of one that hangs on it, has to ask. */
function knows(purchaser: Instrument, deed: Instrument, rival: Instrument, { below }: Title): boolean {
  const known = [...purchaser.knewOf, ...(deed === purchaser ? [] : deed.refs)]
  if (known.length === 0) return false
  const line = new Set([...(below.get(rival) ?? new Map([[rival, null]])).keys()].map(({ id }) => id))
  const own = below.get(deed)
  return known.some((id) => line.has(id) && ![...(own?.keys() ?? [])].some((one) => one.id === id && one !== rival))
}
