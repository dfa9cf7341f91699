/** One client of the event stream: first the receipts it missed, page by page as fast as it reads, then the new ones as
 *  they come. What waits for it is bounded: a client that does not keep up is told where to resume, and dropped. */
import { eventOf, type ReplayPage, type Wanted } from '../../domain/receipts/events.ts'
import type { ReceiptFilter } from '../../domain/receipts/filter.ts'
import { chainNamed, type Viewer } from '../../domain/visibility.ts'
import { InputError } from '../../errors.ts'

const COMMENT_EVERY_MS = 15_000
/** What may wait for a client before it is dropped. */
export const MAX_WAITING_BYTES = 1024 * 1024

export interface Subscription {
  wanted: Wanted
  /** Equal for clients that are to hear the same. */
  key: string
  /** First index to send. */
  from: number
  /** Set when the client knew a longer ledger than there is: it is told, and gets everything. */
  resetFrom: number | null
  signal: AbortSignal
}

interface ClientSupport {
  monotonic(): number
  replay(from: number): Promise<ReplayPage>
  /** Called once, when the client has caught up. */
  follow(): void
  /** Called once, when it is over; nothing is pushed any more. */
  ended(): void
}

interface Part {
  content: string | Uint8Array
  /** Up to where the client has been served once it has this. */
  next: number
}

export class EventClient implements AsyncIterableIterator<string | Uint8Array> {
  readonly subscription: Subscription
  private readonly support: ClientSupport
  private readonly waiting: Part[] = []
  private waitingBytes = 0
  private wanted: number
  private servedTo: number
  private sentAt: number
  private phase: 'replaying' | 'following' | 'over' = 'replaying'
  private wake: (() => void) | null = null

  constructor(subscription: Subscription, support: ClientSupport) {
    const { from, resetFrom, signal } = subscription
    this.subscription = subscription
    this.support = support
    this.wanted = from
    this.servedTo = from
    this.sentAt = support.monotonic()
    this.put(resetFrom === null ? ': receipts follow\n\n' : eventOf('reset', { known: resetFrom, from }), from)
    signal.addEventListener('abort', () => this.close('the service is closing'), { once: true })
  }

  /** The next index that this client is to get. */
  get position(): number {
    return this.wanted
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<string | Uint8Array>> {
    for (;;) {
      const part = this.waiting.shift()
      if (part !== undefined) return { done: false, value: this.taken(part) }
      if (this.phase === 'over') return { done: true, value: undefined }
      if (this.phase === 'replaying') await this.replayOn()
      else await this.somethingToSend()
    }
  }

  async return(): Promise<IteratorResult<string | Uint8Array>> {
    this.end()
    return { done: true, value: undefined }
  }

  /** New receipts up to `next`, without a byte where none of them is wanted. */
  push(bytes: Uint8Array, next: number): void {
    if (this.phase !== 'following' || next <= this.wanted) return
    this.wanted = next
    if (bytes.length === 0) return
    if (this.waitingBytes > MAX_WAITING_BYTES) this.close('this client reads more slowly than receipts are recorded')
    else this.put(bytes, next)
  }

  /** A quiet stream shows that it is there. */
  tick(): void {
    if (this.waiting.length > 0 || this.phase !== 'following') return
    if (this.support.monotonic() - this.sentAt >= COMMENT_EVERY_MS) this.put(': nothing new\n\n', this.wanted)
  }

  private async replayOn(): Promise<void> {
    const page = await this.support.replay(this.wanted).catch(() => null)
    if (this.phase === 'over') return
    // The store is away: the client comes back for the rest.
    if (page === null) return this.close('the ledger cannot be read now')
    this.wanted = page.next
    if (page.bytes.length > 0) this.put(page.bytes, page.next)
    if (!page.atHead) return
    this.phase = 'following'
    this.support.follow()
  }

  private somethingToSend(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  private put(content: string | Uint8Array, next: number): void {
    this.waiting.push({ content, next })
    this.waitingBytes += content.length
    this.wake?.()
  }

  private taken({ content, next }: Part): string | Uint8Array {
    this.waitingBytes -= content.length
    this.servedTo = next
    this.sentAt = this.support.monotonic()
    return content
  }

  /** With the place to resume at, which is also the id of the event: a browser then comes back with it by itself. */
  private close(reason: string): void {
    if (this.phase === 'over') return
    this.waiting.length = 0
    this.waitingBytes = 0
    const last = this.servedTo - 1
    this.end()
    this.put(eventOf('closing', { resume_after: last, reason }, last < 0 ? undefined : last), this.servedTo)
  }

  private end(): void {
    if (this.phase === 'over') return
    this.phase = 'over'
    this.support.ended()
    this.wake?.()
  }
}

/** Of the viewer only what decides which receipts he sees: clients that see the same share what is made for them. */
export function subscriptionOf(
  viewer: Viewer,
  filter: ReceiptFilter,
  place: Pick<Subscription, 'from' | 'resetFrom' | 'signal'>,
): Subscription {
  const { namespace, owner, authMode } = viewer
  const scopes = new Set([...viewer.scopes].filter((scope) => scope === 'receipts:audit'))
  const chain = filter.chain === undefined ? null : (chainNamed(viewer, filter.chain) ?? 'nobody')
  const key = JSON.stringify([namespace, owner, authMode, scopes.size, chain, Object.entries(filter).sort()])
  return { wanted: { viewer: { namespace, owner, authMode, scopes }, filter, chain }, key, ...place }
}

/** Where to begin: after what the client has seen, or with the next receipt when it says nothing. */
export function beginning(
  lastEventId: string | undefined,
  after: number | undefined,
  size: number,
): { from: number; resetFrom: number | null } {
  const known = lastEventId === undefined ? after : Number(lastEventId)
  if (known === undefined) return { from: size, resetFrom: null }
  return known < size ? { from: known + 1, resetFrom: null } : { from: 0, resetFrom: known }
}

export function lastEventId(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return header
  throw new InputError([{ loc: ['header', 'last-event-id'], msg: 'must be the id of an event', type: 'pattern' }])
}
