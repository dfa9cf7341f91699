import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { HttpMetrics, Metrics, RequestMeter } from '../ports.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Every series of the service in one registry. Route labels are templates, so the number of series is bounded by the
 *  table of operations and not by what callers send. */
export interface ServiceMetrics extends Metrics, HttpMetrics {
  registry: Registry
}

export function createMetrics(build: { version: string; revision: string; node: string }): ServiceMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'orch_' })
  const info = new Gauge({
    name: 'orch_build_info',
    help: 'The build that runs, as labels',
    labelNames: ['version', 'revision', 'node'],
    registers,
  })
  info.set(build, 1)
  const requests = new Counter({
    name: 'orch_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'code'],
    registers,
  })
  const seconds = new Histogram({
    name: 'orch_http_request_duration_seconds',
    help: 'Time to answer',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers,
  })
  const running = new Gauge({ name: 'orch_http_requests_in_progress', help: 'Requests being answered now', registers })
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
  const meters = new Map<string, RequestMeter>()
  const meterOf = (method: string, route: string): RequestMeter => {
    const key = `${method} ${route}`
    const known = meters.get(key)
    if (known) return known
    const made = requestMeter({ requests, seconds, running }, method, route)
    meters.set(key, made)
    return made
  }
  return {
    registry,
    request: meterOf,
    bodyRejected: (reason) => rejected.inc({ reason }),
    authFailed: (code) => refused.inc({ code }),
    rateLimited: () => limited.inc(),
    text: () => registry.metrics(),
    async json() {
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

interface RequestFamilies {
  requests: Counter<'method' | 'route' | 'code'>
  seconds: Histogram<'method' | 'route'>
  running: Gauge
}

/** Bound once per operation, so that answering a request touches no label but its status. */
function requestMeter({ requests, seconds, running }: RequestFamilies, method: string, route: string): RequestMeter {
  const time = seconds.labels(method, route)
  const counts = new Map<number, { inc(): void }>()
  return {
    begin: () => running.inc(),
    end(status, elapsed) {
      running.dec()
      time.observe(elapsed)
      let count = counts.get(status)
      if (!count) {
        count = requests.labels(method, route, String(status))
        counts.set(status, count)
      }
      count.inc()
    },
  }
}
