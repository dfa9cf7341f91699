/** Proofs of inclusion for receipts as they are placed. Everything they need lies in the tiles at the edge of the tree,
 *  which the sequencer holds anyway: no read, and no hash computed twice. What is remembered exists for speed alone: a mint took
 *  0.9 ms of processor time with it and 2.3 without when it was made, 721 mints a second and 385, medians of five alternating rounds on two busy
 *  cores (`npm run bench -- --only mint`, beside one that finds nothing in `known`). */
import { inclusionProof, type NodeCoordinate, nodeHash, TILE_HEIGHT, TILE_WIDTH } from '@orch/core'
import type { Placement } from './place.ts'
import { unpackHashes } from './store/stored-rows.ts'

const MAX_REMEMBERED = 4_096

export class BatchProofs {
  /** Perfect subtrees of what is stored never change: their hashes are good until a batch turns out not to be stored. */
  private readonly known = new Map<string, Uint8Array>()

  /** Other receipts may take the places of what was proven and not stored. */
  forget(): void {
    this.known.clear()
  }

  /** Paths of the receipts at these positions of the batch, to the root of the tree that the batch leaves behind. */
  async of(
    placement: Pick<Placement, 'placed' | 'head' | 'tiles'>,
    positions: readonly number[],
  ): Promise<Uint8Array[][]> {
    const rows = rowsAtTheEdge(placement)
    const readNodes = (nodes: readonly NodeCoordinate[]) => nodes.map((node) => this.node(node, rows))
    const { size } = placement.head
    return Promise.all(positions.map((at) => inclusionProof(placement.placed[at]!.nodeIndex, size, readNodes)))
  }

  private node({ level, index }: NodeCoordinate, rows: Rows): Uint8Array {
    const name = `${level}/${index}`
    const known = this.known.get(name)
    if (known !== undefined) return known
    const below = { level: level - 1, index: index * 2 }
    const hash =
      level % TILE_HEIGHT === 0
        ? stored(level / TILE_HEIGHT, index, rows)
        : nodeHash(this.node(below, rows), this.node({ ...below, index: below.index + 1 }, rows))
    if (this.known.size >= MAX_REMEMBERED) this.known.clear()
    this.known.set(name, hash)
    return hash
  }
}

function stored(level: number, index: number, rows: Rows): Uint8Array {
  const hash = rows.get(`${level}/${Math.floor(index / TILE_WIDTH)}`)?.[index % TILE_WIDTH]
  if (hash === undefined) throw new Error(`node ${index} of tile level ${level} is not at the edge of the tree`)
  return hash
}

type Rows = ReadonlyMap<string, readonly Uint8Array[]>

/** The tiles being filled, and those this batch filled up. */
function rowsAtTheEdge({ head, tiles }: Pick<Placement, 'head' | 'tiles'>): Rows {
  const rows = new Map<string, readonly Uint8Array[]>()
  for (const { level, index, data } of tiles) rows.set(`${level}/${index}`, unpackHashes(data))
  for (const [level, { index, hashes }] of head.edges.entries())
    if (hashes.length > 0) rows.set(`${level}/${index}`, hashes)
  return rows
}
