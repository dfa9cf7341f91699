import { Ring } from '../../platform/ring.ts'
import type { CallSeries, Clock, ServedCalls } from '../../ports.ts'

const WINDOW = 1024

/** What one operation did: counters, and the newest durations. */
export class OperationCalls implements CallSeries {
  readonly id: string
  count = 0
  errors = 0
  running = 0
  readonly statuses = new Map<number, number>()
  readonly codes = new Map<string, number>()
  readonly #clock: Clock
  #lastMs: number | null = null
  readonly #durations = new Ring(WINDOW)

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
  readonly #clock: Clock
  readonly #operations = new Map<string, OperationCalls>()

  constructor(clock: Clock) {
    this.#clock = clock
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
