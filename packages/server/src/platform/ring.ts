/** The newest `capacity` numbers. Memory is taken with the first of them and never grows after that. */
export class Ring {
  readonly #capacity: number
  #slots: Float64Array | null = null
  #total = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  push(value: number): void {
    this.#slots ??= new Float64Array(this.#capacity)
    this.#slots[this.#total % this.#capacity] = value
    this.#total += 1
  }

  /** Oldest first. */
  values(): number[] {
    if (this.#slots === null) return []
    if (this.#total <= this.#capacity) return [...this.#slots.subarray(0, this.#total)]
    const oldest = this.#total % this.#capacity
    return [...this.#slots.subarray(oldest), ...this.#slots.subarray(0, oldest)]
  }
}

/** The percentile of ascending numbers by nearest rank, `percent` in (0, 100]: the smallest number that at least so many
 *  are not above; null where there is none. Multiplied before it is divided: 0.95 x 20 is more than 19 in binary. */
export const nearestRank = (sorted: readonly number[], percent: number): number | null =>
  sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? null
