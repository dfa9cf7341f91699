/** Shares of the parcel, handed down from the root along the conveyances in the order of their priority. */
import { type Fraction, isLess, isSome, least, minus, NONE, partOf, plus, WHOLE } from './fraction.ts'
import { type Instrument, order } from './instruments.ts'
import { type Claim, type Rules, rank, settle } from './priority.ts'
import type { Estate } from './record.ts'

interface LostClaim {
  deed: Instrument
  claimed: Fraction
  got: Fraction
  to: Set<Instrument>
}

export interface Shares {
  /** What each estate still has. */
  left: Map<Estate, Fraction>
  got: Map<Instrument, Fraction>
  lost: LostClaim[]
  /** Shares that no priority decides, and why. */
  contested: {
    code: 'CIRCULAR_PRIORITY' | 'ORDER_UNCERTAIN' | 'TOO_MANY_RIVALS'
    deeds: readonly Instrument[]
    share: Fraction
  }[]
}

/** Nobody's: there are more conveyances than are compared. */
export const givenUp = (deeds: readonly Instrument[]): Shares => ({
  ...{ left: new Map(), got: new Map(), lost: [] },
  contested: [{ code: 'TOO_MANY_RIVALS', deeds, share: WHOLE }],
})

/** `knotted` are conveyances that can be put in no order. */
export function shareOut(rules: Rules, knotted: ReadonlySet<Instrument>): Shares {
  const { estates, sources } = rules.title
  const shares: Shares = { left: new Map(), got: new Map(), lost: [], contested: [] }
  const open: OpenClaims = { left: new Map(), givers: new Map() }
  for (const { holder, out, isReached } of estates)
    for (const deed of isReached ? out : []) open.givers.set(deed, (open.givers.get(deed) ?? new Set()).add(holder))
  const claimed = new Map<Instrument, Fraction>()
  const winners = new Map<Instrument, Set<Instrument>>()
  const byDeed = Map.groupBy(
    estates.filter(({ via }) => via !== null),
    ({ via }) => via!,
  )
  for (const estate of inOrder(estates, byDeed)) {
    let left = estate.share
    const took = new Map<Instrument, Fraction>()
    const knot = isSome(left) ? estate.out.filter((deed) => knotted.has(deed)) : []
    if (knot.length > 0) {
      shares.contested.push({ code: 'ORDER_UNCERTAIN', deeds: knot, share: left })
      left = NONE
    }
    const groups = isSome(left) ? rank(estate, rules) : []
    if (rules.left < 0) return givenUp([...sources.keys()])
    if (groups === null) {
      shares.contested.push({ code: 'TOO_MANY_RIVALS', deeds: estate.out, share: left })
      left = NONE
    }
    for (const group of groups ?? []) {
      const deeds = [...new Set(group.map(({ deed }) => deed))]
      const asked = deeds.map((deed) => openClaim(deed, estate, open) ?? estate.share).reduce(plus, NONE)
      // Who asks together for no more than there is has no rival, and nobody is his own.
      const areRivals = isLess(left, asked) && !deeds.every((deed) => areSame(deed, deeds[0]!))
      if (deeds.length > 1 && isSome(left) && areRivals) {
        shares.contested.push({ code: doubtOf(group, estate, rules), deeds, share: left })
        left = NONE
      }
      for (const claim of group.toSorted(byRecording)) {
        const share = least(left, amountOf(claim, estate, open, left))
        const { deed } = claim
        if (isSome(share)) {
          left = minus(left, share)
          const limit = openClaim(deed, estate, open)
          if (limit !== null) open.left.set(openKey(deed, estate), minus(limit, share))
          shares.got.set(deed, plus(shares.got.get(deed) ?? NONE, share))
          const own = byDeed.get(deed) ?? []
          for (const next of own) next.share = plus(next.share, partOf(share, own.length))
        }
        const asked = deed.fraction ?? minus(estate.share, sold(took, deed))
        if (isLess(claimed.get(deed) ?? NONE, asked)) claimed.set(deed, asked)
        const before = winners.get(deed) ?? new Set()
        for (const other of took.keys()) if (other !== deed) before.add(other)
        winners.set(deed, before)
        if (isSome(share)) took.set(deed, plus(took.get(deed) ?? NONE, share))
      }
    }
    shares.left.set(estate, left)
  }
  const inContest = new Set(shares.contested.flatMap(({ deeds }) => deeds))
  for (const [deed, all] of claimed) {
    const got = shares.got.get(deed) ?? NONE
    const to = winners.get(deed) ?? new Set()
    const isBeaten = !inContest.has(deed) && [...to].some((winner) => !areSame(winner, deed))
    if (isBeaten && isLess(got, all)) shares.lost.push({ deed, claimed: all, got, to })
  }
  shares.lost.sort((a, b) => a.deed.at - b.deed.at)
  return shares
}

/** Deeds to the same parties, as when one confirms the other. */
const areSame = ({ to }: Instrument, other: Instrument): boolean =>
  to.length === other.to.length && to.every((party) => other.to.includes(party))

const byRecording = ({ deed: one }: Claim, { deed: other }: Claim): number => {
  const [a, b] = [one.recorded ?? '~', other.recorded ?? '~']
  return a < b ? -1 : a > b ? 1 : 0
}

/** Whether claims that are all ahead of each other are so for want of a date, or go in a circle. */
const doubtOf = (group: readonly Claim[], { via }: Estate, rules: Rules) =>
  group.some((one) =>
    group.some((other) => one.deed !== other.deed && settle(one, other, via?.executed ?? '', rules) === 0),
  )
    ? 'ORDER_UNCERTAIN'
    : 'CIRCULAR_PRIORITY'

/** Stated fractions that the owner had parted with before: whoever takes what is left takes it without them. */
const sold = (took: ReadonlyMap<Instrument, Fraction>, by: Instrument): Fraction =>
  [...took].reduce(
    (sum, [deed, share]) => (deed.fraction !== null && order(deed, by) < 0 ? plus(sum, share) : sum),
    NONE,
  )

interface OpenClaims {
  left: Map<string, Fraction>
  /** The grantors that have something to give. */
  givers: Map<Instrument, Set<string>>
}

const openKey = (deed: Instrument, { holder }: Estate): string => `${deed.at} ${holder}`

/** What is left of a stated fraction, which its grantors give in equal parts; null for all that there is. */
function openClaim(deed: Instrument, estate: Estate, open: OpenClaims): Fraction | null {
  if (deed.fraction === null) return null
  return open.left.get(openKey(deed, estate)) ?? partOf(deed.fraction, open.givers.get(deed)!.size)
}

function amountOf({ deed, purchaser }: Claim, estate: Estate, open: OpenClaims, left: Fraction): Fraction {
  const limit = openClaim(deed, estate, open) ?? left
  return purchaser === deed ? limit : least(limit, purchaser.fraction ?? WHOLE)
}

/** Each estate after all those that feed it. */
function inOrder(estates: readonly Estate[], byDeed: ReadonlyMap<Instrument, Estate[]>): Estate[] {
  const feeders = new Map(estates.map((estate) => [estate, 0]))
  const each = (estate: Estate, visit: (next: Estate) => void): void => {
    for (const deed of estate.out) for (const next of byDeed.get(deed) ?? []) visit(next)
  }
  for (const estate of estates) each(estate, (next) => feeders.set(next, feeders.get(next)! + 1))
  const order = estates.filter((estate) => feeders.get(estate) === 0)
  for (const estate of order)
    each(estate, (next) => {
      feeders.set(next, feeders.get(next)! - 1)
      if (feeders.get(next) === 0) order.push(next)
    })
  return order
}
