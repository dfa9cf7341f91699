/** How often each outcome came in a span of time, by slices of it, among the receipts a filter matches. Receipts are read
 *  newest first and a bounded number of them; where the reading ended is part of the answer. */
import { DECISIONS, type Decision } from '@orch/core'
import type { ReceiptReader } from '../stored-receipt.ts'
import { type ChainName, sees, type Viewer } from '../visibility.ts'
import { matcher, type ReceiptFilter } from './filter.ts'
import { type ReceiptRow, rowOf } from './row.ts'

const MAX_SCANNED = 20_000
const CHUNK = 250
const DAY_MS = 86_400_000

export interface OutcomesRequest {
  filter: ReceiptFilter
  chain: ChainName | null
  /** Slices of the span. */
  slices: number
  /** Milliseconds since the epoch: the end of the span, unless the filter names one. */
  now: number
}

type Counts = Record<Lowercase<Decision>, number>
export type Outcomes = Awaited<ReturnType<typeof countOutcomes>>

type Reader = Pick<ReceiptReader, 'head' | 'range'>

export async function countOutcomes(reader: Reader, viewer: Viewer, request: OutcomesRequest) {
  const { filter, chain, slices } = request
  const until = filter.until === undefined ? request.now : Date.parse(filter.until)
  const since = filter.since === undefined ? until - DAY_MS : Math.min(Date.parse(filter.since), until)
  const width = Math.max(1, (until - since) / slices)
  const { decision: _, since: _since, until: _until, ...rest } = filter
  const matches = matcher(rest)
  const found = Array.from({ length: slices }, (): Counts => ({ allow: 0, review: 0, deny: 0 }))
  const count = (row: ReceiptRow): void => {
    const outcome = DECISIONS.find((word) => word === row.decision)
    const at = row.ts_utc === null ? Number.NaN : Date.parse(row.ts_utc)
    if (outcome === undefined || !(at >= since && at <= until) || !matches(row)) return
    const slice = found[Math.min(slices - 1, Math.floor((at - since) / width))] as Counts
    slice[outcome.toLowerCase() as Lowercase<Decision>] += 1
  }
  const { size } = await reader.head()
  let before = size
  let ended: 'beginning' | 'since' | 'limit' = 'beginning'
  while (before > 0) {
    if (size - before >= MAX_SCANNED) {
      ended = 'limit'
      break
    }
    const from = Math.max(0, before - CHUNK)
    const stored = (await reader.range(from, before - from)).filter(({ nodeIndex }) => nodeIndex < before)
    before = from
    const rows = stored.filter((one) => isOf(chain, one) && sees(viewer, one)).map(rowOf)
    for (const row of rows) count(row)
    // Time is no order: only a whole chunk that is older than the span says that the rest is.
    if (before > 0 && stored.map(rowOf).every(({ ts_utc }) => ts_utc !== null && Date.parse(ts_utc) < since)) {
      ended = 'since'
      break
    }
  }
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    slices: found,
    total: totalOf(found),
    scanned: size - before,
    ended,
  }
}

const isOf = (chain: ChainName | null, { ns, chain: name }: ChainName): boolean =>
  chain === null || (ns === chain.ns && name === chain.chain)

const totalOf = (slices: readonly Counts[]): Counts =>
  slices.reduce(
    (sum, { allow, review, deny }) => ({
      allow: sum.allow + allow,
      review: sum.review + review,
      deny: sum.deny + deny,
    }),
    { allow: 0, review: 0, deny: 0 },
  )
