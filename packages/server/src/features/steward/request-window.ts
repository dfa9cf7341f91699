/** How requests ended in the last minutes, from totals that only grow. */

interface Totals {
  count: number
  errors: number
}

const WINDOW_MS = 300_000
export const SAMPLE_EVERY_MS = 10_000
const MAX_SAMPLES = WINDOW_MS / SAMPLE_EVERY_MS + 2

export class RequestWindow {
  readonly #samples: ({ at: number } & Totals)[]

  /** `at` by a clock that never goes back; nothing was served before it. */
  constructor(at: number) {
    this.#samples = [{ at, count: 0, errors: 0 }]
  }

  sample(at: number, { count, errors }: Totals): void {
    this.#samples.push({ at, count, errors })
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift()
  }

  /** Since the youngest sample that is at least five minutes old, or the oldest one there is. */
  read(now: number, { count, errors }: Totals): Totals & { seconds: number } {
    const old = this.#samples.findLast(({ at }) => now - at >= WINDOW_MS) ?? this.#samples[0]!
    return { count: count - old.count, errors: errors - old.errors, seconds: Math.round((now - old.at) / 1000) }
  }
}
