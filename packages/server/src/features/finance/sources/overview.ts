/** Four public snapshots side by side. They are not joined: that two venues speak of the same event is not established. */
import { flags, type Observation, type SourceId } from '../../../domain/observation.ts'
import type { Observe } from '../contract.ts'
import type { FinanceOverview } from './schemas.ts'

/** Half a second short of the deadline, so that the reply leaves within it. */
const ASK_MS = 11_500
const REQUESTED: readonly (readonly [SourceId, Record<string, string>])[] = [
  ['polymarket-markets', { limit: '12' }],
  ['kalshi-markets', { limit: '12' }],
  ['coinbase-ticker', { product: 'BTC-USD' }],
  ['treasury-rates', { limit: '12' }],
]

export async function readOverview(observe: Observe, signal: AbortSignal): Promise<FinanceOverview> {
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new DOMException('the time of the overview is over', 'TimeoutError')),
    ASK_MS,
  )
  const both = AbortSignal.any([signal, late.signal])
  try {
    return toOverview(
      await Promise.all(REQUESTED.map(([source, parameters]) => observe(source, parameters, { signal: both }))),
    )
  } finally {
    clearTimeout(timer)
  }
}

/** The weakest of them speaks for the whole. */
function toOverview(observations: readonly Observation[]): FinanceOverview {
  const available = observations.filter(({ data }) => data !== null).length
  const ok = observations.every((observation) => observation.ok)
  const weakest = ['unreachable', 'cached', 'live'] as const
  const mode = weakest.find((word) => observations.some((observation) => observation.mode === word)) ?? 'unreachable'
  return {
    schema: 'orch.finance.overview/v1',
    ok,
    state: ok ? 'SNAPSHOTS_AVAILABLE' : available === 0 ? 'UNAVAILABLE' : 'DEGRADED',
    mode,
    label: { live: 'LIVE', cached: 'SAMPLE', unreachable: 'UNAVAILABLE' }[mode] as FinanceOverview['label'],
    sources_requested: observations.length,
    sources_available: available,
    sources_live: observations.filter((observation) => observation.mode === 'live').length,
    failed: observations.flatMap(({ source, error }) => (error === null ? [] : [{ source, code: error.code }])),
    data: Object.fromEntries(observations.map((observation) => [observation.source, observation])),
    event_equivalence: 'NOT_ESTABLISHED',
    scope: 'bounded public snapshots; neither a join over venues nor a census of the markets',
    ...flags,
  }
}
