/** The instruments of a parcel as they were written, and what their dates say of the order in which they were made. */
import { type Fraction, parseFraction } from './fraction.ts'
import type { WrittenInstrument } from './shapes.ts'

export const KINDS = ['deed', 'mortgage', 'release', 'lien', 'probate', 'easement'] as const

export interface Instrument {
  /** A place in time that contradicts no date; of those that `order` does not tell apart it means nothing. */
  at: number
  id: string
  type: WrittenInstrument['type']
  /** Keys of the parties, without doubles. */
  from: string[]
  to: string[]
  executed: string
  /** Null where it was not recorded by the day of the search. */
  recorded: string | null
  /** The first and the last second at which it may have been executed. */
  span: { from: string; until: string }
  /** Those of perhaps the same time that came before it by what it says or by the line. */
  after: Set<Instrument>
  isForValue: boolean
  /** Ids of instruments that its grantee knew of. */
  knewOf: ReadonlySet<string>
  /** Of the whole parcel; null for all that the grantors have. */
  fraction: Fraction | null
  refs: readonly string[]
}

/** A party is found under its name in any case and spacing, and under no other. */
export const partyKey = (name: string): string => name.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ')

/** A day stands for any moment of it: what is written less finely is equal to all that it holds. */
export function compareTimes(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  const [a, b] = [one.slice(0, length), other.slice(0, length)]
  return a < b ? -1 : a > b ? 1 : 0
}

export type Order = -1 | 0 | 1

/** Negative where the first was surely executed before the other; 0 where nothing says which was. */
export function order(one: Instrument, other: Instrument): Order {
  if (one.span.until < other.span.from || other.after.has(one)) return -1
  return other.span.until < one.span.from || one.after.has(other) ? 1 : 0
}

export const isConveyance = ({ type }: Pick<Instrument, 'type'>): boolean => type === 'deed' || type === 'probate'

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
const [FIRST, LAST] = ['0000-00-00T00:00:00', '9999-99-99T23:59:59'] as const
const spanOf = (executed: string, recorded: string | null): Instrument['span'] => {
  const [made, found] = [executed + LAST.slice(executed.length), (recorded ?? '') + LAST.slice(recorded?.length ?? 0)]
  return { from: executed + FIRST.slice(executed.length), until: made < found ? made : found }
}

/** Those executed by the day of the search in an order of time, and the conveyances among them of which none can be told:
 *  `root` is who held the parcel at first. */
export function readInstruments(written: readonly WrittenInstrument[], asOf: string, root: string | undefined) {
  const read = written
    .filter(({ executed }) => compareTimes(executed, asOf) <= 0)
    .map(({ grantor, grantee, for_value = true, knew_of = [], refs = [], fraction, ...one }): Instrument => {
      const recorded = one.recorded !== null && compareTimes(one.recorded, asOf) > 0 ? null : one.recorded
      return {
        ...{ ...one, recorded, refs, at: 0, span: spanOf(one.executed, recorded), after: new Set() },
        from: [...new Set(grantor.map(partyKey))],
        to: [...new Set(grantee.map(partyKey))],
        isForValue: for_value && one.type !== 'probate',
        knewOf: new Set(knew_of),
        fraction: fraction === undefined ? null : parseFraction(fraction),
      }
    })
    .sort((a, b) => byText(a.span.from, b.span.from) || byText(a.executed, b.executed) || byText(a.id, b.id))
  followLines(read, root === undefined ? undefined : partyKey(root))
  const knotted = new Set(sortedBefore(read, (one) => [...one.after]).knot)
  for (const one of knotted) for (const other of knotted) one.after.delete(other)
  const { sorted, knot } = sortedBefore(read, (one) => [...one.after, ...lastDeedsOf(one, read)])
  for (const [at, one] of sorted.entries()) one.at = at
  const twice = read.filter(
    (one) =>
      one.type === 'probate' && read.some((other) => other !== one && other.type === 'probate' && isRival(one, other)),
  )
  for (const one of [...knot, ...twice]) knotted.add(one)
  return { instruments: sorted, knotted }
}

/** Perhaps of one time and by one party. */
const isRival = (one: Instrument, other: Instrument): boolean =>
  order(one, other) === 0 && one.from.some((party) => other.from.includes(party))

/** What a party conveyed on the day of its probate is walked before: which of them stands is left open. */
const lastDeedsOf = (one: Instrument, all: readonly Instrument[]): Instrument[] =>
  one.type === 'probate' ? all.filter((other) => other.type === 'deed' && isRival(one, other)) : []

/** Of two that may be of one time, the one that knows of the other or recites it came after; and what closes together
 *  follows the line: whoever gives by one what the other gives to him comes after, the more so if he had nothing yet. */
function followLines(read: readonly Instrument[], root: string | undefined): void {
  const holdingCache = new Map<string, boolean>()
  const hadNothing = (party: string, by: Instrument): boolean => {
    const key = `${by.span.from} ${by.span.until} ${party}`
    if (!holdingCache.has(key)) holdingCache.set(key, isHolding(party, by, read, root))
    return !holdingCache.get(key)
  }
  const taken = new Map(read.map((one) => [one, new Set(isConveyance(one) ? one.to : [])]))
  const gift = (one: Instrument, other: Instrument): number => {
    const parties = isConveyance(other) ? other.from.filter((party) => taken.get(one)!.has(party)) : []
    return parties.length === 0 ? 0 : parties.some((party) => hadNothing(party, other)) ? 2 : 1
  }
  const isTold = (one: Instrument, other: Instrument) => other.knewOf.has(one.id) || other.refs.includes(one.id)
  for (const [at, other] of read.entries())
    for (const one of read.slice(0, at)) {
      if (order(one, other) !== 0) continue
      const precedence = Number(isTold(one, other)) - Number(isTold(other, one))
      const [forth, back] = [gift(one, other), gift(other, one)]
      if (precedence > 0 || (precedence === 0 && forth >= back && forth > 0)) other.after.add(one)
      if (precedence < 0 || (precedence === 0 && back >= forth && back > 0)) one.after.add(other)
    }
}

/** Whether the party had taken, by the time of an instrument, what it had not wholly conveyed. */
function isHolding(party: string, by: Instrument, read: readonly Instrument[], root: string | undefined): boolean {
  const before = read.filter((one) => isConveyance(one) && one.span.until < by.span.from).reverse()
  const given = before.filter(({ from, fraction }) => fraction === null && from.includes(party))
  return (
    before.some(({ to }, at) => to.includes(party) && !given.some((one) => order(before[at]!, one) < 0)) ||
    (party === root && given.length === 0)
  )
}

/** Each after those it must follow; `knot` is what follows itself, and what lies between two such. */
function sortedBefore(read: readonly Instrument[], priorOf: (one: Instrument) => readonly Instrument[]) {
  const prior = new Map(read.map((one) => [one, new Set(priorOf(one))]))
  for (const one of read) for (const other of read) if (other.span.until < one.span.from) prior.get(one)!.add(other)
  const next = new Map(read.map((one) => [one, new Set<Instrument>()]))
  for (const [one, all] of prior) for (const other of all) next.get(other)!.add(one)
  const sorted = peeled(read, prior, next)
  const left = read.filter((one) => !sorted.has(one))
  const last = peeled(left.toReversed(), next, prior)
  const knot = left.filter((one) => !last.has(one))
  return { sorted: [...sorted, ...knot, ...[...last].reverse()], knot }
}

/** Again and again the first that nothing else of the list must come before. */
function peeled(
  list: readonly Instrument[],
  prior: ReadonlyMap<Instrument, ReadonlySet<Instrument>>,
  next: ReadonlyMap<Instrument, ReadonlySet<Instrument>>,
): Set<Instrument> {
  const within = new Set(list)
  const waits = new Map(list.map((one) => [one, [...prior.get(one)!].filter((other) => within.has(other)).length]))
  const done = new Set<Instrument>()
  for (let one: Instrument | undefined; ; ) {
    one = list.find((each) => !done.has(each) && waits.get(each) === 0)
    if (one === undefined) return done
    done.add(one)
    for (const other of next.get(one)!) if (waits.has(other)) waits.set(other, waits.get(other)! - 1)
  }
}
