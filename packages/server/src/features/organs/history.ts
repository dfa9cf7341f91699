/** Organ runs as the receipts of the caller's own partition tell them, examples marked as such. A stored run measures
 *  nothing now. */
import type { Static } from 'typebox'
import type { Caller } from '../../access.ts'
import { assertCursor, MAX_SCANNED } from '../../domain/receipts/page.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { read } from '../../platform/shape.ts'
import type { Ledger } from '../../ports.ts'
import { type HistoryItem, type HistoryQuery, RunPayload } from './schemas.ts'

/** Receipts that are asked for at a time. */
const PAGE = 200

interface StoredRun {
  item: HistoryItem
  ns: string
  nodeIndex: number
  seq: number
}

export async function organHistory(
  ledger: Pick<Ledger, 'queries' | 'reader' | 'state'>,
  caller: Caller,
  { limit = 40, cursor, organ, status }: Static<typeof HistoryQuery>,
) {
  const chain = organ === undefined ? null : { ns: caller.namespace, chain: organ.toLowerCase() }
  const filter = { kind: ['organ-run', 'example'], owner: caller.owner }
  assertCursor(cursor, chain)
  const matches = ({ item, ns }: StoredRun) =>
    ns === caller.namespace && (status === undefined || item.status === status)
  const items: HistoryItem[] = []
  let [next, scanned, from] = [null as string | null, 0, cursor]
  do {
    // A filter that matches little reads on, up to as many receipts as any list reads.
    const page = await ledger.queries.receiptPage(caller, { limit: PAGE, cursor: from, filter, chain })
    scanned += page.scanned
    next = page.next_cursor
    const runs = await Promise.all(page.receipts.map(({ digest }) => readRun(ledger, digest)))
    const found = runs.filter((run) => run !== null && matches(run)) as StoredRun[]
    const taken = found.slice(0, limit - items.length)
    items.push(...taken.map(({ item }) => item))
    const last = taken.at(-1)
    if (last !== undefined && items.length === limit) next = cursorAfter(last, chain !== null)
    from = next ?? undefined
  } while (next !== null && items.length < limit && scanned < MAX_SCANNED)
  return {
    schema: 'orch.organ-history/v1' as const,
    order: 'newest_first' as const,
    durability: ledger.state().durability,
    count: items.length,
    items,
    next_cursor: next,
  }
}

/** The list goes on below this run; where none is below, it has ended. */
function cursorAfter({ nodeIndex, seq }: StoredRun, isOfChain: boolean): string | null {
  const place = isOfChain ? seq : nodeIndex
  return place > 0 ? `${isOfChain ? 's' : 'i'}${place}` : null
}

async function readRun({ reader }: Pick<Ledger, 'reader'>, digest: string): Promise<StoredRun | null> {
  const row = await reader.byDigest(digest)
  const body = row === null ? null : bodyOf(row)
  const run = read(RunPayload, body?.kind === 'example' ? body.payload.value : body?.payload)
  if (row === null || body === null || !run.ok) return null
  const { organ, op, version, status, class: classAtRun, ...said } = run.value
  const item = {
    receipt_id: digest,
    seq: row.seq,
    organ,
    op,
    version,
    status,
    class_at_run: classAtRun,
    input_sha256: said.input_sha256,
    result_sha256: said.result_sha256,
    input_source: said.input_source,
    ts: body.ts_utc,
  }
  return { item, ns: row.ns, nodeIndex: row.nodeIndex, seq: row.seq }
}
