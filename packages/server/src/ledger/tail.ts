/** Start-up verification: from the newest signed checkpoint to the head, not from genesis. */

import {
  appendLeaf,
  frontierAt,
  frontierRoot,
  type HashTile,
  hexEncode,
  lakeHash,
  leafHash,
  mayGoUnsigned,
  nodesFromTiles,
  organOf,
  readBody,
} from '@orch/core'
import { TreeDamaged } from '../errors.ts'
import type { Signatures } from './audit/signatures.ts'
import type { LedgerReader, Row, TailReport } from './contract.ts'
import type { Head } from './types.ts'

const CHUNK = 512

export const readTileOf = (reader: Pick<LedgerReader, 'tile'>) => async (tile: HashTile) => {
  const data = await reader.tile(tile.level, tile.index)
  if (data === null) throw new TreeDamaged(`tile ${tile.level}/${tile.index} is missing`)
  if (data.length < tile.width * 32) throw new TreeDamaged(`tile ${tile.level}/${tile.index} is cut short`)
  return data
}

export const rootAt = async (reader: Pick<LedgerReader, 'tile'>, size: number): Promise<Uint8Array> =>
  frontierRoot(await frontierAt(size, nodesFromTiles(size, readTileOf(reader))))

/** Recomputes every receipt after `from`: its digest, its link, its lake hash, its signature and the tree they add up to.
 *  No checkpoint covers these receipts yet: what passes here is what the log key will vouch for. */
export async function verifyTail(
  reader: LedgerReader,
  from: number,
  head: Head,
  signatures: Signatures,
): Promise<TailReport> {
  const report = (verifiedTo: number, reason: string | null): TailReport => ({
    verifiedFrom: from,
    verifiedTo,
    broken: reason === null ? null : { nodeIndex: verifiedTo, reason },
  })
  let frontier = await frontierAt(from, nodesFromTiles(from, readTileOf(reader)))
  const last = new Map<string, Row>()
  for (let at = from; at < head.size; ) {
    const rows = await reader.range(at, Math.min(CHUNK, head.size - at))
    if (rows.length === 0) return report(at, 'the receipt is missing')
    for (const row of rows) {
      const fault = (await faultOf(row, at, last, reader)) ?? signatureFault(row, signatures)
      if (fault !== null) return report(at, fault)
      frontier = appendLeaf(frontier, leafHash(row.body))
      at += 1
    }
  }
  const same = hexEncode(frontierRoot(frontier)) === hexEncode(frontierRoot(head.frontier))
  return report(head.size, same ? null : 'the tree of the stored receipts is not the tree of the head')
}

async function faultOf(row: Row, at: number, last: Map<string, Row>, reader: LedgerReader): Promise<string | null> {
  const organ = organOf(row.ns, row.chain)
  const before = last.get(organ) ?? (row.seq === 0 ? null : await reader.bySeq(row.ns, row.chain, row.seq - 1))
  last.set(organ, row)
  if (row.nodeIndex !== at) return 'the receipt is missing'
  const reading = readBody(row.body)
  if (!reading.ok) return `the stored bytes are no receipt: ${reading.detail}`
  const { body } = reading
  if (reading.digest !== row.digest) return 'the body does not have the digest it is stored under'
  if ((before?.seq ?? -1) + 1 !== row.seq) return 'its place in the chain does not follow the one before'
  if ((before?.digest ?? '0'.repeat(64)) !== row.prev) return 'it does not link to the receipt before it'
  if (body.seq !== row.seq || body.prev !== row.prev || body.chain !== row.chain || body.ns !== row.ns)
    return 'the body states another place than the store'
  const lake = lakeHash({
    organ,
    chain_index: row.seq + 1,
    prev_hash: before?.lake ?? '0'.repeat(64),
    receipt_digest: row.digest,
    ts_utc: body.ts_utc,
  })
  return lake === row.lake ? null : 'the lake hash is not the one of this receipt'
}

function signatureFault(row: Row, signatures: Signatures): string | null {
  const found = signatures.of(row)
  if (found === 'invalid') return 'its signature does not verify under a key of this ledger'
  const body = readBody(row.body)
  const isSample = body.ok && mayGoUnsigned(body.body)
  return found === 'missing' && !isSample
    ? 'it carries no signature, and nothing says that it was recorded without one'
    : null
}
