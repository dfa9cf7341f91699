/** The receipts around one in its chain, and the links between them that do not hold. */
import type { Reply } from '@orch/client'
import { GENESIS_PREV } from '@orch/core'

export interface ChainNode {
  seq: number
  /** In the whole ledger. */
  index: number
  digest: string
  prev: string
  decision: string | null
  at: string | null
}

export interface BrokenLink {
  /** Of the receipt whose link does not hold. */
  seq: number
  names: string
  found: string
}

/** Two on either side; near an end of the chain more of the other side. */
const SHOWN = 5

export function adjacentTo(nodes: Reply<'khipu.dag'>['nodes'], digest: string): ChainNode[] {
  const at = nodes.findIndex((node) => node.digest === digest)
  const from = Math.max(0, Math.min(at - (SHOWN - 1) / 2, nodes.length - SHOWN))
  return nodes.slice(from, from + SHOWN).map((node) => ({
    seq: node.seq,
    index: node.index,
    digest: node.digest,
    prev: node.parents[0] ?? GENESIS_PREV,
    decision: node.decision,
    at: node.ts_utc,
  }))
}

/** Receipts that are not next to each other, because one between is not this reader's to see, have no link to judge. */
export const brokenLinks = (nodes: readonly ChainNode[]): BrokenLink[] =>
  nodes.flatMap((node, at) => {
    const before = nodes[at - 1]
    if (before === undefined || before.seq !== node.seq - 1 || node.prev === before.digest) return []
    return [{ seq: node.seq, names: node.prev, found: before.digest }]
  })
