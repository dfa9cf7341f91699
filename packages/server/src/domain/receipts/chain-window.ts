/** The newest receipts of one chain and whether they hold together. Whoever can write to the store controls every column
 *  of every row: digests are recomputed from the stored bytes and compared with what stands beside them. */
import {
  GENESIS_PREV,
  importPublicKey,
  lakeHash,
  organOf,
  type PublicKey,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  readBody,
  sha256Hex,
  verifyP256Sync,
} from '@orch/core'
import type { ReceiptReader, StoredChain, StoredReceipt } from '../stored-receipt.ts'
import type { ChainName } from '../visibility.ts'

export type WindowReader = Pick<ReceiptReader, 'chainRange'> & {
  chains(): Promise<(StoredChain & { lake: string })[]>
  keys(): Promise<{ spki: Uint8Array }[]>
}

export interface ChainWindow {
  depth: number
  head: string
  /** Oldest first. */
  rows: StoredReceipt[]
  check: {
    from_seq: number | null
    to_seq: number | null
    recomputed: number
    links_checked: number
    signatures_checked: number
    first_break_seq: number | null
  }
}

type Head = Pick<StoredChain, 'depth' | 'head'> & { lake: string }
interface Link {
  digest: string
  lake: string
}

const BEGINNING: Link = { digest: GENESIS_PREV, lake: GENESIS_PREV }
const NO_CHAIN: Head = { depth: 0, head: GENESIS_PREV, lake: GENESIS_PREV }

export async function chainWindow(reader: WindowReader, name: ChainName, limit: number): Promise<ChainWindow> {
  const head = (await reader.chains()).find(({ ns, chain }) => ns === name.ns && chain === name.chain) ?? NO_CHAIN
  const from = Math.max(0, head.depth - limit)
  // The one before the window comes along: the oldest link of the window leads to it.
  const first = Math.max(0, from - 1)
  const found = head.depth === 0 ? [] : await reader.chainRange(name.ns, name.chain, first, head.depth - first)
  const bySeq = new Map(found.map((row) => [row.seq, row]))
  const before = from === 0 ? BEGINNING : linkOf(bySeq.get(first))
  const walk = windowWalk(name, head, await keysOf(reader, found), before)
  for (let seq = from; seq < head.depth; seq += 1) walk.step(seq, bySeq.get(seq))
  const rows = found.filter(({ seq }) => seq >= from && seq < head.depth)
  const bounds = head.depth === 0 ? { from_seq: null, to_seq: null } : { from_seq: from, to_seq: head.depth - 1 }
  return { depth: head.depth, head: head.head, rows, check: { ...bounds, ...walk.counts } }
}

const linkOf = (row: StoredReceipt | undefined): Link | null =>
  row === undefined ? null : { digest: sha256Hex(row.body), lake: row.lake }

/** By the id each key has by its own bytes: a ring row whose id was edited finds no key. */
async function keysOf(reader: WindowReader, rows: readonly StoredReceipt[]): Promise<ReadonlyMap<string, PublicKey>> {
  if (rows.every(({ signature }) => signature === null)) return new Map()
  const keys = (await reader.keys()).map(({ spki }) => importPublicKey(new Uint8Array(spki)))
  return new Map(keys.flatMap((key) => (key === null ? [] : [[key.keyid, key] as const])))
}

/** Checks one receipt after the other. `before` is null where the receipt before is missing: the link to it then cannot
 *  hold. */
function windowWalk(name: ChainName, head: Head, keys: ReadonlyMap<string, PublicKey>, first: Link | null) {
  const counts = { recomputed: 0, links_checked: 0, signatures_checked: 0, first_break_seq: null as number | null }
  const organ = organOf(name.ns, name.chain)
  let before = first

  const links = (row: StoredReceipt, digest: string, ts: string): boolean => {
    if (before === null) return false
    counts.links_checked += 1
    const link = { organ, chain_index: row.seq + 1, prev_hash: before.lake, receipt_digest: digest, ts_utc: ts }
    return row.prev === before.digest && row.lake === lakeHash(link)
  }
  /** An unsigned receipt claims nothing; a signature that its key does not bear out is a break. */
  const isSignedByItsKey = ({ signature, keyid, body }: StoredReceipt): boolean => {
    if (signature === null) return true
    counts.signatures_checked += 1
    const key = keyid === null ? undefined : keys.get(keyid)
    return key !== undefined && verifyP256Sync(key, pae(RECEIPT_PAYLOAD_TYPE, body), signature)
  }
  const holds = (seq: number, row: StoredReceipt): boolean => {
    const reading = readBody(row.body)
    counts.recomputed += 1
    if (!reading.ok) return false
    const { body, digest } = reading
    const stated = digest === row.digest && body.seq === seq && body.prev === row.prev
    const placed = body.ns === name.ns && body.chain === name.chain
    const isAtHead = seq !== head.depth - 1 || (digest === head.head && row.lake === head.lake)
    return stated && placed && isAtHead && links(row, digest, body.ts_utc) && isSignedByItsKey(row)
  }
  const step = (seq: number, row: StoredReceipt | undefined): void => {
    if (row === undefined || !holds(seq, row)) counts.first_break_seq ??= seq
    before = linkOf(row)
  }
  return { counts, step }
}
