/** What this process saw of one target: counted from calls that were made, never from a probe. */
import { isoNow } from '../../platform/clock.ts'
import { Ring } from '../../platform/ring.ts'
import type { Clock } from '../../ports.ts'

const MAX_DURATIONS = 1024

/** The call had less time than the target may take, and that time ran out. */
export const CALL_DEADLINE = 'CALL_DEADLINE'

export class TargetRecord {
  readonly #clock: Clock
  readonly #durations = new Ring(MAX_DURATIONS)
  inFlight = 0
  calls = 0
  errors = 0
  lastSuccessAt: string | null = null
  lastErrorCode: string | null = null
  lastErrorAt: string | null = null
  lastCallAt: string | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get durationsMs(): readonly number[] {
    return this.#durations.values()
  }

  /** Returns what ends the call: with the code of its failure, or null. */
  begin(): (failure: string | null) => number {
    const begun = this.#clock.monotonic()
    this.inFlight += 1
    let duration: number | null = null
    return (failure) => {
      duration ??= this.#end(begun, failure)
      return duration
    }
  }

  #end(begun: number, failure: string | null): number {
    const now = isoNow(this.#clock)
    const duration = Math.round((this.#clock.monotonic() - begun) * 1000) / 1000
    this.inFlight -= 1
    // How soon a caller stops waiting says nothing of the target.
    if (failure === CALL_DEADLINE) return duration
    this.calls += 1
    this.lastCallAt = now
    this.#durations.push(duration)
    if (failure === null) this.lastSuccessAt = now
    else {
      this.errors += 1
      this.lastErrorCode = failure
      this.lastErrorAt = now
    }
    return duration
  }
}
