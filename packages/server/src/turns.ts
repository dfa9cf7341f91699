/** Work under one name happens one at a time, in the order it came. Order within this process and nothing more: what must
 *  hold between processes is held by the store. */
export class Turns {
  /** The end of the newest work under each name; never rejects. */
  private readonly ends = new Map<string, Promise<void>>()

  taken(name: string): boolean {
    return this.ends.has(name)
  }

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = (this.ends.get(name) ?? Promise.resolve()).then(work)
    const end = result.then(
      () => undefined,
      () => undefined,
    )
    this.ends.set(name, end)
    try {
      return await result
    } finally {
      if (this.ends.get(name) === end) this.ends.delete(name)
    }
  }
}
