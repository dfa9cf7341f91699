/** When an origin that failed may be asked again. What it says about itself in `Retry-After` counts within bounds, so
 *  that a hostile reply neither makes us hammer it nor silences us for good. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../ports.ts'

const FIRST_S = 15
const LONGEST_S = 300
const MOST_ASKED_S = 3600

interface Rest {
  setAt: number
  until: number
  failures: number
}

export class Cooldowns {
  readonly #rests = new Map<string, Rest>()
  readonly #asked = new Map<string, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  holds(origin: string): boolean {
    return (this.#rests.get(origin)?.until ?? 0) > this.#clock.monotonic()
  }

  /** Remembers what the reply asks for until its outcome is known. */
  hear(origin: string, headers: IncomingHttpHeaders): void {
    const seconds = wholeNumber(headers['retry-after']) ?? this.#untilReset(headers)
    if (seconds === null) this.#asked.delete(origin)
    else this.#asked.set(origin, Math.min(MOST_ASKED_S, Math.max(1, seconds)))
  }

  /** A host whose budget is spent names the second at which it is filled again. */
  #untilReset(headers: IncomingHttpHeaders): number | null {
    const reset = wholeNumber(headers['x-ratelimit-reset'])
    return headers['x-ratelimit-remaining'] === '0' && reset !== null ? reset - this.#clock.now() / 1000 : null
  }

  answered(origin: string): void {
    this.#rests.delete(origin)
    this.#asked.delete(origin)
  }

  /** Requests that were in the air together fail together: they count as one failure. */
  failed(origin: string, code: string, begun: number): void {
    const before = this.#rests.get(origin)
    if (!isExhausting(code) || (before !== undefined && before.setAt >= begun)) return
    const failures = (before?.failures ?? 0) + 1
    const seconds = this.#asked.get(origin) ?? Math.min(LONGEST_S, FIRST_S * 2 ** (failures - 1))
    const setAt = this.#clock.monotonic()
    this.#asked.delete(origin)
    this.#rests.set(origin, { setAt, until: setAt + seconds * 1000, failures })
  }
}

const wholeNumber = (text: string | string[] | undefined): number | null =>
  typeof text === 'string' && /^\d{1,12}$/.test(text) ? Number(text) : null

/** An answer that merely does not fit, such as a 404, says nothing against asking for something else. */
const isExhausting = (code: string): boolean =>
  /^(?:TRANSPORT_UNAVAILABLE|TLS_INVALID|RESPONSE_DEADLINE|UPSTREAM_HTTP_(?:401|403|408|429|5\d\d))$/.test(code)
