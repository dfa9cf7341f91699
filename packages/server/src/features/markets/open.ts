/** Company, debt and series: readings of the sources that finance observes, and two that the markets read by themselves. */
import type { DebtData, FredData, Observation } from '../../domain/observation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { Observe } from '../finance/contract.ts'
import type { Markets } from './contract.ts'
import { type DirectNeeds, readCompany, readSeriesCsv, registerCompany } from './io/direct.ts'
import { type MarketReading, urlOf } from './reading.ts'
import { type SeriesReading, toCompany, toDebt, toMacro, toSummary } from './replies.ts'

interface Needs extends DirectNeeds {
  observe: Observe
  /** Where large replies are read. */
  compute: Pick<Compute, 'register'>
}

/** `hasKey`: the operator has a key for the interface of FRED. `keyless`: without one, the public download may be read. */
interface SeriesSettings {
  hasKey: boolean
  keyless: boolean
}

const DEBT_PATH = '/services/api/fiscal_service/v2/accounting/od/debt_to_penny'
const SERIES_PATH = '/fred/series/observations'

export function openMarkets({ hasKey, keyless }: SeriesSettings, needs: Needs): { markets: Markets } {
  const { observe, outbound, clock } = needs
  const job = registerCompany(needs.compute)

  /** The source is named also where it could not be read. */
  const placed = async (observed: Observation, provider: string, path: string, query: Record<string, string>) => {
    const { origins } = await outbound.status(provider)
    return { source: observed.source, head: headOf(observed), sourceUrl: urlOf({ origin: origins[0]!, path, query }) }
  }
  const readSeries = async (series_id: string, signal: AbortSignal): Promise<MarketReading<SeriesReading>> => {
    const observed = await observe('fred-series', { series_id, limit: '24' }, { signal })
    const data = observed.data as FredData | null
    const series = data && { observations: data.items, units: data.units, vintage: data.as_of }
    return { ...(await placed(observed, 'FRED', SERIES_PATH, { series_id })), data: series }
  }
  const markets: Markets = {
    company: async (cik, signal) => toCompany(await readCompany(needs, job, cik, signal), cik),
    async debt(signal) {
      const observed = await observe('treasury-debt', { limit: '1' }, { signal })
      const place = await placed(observed, 'TREASURY', DEBT_PATH, { sort: '-record_date' })
      return toDebt({ ...place, data: observed.data as DebtData | null })
    },
    async macro(seriesId, signal) {
      const isApi = hasKey || !keyless
      const reading = await (isApi ? readSeries(seriesId, signal) : readSeriesCsv(needs, seriesId, signal))
      return toMacro(reading, seriesId, isApi ? 'api' : 'keyless-csv')
    },
    async summary(cik, seriesId, signal) {
      const { company, debt, macro } = markets
      const parts = await Promise.all([company(cik, signal), debt(signal), macro(seriesId, signal)])
      return toSummary(...parts, isoNow(clock))
    },
  }
  return { markets }
}

const headOf = (observed: Observation): MarketReading<unknown>['head'] => {
  const { ok, state, mode, label, provenance, fetched_at, age_seconds, served_at, error, retry_after_seconds } =
    observed
  return { ok, state, mode, label, provenance, fetched_at, age_seconds, served_at, error, retry_after_seconds }
}
