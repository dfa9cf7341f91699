import { Counter, Gauge, type MetricValueWithName, type Registry } from 'prom-client'
import type { RequestMeter } from '../../ports.ts'
import type { CallLog, OperationCalls } from './call-log.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DURATION = 'orch_http_request_duration_seconds'

/** What is counted of one route: plain numbers while requests are served, series only when somebody reads them. The
 *  library hashes labels at every increment, which on the way of each request costs more than its routing. */
class RouteSeries implements RequestMeter {
  readonly method: string
  readonly route: string
  readonly byStatus = new Map<number, number>()
  readonly buckets = new Float64Array(SECONDS.length + 1)
  running = 0
  sum = 0
  readonly #calls: OperationCalls | null

  constructor(method: string, route: string, calls: OperationCalls | null) {
    this.method = method
    this.route = route
    this.#calls = calls
  }

  begin(): void {
    this.running += 1
    if (this.#calls !== null) this.#calls.running += 1
  }

  end(status: number, seconds: number, code: string | null = null): void {
    this.running -= 1
    if (this.#calls !== null) this.#calls.running -= 1
    this.sum += seconds
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    let at = 0
    while (at < SECONDS.length && seconds > SECONDS[at]!) at += 1
    this.buckets[at]! += 1
    this.#calls?.ended(status, seconds, code)
  }
}

/** The meter of a route. Routes are templates, so there are as many as the service has and one for all the others. */
export function requestSeries(
  registry: Registry,
  log: CallLog,
): (method: string, route: string, operation?: string) => RequestMeter {
  const routes = new Map<string, RouteSeries>()
  const registers = [registry]
  new Counter({
    name: 'orch_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'code'],
    registers,
    collect() {
      fillCounter(this, routes.values())
    },
  })
  new Gauge({
    name: 'orch_http_requests_in_progress',
    help: 'Requests being answered now',
    registers,
    collect() {
      fillGauge(this, routes.values())
    },
  })
  registry.registerMetric(durationFamily(routes))
  return (method, route, operation) => {
    const key = `${method} ${route}`
    const known = routes.get(key)
    if (known) return known
    const made = new RouteSeries(method, route, operation === undefined ? null : log.of(operation))
    routes.set(key, made)
    return made
  }
}

function fillCounter(counter: Counter, routes: Iterable<RouteSeries>): void {
  counter.reset()
  for (const { method, route, byStatus } of routes)
    for (const [status, count] of byStatus) counter.inc({ method, route, code: String(status) }, count)
}

function fillGauge(gauge: Gauge, routes: Iterable<RouteSeries>): void {
  let running = 0
  for (const route of routes) running += route.running
  gauge.set(running)
}

/** The library's own histogram cannot be filled from counts, so the family is handed to the registry ready-made. */
function durationFamily(routes: ReadonlyMap<string, RouteSeries>): Parameters<Registry['registerMetric']>[0] {
  const get = async () => ({
    name: DURATION,
    help: 'Time to answer',
    type: 'histogram',
    aggregator: 'sum',
    values: [...routes.values()].filter(({ byStatus }) => byStatus.size > 0).flatMap(samplesOf),
  })
  return { name: DURATION, get, reset: () => undefined } as unknown as Parameters<Registry['registerMetric']>[0]
}

function samplesOf({ method, route, buckets, sum }: RouteSeries): MetricValueWithName<string>[] {
  let count = 0
  const cumulative = [...buckets].map((size, at) => {
    count += size
    const le = at < SECONDS.length ? SECONDS[at]! : '+Inf'
    return { metricName: `${DURATION}_bucket`, labels: { le, method, route }, value: count }
  })
  return [
    ...cumulative,
    { metricName: `${DURATION}_sum`, labels: { method, route }, value: sum },
    { metricName: `${DURATION}_count`, labels: { method, route }, value: count },
  ]
}
