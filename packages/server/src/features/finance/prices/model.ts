/** The estimator of prices against venues that are not independent: the median of the medians within groups, beside the
 *  plain median of all venues. A simulation on rows that are written here; nothing in it was read from a venue. */
import Big from 'big.js'
import { isRecord } from '../../../domain/stored-receipt.ts'
import { basisPoints, median } from './estimate.ts'

export const MODEL_NOW = 1000
export const MAX_ROWS = 256
export const MAX_AGE = 10
export const MIN_GROUPS = 3
const MAD_DIGITS = 8
const FIELDS = new Set(['venue', 'symbol', 'quote', 'price', 'observed_at', 'group'])
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const PRICE = /^\d{1,31}(?:\.\d{1,30})?$/

export const REJECT_CODES = [
  'ROW_NOT_OBJECT',
  'UNKNOWN_FIELDS',
  'INVALID_VENUE',
  'DUPLICATE_VENUE',
  'SYMBOL_MISMATCH',
  'MISSING_QUOTE',
  'QUOTE_NOT_USD',
  'INVALID_PRICE',
  'INVALID_OBSERVED_AT',
  'FUTURE_OBSERVATION',
  'STALE_OBSERVATION',
  'INVALID_GROUP',
] as const
type RejectCode = (typeof REJECT_CODES)[number]

interface ModelResult {
  state: 'REVIEW' | 'ABSTAIN'
  decision_reasons: 'INSUFFICIENT_GROUPS'[]
  venue_median: string | null
  reference: string | null
  groups: number
  group_mad_bps: string | null
  rows_accepted: number
  rejected: { row: number; code: RejectCode }[]
}

/** `rows` are anything: each is judged by itself, but for a venue that comes twice, all of whose rows are rejected. */
export function groupMedians(rows: readonly unknown[], symbol: string, now = MODEL_NOW): ModelResult {
  if (rows.length > MAX_ROWS) throw new RangeError(`the model takes at most ${MAX_ROWS} rows`)
  const seen = venueCounts(rows)
  const codes = rows.map((row) => rejectCode(row, seen, symbol, now))
  const accepted = rows.filter((_, at) => codes[at] === null) as { venue: string; price: string; group?: string }[]
  const byGroup = Map.groupBy(accepted, ({ venue, group }) =>
    group === undefined ? `venue ${venue}` : `group ${group}`,
  )
  const medians = [...byGroup.values()].flatMap((members) => median(members.map(({ price }) => new Big(price))) ?? [])
  const isShort = medians.length < MIN_GROUPS
  const reference = isShort ? null : median(medians)
  const spread = reference === null ? null : median(medians.map((one) => one.minus(reference).abs()))
  return {
    state: isShort ? 'ABSTAIN' : 'REVIEW',
    decision_reasons: isShort ? ['INSUFFICIENT_GROUPS'] : [],
    venue_median: median(accepted.map(({ price }) => new Big(price)))?.toFixed() ?? null,
    reference: reference?.toFixed() ?? null,
    groups: medians.length,
    group_mad_bps: reference === null || spread === null ? null : basisPoints(spread, reference, MAD_DIGITS),
    rows_accepted: accepted.length,
    rejected: codes.flatMap((code, row) => (code === null ? [] : [{ row, code }])),
  }
}

function venueCounts(rows: readonly unknown[]): Map<unknown, number> {
  const counts = new Map<unknown, number>()
  for (const row of rows) if (isRecord(row)) counts.set(row.venue, (counts.get(row.venue) ?? 0) + 1)
  return counts
}

/** The first rule that a row breaks, in the order of the codes. */
function rejectCode(row: unknown, seen: Map<unknown, number>, symbol: string, now: number): RejectCode | null {
  if (!isRecord(row)) return 'ROW_NOT_OBJECT'
  if (Object.keys(row).some((name) => !FIELDS.has(name))) return 'UNKNOWN_FIELDS'
  if (!isName(row.venue)) return 'INVALID_VENUE'
  if (seen.get(row.venue) !== 1) return 'DUPLICATE_VENUE'
  if (row.symbol !== symbol) return 'SYMBOL_MISMATCH'
  if (row.quote === undefined || row.quote === null || row.quote === '') return 'MISSING_QUOTE'
  if (row.quote !== 'USD') return 'QUOTE_NOT_USD'
  if (typeof row.price !== 'string' || !PRICE.test(row.price) || new Big(row.price).lte(0)) return 'INVALID_PRICE'
  if (typeof row.observed_at !== 'number' || !Number.isFinite(row.observed_at)) return 'INVALID_OBSERVED_AT'
  if (row.observed_at > now) return 'FUTURE_OBSERVATION'
  if (now - row.observed_at > MAX_AGE) return 'STALE_OBSERVATION'
  return row.group === undefined || isName(row.group) ? null : 'INVALID_GROUP'
}

const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value)

const row = (venue: string, price: string, group?: string) => ({
  ...{ venue, symbol: 'BTC', quote: 'USD', price, observed_at: MODEL_NOW },
  ...(group === undefined ? {} : { group }),
})
const INDEPENDENT = [row('a', '99'), row('b', '100'), row('c', '101')]

export const MODEL_CASES = [
  { case: 'single_outlier', rows: [...INDEPENDENT, row('d', '1000')] },
  {
    case: 'correlated_venue_cluster',
    rows: [...INDEPENDENT, ...['d', 'e', 'f', 'g', 'h', 'i', 'j'].map((venue) => row(venue, '1000', 'cluster'))],
  },
] as const
