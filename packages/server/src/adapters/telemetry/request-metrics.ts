import { Counter, Gauge, type Registry } from 'prom-client'
import { once } from '../../platform/once.ts'
import { Ring } from '../../platform/ring.ts'
import { SlidingCount } from '../../platform/sliding-count.ts'
import type { CallSeries, Clock, RequestMeter, ServedCalls } from '../../ports.ts'
import { DistributionSeries } from './series.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What is counted of one route: plain numbers while requests are served, series only when somebody reads them. */
class RouteSeries implements RequestMeter {
  readonly method: string
  readonly route: string
  readonly byStatus = new Map<number, number>()
  running = 0
  readonly #durations: () => ReturnType<DistributionSeries['of']>
  readonly #calls: OperationCalls | null

  constructor(method: string, route: string, durations: DistributionSeries, calls: OperationCalls | null) {
    this.method = method
    this.route = route
    // A route that nobody has called yet has no series.
    this.#durations = once(() => durations.of(method, route))
    this.#calls = calls
  }

  begin(): void {
    this.running += 1
    if (this.#calls !== null) this.#calls.running += 1
  }

  end(status: number, seconds: number, code: string | null = null): void {
    this.running -= 1
    if (this.#calls !== null) this.#calls.running -= 1
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    this.#durations().observe(seconds)
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
      this.reset()
      for (const { method, route, byStatus } of routes.values())
        for (const [status, count] of byStatus) this.inc({ method, route, code: String(status) }, count)
    },
  })
  new Gauge({
    name: 'orch_http_requests_in_progress',
    help: 'Requests being answered now',
    registers,
    collect() {
      this.set(routes.values().reduce((sum, { running }) => sum + running, 0))
    },
  })
  const name = 'orch_http_request_duration_seconds'
  const durations = new DistributionSeries(registry, name, 'Time to answer', SECONDS, 'method', 'route')
  return (method, route, operation) => {
    const key = `${method} ${route}`
    const known = routes.get(key)
    if (known) return known
    const made = new RouteSeries(method, route, durations, operation === undefined ? null : log.of(operation))
    routes.set(key, made)
    return made
  }
}

const WINDOW = 1024
const RECENT_SECONDS = 300

/** What one operation did: counters, and the newest durations. */
class OperationCalls implements CallSeries {
  readonly id: string
  count = 0
  errors = 0
  running = 0
  readonly statuses = new Map<number, number>()
  readonly codes = new Map<string, number>()
  readonly #clock: Clock
  #lastMs: number | null = null
  readonly #durations = new Ring(WINDOW)
  readonly #recent = new SlidingCount(RECENT_SECONDS)

  constructor(id: string, clock: Clock) {
    this.id = id
    this.#clock = clock
  }

  /** `seconds` of the monotonic clock of whoever served the call; the time of day only says when it was. */
  ended(status: number, seconds: number, code: string | null = null): void {
    this.#durations.push(seconds * 1000)
    this.count += 1
    if (status >= 500) this.errors += 1
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (code !== null) this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
    this.#lastMs = this.#clock.now()
    this.#recent.add(this.#clock.monotonic())
  }

  get recent(): number {
    return this.#recent.total(this.#clock.monotonic())
  }

  get lastAt(): string | null {
    return this.#lastMs === null ? null : new Date(this.#lastMs).toISOString()
  }

  get durationsMs(): readonly number[] {
    return this.#durations.values()
  }
}

/** One series per operation, under all the paths and methods it answers on. */
export class CallLog implements ServedCalls {
  readonly window = WINDOW
  readonly recentSeconds = RECENT_SECONDS
  readonly #clock: Clock
  readonly #operations = new Map<string, OperationCalls>()
  readonly decisions: OperationCalls

  constructor(clock: Clock) {
    this.#clock = clock
    this.decisions = new OperationCalls('governance.govern', clock)
  }

  /** Known from here on, called or not. */
  of(operation: string): OperationCalls {
    const known = this.#operations.get(operation)
    if (known) return known
    const made = new OperationCalls(operation, this.#clock)
    this.#operations.set(operation, made)
    return made
  }

  series(): readonly CallSeries[] {
    return [...this.#operations.values()]
  }
}
