/** How often something happened in the last so many seconds: one slot per second, reused when its second comes round
 *  again. Memory is taken with the first event and never grows after that. */
export class SlidingCount {
  readonly #windowSeconds: number
  #slots: { counts: Uint32Array; seconds: Float64Array } | null = null

  constructor(windowSeconds: number) {
    this.#windowSeconds = windowSeconds
  }

  /** `nowMs` of a clock that never goes back. */
  add(nowMs: number): void {
    this.#slots ??= {
      counts: new Uint32Array(this.#windowSeconds),
      seconds: new Float64Array(this.#windowSeconds).fill(-1),
    }
    const { counts, seconds } = this.#slots
    const second = Math.floor(nowMs / 1000)
    const slot = second % this.#windowSeconds
    if (seconds[slot] !== second) {
      seconds[slot] = second
      counts[slot] = 0
    }
    counts[slot]! += 1
  }

  total(nowMs: number): number {
    if (this.#slots === null) return 0
    const { counts, seconds } = this.#slots
    const oldest = Math.floor(nowMs / 1000) - this.#windowSeconds
    return counts.reduce((sum, count, slot) => (seconds[slot]! > oldest ? sum + count : sum), 0)
  }
}
