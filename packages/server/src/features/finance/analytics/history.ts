/** Daily closes of a symbol: from the venue through the one reader of sources, or simulated. */
import { sha256Hex } from '@orch/core'
import type { CandlesData, Observation } from '../../../domain/observation.ts'
import type { Observe } from '../contract.ts'
import { seriesFault } from './indicators.ts'
import type { AnalyticsError, AnalyticsInputs } from './schemas.ts'
import { WALK_POINTS, WALK_SIMULATOR, walkPrices, walkSeed } from './walk.ts'

const HISTORY_DAYS = 260
const DAY_MS = 86_400_000

export type Origin = 'coinbase' | 'fixture'

export interface History {
  inputs: Omit<AnalyticsInputs, 'benchmark'>
  /** As the source writes them, the oldest first. */
  closes: string[]
  prices: number[]
  /** When each price was made; null for a simulation, which happens at no time. */
  closedAt: string[] | null
  /** Why nothing can be computed of it, or what is to be known beside the result. */
  error: AnalyticsError | null
  blocked: boolean
}

/** `now`: its last UTC midnight is where the history ends, for every symbol of one request. */
export async function readHistory(
  observe: Observe,
  { symbol, origin, now }: { symbol: string; origin: Origin; now: number },
  signal: AbortSignal,
): Promise<History> {
  if (origin === 'fixture') return simulated(symbol)
  const end = new Date(now - (now % DAY_MS)).toISOString()
  const parameters = { product: symbol, granularity: '86400', end: end.slice(0, 10), count: String(HISTORY_DAYS) }
  return observed(symbol, await observe('coinbase-candles', parameters, { signal }), Date.parse(end))
}

function simulated(symbol: string): History {
  const closes = walkPrices(symbol)
  return {
    inputs: {
      ...{ origin: 'fixture', label: 'SIMULATED', mode: null, fetched_at: null, age_seconds: null },
      ...{ observation_id: null, series_len: closes.length, values_sha256: digestOf(closes), periods_per_year: 252 },
      simulator: {
        id: WALK_SIMULATOR,
        seed: `0x${walkSeed(symbol).toString(16).padStart(16, '0')}`,
        assumptions: [
          `${WALK_POINTS} points from 100: p' = round4(p * (1 + 0.0004 + 0.015 normal)), independent normals`,
          'seed = first 8 bytes of SHA-256(symbol), SplitMix64, Box and Muller',
        ],
        not_real: ['the prices: no market made them, whatever the symbol'],
      },
    },
    closes,
    prices: closes.map(Number),
    closedAt: null,
    error: null,
    blocked: false,
  }
}

function observed(symbol: string, observation: Observation, end: number): History {
  const data = observation.data as CandlesData | null
  const items = data?.items ?? []
  const closes = items.map(({ close }) => close)
  const prices = closes.map(Number)
  const error = faultOf(
    symbol,
    observation,
    items.map(({ time }) => Date.parse(time)),
    prices,
    end,
  )
  return {
    inputs: {
      origin: 'coinbase',
      label: observation.label,
      mode: observation.mode,
      fetched_at: observation.fetched_at,
      age_seconds: observation.age_seconds,
      observation_id: observation.provenance?.observation_id ?? null,
      series_len: closes.length,
      values_sha256: data === null ? null : digestOf(closes),
      periods_per_year: 365,
      simulator: null,
    },
    closes,
    prices,
    closedAt: items.map(({ time }) => new Date(Date.parse(time) + DAY_MS).toISOString()),
    error,
    blocked: error !== null && error.code !== 'HISTORY_STALE',
  }
}

function faultOf(
  symbol: string,
  { data, error, state, retry_after_seconds }: Observation,
  times: readonly number[],
  prices: readonly number[],
  end: number,
): AnalyticsError | null {
  const cause = error?.code ?? null
  const details = { symbol, cause, retryable: error?.retryable ?? false, retry_after_seconds, missing_days: [] }
  if (data === null) return { code: 'HISTORY_UNAVAILABLE', ...details }
  const missing = missingDays(times, end)
  if (missing.length > 0 || times.length !== HISTORY_DAYS)
    return { code: 'INCOMPLETE_HISTORY', ...details, missing_days: missing }
  const unfit = seriesFault(prices)
  if (unfit !== null) return { code: unfit, ...details }
  return state === 'STALE' ? { code: 'HISTORY_STALE', ...details } : null
}

/** The days of the window that no candle is of, whatever the source says of its own completeness. */
function missingDays(times: readonly number[], end: number): string[] {
  const found = new Set(times)
  const days = Array.from({ length: HISTORY_DAYS }, (_, at) => end - (HISTORY_DAYS - at) * DAY_MS)
  return days.filter((day) => !found.has(day)).map((day) => new Date(day).toISOString().slice(0, 10))
}

/** Of the prices as they are written, joined by commas. */
export const digestOf = (texts: readonly string[]): string => sha256Hex(texts.join(','))
