/** What the markets read of their own: all annual rows of a company, and the keyless download of a series. */
import { type ApartReply, normaliseBy } from '../../../adapters/outbound/apart.ts'
import { type Limits, type Outbound, OutboundFault } from '../../../adapters/outbound/contract.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import type { Job } from '../../../platform/compute/job.ts'
import type { BuildFacts } from '../../../ports.ts'
import { type CompanyFacts, FACTS_MEMBERS } from '../company-facts.ts'
import { type AskedSource, type MarketReading, toReading } from '../reading.ts'
import type { SeriesReading } from '../replies.ts'
import { parseSeriesCsv } from '../series-csv.ts'
import { type CompanyParams, readFacts } from './company-job.ts'

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

type CompanyJob = Job<CompanyParams & { bytes_sha256: string }, ApartReply<CompanyFacts>>

const JOB = { module: new URL('./company-job.ts', import.meta.url), function: 'companyFacts', deadlineMs: 10_000 }

export const registerCompany = (compute: Pick<Compute, 'register'>): CompanyJob =>
  compute.register({ name: 'markets-company', ...JOB })

export const readCompany = (
  needs: DirectNeeds,
  job: CompanyJob,
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
      members: FACTS_MEMBERS,
      normalise: (reply) => readFacts(reply, cik),
      normaliseApart: normaliseBy(job, { cik }),
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
