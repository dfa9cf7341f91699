/** Mortgages, liens and easements: what releases them, and whether they bind those who own the parcel now. */
import { isSome, NONE } from './fraction.ts'
import { compareTimes, type Instrument, order } from './instruments.ts'
import { hangsOnFacts, MAX_COMPARISONS, type Rules, settle } from './priority.ts'
import type { Estate } from './record.ts'
import type { Shares } from './shares.ts'

type Fault = 'UNRECORDED_RELEASE' | 'RELEASE_BY_STRANGER' | 'RELEASE_BEFORE_LIEN' | 'PARTIAL_RELEASE'

export interface Encumbrance extends Binding {
  lien: Instrument
  /** Releases that name it and do not end it. */
  failed: { release: Instrument; code: Fault }[]
}

interface Binding {
  /** Binds an owner of today, or may do so. */
  binds: boolean
  why: string
  /** The conveyance that it would have to come before, where no date says which was first. */
  perhaps: Instrument | null
  /** What it lost to; not what was on the record when it was made. */
  cutOffBy: Instrument[]
  /** Lost by what a purchaser did not know, which no record shows. */
  isByFacts: boolean
}

export const isEncumbrance = ({ type }: Instrument): boolean => ['mortgage', 'lien', 'easement'].includes(type)

/** Those that no release on the record has ended. */
export function openEncumbrances(instruments: readonly Instrument[], rules: Rules, shares: Shares): Encumbrance[] {
  const releases = instruments.filter(({ type }) => type === 'release')
  const liens = instruments.filter(isEncumbrance)
  return liens.flatMap((lien) => {
    const tried = releases
      .filter(({ refs }) => refs.includes(lien.id))
      .map((release) => ({ release, code: faultOf(release, lien) }))
    const released = new Set(tried.flatMap(({ release, code }) => (code === null ? release.from : [])))
    if (lien.to.every((holder) => released.has(holder))) return []
    // A release by one of several holders frees his part.
    const failed = tried.map(({ release, code }) => ({ release, code: code ?? ('PARTIAL_RELEASE' as const) }))
    const left = Math.floor(MAX_COMPARISONS / liens.length)
    return [{ lien, ...bindingOf(lien, { ...rules, left }, shares), failed }]
  })
}

/** What keeps a release from ending what it names. */
function faultOf(release: Instrument, lien: Instrument): Fault | null {
  if (!release.from.some((party) => lien.to.includes(party))) return 'RELEASE_BY_STRANGER'
  if (order(release, lien) < 0) return 'RELEASE_BEFORE_LIEN'
  if (release.recorded === null) return 'UNRECORDED_RELEASE'
  return release.fraction === null || release.fraction.top === release.fraction.bottom ? null : 'PARTIAL_RELEASE'
}

const BOUND: Binding = { binds: true, why: '', perhaps: null, cutOffBy: [], isByFacts: false }

/** By the same statute as between purchasers: whoever lends on the parcel is one. */
function bindingOf(lien: Instrument, rules: Rules, shares: Shares): Binding {
  const contested = new Set(shares.contested.flatMap(({ deeds }) => deeds))
  const { sources, estates } = rules.title
  const burdened = estates.filter(({ holder, isReached }) => isReached && lien.from.includes(holder))
  const isOpen = { ...BOUND, why: 'who owns is not decided' }
  if ([...contested].some(({ to }) => to.some((party) => lien.from.includes(party)))) return isOpen
  if (burdened.length === 0)
    return { ...BOUND, binds: false, why: 'its grantor never held the parcel on a line from the root' }
  const free = { cutOffBy: new Set<Instrument>(), isByFacts: false }
  const owner = burdened.find((estate) => isSome(shares.left.get(estate) ?? NONE))
  if (owner !== undefined) return { ...BOUND, why: 'its grantor still owns' }
  // Up the line from what it burdens: where that was lost to a rival, the burden may still come before him.
  const forks = burdened.map((estate): [Estate, Instrument] => [estate, lien])
  const seen = new Set<string>()
  const bound: Binding[] = []
  for (const [estate, entry] of forks) {
    if ([entry, ...estate.out].some((deed) => contested.has(deed))) return isOpen
    const lost = shares.lost.find(({ deed }) => deed === entry)?.to
    for (const deed of estate.out)
      if (entry === lien || lost?.has(deed) === true)
        bound.push(...boundBy(lien, { estate, entry, deed }, { rules, shares, free }))
    for (const source of estate.via === null ? [] : sources.get(estate.via)!) {
      const key = `${estates.indexOf(source)} ${estate.via!.at}`
      if (source.isReached && !seen.has(key)) forks.push([source, estate.via!])
      seen.add(key)
    }
  }
  if (bound.length > 0) return bound.find(({ perhaps }) => perhaps === null) ?? bound[0]!
  const [first] = free.cutOffBy
  const why = first === undefined ? 'its grantor had parted with the parcel before' : `${first.id} prevails over it`
  return { ...BOUND, ...free, binds: false, why, cutOffBy: [...free.cutOffBy] }
}

interface Fork {
  /** What was conveyed twice. */
  estate: Estate
  /** The conveyance that leads to the lien, or the lien itself. */
  entry: Instrument
  /** The conveyance that leads to owners. */
  deed: Instrument
}
interface Searched {
  rules: Rules
  shares: Shares
  free: { cutOffBy: Set<Instrument>; isByFacts: boolean }
}

/** Down the line of a conveyance to owners whom no purchaser shelters: at most one who surely is bound, else one who may be. */
function boundBy(lien: Instrument, { estate, entry, deed }: Fork, { rules, shares, free }: Searched): Binding[] {
  const isLive = (one: Instrument) => isSome(shares.got.get(one) ?? NONE)
  for (const least of [1, 0]) {
    const line = new Set(isLive(deed) ? [deed] : [])
    for (const purchaser of line) {
      rules.left -= 1
      if (rules.left < 0) return [{ ...BOUND, why: 'there are more conveyances than are compared' }]
      const claim = { deed: entry, purchaser: lien }
      const settled = settle(claim, { deed, purchaser }, estate.via?.executed ?? '', rules)
      // What was on the record when the burden was made leaves no claim behind.
      if (
        settled < 0 &&
        !(entry === lien && deed.recorded !== null && compareTimes(deed.recorded, lien.executed) < 0)
      ) {
        free.cutOffBy.add(purchaser)
        free.isByFacts ||= hangsOnFacts(entry, deed, rules)
      }
      if (settled < least) continue
      const own = rules.title.estates.filter(({ via }) => via === purchaser)
      if (own.some((one) => isSome(shares.left.get(one) ?? NONE)))
        return [
          least === 0
            ? { ...BOUND, why: `no date says whether it or ${purchaser.id} comes first`, perhaps: purchaser }
            : {
                ...BOUND,
                why: order(entry, deed) > 0 ? `it prevails over ${deed.id}` : `${deed.id} took subject to it`,
              },
        ]
      for (const next of own.flatMap(({ out }) => out)) if (isLive(next)) line.add(next)
    }
  }
  return []
}
