/** When a provider may be asked: how many requests are in the air, how far apart they begin, and how long a provider that
 *  failed is left alone. What it says about itself in `Retry-After` counts within bounds, so that a hostile reply neither
 *  makes us hammer it nor silences us for good. */
import type { IncomingHttpHeaders } from 'node:http'
import { documentKey } from '../../domain/document-key.ts'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { CacheStore } from './cache.ts'
import type { Failure, FailureCode, Provider } from './contract.ts'

const MAX_QUEUE_MS = 250
const MAX_TURN_MS = 350
const FIRST_COOLDOWN_S = 15
const MAX_COOLDOWN_S = 300
const MAX_RETRY_AFTER_S = 3600

export type Wait = (ms: number) => Promise<unknown>

interface Lane {
  inFlight: number
  waiting: (() => void)[]
  /** When the next request may begin, by the monotonic clock. */
  nextAt: number
}

export class Pace {
  readonly #lanes = new Map<string, Lane>()
  readonly #clock: Clock
  readonly #wait: Wait

  constructor(clock: Clock, wait: Wait) {
    this.#clock = clock
    this.#wait = wait
  }

  /** Null when the request may begin; `leave` must follow it. */
  async enter({ id, maxInFlight, minIntervalMs }: Provider): Promise<Failure | null> {
    const lane = this.#lane(id)
    if (!(await this.#place(lane, maxInFlight))) return unasked('PROVIDER_BUSY', 1)
    const now = this.#clock.monotonic()
    const turn = Math.max(0, lane.nextAt - now)
    if (turn > MAX_TURN_MS) {
      this.leave(id)
      return unasked('PROVIDER_COOLDOWN', Math.ceil(turn / 1000))
    }
    lane.nextAt = now + turn + minIntervalMs
    if (turn > 0) await this.#wait(turn)
    return null
  }

  leave(id: string): void {
    const lane = this.#lane(id)
    const next = lane.waiting.shift()
    if (next === undefined) lane.inFlight -= 1
    else next()
  }

  async #place(lane: Lane, maxInFlight: number): Promise<boolean> {
    if (lane.inFlight < maxInFlight) {
      lane.inFlight += 1
      return true
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const begin = () => resolve(true)
    lane.waiting.push(begin)
    void this.#wait(MAX_QUEUE_MS).then(() => {
      const at = lane.waiting.indexOf(begin)
      if (at !== -1) lane.waiting.splice(at, 1)
      resolve(false)
    })
    return promise
  }

  #lane(id: string): Lane {
    const lane = this.#lanes.get(id) ?? { inFlight: 0, waiting: [], nextAt: 0 }
    this.#lanes.set(id, lane)
    return lane
  }
}

export const unasked = (code: FailureCode, retry: number | null): Failure => ({
  ok: false,
  code,
  retry_after_seconds: retry,
  unasked: true,
})

interface Cooldown {
  setAt: number
  until: number
  failures: number
}

/** By provider and origin: one provider may have several, which fail apart. */
export class Cooldowns {
  readonly #cooldowns = new Map<string, Cooldown>()
  readonly #requested = new Map<string, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Seconds until the origin may be asked again; null where it may be asked now. */
  remaining(id: string, origin: string): number | null {
    const ms = (this.#cooldowns.get(`${id} ${origin}`)?.until ?? 0) - this.#clock.monotonic()
    return ms > 0 ? Math.ceil(ms / 1000) : null
  }

  /** Whether it failed at some origin and has not answered there since. */
  isActive(id: string): boolean {
    return this.#cooldowns.keys().some((key) => key.startsWith(`${id} `))
  }

  /** Remembers what the reply asks for until its outcome is known. */
  hear(id: string, origin: string, headers: IncomingHttpHeaders): void {
    const asked = headers['retry-after']
    const seconds = wholeNumber(asked) ?? this.#untilDate(asked) ?? this.#untilReset(headers)
    if (seconds === null) this.#requested.delete(`${id} ${origin}`)
    else this.#requested.set(`${id} ${origin}`, Math.min(MAX_RETRY_AFTER_S, Math.max(1, seconds)))
  }

  #untilDate(text: string | undefined): number | null {
    const at = text !== undefined && HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? null : Math.ceil((at - this.#clock.now()) / 1000)
  }

  /** A host whose budget is spent names the second at which it is filled again. */
  #untilReset(headers: IncomingHttpHeaders): number | null {
    const reset = wholeNumber(headers['x-ratelimit-reset'])
    return headers['x-ratelimit-remaining'] === '0' && reset !== null ? reset - this.#clock.now() / 1000 : null
  }

  answered(id: string, origin: string): void {
    this.#cooldowns.delete(`${id} ${origin}`)
    this.#requested.delete(`${id} ${origin}`)
  }

  /** Requests that were in the air together fail together: they count as one failure. */
  failed(id: string, origin: string, code: FailureCode, begun: number): void {
    if (!isExhausting(code)) {
      this.answered(id, origin)
      return
    }
    const key = `${id} ${origin}`
    const before = this.#cooldowns.get(key)
    if (before !== undefined && before.setAt >= begun) return
    const failures = (before?.failures ?? 0) + 1
    const seconds = this.#requested.get(key) ?? Math.min(MAX_COOLDOWN_S, FIRST_COOLDOWN_S * 2 ** (failures - 1))
    const setAt = this.#clock.monotonic()
    this.#requested.delete(key)
    this.#cooldowns.set(key, { setAt, until: setAt + seconds * 1000, failures })
  }
}

const wholeNumber = (text: string | string[] | undefined): number | null =>
  typeof text === 'string' && /^\d{1,64}$/.test(text) ? Number(text) : null

/** The one form of RFC 9110 that is still to be sent. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** An answer that merely does not fit, such as a 404, says nothing against asking for something else. */
const isExhausting = (code: FailureCode): boolean =>
  /^(?:TRANSPORT_UNAVAILABLE|TLS_INVALID|RESPONSE_DEADLINE|UPSTREAM_HTTP_(?:401|403|408|429|5\d\d))$/.test(code)

const SPACE = 'outbound.budget'
const DAY_MS = 86_400_000

/** How many requests of the UTC day a provider has had, counted in the store: a restart gives none back, and nodes on one
 *  store spend the same budget. */
export function dayBudgets(store: CacheStore, clock: Pick<Clock, 'now'>) {
  const keyOf = (id: string): string => documentKey(SPACE, id, new Date(clock.now()).toISOString().slice(0, 10))
  return {
    /** Null where one more request may be sent. A budget that cannot be counted is not spent either. */
    async spend({ id, perDay }: Provider): Promise<Failure | null> {
      if (perDay === null) return null
      const move = { space: SPACE, key: keyOf(id), owner: 'system/outbound', add: 1, limit: perDay }
      try {
        await store.writeDocuments([], [move])
        return null
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        return unasked('PROVIDER_BUDGET_SPENT', Math.ceil((DAY_MS - (clock.now() % DAY_MS)) / 1000))
      }
    },
    async state({ id, perDay }: Provider): Promise<{ limit: number; used: number } | null> {
      return perDay === null ? null : { limit: perDay, used: await store.reader.counter(SPACE, keyOf(id)) }
    },
  }
}

interface Flight {
  work: Promise<unknown>
  waiting: number
  abort: AbortController
}

/** One piece of work for all who ask for it together. The work is broken off when the last of those who wait has left. */
export class SharedFlights {
  readonly #flights = new Map<string, Flight>()

  /** A caller that leaves early still gets the outcome of the work: broken off for it alone it would have none. */
  async join<T>(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#begin(key, work)
    const leave = () => {
      flight.waiting -= 1
      if (flight.waiting > 0) return
      // Whoever asks from now on must not join what is being broken off.
      this.#forget(key, flight)
      flight.abort.abort(signal?.reason)
    }
    flight.waiting += 1
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true })
    try {
      return (await flight.work) as T
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #begin<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Flight {
    const abort = new AbortController()
    const begun = Promise.try(() => work(abort.signal)).finally(() => this.#forget(key, flight))
    const flight: Flight = { work: begun, waiting: 0, abort }
    this.#flights.set(key, flight)
    return flight
  }

  #forget(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
  }
}
