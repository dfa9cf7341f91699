/** The instruments of a parcel as a searcher of the grantor and grantee index sees them: who held what by which of them. */
import { type Fraction, NONE, partOf, WHOLE } from './fraction.ts'
import { type Instrument, order } from './instruments.ts'

/** What one party took by one instrument, or had at the root. */
export interface Estate {
  holder: string
  via: Instrument | null
  share: Fraction
  /** Conveyances out of it, in the order of time. */
  out: Instrument[]
  /** On a line of conveyances from the root. */
  isReached: boolean
  /** On a line of recorded conveyances from the root. */
  isOfRecord: boolean
  /** Its holder died and it went to the heirs. */
  isPassed: boolean
}

export interface Title {
  estates: Estate[]
  /** The estates that each conveyance is out of. */
  sources: Map<Instrument, Estate[]>
  /** The conveyances that carry what a conveyance passed on, and what burdens it there, each with the moment from which
   *  the line from the first to it was complete on the record: null where it never was. */
  below: Map<Instrument, Map<Instrument, string | null>>
  /** Conveyances of a party whose estate had gone by probate. */
  void: Set<Instrument>
  /** Conveyances that were made, or recorded, before their grantor had anything. */
  early: Set<Instrument>
}

/** Steps of a walk: a record on which everybody conveyed to everybody, over and over, is walked by nobody. */
const MAX_STEPS = 60_000

interface Apart {
  liens: readonly Instrument[]
  /** Conveyances that can be put in no order: they make no estate. */
  knotted: ReadonlySet<Instrument>
  /** Conveyances that are known to have lost: what their grantor acquires later is for them. */
  beaten: ReadonlySet<Instrument>
}

/** Every estate that the conveyances make out of what the roots had; null where there are too many. */
export function walk(
  conveyances: readonly Instrument[],
  roots: readonly string[],
  { liens, knotted, beaten }: Apart,
): Title | null {
  const title: Title = { estates: [], sources: new Map(), below: new Map(), void: new Set(), early: new Set() }
  const walked: Walked = { title, made: new Map(), held: new Map(), steps: 0 }
  const add = (estate: Estate): void => {
    title.estates.push(estate)
    walked.held.set(estate.holder, [...(walked.held.get(estate.holder) ?? []), estate])
  }
  const root = { share: partOf(WHOLE, roots.length), isReached: true, isOfRecord: true }
  for (const holder of roots) add({ ...root, holder, via: null, out: [], isPassed: false })
  for (const deed of conveyances) {
    const found = deed.from.flatMap((party) => walked.held.get(party) ?? [])
    const living = found.filter(({ isPassed }) => !isPassed)
    const isVoid = found.length > 0 && living.length === 0
    if (isVoid) title.void.add(deed)
    const own =
      isVoid || knotted.has(deed) ? [] : deed.to.map((holder) => ({ ...UNREACHED, holder, via: deed, out: [] }))
    walked.made.set(deed, own)
    title.sources.set(deed, living)
    for (const estate of own) add(estate)
    for (const estate of living) {
      estate.out.push(deed)
      estate.isPassed = deed.type === 'probate' && !knotted.has(deed)
    }
    walked.steps += living.length + own.length
    if (walked.steps > MAX_STEPS) return null
  }
  for (let isFed = true; isFed; isFed = feedEarly(walked, beaten)) {
    reach(walked)
    if (walked.steps > MAX_STEPS) return null
  }
  title.below = linesBelow(conveyances, walked.made, liens)
  return title
}

const UNREACHED = { share: NONE, isReached: false, isOfRecord: false, isPassed: false }

interface Walked {
  title: Title
  made: Map<Instrument, Estate[]>
  held: Map<string, Estate[]>
  steps: number
}

/** Marks what lines from the root lead to, first those on the record. */
function reach(walked: Walked): void {
  for (const mark of ['isOfRecord', 'isReached'] as const) {
    const open = walked.title.estates.filter((estate) => estate[mark])
    for (const { out } of open)
      for (const deed of out) {
        if (mark === 'isOfRecord' && deed.recorded === null) continue
        const own = walked.made.get(deed)!.filter((estate) => !estate[mark])
        walked.steps += own.length
        for (const estate of own) estate[mark] = true
        open.push(...own)
      }
  }
}

/** Estoppel by deed: whoever conveyed what he did not have, or gave to another, and acquires it later has passed it on.
 *  Whether any has. */
function feedEarly(walked: Walked, beaten: ReadonlySet<Instrument>): boolean {
  const { title, made, held: owned } = walked
  const isWaiting = (deed: Instrument) =>
    !title.void.has(deed) && (beaten.has(deed) || !title.sources.get(deed)!.some((one) => one.isReached))
  const fed = [...made.keys()].filter(isWaiting).flatMap((deed) => {
    const known = new Set(title.sources.get(deed))
    const later = deed.from
      .flatMap((party) => owned.get(party) ?? [])
      .filter((one) => isLater(one, deed) && !known.has(one))
    const line = later.length === 0 ? null : lineFrom(deed, walked)
    return later.filter(({ via }) => !line!.has(via!)).map((estate) => ({ deed, estate }))
  })
  for (const { deed, estate } of fed) estate.out = [deed, ...estate.out]
  // What would feed itself together is fed by nothing.
  const valid = fed.filter(({ deed, estate }) => !lineFrom(deed, walked).has(estate.via!))
  for (const one of fed) if (!valid.includes(one)) one.estate.out = one.estate.out.filter((deed) => deed !== one.deed)
  for (const { deed, estate } of valid) {
    title.early.add(deed)
    title.sources.get(deed)!.push(estate)
  }
  return valid.length > 0
}

/** What its grantor acquired after a conveyance. */
export const isLater = ({ via, isReached }: Estate, deed: Instrument): boolean =>
  isReached && via !== null && via.at > deed.at

function lineFrom(deed: Instrument, walked: Walked): Set<Instrument> {
  const seen = new Set([deed])
  for (const one of seen)
    for (const { out } of walked.made.get(one)!) {
      walked.steps += out.length
      if (walked.steps > MAX_STEPS) return seen
      for (const next of out) seen.add(next)
    }
  return seen
}

/** As late as it may have been: of a day and a moment of it the day is the later. */
const byLast = (one: string, other: string): number => (`${one}~` < `${other}~` ? -1 : one === other ? 0 : 1)

/** By numbers in place of dates: there may be 200 lines of 200 instruments with as many ways between them. */
function linesBelow(conveyances: readonly Instrument[], made: Walked['made'], liens: readonly Instrument[]) {
  const all = lineOrder(conveyances, made)
  const nodes = [...all, ...liens]
  const times = [...new Set(nodes.flatMap(({ recorded }) => recorded ?? []))].sort(byLast)
  const place = new Map(nodes.map((one, at) => [one, at]))
  const rank = nodes.map(({ recorded }) => (recorded === null ? times.length : times.indexOf(recorded)))
  const next = all.map((deed) => {
    const own = made.get(deed)!
    const burdens = liens.filter(({ from }) => own.some(({ holder }) => from.includes(holder)))
    return [...new Set([...own.flatMap(({ out }) => out), ...burdens])].map((one) => place.get(one)!)
  })
  const below: Title['below'] = new Map()
  for (const [start, deed] of all.entries()) {
    const complete = new Int32Array(nodes.length).fill(times.length + 1)
    complete[start] = rank[start]!
    for (let at = start; at < all.length; at += 1)
      if (complete[at]! <= times.length)
        for (const to of next[at]!) complete[to] = Math.min(complete[to]!, Math.max(complete[at]!, rank[to]!))
    const lines = new Map<Instrument, string | null>()
    for (const [at, when] of complete.entries()) if (when <= times.length) lines.set(nodes[at]!, times[when] ?? null)
    below.set(deed, lines)
  }
  return below
}

/** Each conveyance after all those that feed it. */
function lineOrder(conveyances: readonly Instrument[], made: Walked['made']): Instrument[] {
  const next = new Map(conveyances.map((deed) => [deed, new Set(made.get(deed)!.flatMap(({ out }) => out))]))
  const feeders = new Map(conveyances.map((deed) => [deed, 0]))
  for (const all of next.values()) for (const deed of all) feeders.set(deed, feeders.get(deed)! + 1)
  const sorted = conveyances.filter((deed) => feeders.get(deed) === 0)
  for (const one of sorted)
    for (const deed of next.get(one)!) {
      feeders.set(deed, feeders.get(deed)! - 1)
      if (feeders.get(deed) === 0) sorted.push(deed)
    }
  return sorted
}

/** Where no root is named: the parties without an earlier instrument to them from whom most recorded conveyances follow,
 *  of several such the first; none where that leaves a choice. */
export function findRoots(conveyances: readonly Instrument[]): { roots: string[]; rivals: readonly Instrument[] } {
  const feeds = (one: Instrument, other: Instrument) => one.to.some((party) => other.from.includes(party))
  const first = conveyances.filter((one) => !conveyances.some((other) => isPrior(other, one) && feeds(other, one)))
  const byParties = Map.groupBy(first, ({ from }) => from.toSorted().join('\n'))
  const counted = [...byParties.values()].map((all) => ({ all, count: followers(all[0]!.from, conveyances) }))
  const most = Math.max(...counted.map(({ count }) => count))
  const best = counted.filter(({ count }) => count === most).map(({ all }) => all)
  const found = best.find((all) =>
    best.every((others) => others === all || all.some((one) => others.every((other) => order(one, other) < 0))),
  )
  return {
    roots: found?.[0]?.from ?? [],
    rivals: found !== undefined ? [] : best.length > 0 ? best.flat() : conveyances,
  }
}

const isPrior = (one: Instrument, other: Instrument): boolean => one !== other && order(one, other) <= 0

/** Recorded conveyances on the lines from these parties. */
function followers(roots: readonly string[], conveyances: readonly Instrument[]): number {
  const byGrantor = new Map<string, Instrument[]>()
  for (const deed of conveyances)
    for (const party of deed.from) byGrantor.set(party, [...(byGrantor.get(party) ?? []), deed])
  const reached = new Set(roots)
  const found = new Set<Instrument>()
  for (const party of reached)
    for (const deed of byGrantor.get(party) ?? []) {
      if (deed.recorded !== null) found.add(deed)
      for (const next of deed.to) reached.add(next)
    }
  return found.size
}
