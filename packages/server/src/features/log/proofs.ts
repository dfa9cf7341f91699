/** Proofs and tiles of the transparency log. Everything is read from the stored tree: O(log n) tiles a proof. */
import {
  encodeEntryBundle,
  hexEncode,
  leafHash,
  parseTilePath,
  replays,
  TILE_WIDTH,
  type Tile,
  tileWidth,
} from '@orch/core'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { InputError, ReceiptAltered, ServiceError } from '../../errors.ts'
import type { Ledger } from '../../ports.ts'

type LoggedReceipt = Pick<StoredReceipt, 'nodeIndex' | 'digest' | 'body'>

export interface Log extends Pick<Ledger, 'inclusion' | 'consistency' | 'rootAt' | 'checkpointNow'> {
  reader: Pick<Ledger['reader'], 'head' | 'checkpoint' | 'tile' | 'range' | 'byDigest'>
}

const HASH_BYTES = 32

/** The newest checkpoint, made now where receipts came after it. */
export async function freshCheckpoint(log: Log): Promise<{ size: number; note: string }> {
  const [head, known] = await Promise.all([log.reader.head(), log.reader.checkpoint()])
  if ((known?.size ?? 0) < head.size) await log.checkpointNow()
  const checkpoint = await log.reader.checkpoint()
  if (checkpoint === null)
    throw new ServiceError('log_empty', 'the log has no receipt yet; POST /api/orch/v1/wow/govern makes one')
  return checkpoint
}

/** A tile exists for readers when the newest signed checkpoint covers it: what was not signed is not served. */
export async function signedTile(log: Log, path: string): Promise<Tile> {
  const tile = parseTilePath(`tile/${path}`)
  const size = (await log.reader.checkpoint())?.size ?? 0
  if (tile === null || tileWidth(tile.level, tile.index, size) < tile.width)
    throw new ServiceError(
      'tile_not_found',
      `path.rest names no tile of the log of ${size} entries; GET /log/checkpoint says how many it has, and /log/tile/0/000 is such a path`,
    )
  return tile
}

/** A wider copy begins with the same hashes. */
export async function hashTile(log: Log, { level, index, width }: Tile): Promise<Uint8Array> {
  const data = level === 'entries' ? null : await log.reader.tile(level, index)
  if (data === null || data.length < width * HASH_BYTES) throw new Error(`tile ${index} of level ${level} is cut short`)
  return data.subarray(0, width * HASH_BYTES)
}

export async function entryBundle(log: Log, { index, width }: Tile): Promise<Uint8Array> {
  const rows = await log.reader.range(index * TILE_WIDTH, width)
  return encodeEntryBundle(rows.map(bytesOf))
}

/** A leaf is given out for the receipt that was logged, and for no other bytes. */
function bytesOf({ nodeIndex, digest, body }: LoggedReceipt): Uint8Array {
  if (!replays(body, digest)) throw new ReceiptAltered(nodeIndex)
  return body
}

export async function inclusionOf(log: Log, digest: string, wanted: number | undefined) {
  const row = await log.reader.byDigest(digest)
  if (row === null)
    throw new ServiceError(
      'receipt_not_found',
      `no receipt ${digest} in this log; GET /api/orch/khipu/ledger lists them`,
    )
  const checkpoint = await freshCheckpoint(log)
  const size = wanted ?? checkpoint.size
  if (size <= row.nodeIndex || size > checkpoint.size)
    throw outOfRange('tree_size', `must be from ${row.nodeIndex + 1} to ${checkpoint.size} for this receipt`)
  const [hashes, root] = await Promise.all([log.inclusion(row.nodeIndex, size), log.rootAt(size)])
  return {
    digest,
    leaf_index: row.nodeIndex,
    leaf_hash: hexEncode(leafHash(bytesOf(row))),
    tree_size: size,
    root: hexEncode(root),
    hashes: hashes.map(hexEncode),
    checkpoint: size === checkpoint.size ? checkpoint.note : null,
  }
}

/** Every tree extends the empty one: from 0 there is nothing to prove and no proof is made up. */
export async function consistencyOf(log: Log, from: number, wanted: number | undefined) {
  const checkpoint = await freshCheckpoint(log)
  const to = wanted ?? checkpoint.size
  if (to > checkpoint.size) throw outOfRange('to', `must be at most ${checkpoint.size}, the size of the log`)
  if (from > to) throw outOfRange('from', `must be at most ${to}`)
  const [hashes, fromRoot, toRoot] = await Promise.all([
    from === 0 ? [] : log.consistency(from, to),
    log.rootAt(from),
    log.rootAt(to),
  ])
  return {
    from,
    to,
    from_root: hexEncode(fromRoot),
    to_root: hexEncode(toRoot),
    hashes: hashes.map(hexEncode),
    checkpoint: to === checkpoint.size ? checkpoint.note : null,
  }
}

const outOfRange = (name: string, msg: string) => new InputError([{ loc: ['query', name], msg, type: 'range' }])
