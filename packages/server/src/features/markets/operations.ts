import { operation } from '../../operation.ts'
import type { Markets } from './contract.ts'
import {
  Company,
  CompanyQuery,
  DEFAULT_CIK,
  DEFAULT_SERIES,
  Debt,
  Macro,
  MacroQuery,
  MarketSummary,
  SummaryQuery,
} from './schemas.ts'

const reading = {
  group: 'Research',
  method: 'GET',
  scope: null,
  alias: true,
  narrows: true,
  labels: ['LIVE', 'SAMPLE', 'UNAVAILABLE'],
} as const

/** Public figures with where they come from: a company's annual report, the public debt, a series. Nothing here trades. */
export const markets = ({ markets: port }: { markets: Markets }) => [
  operation({
    ...reading,
    id: 'markets.company',
    path: '/markets/company',
    summary: 'Five annual figures of a company from its filings, with what else was reported',
    query: CompanyQuery,
    reply: Company,
    example: { query: { cik: DEFAULT_CIK } },
    run: ({ query, signal }) => port.company(query.cik ?? DEFAULT_CIK, signal),
  }),
  operation({
    ...reading,
    id: 'markets.debt',
    path: '/markets/debt',
    summary: 'The public debt of the United States on the newest day that was published',
    reply: Debt,
    example: {},
    run: ({ signal }) => port.debt(signal),
  }),
  operation({
    ...reading,
    id: 'markets.macro',
    path: '/markets/macro',
    summary: 'The newest 24 observations of a FRED series',
    query: MacroQuery,
    reply: Macro,
    example: { query: { series_id: DEFAULT_SERIES } },
    run: ({ query, signal }) => port.macro(query.series_id ?? DEFAULT_SERIES, signal),
  }),
  operation({
    ...reading,
    id: 'markets.summary',
    path: '/markets/summary',
    summary: 'Company, debt and series side by side; ok only where all three are',
    query: SummaryQuery,
    reply: MarketSummary,
    example: { query: { cik: DEFAULT_CIK, series_id: DEFAULT_SERIES } },
    run: ({ query, signal }) => port.summary(query.cik ?? DEFAULT_CIK, query.series_id ?? DEFAULT_SERIES, signal),
  }),
]
