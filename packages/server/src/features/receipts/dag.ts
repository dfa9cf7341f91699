/** The newest receipts, or the neighbourhood of one, as a graph whose links all go backwards. */
import { assertAcyclic, assertEmitsNext, GENESIS_PREV, InvariantViolation } from '@orch/core'
import { rowOf } from '../../domain/receipts/row.ts'
import type { ReceiptReader, StoredReceipt } from '../../domain/stored-receipt.ts'
import { chainNamed, sees, type Viewer } from '../../domain/visibility.ts'
import { ServiceError } from '../../errors.ts'
import type { Ledger } from '../../ports.ts'

const WINDOW = 20

type Receipts = Pick<Ledger, 'reader' | 'queries'>

/** A stored link: the index of the parent, or null where the ledger does not hold what `prev` names. */
interface Link {
  row: StoredReceipt
  parentIndex: number | null
}

export async function dagOf(ledger: Receipts, viewer: Viewer, request: string) {
  const rows = await windowOf(ledger, viewer, request)
  const links = await Promise.all(rows.map((row) => linkOf(ledger.reader, row)))
  return {
    request,
    order: 'node_index ascending' as const,
    nodes: links.map(nodeOf),
    edges: links.flatMap(edgeOf),
    count: rows.length,
    checks: checksOf(links, request),
  }
}

async function windowOf({ reader, queries }: Receipts, viewer: Viewer, request: string): Promise<StoredReceipt[]> {
  if (request === 'latest') return (await queries.newestReceipts(viewer, WINDOW)).reverse()
  if (/^[0-9a-f]{64}$/.test(request)) return around(reader, viewer, request)
  const name = chainNamed(viewer, request)
  const chain = name && (await reader.chains()).find(({ ns, chain }) => ns === name.ns && chain === name.chain)
  if (!chain)
    throw new ServiceError(
      'chain_not_found',
      `no chain ${request} in this ledger; GET /api/orch/khipu/organs lists them`,
    )
  return chainWindow(reader, viewer, chain, chain.depth)
}

async function around(reader: ReceiptReader, viewer: Viewer, digest: string): Promise<StoredReceipt[]> {
  const row = await reader.byDigest(digest)
  if (row === null || !sees(viewer, row))
    throw new ServiceError(
      'receipt_not_found',
      `no receipt ${digest} in this ledger; GET /api/orch/khipu/ledger lists them`,
    )
  return chainWindow(reader, viewer, row, row.seq + 1 + WINDOW / 2)
}

async function chainWindow(
  reader: ReceiptReader,
  viewer: Viewer,
  { ns, chain }: { ns: string; chain: string },
  end: number,
): Promise<StoredReceipt[]> {
  const rows = await reader.chainRange(ns, chain, Math.max(0, end - WINDOW), WINDOW)
  return rows.filter((row) => sees(viewer, row))
}

async function linkOf(reader: ReceiptReader, row: StoredReceipt): Promise<Link> {
  if (row.prev === GENESIS_PREV) return { row, parentIndex: -1 }
  return { row, parentIndex: (await reader.byDigest(row.prev))?.nodeIndex ?? null }
}

const hasParent = ({ row }: Link): boolean => row.prev !== GENESIS_PREV

function nodeOf(link: Link) {
  const { digest, chain, seq, kind, decision, signed, keyid, ts_utc } = rowOf(link.row)
  const parents = hasParent(link) ? [link.row.prev] : []
  return { index: link.row.nodeIndex, digest, parents, chain, seq, kind, decision, signed, keyid, ts_utc }
}

const edgeOf = (link: Link) =>
  hasParent(link)
    ? [{ from: link.row.digest, to: link.row.prev, from_index: link.row.nodeIndex, to_index: link.parentIndex }]
    : []

/** The locked formulas, run over what is about to be sent. */
const checksOf = (links: readonly Link[], request: string) => ({
  F4: {
    states: 'every parent has a smaller index than its child',
    holds: links.every(({ row, parentIndex }) => holds(() => assertAcyclic(parentIndex ?? Number.NaN, row.nodeIndex))),
  },
  F22: {
    states: request === 'latest' ? 'indexes only grow' : 'each receipt is the next one of its chain',
    holds: links.every((link, at) => at === 0 || follows(links[at - 1]!.row, link.row)),
  },
})

/** Neighbours in one chain are next to each other unless the one between is not the viewer's to see. */
function follows(before: StoredReceipt, after: StoredReceipt): boolean {
  const sameChain = before.ns === after.ns && before.chain === after.chain
  if (sameChain && after.prev === before.digest) return holds(() => assertEmitsNext(before.seq, after.seq))
  return before.nodeIndex < after.nodeIndex && !(sameChain && after.seq === before.seq + 1)
}

function holds(assertion: () => void): boolean {
  try {
    assertion()
    return true
  } catch (error) {
    if (error instanceof InvariantViolation) return false
    throw error
  }
}
