/** The four replies, made of readings. A part that failed is told as failed, in itself and in the summary. */
import Big from 'big.js'
import { type DebtData, flags } from '../../domain/observation.ts'
import {
  arePeriodsAligned,
  type CompanyFacts,
  type MetricName,
  type MetricOutcome,
  selectMetric,
} from './company-facts.ts'
import { type MarketReading, withoutData } from './reading.ts'
import type { Company, Debt, Macro, MarketSummary, MetricReply } from './schemas.ts'

const headOf = ({ head, source, sourceUrl }: MarketReading<unknown>) => ({
  ...head,
  ...{ source, source_label: head.label, source_url: sourceUrl },
})

export function toCompany(reading: MarketReading<CompanyFacts>, cik: string): Company {
  const { data } = reading
  const outcome = (name: MetricName): MetricOutcome | null => (data === null ? null : selectMetric(data, name))
  const [revenue, netIncome, assets, liabilities, equity] = (
    ['revenue', 'net_income', 'assets', 'liabilities', 'stockholders_equity'] as const
  ).map(outcome)
  const found = [revenue, netIncome, assets, liabilities, equity].filter((one) => one != null)
  return {
    schema: 'orch.markets.company/v1',
    ...headOf(reading),
    cik: cik.padStart(10, '0'),
    entity: data?.entity ?? null,
    metrics:
      revenue && netIncome && assets && liabilities && equity
        ? {
            ...{ revenue: toMetric(revenue), net_income: toMetric(netIncome), assets: toMetric(assets) },
            ...{ liabilities: toMetric(liabilities), stockholders_equity: toMetric(equity) },
          }
        : null,
    periods_aligned: arePeriodsAligned(found),
    note: COMPANY_NOTE,
    ...flags,
  }
}

const toMetric = ({ metric, reason }: MetricOutcome): MetricReply =>
  metric === null ? { value: null, reason } : { ...metric, reason: null }

const COMPANY_NOTE =
  'Each figure is one row of one annual filing (10-K, 20-F, 40-F or an amendment): the latest period end, then the latest filing. Restated and competing rows of the same period are alternatives. Nothing is added up or converted.'

/** The newest day. Its two parts must add up to its total to the cent, or the reply says that they do not. */
export function toDebt(read: MarketReading<DebtData>): Debt {
  const row = read.data?.items[0] ?? null
  const reading = row === null && read.data !== null ? withoutData(read) : read
  const total = row?.total_public_debt_outstanding ?? null
  const parts = [row?.debt_held_by_public ?? null, row?.intragovernmental_holdings ?? null] as const
  return {
    schema: 'orch.markets.debt/v1',
    ...headOf(reading),
    record_date: row?.record_date ?? null,
    total_public_debt_outstanding_usd: total,
    debt_held_by_public_usd: parts[0],
    intragovernmental_holdings_usd: parts[1],
    components_sum_matches: sumMatches(total, ...parts),
    total_public_debt_outstanding_raw: total,
    note: 'The newest row of Debt to the Penny, amounts in US dollars as the source writes them.',
    ...flags,
  }
}

const sumMatches = (total: string | null, a: string | null, b: string | null): boolean | null =>
  total === null || a === null || b === null ? null : new Big(a).plus(b).eq(total)

/** The newest first. */
export interface SeriesReading {
  observations: { date: string; value: string | null }[]
  units: string | null
  vintage: string | null
}

const MAX_OBSERVATIONS = 24

export function toMacro(reading: MarketReading<SeriesReading>, seriesId: string, variant: Macro['variant']): Macro {
  const { observations = [], units = null, vintage = null } = reading.data ?? {}
  const newest = observations.find(({ value }) => value !== null)
  return {
    schema: 'orch.markets.macro/v1',
    ...headOf(reading),
    ...{ series_id: seriesId, variant, vintage, units },
    observations: observations.slice(0, MAX_OBSERVATIONS),
    latest: newest === undefined ? null : { date: newest.date, value: newest.value! },
    note:
      variant === 'api'
        ? 'Observations as they stood on the day of the vintage. latest is the newest that has a value.'
        : 'The public download of the series, which names neither units nor a vintage. latest is the newest that has a value.',
    ...flags,
  }
}

const WEAKEST = ['unreachable', 'cached', 'live'] as const
const LABEL_OF_MODE = { unreachable: 'UNAVAILABLE', cached: 'SAMPLE', live: 'LIVE' } as const

export function toSummary(company: Company, debt: Debt, macro: Macro, servedAt: string): MarketSummary {
  const parts = [
    ['company', company],
    ['national_debt', debt],
    ['macro', macro],
  ] as const
  const failed = parts.filter(([, { ok }]) => !ok)
  const read = parts.flatMap(([, { fetched_at, age_seconds }]) =>
    fetched_at === null || age_seconds === null ? [] : [{ fetched_at, age_seconds }],
  )
  const [oldest] = read.toSorted((a, b) => (a.fetched_at < b.fetched_at ? -1 : 1))
  const mode = WEAKEST.find((word) => parts.some(([, part]) => part.mode === word)) ?? 'unreachable'
  const label = LABEL_OF_MODE[mode]
  return {
    schema: 'orch.markets.summary/v1',
    ok: failed.length === 0,
    state: failed.length === 0 ? 'SNAPSHOTS_AVAILABLE' : read.length === 0 ? 'UNAVAILABLE' : 'DEGRADED',
    ...{ mode, label, source: 'markets-summary', source_label: label, source_url: null },
    ...{ fetched_at: oldest?.fetched_at ?? null, age_seconds: oldest?.age_seconds ?? null, served_at: servedAt },
    ...{ provenance: null, error: failed[0]?.[1].error ?? null },
    note: 'Three independent readings side by side, as strong as the weakest of them; nothing is computed across them.',
    parts_ok: parts.length - failed.length,
    parts_total: 3,
    failed: failed.map(([name]) => name),
    ...{ company, national_debt: debt, macro },
    doctrine: 'One part that failed is never an aggregate success; each part carries its own label and provenance.',
    ...flags,
  }
}
