/** Work under one name happens one at a time, in the order it came. Order within this process and nothing more: what must
 *  hold between processes is held by the store. */
export class Turns {
  private readonly lines = new Map<string, { end: Promise<void>; ended: number }>()

  taken(name: string): boolean {
    return this.lines.has(name)
  }

  /** How many were through since somebody began to wait: where it stays the same, the line stands still. */
  ended(name: string): number {
    return this.lines.get(name)?.ended ?? 0
  }

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = this.lines.get(name) ?? { end: Promise.resolve(), ended: 0 }
    const result = line.end.then(work)
    const end = result.then(
      () => undefined,
      () => undefined,
    )
    line.end = end
    this.lines.set(name, line)
    try {
      return await result
    } finally {
      line.ended += 1
      if (line.end === end) this.lines.delete(name)
    }
  }
}
