/** Whoever asks while the work runs shares that run and its outcome; whoever asks after it starts another one. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  const flights = new SingleFlight<null>()
  return () => flights.run(null, work)
}

/** The same for work that has a key: one run per key at a time. */
export class SingleFlight<K> {
  readonly #running = new Map<K, Promise<unknown>>()

  running(): Iterable<Promise<unknown>> {
    return this.#running.values()
  }

  run<T>(key: K, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key) as Promise<T> | undefined
    if (running !== undefined) return running
    const begun = work().finally(() => this.#running.delete(key))
    this.#running.set(key, begun)
    return begun
  }
}
