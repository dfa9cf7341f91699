/** Who comes first where one estate was conveyed more than once, by the recording statute. */
import { compareTimes, type Instrument, isConveyance, type Order, order } from './instruments.ts'
import type { Estate, Title } from './record.ts'

export const STATUTES = ['race', 'notice', 'race_notice'] as const
export type Statute = (typeof STATUTES)[number]

/** A conveyance out of an estate, or a burden on it, as far as one purchaser on its line claims by it. */
export interface Claim {
  deed: Instrument
  purchaser: Instrument
}

export interface Rules {
  statute: Statute
  title: Title
  /** Pairs between which the statute decides by what a purchaser knew, which no record shows. */
  facts: Set<string>
  byId: ReadonlyMap<string, Instrument>
  /** Comparisons that may still be made: a record may be written so that there is no end of them. */
  left: number
}

export const MAX_COMPARISONS = 60_000
/** An owner who conveyed one estate more often is none that a search can decide on. */
const MAX_CLAIMS = 40

const pairOf = (one: Instrument, other: Instrument): string =>
  one.at < other.at ? `${one.at} ${other.at}` : `${other.at} ${one.at}`

export const hangsOnFacts = (one: Instrument, other: Instrument, { facts }: Rules): boolean =>
  facts.has(pairOf(one, other))

/** Claims that come one after the other. Those of one group beat each other in a circle, or no date says which is ahead.
 *  Null where there are too many. */
export function rank({ out, via }: Pick<Estate, 'out' | 'via'>, rules: Rules): Claim[][] | null {
  if (out.length > MAX_CLAIMS) return null
  const acquired = via?.executed ?? ''
  const whole = out.map((deed): Claim => ({ deed, purchaser: deed }))
  const claims = [...whole]
  rules.left -= out.length ** 2
  for (const claim of whole) {
    const winners = whole.filter((other) => other !== claim && settle(other, claim, acquired, rules) >= 0)
    const purchasers = winners.length === 0 ? [] : [...rules.title.below.get(claim.deed)!.keys()].filter(isConveyance)
    rules.left -= winners.length * purchasers.length
    if (rules.left < 0) return null
    for (const purchaser of purchasers) {
      if (purchaser === claim.deed) continue
      const sheltered = { ...claim, purchaser }
      const isSheltered = winners.map(
        ({ deed }) => protects(sheltered, deed, isAfter(order(purchaser, deed)), acquired, rules) !== false,
      )
      if (isSheltered.includes(true)) claims.push(sheltered)
    }
  }
  rules.left -= claims.length ** 2
  if (claims.length > MAX_CLAIMS || rules.left < 0) return null
  const above = claims.map((one) =>
    claims.map((other) => other.deed !== one.deed && settle(other, one, acquired, rules) >= 0),
  )
  return groupsOf(claims, above)
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

const possible = (known: Order): readonly (-1 | 1)[] => (known === 0 ? [-1, 1] : [known])
const isAfter = (known: Order): boolean | null => (known === 0 ? null : known > 0)

/** Positive where the first claim is ahead, negative where the other is, in whatever order their dates allow; 0 where
 *  that order decides. */
export function settle(one: Claim, other: Claim, acquired: string, rules: Rules): Order {
  const isWhole = one.purchaser === one.deed && other.purchaser === other.deed
  const found = new Set<Order>()
  for (const later of possible(order(one.purchaser, other.purchaser)))
    for (const deeds of isWhole ? [later] : possible(order(one.deed, other.deed))) {
      const [late, early] = later > 0 ? [one, other] : [other, one]
      const first = deeds < 0 ? one : other
      const winner = first.deed.type === 'probate' ? first : ahead(late, early, first, acquired, rules)
      found.add(winner === null ? 0 : winner === one ? 1 : -1)
    }
  return found.size === 1 ? [...found][0]! : 0
}

/** The later purchaser is asked first: whom the statute protects beats what came before. Without protection the first
 *  conveyance stands, since nothing was left for the second; the dead convey nothing. */
function ahead(late: Claim, early: Claim, first: Claim, acquired: string, rules: Rules): Claim | null {
  const isLate = protects(late, early.deed, order(late.purchaser, early.deed) >= 0, acquired, rules)
  if (isLate === true) return late
  const isMadeAfter = early.purchaser === early.deed ? first === late : isAfter(order(early.purchaser, late.deed))
  const isEarly = protects(early, late.deed, isMadeAfter, acquired, rules)
  const rest = isEarly === true ? early : isEarly === null && first !== early ? null : first
  return isLate === null && rest !== late ? null : rest
}

const isEarlier = (one: string, other: string): boolean | null => {
  const compared = compareTimes(one, other)
  return compared === 0 ? null : compared < 0
}

/** Whether the statute lets a purchaser on the line of a conveyance prevail over a rival conveyance made before; null
 *  where two moments that decide are written as the same one. */
function protects(
  { deed, purchaser }: Claim,
  rival: Instrument,
  isMadeAfter: boolean | null,
  acquired: string,
  rules: Rules,
): boolean | null {
  const { statute, title, facts } = rules
  if (!purchaser.isForValue || isMadeAfter === false || purchaser === rival) return false
  // An instrument that was recorded before its grantor had anything is where no searcher looks.
  const recorded = rival.recorded !== null && compareTimes(rival.recorded, acquired) >= 0 ? rival.recorded : null
  const complete = (title.below.get(deed) ?? new Map([[purchaser, purchaser.recorded]])).get(purchaser) ?? null
  const isFirst = recorded === null || complete === null ? complete !== null : isEarlier(complete, recorded)
  if (statute !== 'notice' && isFirst === false) return false
  const isDoubtful = isMadeAfter === null || (statute !== 'notice' && isFirst === null)
  if (statute === 'race') return isDoubtful ? null : true
  const isTold = recorded === null ? false : isEarlier(recorded, purchaser.executed)
  if (isTold === true || hasHeard([...purchaser.refs, ...deed.refs], deed, rival, rules)) return false
  facts.add(pairOf(deed, rival))
  if (hasHeard([...purchaser.knewOf], deed, rival, rules)) return false
  return isDoubtful || isTold === null ? null : true
}

/** Whoever knows of a conveyance, or of what hangs on it, has to ask. */
function hasHeard(ids: readonly string[], deed: Instrument, rival: Instrument, { byId, title }: Rules): boolean {
  const [own, its] = [title.below.get(deed), title.below.get(rival)]
  return ids.some((id) => id === rival.id || (its?.has(byId.get(id)!) === true && own?.has(byId.get(id)!) !== true))
}
