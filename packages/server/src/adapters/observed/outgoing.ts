/** Meters and spans around what leaves the process. A provider is named by the operator’s own configuration. */
import type { Clock, Tracing } from '../../ports.ts'
import type { Readings, Stored } from '../../readings-contract.ts'
import type { ChatFailure, Upstreams } from '../../upstream-contract.ts'
import type { JsonExchange } from '../outbound/json-exchange.ts'
import type { Outside } from '../readings/outside.ts'
import type { WorkSeries } from '../work-series.ts'

export interface Meters {
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

/** Whoever is none of the configured neighbours is a link of the evidence. */
export function observeOutside(outside: Outside, providers: ReadonlyMap<string, string>, meters: Meters): Outside {
  const named = (url: string) => providers.get(new URL(url).origin) ?? 'evidence-links'
  return {
    json: (asked, signal) => measured(meters, named(asked.url), () => outside.json(asked, signal)),
    probe: (url, signal) => measured(meters, named(url), () => outside.probe(url, signal)),
  }
}

/** Each reading that is served counts by its mode; one that is not configured is not served. */
export function observeReadings(readings: Readings, series: WorkSeries): Readings {
  const served = <T extends Stored<unknown> | null>(provider: string, reading: T): T => {
    if (reading !== null && reading.reason !== 'NOT_CONFIGURED') series.cache(provider, reading.mode)
    return reading
  }
  return {
    ...readings,
    repository() {
      const found = readings.repository()
      served('repository', found.repository)
      return found
    },
    space: () => served('space', readings.space()),
    spine: () => served('spine', readings.spine()),
    spend: () => served('spend', readings.spend()),
    constellation() {
      const found = readings.constellation()
      for (const { reading } of found) served('constellation', reading)
      return found
    },
  }
}
