/** Pages of old receipts for clients that catch up. A bounded number is read at a time and clients take turns, so that
 *  one with a long way to go holds nobody up; a page that several want is read once, and remembered for those who come a
 *  little later: receipts do not change. */
import type { ReplayPage, Wanted } from '../../domain/receipts/events.ts'

const MAX_READING = 4
/** Each has at most some 130 KiB. */
const MAX_REMEMBERED = 64

type Read = (wanted: Wanted, from: number) => Promise<ReplayPage>

export class ReplayPages {
  private readonly readPage: Read
  private readonly remembered = new Map<string, Promise<ReplayPage>>()
  private readonly waiting: (() => void)[] = []
  private reading = 0

  constructor(read: Read) {
    this.readPage = read
  }

  async read({ wanted, key }: { wanted: Wanted; key: string }, from: number): Promise<ReplayPage> {
    await this.turn()
    try {
      return await this.page(wanted, `${from} ${key}`, from)
    } finally {
      // In another round of the event loop: what others ask of this thread comes in between.
      setImmediate(() => this.release())
    }
  }

  private page(wanted: Wanted, name: string, from: number): Promise<ReplayPage> {
    const known = this.remembered.get(name)
    if (known !== undefined) return known
    const page = this.readPage(wanted, from)
    this.remembered.set(name, page)
    // The page at the head is not whole yet, and one that failed is none.
    page.then(
      ({ atHead }) => atHead && this.remembered.delete(name),
      () => this.remembered.delete(name),
    )
    const [oldest] = this.remembered.keys()
    if (this.remembered.size > MAX_REMEMBERED) this.remembered.delete(oldest!)
    return page
  }

  private turn(): Promise<void> | undefined {
    if (this.reading < MAX_READING) {
      this.reading += 1
      return undefined
    }
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  /** Handed on to whoever has waited longest. */
  private release(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.reading -= 1
    else next()
  }
}
