/** Meters and spans around what leaves the process. A provider is named by the operator’s own configuration. */
import type { Clock, Tracing } from '../../ports.ts'
import type { ChatFailure, Upstreams } from '../../upstream-contract.ts'
import type { JsonExchange } from '../outbound/json-exchange.ts'
import type { WorkSeries } from '../work-series.ts'

interface Meters {
  tracing: Tracing
  series: WorkSeries
  clock: Clock
}

type Ended = { ok: true } | { ok: false; code: string }

async function measured<T extends Ended>(
  { tracing, series, clock }: Meters,
  provider: string,
  call: () => Promise<T>,
): Promise<T> {
  const begun = clock.monotonic()
  const ended = (result: string) => series.upstream(provider, result, (clock.monotonic() - begun) / 1000)
  return tracing.child(
    'upstream',
    async () => {
      const outcome = await call()
      ended(outcome.ok ? 'ok' : outcome.code)
      return outcome
    },
    { 'orch.provider': provider },
  )
}

export const observeExchange =
  (exchange: JsonExchange, provider: string, meters: Meters): JsonExchange =>
  (request, signal) =>
    measured(meters, provider, () => exchange(request, signal))

/** A target nobody configured is not called, and its id may be a caller’s word: it names no series. */
export function observeUpstreams(upstreams: Upstreams, meters: Meters): Upstreams {
  const known = new Set(upstreams.targets().map(({ id }) => id))
  const call = <T extends { ok: true }>(id: string, work: () => Promise<T | ChatFailure>) =>
    known.has(id) ? measured(meters, id, work) : work()
  return {
    ...upstreams,
    complete: (id, request, signal) => call(id, () => upstreams.complete(id, request, signal)),
    stream: (id, request, signal) => call(id, () => upstreams.stream(id, request, signal)),
  }
}
