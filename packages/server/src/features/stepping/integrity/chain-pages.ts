/** A chain page by page, with something done for every row. While one page is at work the next one is read: each look into
 *  the store waits for a turn of the loop, and a busy loop has few. */
import { setImmediate as otherWork } from 'node:timers/promises'
import type { LedgerReader, Row } from '../../../ledger/contract.ts'
import type { Clock } from '../../../ports.ts'

const PAGE = 100

export interface ChainPart {
  reader: Pick<LedgerReader, 'chainRange'>
  namespace: string
  chain: string
  from: number
  /** One past the last; to where the chain ends unless told. */
  to?: number
}

export async function* chainPages<T>(
  { reader, namespace, chain, from, to = Number.POSITIVE_INFINITY }: ChainPart,
  work: (row: Row) => Promise<T>,
): AsyncGenerator<[row: Row, found: T][]> {
  const begin = (seq: number) => {
    const rows = seq < to ? reader.chainRange(namespace, chain, seq, Math.min(PAGE, to - seq)) : Promise.resolve([])
    const found = rows.then((all) => Promise.all(all.map(work)))
    // Whoever comes to this page gets the rejection, and nobody may come.
    found.catch(() => undefined)
    return { rows, found }
  }
  for (let page = begin(from); ; ) {
    const rows = await page.rows
    if (rows.length === 0) return
    const next = begin(rows.at(-1)!.seq + 1)
    const found = await page.found
    yield rows.map((row, at) => [row, found[at]!])
    page = next
    await otherWork()
  }
}

const SLICE_MS = 4

/** The work, stopped from running longer than a slice at a stretch, however many callers have it do something at once. Walks
 *  over recorded steps cost as much as there is recorded, and anybody who may read his records may ask for one: so a walk
 *  leaves the process to others every few milliseconds, and its caller sees to it that one of a kind runs at a time. */
export function sliced<A, R>(
  work: (argument: A) => Promise<R>,
  clock: Pick<Clock, 'monotonic'>,
  pause: () => Promise<unknown> = otherWork,
): (argument: A) => Promise<R> {
  let since = clock.monotonic()
  let pausing: Promise<void> | null = null
  const paused = async (): Promise<void> => {
    await pause()
    pausing = null
    since = clock.monotonic()
  }
  return async (argument) => {
    while (clock.monotonic() - since >= SLICE_MS) {
      pausing ??= paused()
      await pausing
    }
    return work(argument)
  }
}
