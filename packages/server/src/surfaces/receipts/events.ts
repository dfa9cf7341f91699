/** Receipts as a stream. Each client has its own cursor and pulls from the ledger as fast as it reads: a commit only
 *  wakes it, so a client that stops reading costs one chunk of memory and misses nothing. */

import type { ReceiptReader, StoredReceipt } from '../../domain/stored-receipt.ts'
import { type ReceiptRow, rowOf } from './row.ts'

const CHUNK = 64
const COMMENT_EVERY_MS = 15_000
/** Where other nodes append, a notification may be lost: the ledger is looked at this often in any case. */
const LOOK_EVERY_MS = 2_000

export interface Feed {
  reader: Pick<ReceiptReader, 'range' | 'head'>
  /** Calls back after every commit; gives the way to stop. */
  onState(listener: () => void): () => void
  monotonic(): number
}

export interface Subscription {
  /** First index to send. */
  from: number
  /** Set when the client knew a longer ledger than there is: it is told, and gets everything. */
  resetFrom: number | null
  wanted(stored: StoredReceipt, row: ReceiptRow): boolean
  signal: AbortSignal
}

export async function* receiptEvents(feed: Feed, { from, resetFrom, wanted, signal }: Subscription) {
  const bell = new Bell()
  const stopListening = feed.onState(() => bell.ring())
  const leave = () => bell.ring()
  signal.addEventListener('abort', leave)
  let next = from
  let sentAt = feed.monotonic()
  try {
    yield resetFrom === null ? ': receipts follow\n\n' : eventOf('reset', { known: resetFrom, from })
    while (!signal.aborted) {
      const rows = await feed.reader.range(next, CHUNK)
      next = (rows.at(-1)?.nodeIndex ?? next - 1) + 1
      const text = rows.map((stored) => textOf(stored, wanted)).join('')
      const silent = feed.monotonic() - sentAt
      if (text === '' && silent >= COMMENT_EVERY_MS) yield ': nothing new\n\n'
      if (text !== '') yield text
      if (text !== '' || silent >= COMMENT_EVERY_MS) sentAt = feed.monotonic()
      if (rows.length < CHUNK) await bell.wait(LOOK_EVERY_MS)
    }
    yield eventOf('closing', { resume_after: next - 1 })
  } finally {
    stopListening()
    signal.removeEventListener('abort', leave)
  }
}

function textOf(stored: StoredReceipt, wanted: Subscription['wanted']): string {
  const row = rowOf(stored)
  return wanted(stored, row) ? `id: ${row.node_index}\n${eventOf('receipt', row)}` : ''
}

const eventOf = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Rung while nobody waits, it lets the next one through at once: no commit falls between reading and waiting. */
class Bell {
  private rung = false
  private wake: (() => void) | null = null

  ring(): void {
    this.rung = true
    this.wake?.()
  }

  async wait(ms: number): Promise<void> {
    if (!this.rung)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.wake = null
    this.rung = false
  }
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
