/** Streams of receipts for any number of clients. Old receipts are replayed page by page, a few pages at a time and each
 *  client in its turn; equal pages are read once. New receipts are read, parsed and matched once for all clients, in the
 *  reading thread; what is done here for each of them is to hand it bytes. */
import type { ReplayPage, TailPage, Wanted } from '../../domain/receipts/events.ts'
import { ServiceError } from '../../errors.ts'
import type { LedgerQueries } from '../../ledger/contract.ts'
import type { StreamLimits } from '../../ports.ts'
import { EventClient, type Subscription } from './event-client.ts'

const TICK_MS = 5_000

export interface HubLedger {
  queries: Pick<LedgerQueries, 'eventReplay' | 'eventTail'>
  state(): { size: number }
  /** Calls back after every commit, of this node and of others; gives the way to stop. */
  onState(listener: () => void): () => void
}

export class EventHub {
  private readonly ledger: HubLedger
  private readonly limits: StreamLimits
  private readonly monotonic: () => number
  private readonly clients = new Set<EventClient>()
  private readonly live = new Set<EventClient>()
  private readonly perCaller = new Map<string, number>()
  private readonly pages: ReplayPages
  private pumping = false
  private stopListening: (() => void) | null = null

  constructor(ledger: HubLedger, limits: StreamLimits, monotonic: () => number) {
    this.ledger = ledger
    this.limits = limits
    this.monotonic = monotonic
    this.pages = new ReplayPages((wanted, from) => ledger.queries.eventReplay(wanted, from))
  }

  /** How many have caught up and follow. */
  get following(): number {
    return this.live.size
  }

  /** `caller` is whom the stream is counted for; null for one of our own checks, which no client takes the place of. */
  open(subscription: Subscription, caller: string | null): EventClient {
    this.admit(caller)
    const client = new EventClient(subscription, {
      monotonic: this.monotonic,
      replay: (from): Promise<ReplayPage> => this.pages.read(subscription, from),
      follow: () => this.follow(client),
      ended: () => this.forget(client, caller),
    })
    this.clients.add(client)
    this.stopListening ??= this.listen()
    return client
  }

  private admit(caller: string | null): void {
    if (caller === null) return
    const own = this.perCaller.get(caller) ?? 0
    const { total, perCaller } = this.limits
    if (own >= perCaller || this.clients.size >= total)
      throw new ServiceError(
        'too_many_streams',
        own >= perCaller
          ? `this caller has ${own} event streams open and may have ${perCaller}; close one or retry later`
          : `the service has ${total} event streams open and takes no more now; retry later`,
      )
    this.perCaller.set(caller, own + 1)
  }

  private forget(client: EventClient, caller: string | null): void {
    this.live.delete(client)
    if (!this.clients.delete(client)) return
    if (caller !== null) {
      const left = (this.perCaller.get(caller) ?? 1) - 1
      if (left === 0) this.perCaller.delete(caller)
      else this.perCaller.set(caller, left)
    }
    if (this.clients.size > 0) return
    this.stopListening?.()
    this.stopListening = null
  }

  /** A notification of another node may be lost, and a read may fail: a look every few seconds makes up for both. */
  private listen(): () => void {
    const stop = this.ledger.onState(() => void this.pump())
    const timer = setInterval(() => {
      for (const client of this.clients) client.tick()
      void this.pump()
    }, TICK_MS).unref()
    return () => {
      stop()
      clearInterval(timer)
    }
  }

  private follow(client: EventClient): void {
    this.live.add(client)
    void this.pump()
  }

  /** One page at a time. A client that has just caught up may be a few receipts behind the others: the page begins where
   *  the last of them is, and each takes from it what it has not had. */
  private async pump(): Promise<void> {
    if (this.pumping) return
    this.pumping = true
    try {
      for (;;) {
        const from = Math.min(...[...this.live].map(({ position }) => position))
        // Nobody follows, or nothing is new.
        if (from >= this.ledger.state().size) return
        const groups = [...Map.groupBy(this.live, ({ subscription }) => subscription.key).values()]
        const wanted = groups.map(([client]) => client!.subscription.wanted)
        const page = await this.ledger.queries.eventTail(wanted, from)
        if (page.next <= from) return
        for (const [at, group] of groups.entries()) deliver(group, page, page.wanted[at] ?? null)
      }
    } catch {
      // The store is away. Nothing is lost: the next commit or the next tick reads on from here.
    } finally {
      this.pumping = false
    }
  }
}

/** Clients of one group that are equally far get the very same bytes. */
function deliver(group: readonly EventClient[], page: TailPage, places: readonly number[] | null): void {
  const made = new Map<number, Uint8Array>()
  for (const client of group) {
    const begin = page.indexes.findIndex((index) => index >= client.position)
    const known = made.get(begin) ?? (begin === -1 ? NOTHING : bytesOf(page, places, begin))
    made.set(begin, known)
    client.push(known, page.next)
  }
}

const NOTHING = new Uint8Array(0)

function bytesOf({ bytes, endOffsets }: TailPage, places: readonly number[] | null, begin: number): Uint8Array {
  const startOf = (place: number): number => (place === 0 ? 0 : endOffsets[place - 1]!)
  if (places === null) return bytes.subarray(startOf(begin))
  return concatenated(places.filter((at) => at >= begin).map((at) => bytes.subarray(startOf(at), endOffsets[at]!)))
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const MAX_READING = 4
/** Each has at most some 130 KiB. */
const MAX_REMEMBERED = 64

type ReadPage = (wanted: Wanted, from: number) => Promise<ReplayPage>

/** Pages of old receipts for clients that catch up. A bounded number is read at a time and clients take turns, so that
 *  one with a long way to go holds nobody up; a page that several want is read once, and remembered for those who come a
 *  little later: receipts do not change. */
class ReplayPages {
  private readonly readPage: ReadPage
  private readonly remembered = new Map<string, Promise<ReplayPage>>()
  private readonly waiting: (() => void)[] = []
  private reading = 0

  constructor(readPage: ReadPage) {
    this.readPage = readPage
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
