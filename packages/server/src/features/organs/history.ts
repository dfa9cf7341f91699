/** Organ runs as the receipts of the caller's own partition tell them, examples marked as such. A stored run measures
 *  nothing now. */
import type { Static } from 'typebox'
import type { Caller } from '../../access.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { read } from '../../platform/shape.ts'
import type { Ledger } from '../../ports.ts'
import { type HistoryItem, type HistoryQuery, RunPayload } from './schemas.ts'

export async function organHistory(
  ledger: Pick<Ledger, 'queries' | 'reader' | 'state'>,
  caller: Caller,
  { limit = 40, cursor, organ, status }: Static<typeof HistoryQuery>,
) {
  const chain = organ === undefined ? null : { ns: caller.namespace, chain: organ.toLowerCase() }
  const filter = { kind: ['organ-run', 'example'], owner: caller.owner }
  const page = await ledger.queries.receiptPage(caller, { limit, cursor, filter, chain })
  const own = page.receipts.filter(({ ns }) => ns === caller.namespace)
  const items = (await Promise.all(own.map(({ digest }) => readRun(ledger, digest)))).filter(
    (item) => item !== null && (status === undefined || item.status === status),
  ) as HistoryItem[]
  return {
    schema: 'orch.organ-history/v1' as const,
    order: 'newest_first' as const,
    durability: ledger.state().durability,
    count: items.length,
    items,
    next_cursor: page.next_cursor,
  }
}

async function readRun({ reader }: Pick<Ledger, 'reader'>, digest: string): Promise<HistoryItem | null> {
  const row = await reader.byDigest(digest)
  const body = row === null ? null : bodyOf(row)
  const run = read(RunPayload, body?.kind === 'example' ? body.payload.value : body?.payload)
  if (row === null || body === null || !run.ok) return null
  const { organ, op, version, status, class: classAtRun, ...said } = run.value
  return {
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
}
