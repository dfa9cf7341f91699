/** What a walk over the rows is compared with beside them, and how its findings are told chain by chain. */
import { hexEncode, organOf } from '@orch/core'
import type { AuditedChain, AuditReport, ChainHead, LedgerReader, WalkFigures } from '../contract.ts'
import { type AuditWalk, NOWHERE, type WalkedHead } from './walk.ts'

export interface StoredHeads {
  chains: readonly ChainHead[]
  size: number
  frontier: readonly Uint8Array[]
  /** How many chains the head of the ledger counts; a new chain gets the next number. */
  count: number | undefined
  steady: boolean
}

/** Heads between two looks at the size: where that stayed, they belong to it and to nothing else. Where it grew, every
 *  receipt a head counts is still within the second size. */
export async function readStoredHeads(reader: Pick<LedgerReader, 'head' | 'chains'>): Promise<StoredHeads> {
  const before = await reader.head()
  const chains = await reader.chains()
  const { size, frontier, chains: count } = await reader.head()
  return { chains, size, frontier, count, steady: before.size === size }
}

/** What rows alone cannot show: receipts cut off the end of a chain, a head that is not its newest receipt, and a head of
 *  the tree that is not theirs. */
export function compareStoredHeads(walk: AuditWalk, { chains, size, frontier, count, steady }: StoredHeads) {
  const heads = walk.heads()
  for (const stored of chains) {
    const organ = organOf(stored.ns, stored.chain)
    if (walk.broken.has(organ)) continue
    const found = heads.get(organ) ?? { depth: 0, head: stored.head, lake: stored.lake }
    const short = found.depth < stored.depth
    const other = found.depth === stored.depth && (found.head !== stored.head || found.lake !== stored.lake)
    if (!short && !other) continue
    walk.condemn({
      node_index: short ? (walk.gapAfter(organ) ?? stored.headIndex) : stored.headIndex,
      organ,
      seq: short ? found.depth : stored.depth - 1,
      reason: short ? 'missing' : 'prev_mismatch',
      sentence: short
        ? `the chain ${organ} ends after ${found.depth} receipts, its head counts ${stored.depth}`
        : `the stored head of the chain ${organ} is not its newest receipt`,
    })
  }
  if (steady && walk.at === size) compareHeads(walk, chains, heads, count)
  if (walk.first !== null || walk.at !== size || walk.frontier.join() === frontier.map(hexEncode).join()) return
  const sentence = 'every link holds, yet the stored root is not that of the stored receipts'
  walk.condemn({ ...NOWHERE, reason: 'root_mismatch', sentence })
}

/** Column by column, once nothing moves: the next receipt of a chain is placed by these. */
function compareHeads(
  walk: AuditWalk,
  chains: readonly ChainHead[],
  heads: Map<string, WalkedHead>,
  count: number | undefined,
) {
  const differs = (organ: string | null, at: number | null, sentence: string) =>
    walk.condemn({ node_index: at, organ, seq: null, reason: 'head_mismatch', sentence })
  for (const { ns, chain, depth, headIndex } of chains) {
    const organ = organOf(ns, chain)
    const [found, newest] = [heads.get(organ)?.depth ?? 0, walk.newestOf(organ)]
    if (walk.broken.has(organ)) continue
    if (depth !== found) differs(organ, newest, `the head of the chain ${organ} counts ${depth} receipts of ${found}`)
    else if (headIndex !== newest)
      differs(organ, newest, `the newest receipt of the chain ${organ} is ${newest}, its head says ${headIndex}`)
  }
  const last = Math.max(0, ...chains.map(({ id }) => id))
  if (count !== undefined && count !== last && walk.first === null)
    differs(null, null, `the ledger counts ${count} chains and holds ${last}`)
}

export function toAuditReport(walk: AuditWalk, stored: StoredHeads, fullWalkAt: string | null): AuditReport {
  const heads = walk.heads()
  return {
    verified_to: walk.verifiedTo,
    walked_to: walk.at,
    full_walk_at: fullWalkAt,
    size: Math.max(stored.size, walk.at),
    broken: walk.first,
    chains: stored.chains.map((chain) => toAuditedChain(chain, walk, heads)),
  }
}

/** `size`: how far the walk had come between these times. */
export const toFigures = (
  walk: AuditWalk,
  size: number,
  walkedAt: string,
  fullWalkEndedAt: string | null,
): WalkFigures => ({
  walked_now: size - walk.from,
  from_index: walk.from,
  to_index: size - 1,
  size,
  walked_at: walkedAt,
  full_walk_ended_at: fullWalkEndedAt,
  signatures_checked_now: walk.signaturesChecked,
})

function toAuditedChain(stored: ChainHead, walk: AuditWalk, heads: Map<string, WalkedHead>): AuditedChain {
  const { ns, chain } = stored
  const organ = organOf(ns, chain)
  const fault = walk.broken.get(organ) ?? null
  const found = heads.get(organ) ?? null
  // Receipts that came after the heads were read are in the walk already.
  const ahead = found !== null && fault === null && found.depth > stored.depth
  return {
    ns,
    chain,
    organ,
    depth: ahead ? found.depth : stored.depth,
    head: ahead ? found.head : stored.head,
    lake_head: ahead ? found.lake : stored.lake,
    head_index: stored.headIndex,
    links_intact: fault === null,
    broken_at: fault?.node_index ?? null,
    reason: fault?.sentence ?? null,
    // A walk that passed before the bytes were changed has linked more than holds now.
    verified_to: Math.min(found?.depth ?? 0, fault?.seq ?? stored.depth),
  }
}
