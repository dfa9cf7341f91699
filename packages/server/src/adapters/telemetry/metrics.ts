import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { systemClock } from '../../platform/clock.ts'
import type { HttpMetrics, Metrics, Runtime } from '../../ports.ts'
import { CallLog, requestSeries } from './request-metrics.ts'
import { CountSeries } from './series.ts'
import { type StateSources, stateSeries } from './state-metrics.ts'
import { type WorkSeries, workSeries } from './work-metrics.ts'

/** Every series of the service in one registry. Route labels are templates, so the number of series is bounded by the
 *  table of operations and not by what callers send. */
export interface ServiceMetrics extends Metrics, HttpMetrics {
  registry: Registry
  calls: CallLog
  work: WorkSeries
  /** From here on every reading also says how things stand. */
  watch(sources: StateSources): void
}

export function createMetrics(
  build: { version: string; revision: string; node: string },
  runtime: Pick<Runtime, 'eventLoopDelayP50' | 'eventLoopDelayP99'>,
): ServiceMetrics {
  const registry = new Registry()
  const calls = new CallLog(systemClock)
  collectDefaultMetrics({ register: registry, prefix: 'orch_' })
  loopDelay(registry, runtime)
  const info = new Gauge({
    name: 'orch_build_info',
    help: 'The build that runs, as labels',
    labelNames: ['version', 'revision', 'node'],
    registers: [registry],
  })
  info.set(build, 1)
  const count = (name: string, help: string, ...labels: string[]) => new CountSeries(registry, name, help, labels)
  const rejected = count('orch_http_request_body_rejected_total', 'Bodies refused before they were parsed', 'reason')
  const refused = count('orch_auth_failures_total', 'Requests refused for their credential', 'code')
  const limited = count('orch_rate_limited_total', 'Requests refused for their rate')
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
    bodyRejected: (reason) => rejected.add(reason),
    authFailed: (code) => refused.add(code),
    rateLimited: () => limited.add(),
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
          // As in the text: a label is a word, the bound of a bucket too.
          labels: Object.fromEntries(Object.entries(sample.labels).map(([label, word]) => [label, String(word)])),
          value: sample.value,
        })),
      }))
    },
  }
}

/** The library's figures count from the grain of its timer, so that an idle loop seems 10 ms late. Liveness subtracts the
 *  grain, and there is one number for one thing. */
function loopDelay(registry: Registry, runtime: Pick<Runtime, 'eventLoopDelayP50' | 'eventLoopDelayP99'>): void {
  for (const figure of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    registry.removeSingleMetric(`orch_nodejs_eventloop_lag_${figure}_seconds`)
  const shown = (figure: string, help: string, milliseconds: () => number) =>
    new Gauge({
      name: `orch_nodejs_eventloop_lag_${figure}_seconds`,
      help,
      registers: [registry],
      collect() {
        this.set(milliseconds() / 1000)
      },
    })
  shown('p50', 'Median delay of the event loop in this minute', () => runtime.eventLoopDelayP50())
  shown('p99', '99th percentile of the delay of the event loop in this minute', () => runtime.eventLoopDelayP99())
}
