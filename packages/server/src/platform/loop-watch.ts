/** Whether the event loop has been late for a while. One slow moment is nothing; half a minute of them means that timers,
 *  checks and answers of this process can no longer be relied on. */
export const LATE_P99_MS = 250

export class LoopWatch {
  #windowStart: number
  #lateSince: number | null = null

  constructor(nowMs: number) {
    this.#windowStart = nowMs
  }

  sample(p99Ms: number, nowMs: number): void {
    this.#lateSince = p99Ms > LATE_P99_MS ? (this.#lateSince ?? this.#windowStart) : null
    this.#windowStart = nowMs
  }

  lateMs(nowMs: number): number {
    return this.#lateSince === null ? 0 : nowMs - this.#lateSince
  }
}
