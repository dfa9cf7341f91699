/** When a source that failed may be asked again: who is asked, at which origin. What it says about itself in `Retry-After` counts within bounds, so
 *  that a hostile reply neither makes us hammer it nor silences us for good. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../../ports.ts'
import type { Provider } from '../contract.ts'

const FIRST_S = 15
const MAX_S = 300
const MAX_ASKED_S = 3600

export type Source = `${Provider} ${string}`

interface Rest {
  setAt: number
  until: number
  failures: number
}

export class Cooldowns {
  readonly #rests = new Map<Source, Rest>()
  readonly #asked = new Map<Source, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  holds(source: Source): boolean {
    return (this.#rests.get(source)?.until ?? 0) > this.#clock.monotonic()
  }

  /** Whether it failed at some address and has not answered there since. */
  isResting(provider: Provider): boolean {
    return this.#rests.keys().some((source) => source.startsWith(`${provider} `))
  }

  /** Remembers what the reply asks for until its outcome is known. */
  hear(source: Source, headers: IncomingHttpHeaders): void {
    const seconds = wholeNumber(headers['retry-after']) ?? this.#untilReset(headers)
    if (seconds === null) this.#asked.delete(source)
    else this.#asked.set(source, Math.min(MAX_ASKED_S, Math.max(1, seconds)))
  }

  /** A host whose budget is spent names the second at which it is filled again. */
  #untilReset(headers: IncomingHttpHeaders): number | null {
    const reset = wholeNumber(headers['x-ratelimit-reset'])
    return headers['x-ratelimit-remaining'] === '0' && reset !== null ? reset - this.#clock.now() / 1000 : null
  }

  answered(source: Source): void {
    this.#rests.delete(source)
    this.#asked.delete(source)
  }

  /** Requests that were in the air together fail together: they count as one failure. */
  failed(source: Source, code: string, begun: number): void {
    if (!isExhausting(code)) {
      this.answered(source)
      return
    }
    const before = this.#rests.get(source)
    if (before !== undefined && before.setAt >= begun) return
    const failures = (before?.failures ?? 0) + 1
    const seconds = this.#asked.get(source) ?? Math.min(MAX_S, FIRST_S * 2 ** (failures - 1))
    const setAt = this.#clock.monotonic()
    this.#asked.delete(source)
    this.#rests.set(source, { setAt, until: setAt + seconds * 1000, failures })
  }
}

const wholeNumber = (text: string | string[] | undefined): number | null =>
  typeof text === 'string' && /^\d{1,12}$/.test(text) ? Number(text) : null

/** An answer that merely does not fit, such as a 404, says nothing against asking for something else. */
const isExhausting = (code: string): boolean =>
  /^(?:TRANSPORT_UNAVAILABLE|TLS_INVALID|RESPONSE_DEADLINE|UPSTREAM_HTTP_(?:401|403|408|429|5\d\d))$/.test(code)
