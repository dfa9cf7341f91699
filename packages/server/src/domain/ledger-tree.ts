/** Whether stored receipts are those of the ledger's tree. Whoever holds the store can edit rows, tiles and the head; the
 *  root that this process committed, or verified when it started, lies in its memory, where he does not reach. */
import {
  frontierRoot,
  HASH_BYTES,
  type HashTile,
  hexDecode,
  hexEncode,
  inclusionProof,
  leafHash,
  nodesFromTiles,
  TILE_WIDTH,
  verifyInclusion,
} from '@orch/core'
import { TreeDamaged } from '../errors.ts'
import type { LedgerReader, Row } from '../ledger/contract.ts'

export interface TreeHead {
  size: number
  /** In hex. */
  root: string
}

export type TileReader = Pick<LedgerReader, 'tile'>
type Leaf = Pick<Row, 'nodeIndex' | 'body'>

/** The tree to look a receipt up in: as this process knows it, or, for what another node recorded a moment ago, as the
 *  store has it. */
export async function treeHolding(
  known: TreeHead,
  reader: { head(): Promise<{ size: number; frontier: Uint8Array[] }> },
  index: number,
): Promise<TreeHead> {
  if (index < known.size) return known
  const { size, frontier } = await reader.head()
  return { size, root: hexEncode(frontierRoot({ size, hashes: frontier })) }
}

/** Costs O(log n). */
export async function isInTree(reader: TileReader, { size, root }: TreeHead, leaf: Leaf): Promise<boolean> {
  if (leaf.nodeIndex >= size) return false
  const proof = await inclusionProof(leaf.nodeIndex, size, nodesFromTiles(size, tilesOf(reader))).catch(nullIfDamaged)
  return (
    proof !== null &&
    verifyInclusion({
      ...{ leafHash: leafHash(leaf.body), leafIndex: leaf.nodeIndex, treeSize: size },
      ...{ root: hexDecode(root)!, hashes: proof },
    })
  )
}

/** Of receipts that follow each other inside one tile. The proof of the last one is computed from all hashes of the tile,
 *  so it vouches for those of the others too, as long as both are taken from the same bytes. */
export async function areInTree(reader: TileReader, head: TreeHead, leaves: readonly Leaf[]): Promise<boolean> {
  const last = leaves.at(-1)
  if (last === undefined) return true
  const index = Math.floor(last.nodeIndex / TILE_WIDTH)
  const tile = await reader.tile(0, index)
  if (tile === null || !leaves.every((leaf) => isLeafOf(tile, leaf))) return false
  const sameTile: TileReader = {
    tile: async (level, at) => (level === 0 && at === index ? tile : reader.tile(level, at)),
  }
  return isInTree(sameTile, head, last)
}

function isLeafOf(tile: Uint8Array, { nodeIndex, body }: Leaf): boolean {
  const at = (nodeIndex % TILE_WIDTH) * HASH_BYTES
  const hash = leafHash(body)
  return tile.length >= at + HASH_BYTES && hash.every((byte, n) => byte === tile[at + n])
}

const tilesOf =
  (reader: TileReader) =>
  async ({ level, index, width }: HashTile): Promise<Uint8Array> => {
    const tile = await reader.tile(level, index)
    if (tile === null || tile.length < width * HASH_BYTES) throw new TreeDamaged(`tile ${level}/${index} is cut short`)
    return tile
  }

function nullIfDamaged(error: unknown): null {
  if (error instanceof TreeDamaged) return null
  throw error
}
