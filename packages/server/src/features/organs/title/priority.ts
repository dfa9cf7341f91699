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
  /** Comparisons that may still be made: a record may be written so that there is no end of them. */
  left: number
}

export const MAX_COMPARISONS = 60_000
/** An owner who conveyed one estate more often is none that a search can decide on. */
const MAX_CLAIMS = 40

/** Claims that come one after the other; those of one group beat each other in a circle. Null where there are too many. */
export function rank({ out, via }: Pick<Estate, 'out' | 'via'>, rules: Rules): Claim[][] | null {
  if (out.length > MAX_CLAIMS) return null
  const acquired = via?.executed ?? ''
  const whole = out.map((deed): Claim => ({ deed, purchaser: deed }))
  const claims = [...whole]
  for (const claim of whole) {
    const winners = whole.filter((other) => other !== claim && isAhead(other, claim, acquired, rules))
    for (const purchaser of winners.length === 0 ? [] : rules.title.below.get(claim.deed)!.keys()) {
      if (purchaser === claim.deed) continue
      const sheltered = { ...claim, purchaser }
      if (winners.some((rival) => protects(sheltered, rival.deed, acquired, rules))) claims.push(sheltered)
      if (claims.length > MAX_CLAIMS || rules.left < 0) return null
    }
  }
  const above = claims.map((one) =>
    claims.map((other) => other.deed !== one.deed && isAhead(other, one, acquired, rules)),
  )
  return rules.left < 0 ? null : groupsOf(claims, above)
}

/** Again and again those that nothing else that is left is ahead of. */
function groupsOf(claims: readonly Claim[], above: readonly (readonly boolean[])[]): Claim[][] {
  const left = new Set(claims.keys())
  const groups: Claim[][] = []
  while (left.size > 0) {
    let first: Set<number> | null = null
    for (const at of left) {
      const reached = new Set([at])
      for (const one of reached) for (const other of left) if (above[one]![other]) reached.add(other)
      if (first === null || reached.size < first.size) first = reached
      if (reached.size === 1) break
    }
    groups.push([...first!].map((at) => claims[at]!))
    for (const at of first!) left.delete(at)
  }
  return groups
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
  rules.left -= 1
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
  if (purchaser.knewOf.size === 0 && deed.refs.length === 0) return false
  const known = new Set([...purchaser.knewOf, ...deed.refs])
  const own = below.get(deed)
  for (const one of below.get(rival)?.keys() ?? [rival])
    if (known.has(one.id) && (one === rival || !own?.has(one))) return true
  return false
}
