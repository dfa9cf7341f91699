/** What one side produces at its own pace and the other reads as a stream. */
const PING_MS = 15_000

export class Channel<T> {
  readonly #items: T[] = []
  #ended = false
  #wake: (() => void) | null = null

  static ended<T>(): Channel<T> {
    const channel = new Channel<T>()
    channel.end()
    return channel
  }

  push(item: T): void {
    this.#items.push(item)
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** The next item; null at the end, `ping` when nothing came for a while. */
  async next(): Promise<T | null | 'ping'> {
    if (this.#items.length === 0 && !this.#ended) await this.#wait()
    const item = this.#items.shift()
    if (item !== undefined) return item
    return this.#ended ? null : 'ping'
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(done, PING_MS)
      this.#wake = done
    })
  }
}
