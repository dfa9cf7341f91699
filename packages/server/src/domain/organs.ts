/** The chains, organ by organ, with what the audit recomputed about each of them. */
import {
  type BreakReason,
  CONJECTURES,
  GENESIS_PREV,
  KERNEL_COMMIT,
  LAKE_SCHEMA,
  LAMBDA,
  LOCKED_FORMULAS,
} from '@orch/core'
import { seesNamespace, type Viewer } from './visibility.ts'

/** Where the re-walk found that something does not hold. */
export interface AuditBreak {
  /** Null only where every link holds and the tree as a whole differs. */
  node_index: number | null
  organ: string | null
  seq: number | null
  reason: BreakReason | 'place_mismatch' | 'head_mismatch' | 'ring_mismatch'
  sentence: string
}

export interface AuditedChain {
  ns: string
  chain: string
  organ: string
  depth: number
  head: string
  lake_head: string
  /** Node index of the newest receipt. */
  head_index: number
  links_intact: boolean
  broken_at: number | null
  reason: string | null
  /** Receipts of this chain that were found to link, from its first. */
  verified_to: number
}

export interface AuditReport {
  /** Receipts of the ledger that were found to link, from genesis. */
  verified_to: number
  /** How far the walk looked; short of `size` while it is still catching up. */
  walked_to: number
  /** When a walk from genesis last came to the head; what follows is only looked at as it is appended. Null before. */
  full_walk_at: string | null
  size: number
  broken: AuditBreak | null
  chains: AuditedChain[]
}

export const isVerified = ({ broken, walked_to, size }: AuditReport): boolean => broken === null && walked_to >= size

export const organRecord = (chain: AuditedChain) => ({
  organ: chain.organ,
  ns: chain.ns,
  registry_key: `${chain.ns}/${chain.chain}`,
  head_digest: chain.head,
  depth: chain.depth,
  links_intact: chain.links_intact,
  broken_at: chain.broken_at,
  broken_reason: chain.reason,
  verified_to: chain.verified_to,
  genesis_prev: GENESIS_PREV,
})

export function organListing(audit: AuditReport, viewer: Viewer, signature: string, ts: string) {
  const organs = audit.chains.filter(({ ns }) => seesNamespace(viewer, ns)).map(organRecord)
  return {
    ok: audit.broken === null,
    service: 'orch',
    what: 'the receipt chains of this ledger, one per organ, re-walked from genesis',
    organ_count: organs.length,
    organs,
    verified_to: audit.verified_to,
    ledger_size: audit.size,
    broken: audit.broken,
    doctrine: {
      khipu_integrity: integritySentence(audit),
      khipu_kind: `hash chains of one ledger; agreement between replicas is ${CONJECTURES.consensus}`,
      lambda: `${LAMBDA.status}, advisory, never a theorem`,
      locked_proven: LOCKED_FORMULAS.length,
      locked_proven_kernel: KERNEL_COMMIT,
      locked_proven_note: `exactly ${LOCKED_FORMULAS.join(', ')}; the lambda boundary is not among them`,
      digest_matches: audit.broken === null,
      chain_to_genesis_verified: isVerified(audit),
      signature_status: signature,
      trust_ceiling: LAMBDA.trust_ceiling,
      runtime_cdn: 0,
      fabricated_data: false,
    },
    ts,
  }
}

/** What was looked at when: a report goes on where the last one stopped and does not begin anew for each who asks. */
export const walkedSentence = ({ size, full_walk_at }: AuditReport): string =>
  `${size} receipts walked from genesis in both hash families, each once as it came; the newest full walk ended at ${full_walk_at ?? 'no time yet'}`

function integritySentence(audit: AuditReport): string {
  if (audit.broken !== null) return `BROKEN: ${audit.broken.sentence}`
  if (isVerified(audit)) return `VERIFIED: ${walkedSentence(audit)}`
  return `VERIFYING: ${audit.walked_to} of ${audit.size} receipts re-walked so far`
}

/** `store` is relative to the data folder: where that lies is nobody’s business. */
export function lakeHealth(audit: AuditReport, viewer: Viewer, durability: string) {
  const seen = audit.chains.filter(({ ns }) => seesNamespace(viewer, ns))
  return {
    ok: audit.broken === null,
    store: STORES[durability] ?? durability,
    chain_alg: 'sha3_256',
    schema: LAKE_SCHEMA,
    total_receipts: seen.reduce((total, { depth }) => total + depth, 0),
    organs: Object.fromEntries(
      seen.map(({ organ, depth, lake_head }) => [organ, { count: depth, chain_index: depth, chain_head: lake_head }]),
    ),
  }
}

const STORES: Readonly<Record<string, string>> = {
  EPHEMERAL: ':memory:',
  DURABLE: 'ledger.sqlite',
  DURABLE_EXTERNAL: 'postgres',
}
