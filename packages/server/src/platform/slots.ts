/** What waits for an answer, each under a number that is free again when it is taken out.
 *
 *  Not a `Map`, for the reason that `LinkedList` gives: everything that was ever in one could live until the next full
 *  collection. One of five changes by which 100,000 decisions left 380 MiB instead of 517 when they were made
 *  (`npm run bench -- --memory`). */
export class Slots<T> {
  readonly #values: (T | null)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#values.length - this.#free.length
  }

  add(value: T): number {
    const slot = this.#free.pop() ?? this.#values.length
    this.#values[slot] = value
    return slot
  }

  /** Nothing where the slot is free. */
  take(slot: number): T | undefined {
    const value = this.#values[slot]
    if (value == null) return undefined
    this.#values[slot] = null
    this.#free.push(slot)
    return value
  }

  takeAll(): T[] {
    return [...this.#values.keys()].flatMap((slot) => this.take(slot) ?? [])
  }
}
