import Type, { type Static } from 'typebox'
import {
  CIK_PATTERN,
  FOUR_FLAGS,
  OBSERVATION_LABELS,
  OBSERVATION_MODES,
  OBSERVATION_STATES,
  ObservationError,
  ObservationProvenance,
} from '../../domain/observation.ts'
import { Count, closed, Nullable, named, Text, Timestamp, words } from '../../domain/wire.ts'

const CIK = Type.String({
  pattern: `^${CIK_PATTERN}$`,
  default: '320193',
  description: 'the number of the company at the SEC: one to ten digits, not all of them zero',
  examples: ['320193'],
})
const SeriesId = Type.String({
  pattern: '^[A-Z0-9_]{1,64}$',
  default: 'GDP',
  description: 'the id of a FRED series: capital letters, digits and underscores',
  examples: ['GDP'],
})
export const CompanyQuery = Type.Object({ cik: Type.Optional(CIK) })
export const MacroQuery = Type.Object({ series_id: Type.Optional(SeriesId) })
export const SummaryQuery = Type.Object({ cik: Type.Optional(CIK), series_id: Type.Optional(SeriesId) })
export const DEFAULT_CIK = '320193'
export const DEFAULT_SERIES = 'GDP'

const Day = Type.String({ format: 'date' })
const Decimal = Type.String({ pattern: '^-?[0-9]+(?:\\.[0-9]+)?$', description: 'a decimal, as the source has it' })

/** What every part says of its reading. */
const frame = {
  ok: Type.Boolean(),
  state: words(OBSERVATION_STATES),
  mode: words(OBSERVATION_MODES),
  label: words(OBSERVATION_LABELS),
  source: Type.String(),
  source_label: words(OBSERVATION_LABELS),
  source_url: Type.String({ description: 'what is asked, without keys' }),
  fetched_at: Nullable(Timestamp),
  age_seconds: Nullable(Count),
  served_at: Timestamp,
  provenance: Nullable(ObservationProvenance),
  error: Nullable(ObservationError),
  retry_after_seconds: Nullable(Count),
  note: Type.String(),
}

const fact = {
  value: Decimal,
  taxonomy: Type.String(),
  concept: Type.String(),
  start: Nullable(Day),
  period_end: Day,
  duration_days: Nullable(Count),
  form: Type.String(),
  filed: Day,
  accession: Type.String(),
}
const MetricReply = Type.Union([
  closed({
    ...fact,
    currency: Type.String(),
    fiscal_year: Nullable(Count),
    alternatives: Type.Array(closed(fact), {
      maxItems: 20,
      description: 'what else was reported for a period with the same end, in the same currency',
    }),
    alternatives_omitted: Count,
    other_currencies: Type.Array(closed({ currency: Type.String(), period_end: Day })),
    reason: Type.Null(),
  }),
  closed({ value: Type.Null(), reason: Type.String({ description: 'why there is no figure' }) }),
])
export type MetricReply = Static<typeof MetricReply>

export const Company = named('MarketsCompany', {
  schema: Type.Literal('orch.markets.company/v1'),
  ...frame,
  cik: Type.String({ pattern: '^[0-9]{10}$' }),
  entity: Text,
  metrics: Nullable(
    closed({
      revenue: MetricReply,
      net_income: MetricReply,
      assets: MetricReply,
      liabilities: MetricReply,
      stockholders_equity: MetricReply,
    }),
  ),
  periods_aligned: Nullable(Type.Boolean()),
  ...FOUR_FLAGS,
})
export type Company = Static<typeof Company>

export const Debt = named('MarketsDebt', {
  schema: Type.Literal('orch.markets.debt/v1'),
  ...frame,
  record_date: Nullable(Day),
  total_public_debt_outstanding_usd: Nullable(Decimal),
  debt_held_by_public_usd: Nullable(Decimal),
  intragovernmental_holdings_usd: Nullable(Decimal),
  components_sum_matches: Nullable(Type.Boolean()),
  total_public_debt_outstanding_raw: Text,
  ...FOUR_FLAGS,
})
export type Debt = Static<typeof Debt>

const Point = closed({ date: Day, value: Nullable(Decimal) })

export const Macro = named('MarketsMacro', {
  schema: Type.Literal('orch.markets.macro/v1'),
  ...frame,
  series_id: Type.String(),
  variant: words(['api', 'keyless-csv']),
  vintage: Nullable(Day),
  units: Text,
  observations: Type.Array(Point, { maxItems: 24, description: 'the newest first' }),
  latest: Nullable(closed({ date: Day, value: Decimal })),
  ...FOUR_FLAGS,
})
export type Macro = Static<typeof Macro>

export const MarketSummary = named('MarketsSummary', {
  schema: Type.Literal('orch.markets.summary/v1'),
  ok: Type.Boolean(),
  state: words(['SNAPSHOTS_AVAILABLE', 'DEGRADED', 'UNAVAILABLE']),
  mode: words(OBSERVATION_MODES),
  label: words(OBSERVATION_LABELS),
  source: Type.String(),
  source_label: words(OBSERVATION_LABELS),
  source_url: Type.Null({ description: 'each part names its own' }),
  fetched_at: Type.Union([Nullable(Timestamp)], { description: 'of the oldest part that was read' }),
  age_seconds: Nullable(Count),
  served_at: Timestamp,
  provenance: Type.Null({ description: 'each part has its own' }),
  error: Nullable(ObservationError),
  note: Type.String(),
  parts_ok: Count,
  parts_total: Type.Literal(3),
  failed: Type.Array(words(['company', 'national_debt', 'macro'])),
  company: Company,
  national_debt: Debt,
  macro: Macro,
  doctrine: Type.String(),
  ...FOUR_FLAGS,
})
export type MarketSummary = Static<typeof MarketSummary>
