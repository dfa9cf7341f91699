/** Work under one key happens one at a time, in the order it came. The order holds within this process and nothing more:
 *  what must hold between processes is the store's to enforce. */
export class KeyedMutex {
  readonly #queues = new Map<string, { tail: Promise<void>; completed: number }>()

  isLocked(key: string): boolean {
    return this.#queues.has(key)
  }

  /** How many have finished since the key was locked: where it stays the same, the queue does not move. */
  completed(key: string): number {
    return this.#queues.get(key)?.completed ?? 0
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? { tail: Promise.resolve(), completed: 0 }
    const result = queue.tail.then(work)
    const tail = result.then(
      () => undefined,
      () => undefined,
    )
    queue.tail = tail
    this.#queues.set(key, queue)
    try {
      return await result
    } finally {
      queue.completed += 1
      if (queue.tail === tail) this.#queues.delete(key)
    }
  }
}
