/** The estimate of a price: the median of the midpoints of venues, without those that lie too far from it. All of it is
 *  exact decimal arithmetic; only what is shown of a distance is rounded. */
import Big from 'big.js'

/** What one venue said, or why it counts for nothing. */
export interface VenueQuote {
  venue: string
  bid: string | null
  ask: string | null
  last: string | null
  venue_time: string | null
  time_basis: string
  fetched_at: string | null
  bytes_sha256: string | null
  /** Why it was rejected before the estimate; null where it takes part. */
  reason: string | null
}

interface JudgedVenue extends VenueQuote {
  mid: string | null
  kept: boolean
}

export interface Estimate {
  method: 'median-of-midpoints'
  /** Null where no venue was kept. */
  price: string | null
  /** Of the venues that were kept. */
  dispersion_bps: string | null
  /** Of every venue whose midpoint counted, before the drop. */
  dispersion_before_drop_bps: string | null
  interval: { lower: string; upper: string } | null
  venues: JudgedVenue[]
}

type EstimateReason = 'INSUFFICIENT_VENUES' | 'DISPERSION_EXCEEDED'

const MIN_VENUES = 3
const OUTLIER = 'OUTLIER_DROPPED'
const BPS_DIGITS = 4

/** `reasons` is empty exactly where the estimate may be printed. */
export function estimatePrice(
  quotes: readonly VenueQuote[],
  maxDispersionBps: number,
): { estimate: Estimate; reasons: EstimateReason[] } {
  const judged = quotes.map(judgeQuote)
  const mids = judged.flatMap(({ mid }) => (mid === null ? [] : [new Big(mid)]))
  const first = median(mids)
  const venues = judged.map((row) =>
    row.mid === null || first === null || isWithin(new Big(row.mid).minus(first).abs(), first, maxDispersionBps)
      ? row
      : { ...row, kept: false, reason: OUTLIER },
  )
  const retained = venues.flatMap(({ kept: isKept, mid }) => (isKept && mid !== null ? [new Big(mid)] : []))
  const price = median(retained)
  const estimate: Estimate = {
    method: 'median-of-midpoints',
    price: price?.toFixed() ?? null,
    dispersion_bps: dispersion(retained),
    dispersion_before_drop_bps: dispersion(mids),
    interval: intervalOf(retained),
    venues,
  }
  return { estimate, reasons: reasonsOf(retained, retained.length < mids.length, maxDispersionBps) }
}

/** A drop that leaves too few venues is a disagreement as much as a lack of venues. */
function reasonsOf(retained: readonly Big[], hasDropped: boolean, maxDispersionBps: number): EstimateReason[] {
  const isShort = retained.length < MIN_VENUES
  const [price, bounds] = [median(retained), endsOf(retained)]
  const isWide = price !== null && bounds !== null && !isWithin(bounds.max.minus(bounds.min), price, maxDispersionBps)
  return [
    ...(isShort ? (['INSUFFICIENT_VENUES'] as const) : []),
    ...(isWide || (isShort && hasDropped) ? (['DISPERSION_EXCEEDED'] as const) : []),
  ]
}

/** Crossed, one-sided and non-positive books have no midpoint. */
function judgeQuote(quote: VenueQuote): JudgedVenue {
  const rejected = (reason: string): JudgedVenue => ({ ...quote, mid: null, kept: false, reason })
  if (quote.reason !== null) return rejected(quote.reason)
  if (quote.bid === null || quote.ask === null) return rejected('ONE_SIDED')
  const [bid, ask] = [new Big(quote.bid), new Big(quote.ask)]
  if (bid.lte(0) || ask.lte(0)) return rejected('NON_POSITIVE')
  if (bid.gt(ask)) return rejected('CROSSED')
  return { ...quote, mid: bid.plus(ask).times('0.5').toFixed(), kept: true }
}

/** Of an even count the midpoint of the middle two; null of nothing. */
export function median(values: readonly Big[]): Big | null {
  const sorted = values.toSorted((a, b) => a.cmp(b))
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : low.plus(high).times('0.5')
}

const endsOf = (values: readonly Big[]): { min: Big; max: Big } | null =>
  values.length === 0
    ? null
    : { min: values.reduce((a, b) => (b.lt(a) ? b : a)), max: values.reduce((a, b) => (b.gt(a) ? b : a)) }

/** Compared without a division, so that a distance at the bound itself is within it. */
const isWithin = (distance: Big, reference: Big, maxBps: number): boolean =>
  distance.times(10_000).lte(reference.times(maxBps))

/** `distance` in basis points of a positive reference, without the sign of nothing. */
export function basisPoints(distance: Big, reference: Big, digits = BPS_DIGITS): string {
  return dividing(distance.times(10_000), reference)
    .toFixed(digits)
    .replace(/^-(?=[0.]+$)/, '')
}

/** The constructor of its own holds the precision of a division, which all others would share. */
const Divided = Big()
Divided.DP = 40
const dividing = (a: Big, b: Big): Big => new Divided(a).div(b)

function dispersion(values: readonly Big[]): string | null {
  const [price, bounds] = [median(values), endsOf(values)]
  return price === null || bounds === null ? null : basisPoints(bounds.max.minus(bounds.min), price)
}

function intervalOf(values: readonly Big[]): Estimate['interval'] {
  const bounds = endsOf(values)
  return bounds === null ? null : { lower: bounds.min.toFixed(), upper: bounds.max.toFixed() }
}
