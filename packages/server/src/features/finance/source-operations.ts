import { nearest } from '@orch/core'
import { Observation, SOURCE_IDS, type SourceId } from '../../domain/observation.ts'
import { ServiceError } from '../../errors.ts'
import { operation } from '../../operation.ts'
import { readOverview } from './sources/overview.ts'
import { FinanceContract, FinanceOverview, FinanceProviders, ObservationQuery, SourcePath } from './sources/schemas.ts'
import type { FinanceSources } from './sources/source.ts'

const shared = { group: 'Operations', method: 'GET', scope: null, narrows: true } as const
const NO_TRADING = 'Reads and never trades: nothing here can place an order, and nothing is advice.'

const isSource = (id: string | undefined): id is SourceId => (SOURCE_IDS as readonly unknown[]).includes(id)

/** Thrown before anything else of the request is judged. */
function requireSource({ source = '' }: Readonly<Record<string, string>>): void {
  if (isSource(source)) return
  const near = nearest(source.slice(0, 64), [...SOURCE_IDS])
  const hint = near === null ? 'GET /api/orch/v1/finance/providers lists them' : `did you mean ${near}?`
  throw new ServiceError('unknown_source', `there is no such source; ${hint}`)
}

/** Public readings with their provenance. */
export const financeSources = ({ finance }: { finance: FinanceSources }) => [
  operation({
    ...shared,
    id: 'finance.observation',
    path: '/finance/observations/:source',
    summary: 'One reading of one public source, with its provenance, its age and its label',
    description: `${NO_TRADING} Each source takes its own parameters alone. A reading is LIVE only in the request that fetched it.`,
    params: SourcePath,
    query: ObservationQuery,
    precheck: requireSource,
    reply: Observation,
    errors: ['unknown_source'],
    labels: ['LIVE', 'SAMPLE', 'UNAVAILABLE'],
    example: { params: { source: 'coinbase-ticker' }, query: { product: 'BTC-USD' } },
    async run({ params, query: { fresh, ...parameters }, signal }) {
      requireSource(params)
      return finance.observe(params.source as SourceId, parameters, { fresh: fresh ?? false, signal })
    },
  }),
  operation({
    ...shared,
    id: 'finance.providers',
    path: '/finance/providers',
    summary: 'The sixteen sources, their parameters, what is missing for them and their newest attempts; asks nobody',
    description: `${NO_TRADING} Names of settings are shown and their values never.`,
    reply: FinanceProviders,
    labels: ['STRUCTURAL-ONLY'],
    example: {},
    run: () => finance.providers(),
  }),
  operation({
    ...shared,
    id: 'finance.overview',
    path: '/finance/overview',
    summary: 'Four public snapshots read in parallel; neither a join over venues nor a census',
    description: `${NO_TRADING} One source that fails is never success of the whole.`,
    reply: FinanceOverview,
    labels: ['LIVE', 'SAMPLE', 'UNAVAILABLE'],
    example: {},
    run: ({ signal }) => readOverview(finance.observe, signal),
  }),
  operation({
    ...shared,
    id: 'finance.contract',
    path: '/finance/contract',
    summary: 'Operations, sources, bounds, states, codes and formulas of finance, made of the tables of the code',
    description: NO_TRADING,
    reply: FinanceContract,
    labels: ['STRUCTURAL-ONLY'],
    example: {},
    run: () => finance.contract(),
  }),
]
