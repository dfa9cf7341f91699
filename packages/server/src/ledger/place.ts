/** Gives receipts their places: node index, position in the chain, predecessor, digests, tree. Never changes the head it
 *  is handed: a batch that fails leaves nothing to undo. */

import {
  appendLeaf,
  assertAcyclic,
  assertEmitsNext,
  bodyText,
  type Frontier,
  lakeHash,
  leafHash,
  organOf,
  sha256Hex,
  TILE_HEIGHT,
  TILE_WIDTH,
} from '@orch/core'
import type { ChainHead } from './contract.ts'
import type { Edge, Entry, Head, Placed } from './types.ts'

export interface Placement {
  placed: Placed[]
  chains: ChainHead[]
  head: Head
  tiles: { level: number; index: number; data: Uint8Array }[]
  changedEdges: number[]
}

/** A log entry longer than this cannot be served in a tile of entries. */
export const MAX_BODY_BYTES = 65_535
/** Room for `prev` and the digits of `seq`, which the template leaves open. */
export const PLACE_BYTES = 64 + 16

const encoder = new TextEncoder()

/** `chainOf` gives the head of an entry's chain as the ledger knows it, a fresh one for a chain that begins here. */
export function place(entries: readonly Entry[], head: Head, chainOf: (entry: Entry) => ChainHead): Placement {
  const chains = new Map<string, ChainHead>()
  const tree = new TreeGrowth(head)
  const placed = entries.map((entry, at) => {
    const organ = organOf(entry.ns, entry.chain)
    const chain = chains.get(organ) ?? chainOf(entry)
    const nodeIndex = head.size + at
    assertEmitsNext(tree.frontier.size - 1, nodeIndex)
    assertAcyclic(chain.headIndex, nodeIndex)
    const body = encoder.encode(bodyText(entry.template, chain.head, chain.depth))
    const digest = sha256Hex(body)
    const lake = lakeHash({
      organ,
      chain_index: chain.depth + 1,
      prev_hash: chain.lake,
      receipt_digest: digest,
      ts_utc: entry.ts,
    })
    tree.grow(body)
    chains.set(organ, { ...chain, depth: chain.depth + 1, head: digest, headIndex: nodeIndex, lake })
    const place = { nodeIndex, chainId: chain.id, seq: chain.depth, prev: chain.head, digest, lake, body }
    return entry.unsigned ? { ...place, unsigned: true as const } : place
  })
  const touched = [...chains.values()]
  const chainCount = Math.max(head.chainCount, ...touched.map(({ id }) => id))
  return { placed, chains: touched, ...tree.result(chainCount) }
}

/** The tree as a batch grows it: copies of the head's edges, full tiles set aside. */
export class TreeGrowth {
  frontier: Frontier
  private readonly edges: { index: number; hashes: Uint8Array[] }[]
  private readonly tiles: Placement['tiles'] = []
  private readonly changed = new Set<number>()

  constructor(head: Head) {
    this.frontier = head.frontier
    this.edges = head.edges.map((edge) => ({ index: edge.index, hashes: [...edge.hashes] }))
  }

  grow(body: Uint8Array): void {
    this.frontier = appendLeaf(this.frontier, leafHash(body), (level, _index, hash) => {
      if (level % TILE_HEIGHT === 0) this.add(level / TILE_HEIGHT, hash)
    })
  }

  private add(level: number, hash: Uint8Array): void {
    this.edges[level] ??= { index: 0, hashes: [] }
    const edge = this.edges[level]
    edge.hashes.push(hash)
    this.changed.add(level)
    if (edge.hashes.length < TILE_WIDTH) return
    this.tiles.push({ level, index: edge.index, data: Buffer.concat(edge.hashes) })
    this.edges[level] = { index: edge.index + 1, hashes: [] }
  }

  result(chainCount: number): Pick<Placement, 'head' | 'tiles' | 'changedEdges'> {
    const edges: readonly Edge[] = this.edges
    return {
      head: { size: this.frontier.size, frontier: this.frontier, edges, chainCount },
      tiles: this.tiles,
      changedEdges: [...this.changed],
    }
  }
}
