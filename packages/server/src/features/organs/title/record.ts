/** The instruments of a parcel as a searcher of the grantor and grantee index sees them: who held what by which of them. */
import { type Fraction, NONE, parseFraction, partOf, WHOLE } from './fraction.ts'

export const KINDS = ['deed', 'mortgage', 'release', 'lien', 'probate', 'easement'] as const

export interface WrittenInstrument {
  id: string
  type: (typeof KINDS)[number]
  grantor: string[]
  grantee: string[]
  executed: string
  recorded: string | null
  for_value?: boolean
  knew_of?: string[]
  fraction?: string
  refs?: string[]
}

export interface Instrument {
  /** The place in time: by execution, then by recording, then by id. */
  at: number
  id: string
  type: WrittenInstrument['type']
  /** Keys of the parties, without doubles. */
  from: string[]
  to: string[]
  executed: string
  /** Null where it was not recorded by the day of the search. */
  recorded: string | null
  isForValue: boolean
  /** Ids of instruments that its grantee knew of, or that it recites. */
  knewOf: ReadonlySet<string>
  /** Of the whole parcel; null for all that the grantors have. */
  fraction: Fraction | null
  refs: readonly string[]
}

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

/** A party is found under its name in any case and spacing, and under no other. */
export const partyKey = (name: string): string => name.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ')

/** A day stands for any moment of it: what is written less finely is equal to all that it holds. */
export function compareTimes(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  const [a, b] = [one.slice(0, length), other.slice(0, length)]
  return a < b ? -1 : a > b ? 1 : 0
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Those executed by the day of the search, in the order of time whatever the order of the list. */
export function readInstruments(written: readonly WrittenInstrument[], asOf: string): Instrument[] {
  const sorted = written
    .filter(({ executed }) => compareTimes(executed, asOf) <= 0)
    .map((one) => ({
      ...one,
      recorded: one.recorded !== null && compareTimes(one.recorded, asOf) > 0 ? null : one.recorded,
    }))
    .sort(
      (a, b) => byText(a.executed, b.executed) || byText(a.recorded ?? '~', b.recorded ?? '~') || byText(a.id, b.id),
    )
  return [...Map.groupBy(sorted, ({ executed }) => executed).values()]
    .flatMap(closedTogether)
    .map(({ grantor, grantee, for_value = true, knew_of = [], refs = [], fraction, ...one }, at) => ({
      ...one,
      at,
      from: [...new Set(grantor.map(partyKey))],
      to: [...new Set(grantee.map(partyKey))],
      isForValue: for_value && one.type !== 'probate',
      knewOf: new Set([...knew_of, ...refs]),
      fraction: fraction === undefined ? null : parseFraction(fraction),
      refs,
    }))
}

/** What was executed at one time follows the line: whoever gives by one of them what another one gives to him comes after. */
function closedTogether(instruments: readonly WrittenInstrument[]): WrittenInstrument[] {
  const left = [...instruments]
  const waits = new Map<string, number>()
  for (const name of left.flatMap(({ grantee }) => grantee).map(partyKey)) waits.set(name, (waits.get(name) ?? 0) + 1)
  return instruments.map(() => {
    const at = left.findIndex(({ grantor }) => !grantor.some((name) => (waits.get(partyKey(name)) ?? 0) > 0))
    const [first] = left.splice(Math.max(at, 0), 1)
    for (const name of first!.grantee.map(partyKey)) waits.set(name, waits.get(name)! - 1)
    return first!
  })
}

export const isConveyance = ({ type }: Pick<Instrument, 'type'>): boolean => type === 'deed' || type === 'probate'

export interface Title {
  estates: Estate[]
  /** The estates that each conveyance is out of. */
  sources: Map<Instrument, Estate[]>
  /** The conveyances that carry what a conveyance passed on, each with the moment from which the line from the first to
   *  it was complete on the record: null where it never was. */
  below: Map<Instrument, Map<Instrument, string | null>>
  /** Conveyances of a party whose estate had gone by probate. */
  void: Set<Instrument>
  /** Conveyances that were made, or recorded, before their grantor had anything. */
  early: Set<Instrument>
}

/** How often it is looked whether a conveyance made too early would feed itself; what is left then is fed by nothing. */
const MAX_LOOKS = 400

/** Every estate that the conveyances make out of what the roots had. */
export function walk(conveyances: readonly Instrument[], roots: readonly string[]): Title {
  const title: Title = { estates: [], sources: new Map(), below: new Map(), void: new Set(), early: new Set() }
  const walked: Walked = { title, made: new Map(), waiting: new Set(), looks: 0 }
  const root = { share: partOf(WHOLE, roots.length), isReached: true, isOfRecord: true }
  for (const holder of roots) title.estates.push({ ...root, holder, via: null, out: [], isPassed: false })
  for (const deed of conveyances) {
    const found = title.estates.filter(({ holder }) => deed.from.includes(holder))
    const living = found.filter(({ isPassed }) => !isPassed)
    const isVoid = found.length > 0 && living.length === 0
    if (isVoid) title.void.add(deed)
    const own = isVoid ? [] : deed.to.map((holder): Estate => ({ ...UNREACHED, holder, via: deed, out: [] }))
    walked.made.set(deed, own)
    title.sources.set(deed, living)
    title.estates.push(...own)
    for (const estate of living) {
      estate.out.push(deed)
      estate.isPassed = deed.type === 'probate'
    }
    if (living.some(({ isReached }) => isReached)) reach(deed, living, walked)
    else if (!isVoid) walked.waiting.add(deed)
  }
  title.below = linesBelow(conveyances, walked.made)
  return title
}

const UNREACHED = { share: NONE, isReached: false, isOfRecord: false, isPassed: false }

interface Walked {
  title: Title
  made: Map<Instrument, Estate[]>
  /** Conveyances by parties who had nothing on a line from the root when they made them. */
  waiting: Set<Instrument>
  looks: number
}

/** Marks what the conveyance leads to. Estoppel by deed: whoever conveyed what he did not have and acquires it later has
 *  passed it on. */
function reach(deed: Instrument, sources: readonly Estate[], walked: Walked): void {
  const { title, made, waiting } = walked
  const isOfRecord = deed.recorded !== null && sources.some((source) => source.isOfRecord)
  for (const estate of made.get(deed)!) {
    if (estate.isReached && (estate.isOfRecord || !isOfRecord)) continue
    estate.isReached = true
    estate.isOfRecord ||= isOfRecord
    for (const early of waiting) {
      if (!early.from.includes(estate.holder) || early.at > deed.at || leadsTo(early, deed, walked)) continue
      waiting.delete(early)
      title.early.add(early)
      title.sources.get(early)!.push(estate)
      estate.out = [early, ...estate.out]
    }
    for (const next of estate.out) reach(next, [estate], walked)
  }
}

function leadsTo(from: Instrument, to: Instrument, walked: Walked): boolean {
  walked.looks += 1
  if (walked.looks > MAX_LOOKS) return true
  const seen = new Set([from])
  for (const one of seen) for (const { out } of walked.made.get(one)!) for (const next of out) seen.add(next)
  return seen.has(to)
}

/** By numbers in place of dates: there may be 200 lines of 200 instruments with as many ways between them. */
function linesBelow(conveyances: readonly Instrument[], made: Walked['made']): Title['below'] {
  const times = [...new Set(conveyances.flatMap(({ recorded }) => (recorded === null ? [] : [recorded])))].sort()
  const place = new Map(conveyances.map((deed, at) => [deed, at]))
  const rank = conveyances.map(({ recorded }) => (recorded === null ? times.length : times.indexOf(recorded)))
  const next = conveyances.map((deed) =>
    [...new Set(made.get(deed)!.flatMap(({ out }) => out))].map((one) => place.get(one)!),
  )
  const below: Title['below'] = new Map()
  for (const [start, deed] of conveyances.entries()) {
    const complete = new Int32Array(conveyances.length).fill(times.length + 1)
    complete[start] = rank[start]!
    const open = [start]
    for (const at of open)
      for (const to of next[at]!) {
        const through = Math.max(complete[at]!, rank[to]!)
        if (through >= complete[to]!) continue
        complete[to] = through
        open.push(to)
      }
    const lines = new Map<Instrument, string | null>()
    for (const [at, when] of complete.entries())
      if (when <= times.length) lines.set(conveyances[at]!, times[when] ?? null)
    below.set(deed, lines)
  }
  return below
}

/** Where no root is named: the parties without an earlier instrument to them from whom most recorded conveyances follow. */
export function findRoots(conveyances: readonly Instrument[]): string[] {
  const taken = new Set<string>()
  const candidates = new Map<string, string[]>()
  for (const { from, to } of conveyances) {
    if (!from.some((party) => taken.has(party))) candidates.set(from.toSorted().join('\n'), from)
    for (const party of to) taken.add(party)
  }
  let [best, most] = [conveyances[0]?.from ?? [], -1]
  for (const roots of candidates.values()) {
    const reached = new Set(roots)
    let count = 0
    for (const { from, to, recorded } of conveyances) {
      if (!from.some((party) => reached.has(party))) continue
      if (recorded !== null) count += 1
      for (const party of to) reached.add(party)
    }
    if (count > most) [best, most] = [roots, count]
  }
  return best
}
