import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { HttpMetrics, Metrics, ServedCalls } from '../ports.ts'
import { CallLog } from './call-log.ts'
import { systemClock } from './clock.ts'
import { requestSeries } from './request-series.ts'
import { type StateSources, stateSeries } from './state-series.ts'
import { type WorkSeries, workSeries } from './work-series.ts'

/** Every series of the service in one registry. Route labels are templates, so the number of series is bounded by the
 *  table of operations and not by what callers send. */
export interface ServiceMetrics extends Metrics, HttpMetrics {
  registry: Registry
  calls: ServedCalls
  work: WorkSeries
  /** From here on every reading also says how things stand. */
  watch(sources: StateSources): void
}

export function createMetrics(build: { version: string; revision: string; node: string }): ServiceMetrics {
  const registry = new Registry()
  const calls = new CallLog(systemClock)
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'orch_' })
  const info = new Gauge({
    name: 'orch_build_info',
    help: 'The build that runs, as labels',
    labelNames: ['version', 'revision', 'node'],
    registers,
  })
  info.set(build, 1)
  const rejected = new Counter({
    name: 'orch_http_request_body_rejected_total',
    help: 'Bodies refused before they were parsed',
    labelNames: ['reason'],
    registers,
  })
  const refused = new Counter({
    name: 'orch_auth_failures_total',
    help: 'Requests refused for their credential',
    labelNames: ['code'],
    registers,
  })
  const limited = new Counter({ name: 'orch_rate_limited_total', help: 'Requests refused for their rate', registers })
  const work = workSeries(registry)
  let refresh = async (): Promise<void> => undefined
  return {
    registry,
    calls,
    work,
    watch(sources) {
      refresh = stateSeries(registry, sources)
    },
    request: requestSeries(registry, calls),
    bodyRejected: (reason) => rejected.inc({ reason }),
    authFailed: (code) => refused.inc({ code }),
    rateLimited: () => limited.inc(),
    async text() {
      await refresh()
      return registry.metrics()
    },
    async json() {
      await refresh()
      const families = await registry.getMetricsAsJSON()
      return families.map(({ name, type, help, values }) => ({
        name,
        type: String(type),
        help,
        samples: values.map((sample) => ({
          ...('metricName' in sample && sample.metricName !== name ? { name: sample.metricName } : {}),
          labels: sample.labels,
          value: sample.value,
        })),
      }))
    },
  }
}
