/** The annual figures of a company, from the facts of its filings. A figure is never made up of parts: it is one row of one
 *  filing, and what else was reported for the same period is shown beside it. */
import Type, { type Static } from 'typebox'
import type { Members } from '../../adapters/outbound/contract.ts'
import { isRecord } from '../../domain/stored-receipt.ts'
import { read } from '../../platform/shape.ts'

/** One reported fact, of an annual report. The value is the decimal as it was filed. */
interface FactRow {
  taxonomy: string
  concept: string
  unit: string
  value: string
  start: string | null
  end: string
  fiscal_year: number | null
  form: string
  filed: string
  accession: string
}

export interface CompanyFacts {
  /** As the source names it; null where it names none. */
  entity: string | null
  rows: FactRow[]
  /** Candidate concepts that the company ever reported, in whatever form. */
  reported: string[]
}

type Fault = 'INVALID_SOURCE_SCHEMA' | 'INVALID_SOURCE_TIMESTAMP' | 'INVALID_SOURCE_NUMBER' | 'IDENTITY_MISMATCH'
type Candidate = readonly [taxonomy: string, concept: string]

const gaap = (...concepts: string[]): Candidate[] => concepts.map((concept) => ['us-gaap', concept])
const ifrs = (concept: string): Candidate => ['ifrs-full', concept]

/** In the order in which they are preferred where period and filing date are equal. */
const METRICS = {
  revenue: {
    isFlow: true,
    candidates: [
      ...gaap(
        'RevenueFromContractWithCustomerExcludingAssessedTax',
        'Revenues',
        'SalesRevenueNet',
        'RevenueFromContractWithCustomerIncludingAssessedTax',
      ),
      ifrs('Revenue'),
    ],
  },
  net_income: { isFlow: true, candidates: [...gaap('NetIncomeLoss', 'ProfitLoss'), ifrs('ProfitLoss')] },
  assets: { isFlow: false, candidates: [...gaap('Assets'), ifrs('Assets')] },
  liabilities: { isFlow: false, candidates: [...gaap('Liabilities'), ifrs('Liabilities')] },
  stockholders_equity: {
    isFlow: false,
    candidates: [
      ...gaap('StockholdersEquity', 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest'),
      ifrs('Equity'),
    ],
  },
} as const satisfies Record<string, { isFlow: boolean; candidates: readonly Candidate[] }>
export type MetricName = keyof typeof METRICS

const nameOf = ([taxonomy, concept]: Candidate): string => `${taxonomy}:${concept}`
const CANDIDATES = new Set(Object.values(METRICS).flatMap(({ candidates }) => candidates.map(nameOf)))
/** What is looked at of a file that has thousands of concepts. */
export const FACTS_MEMBERS: Members = {
  cik: true,
  entityName: true,
  facts: membersOf(Object.values(METRICS).flatMap(({ candidates }) => candidates)),
}

function membersOf(candidates: readonly Candidate[]): Members {
  const byTaxonomy = Map.groupBy(candidates, ([taxonomy]) => taxonomy)
  const named = (rows: readonly Candidate[]) => Object.fromEntries(rows.map(([, concept]) => [concept, true] as const))
  return Object.fromEntries([...byTaxonomy].map(([taxonomy, rows]) => [taxonomy, named(rows)]))
}

const ANNUAL_FORMS = new Set(['10-K', '20-F', '40-F', '10-K/A', '20-F/A', '40-F/A'])
const MIN_YEAR_DAYS = 350
const MAX_YEAR_DAYS = 380
const MAX_ALTERNATIVES = 20
const CURRENCY = /^[A-Z]{3}$/
const DECIMAL = /^-?\d{1,31}(?:\.\d{1,30})?$/
const YEAR = /^[1-9]\d{3}$/
const DAY = /^\d{4}-\d\d-\d\d$/

/** The reply as it was sent, numbers by their digits. Rows of other forms are not looked at. */
const Reply = Type.Object({
  cik: Type.String({ pattern: '^[0-9]{1,10}$' }),
  entityName: Type.Optional(Type.Union([Type.String({ maxLength: 512 }), Type.Null()])),
  facts: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())),
})
const Concept = Type.Object({ units: Type.Record(Type.String(), Type.Array(Type.Unknown())) })
const Row = Type.Object({
  start: Type.Optional(Type.String()),
  end: Type.String(),
  val: Type.String(),
  accn: Type.String({ minLength: 1, maxLength: 32, pattern: '^[0-9-]+$' }),
  fy: Type.Optional(Type.Union([Type.String({ maxLength: 32 }), Type.Null()])),
  form: Type.String({ maxLength: 32 }),
  filed: Type.String(),
})

type Parsed<T> = { ok: true; value: T } | { ok: false; fault: Fault }

/** Takes anything. A row that cannot be what it claims refuses the reply: half of a filing is worse than none. */
export function parseCompanyFacts(reply: unknown, cik: string): Parsed<CompanyFacts> {
  const shaped = read(Reply, reply)
  if (!shaped.ok) return { ok: false, fault: 'INVALID_SOURCE_SCHEMA' }
  const { cik: answered, entityName, facts } = shaped.value
  if (BigInt(answered) !== BigInt(cik)) return { ok: false, fault: 'IDENTITY_MISMATCH' }
  const found: CompanyFacts = { entity: entityName || null, rows: [], reported: [] }
  for (const [taxonomy, concepts] of Object.entries(facts))
    for (const [concept, value] of Object.entries(concepts)) {
      if (!CANDIDATES.has(nameOf([taxonomy, concept]))) continue
      const rows = conceptRows(value, taxonomy, concept)
      if (!rows.ok) return rows
      found.rows.push(...rows.value)
      found.reported.push(nameOf([taxonomy, concept]))
    }
  return { ok: true, value: found }
}

function conceptRows(value: unknown, taxonomy: string, concept: string): Parsed<FactRow[]> {
  const shaped = read(Concept, value)
  if (!shaped.ok) return { ok: false, fault: 'INVALID_SOURCE_SCHEMA' }
  const found: FactRow[] = []
  for (const [unit, rows] of Object.entries(shaped.value.units)) {
    if (!CURRENCY.test(unit)) continue
    for (const one of rows) {
      if (isRecord(one) && typeof one.form === 'string' && !ANNUAL_FORMS.has(one.form)) continue
      const row = read(Row, one)
      if (!row.ok) return { ok: false, fault: 'INVALID_SOURCE_SCHEMA' }
      const fault = rowFault(row.value)
      if (fault !== null) return { ok: false, fault }
      const { start = null, end, val, accn, fy, form, filed } = row.value
      // Filers mistype the year of the report; it decides nothing and is told only where it can be one.
      const fiscal_year = YEAR.test(fy ?? '') ? Number(fy) : null
      found.push({ taxonomy, concept, unit, value: val, start, end, fiscal_year, form, filed, accession: accn })
    }
  }
  return { ok: true, value: found }
}

function rowFault({ start, end, filed, val }: Static<typeof Row>): Fault | null {
  if (!DECIMAL.test(val)) return 'INVALID_SOURCE_NUMBER'
  return [end, filed, ...(start === undefined ? [] : [start])].every(isDay) ? null : 'INVALID_SOURCE_TIMESTAMP'
}

/** A day of the calendar; the thirtieth of February is none. */
export const isDay = (text: string): boolean =>
  DAY.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

const daysBetween = (start: string, end: string): number => (Date.parse(end) - Date.parse(start)) / 86_400_000

interface Metric {
  value: string
  currency: string
  taxonomy: string
  concept: string
  start: string | null
  period_end: string
  duration_days: number | null
  fiscal_year: number | null
  form: string
  filed: string
  accession: string
  /** What else was reported for a period that ends on the same day, in the same currency. */
  alternatives: Alternative[]
  /** How many more there are: whoever answers decides how many rows a period has. */
  alternatives_omitted: number
  /** Other currencies in which the company reported it, each with its newest end. */
  other_currencies: { currency: string; period_end: string }[]
}
type Alternative = Omit<
  Metric,
  'alternatives' | 'alternatives_omitted' | 'other_currencies' | 'currency' | 'fiscal_year'
>

export type MetricOutcome =
  | { metric: Metric; reason: null }
  | { metric: null; reason: 'CONCEPT_NOT_REPORTED' | 'NO_ANNUAL_PERIOD' }

export function selectMetric({ rows, reported }: CompanyFacts, name: MetricName): MetricOutcome {
  const { candidates, isFlow } = METRICS[name]
  const order = candidates.map(nameOf)
  const rank = ({ taxonomy, concept }: FactRow) => order.indexOf(nameOf([taxonomy, concept]))
  const annual = rows.filter((row) => rank(row) >= 0 && isAnnual(row, isFlow))
  const newest = annual.toSorted(
    (a, b) => newestFirst(a.end, b.end) || newestFirst(a.filed, b.filed) || rank(a) - rank(b) || byAccession(a, b),
  )
  const unit = newest.some((row) => row.unit === 'USD') ? 'USD' : newest[0]?.unit
  const best = newest.find((row) => row.unit === unit)
  if (best === undefined)
    return {
      metric: null,
      reason: order.some((one) => reported.includes(one)) ? 'NO_ANNUAL_PERIOD' : 'CONCEPT_NOT_REPORTED',
    }
  const samePeriod = newest.filter((row) => row.unit === unit && row.end === best.end)
  const metric = {
    ...shown(best),
    currency: best.unit,
    fiscal_year: samePeriod.at(-1)!.fiscal_year,
    alternatives: samePeriod.slice(1, 1 + MAX_ALTERNATIVES).map(shown),
    alternatives_omitted: Math.max(0, samePeriod.length - 1 - MAX_ALTERNATIVES),
    other_currencies: otherCurrencies(newest, best.unit),
  }
  return { metric, reason: null }
}

/** A quarter inside an annual report is no year, and a balance has no beginning. A period that ends after the filing that
 *  reports it is a mistake of the filing. */
function isAnnual({ start, end, filed }: FactRow, isFlow: boolean): boolean {
  if (end > filed) return false
  if (!isFlow || start === null) return !isFlow && start === null
  const days = daysBetween(start, end)
  return days >= MIN_YEAR_DAYS && days <= MAX_YEAR_DAYS
}

const newestFirst = (a: string, b: string): number => (a === b ? 0 : a > b ? -1 : 1)
const byAccession = (a: FactRow, b: FactRow): number => newestFirst(a.accession, b.accession)

const shown = ({ unit: _, fiscal_year: __, end, ...row }: FactRow): Alternative => ({
  ...row,
  period_end: end,
  duration_days: row.start === null ? null : daysBetween(row.start, end),
})

function otherCurrencies(newest: readonly FactRow[], unit: string): Metric['other_currencies'] {
  const others = [...new Set(newest.map((row) => row.unit))].filter((one) => one !== unit)
  return others.map((currency) => ({ currency, period_end: newest.find((row) => row.unit === currency)!.end }))
}

/** Whether the figures that were found speak of periods with one end; null where there are not two to compare. */
export function arePeriodsAligned(outcomes: readonly MetricOutcome[]): boolean | null {
  const periodEnds = outcomes.flatMap(({ metric }) => (metric === null ? [] : [metric.period_end]))
  return periodEnds.length < 2 ? null : new Set(periodEnds).size === 1
}
