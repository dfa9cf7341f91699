/** Meters and spans around what leaves the process. A provider is named by the operator's own configuration. */

import type { Readings, ReadingsView, Stored } from '../../../features/readings/contract.ts'
import { instrument } from '../../../platform/instrument.ts'
import type { ChatFailure, Upstreams } from '../../models/contract.ts'
import type { Measure } from '../../outbound/outbound.ts'
import type { WorkSeries } from '../work-metrics.ts'
import type { Meters } from './ledger.ts'

type Ended = { ok: true } | { ok: false; code: string }

/** Nothing was sent: there is no call to count, and its time of nothing would pull every quantile down. */
const NOT_SENT = new Set(['TRANSPORT_DISABLED', 'BREAKER_OPEN', 'KEY_MISSING', 'MODEL_ABSENT'])

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
      if (outcome.ok || !NOT_SENT.has(outcome.code)) ended(outcome.ok ? 'ok' : outcome.code)
      return outcome
    },
    { 'orch.provider': provider },
  )
}

/** A target that is not configured is not called, and its id may be a caller's word: it names no series. */
export function observeUpstreams(upstreams: Upstreams, meters: Meters): Upstreams {
  const known = new Set(upstreams.targets().map(({ id }) => id))
  const call = <T extends { ok: true }>(id: string, work: () => Promise<T | ChatFailure>) =>
    known.has(id) ? measured(meters, id, work) : work()
  return instrument(upstreams, {
    complete: (id, request, signal) => call(id, () => upstreams.complete(id, request, signal)),
    stream: (id, request, signal) => call(id, () => upstreams.stream(id, request, signal)),
  })
}

/** Around what is really sent: what is not sent never comes here. */
export const measureOutbound =
  (meters: Meters): Measure =>
  (provider, call) =>
    measured(meters, provider, call)

/** Each reading that is served counts by its mode, also in a view that took it just now; one that is not configured is
 *  not served. Whoever only asks how the sources stand is served no reading. */
export function observeReadings(readings: Readings, series: WorkSeries): Readings {
  const seen = <T extends { view: ReadingsView }>(taken: T): T => ({ ...taken, view: observedView(taken.view, series) })
  return instrument(readings, {
    ...measuredMethods(readings, series),
    take: async (section) => seen(await readings.take(section)),
    refresh: async () => seen(await readings.refresh()),
  })
}

const observedView = (view: ReadingsView, series: WorkSeries): ReadingsView =>
  instrument(view, measuredMethods(view, series))

function measuredMethods(view: ReadingsView, series: WorkSeries): Partial<ReadingsView> {
  const served = <T extends Stored<unknown> | null>(provider: string, reading: T): T => {
    if (reading !== null && reading.reason !== 'NOT_CONFIGURED') series.cache(provider, reading.mode)
    return reading
  }
  return {
    repository() {
      const found = view.repository()
      served('repository', found.repository)
      return found
    },
    async deployment() {
      const found = await view.deployment()
      if (found.probe_via === 'public-address') served('public-address', found.version)
      return found
    },
    space: () => served('space', view.space()),
    spine: () => served('spine', view.spine()),
    spend: () => served('spend', view.spend()),
    constellation() {
      const found = view.constellation()
      for (const { reading } of found) served('constellation', reading)
      return found
    },
  }
}
