/** What the markets read of their own: all annual rows of a company, and the keyless download of a series. */
import { type Limits, type Outbound, OutboundFault } from '../../../adapters/outbound/contract.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { BuildFacts } from '../../../ports.ts'
import { type CompanyFacts, parseCompanyFacts } from '../company-facts.ts'
import { type AskedSource, type MarketReading, toReading } from '../reading.ts'
import type { SeriesReading } from '../replies.ts'
import { parseSeriesCsv } from '../series-csv.ts'

export interface DirectNeeds {
  outbound: Pick<Outbound, 'get' | 'status'>
  clock: Pick<Clock, 'now'>
  build: Pick<BuildFacts, 'gitSha'>
}

const COMPANY_TTL_S = 900
const SERIES_TTL_S = 3600
/** As many as are shown, and some before them in case the newest have no value. */
const MAX_POINTS = 1000
const REVISION = /^[0-9a-f]{40}$/

type Source = Pick<AskedSource, 'source' | 'provider' | 'path' | 'query' | 'adapterVersion'>

export const readCompany = (
  needs: DirectNeeds,
  cik: string,
  signal: AbortSignal,
): Promise<MarketReading<CompanyFacts>> =>
  readDirect(
    needs,
    {
      ...{ source: 'sec-companyfacts', provider: 'SEC', query: {}, adapterVersion: 'markets-company/1' },
      path: `/api/xbrl/companyfacts/CIK${cik.padStart(10, '0')}.json`,
    },
    {
      decimals: true,
      ttlSeconds: COMPANY_TTL_S,
      normalise(reply) {
        const facts = parseCompanyFacts(reply, cik)
        if (!facts.ok) throw new OutboundFault(facts.fault)
        return facts.value
      },
    },
    signal,
  )

export const readSeriesCsv = (
  needs: DirectNeeds,
  seriesId: string,
  signal: AbortSignal,
): Promise<MarketReading<SeriesReading>> =>
  readDirect(
    needs,
    {
      ...{ source: 'fredgraph-csv', provider: 'FREDGRAPH', path: '/graph/fredgraph.csv', query: { id: seriesId } },
      adapterVersion: 'markets-series-csv/1',
    },
    {
      csv: true,
      ttlSeconds: SERIES_TTL_S,
      normalise(reply) {
        const series = parseSeriesCsv(String(reply), seriesId)
        if (!series.ok) throw new OutboundFault(series.fault)
        return { observations: series.points.slice(-MAX_POINTS).reverse(), units: null, vintage: null }
      },
    },
    signal,
  )

async function readDirect<T>(
  { outbound, clock, build }: DirectNeeds,
  source: Source,
  limits: Limits<T>,
  signal: AbortSignal,
): Promise<MarketReading<T>> {
  const { provider, path, query, adapterVersion } = source
  const { origins, overridden } = await outbound.status(provider)
  const outcome = await outbound.get(provider, path, query, { ...limits, adapterVersion }, signal)
  const revision = REVISION.test(build.gitSha.value ?? '') ? build.gitSha.value! : 'UNBOUND'
  return toReading(outcome, { ...source, origin: origins[0]!, overridden, revision, servedAt: isoNow(clock) })
}
