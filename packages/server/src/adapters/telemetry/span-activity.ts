/** How often each kind of child span ended lately and how long they took: counted with or without a collector. */
import { Ring } from '../../platform/ring.ts'
import { SlidingCount } from '../../platform/sliding-count.ts'
import { SPAN_NAMES, type SpanActivity, type SpanName } from './contract.ts'

export const WINDOW_SECONDS = 300
const MAX_DURATIONS = 1024

class NameActivity {
  readonly #calls = new SlidingCount(WINDOW_SECONDS)
  readonly #durations = new Ring(MAX_DURATIONS)
  readonly #endedAt = new Ring(MAX_DURATIONS)

  add(nowMs: number, durationMs: number): void {
    this.#calls.add(nowMs)
    this.#durations.push(durationMs)
    this.#endedAt.push(nowMs)
  }

  calls(nowMs: number): number {
    return this.#calls.total(nowMs)
  }

  durations(nowMs: number): number[] {
    const endedAt = this.#endedAt.values()
    return this.#durations.values().filter((_, at) => endedAt[at]! > nowMs - WINDOW_SECONDS * 1000)
  }
}

export class SpanStats {
  started = 0
  ended = 0
  readonly #names = new Map<SpanName, NameActivity>(SPAN_NAMES.map((name) => [name, new NameActivity()]))
  /** Never goes back. */
  readonly #monotonic: () => number

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** Returns what ends the span. */
  begin(name: SpanName): () => void {
    this.started += 1
    const begun = this.#monotonic()
    return () => {
      this.ended += 1
      const now = this.#monotonic()
      this.#names.get(name)!.add(now, now - begun)
    }
  }

  past(name: SpanName, durationMs: number): void {
    this.started += 1
    this.ended += 1
    this.#names.get(name)!.add(this.#monotonic(), durationMs)
  }

  activity(): SpanActivity[] {
    const now = this.#monotonic()
    return [...this.#names].map(([name, seen]) => ({ name, calls: seen.calls(now), durationsMs: seen.durations(now) }))
  }
}
