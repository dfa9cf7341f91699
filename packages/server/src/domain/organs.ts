/** The chains, organ by organ, with what the audit recomputed about each of them. */
import {
  type BreakReason,
  CONJECTURES,
  GENESIS_PREV,
  KERNEL_COMMIT,
  LAKE_SCHEMA,
  LAMBDA,
  LAMBDA_POWER,
  LOCKED_FORMULAS,
} from '@orch/core'
import type { Static } from 'typebox'
import { seesNamespace, type Viewer } from './visibility.ts'
import type { Walk } from './wire.ts'

/** Where the re-walk found that something does not hold. */
export interface AuditBreak {
  /** Null only where every link holds and the tree as a whole differs. */
  node_index: number | null
  organ: string | null
  seq: number | null
  reason: BreakReason | 'place_mismatch' | 'head_mismatch' | 'ring_mismatch' | 'known_break'
  sentence: string
}

/** Where a break is: the receipt that does not hold, or a place in a chain whose index its finder does not know. */
export interface BrokenPlace {
  nodeIndex: number | null
  ns: string
  chain: string
  seq: number
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

export type WalkFigures = Static<typeof Walk>

export interface AuditReport {
  /** Receipts of the ledger that were found to link, from genesis. */
  verified_to: number
  /** How far the walk looked; short of `size` while it is still catching up. */
  walked_to: number
  /** When a walk from genesis last came to the head; what follows is only looked at as it is appended. Null before the first
   *  that had receipts to walk. */
  full_walk_at: string | null
  size: number
  broken: AuditBreak | null
  chains: AuditedChain[]
}

/** What was found by a walk made for the requests that ask. */
export interface WalkedReport extends AuditReport {
  walk: WalkFigures
}

/** What the newest walks found, told without walking. */
export interface NewestWalk extends Pick<AuditReport, 'verified_to' | 'full_walk_at' | 'broken'> {
  walk: WalkFigures
  /** Whether receipts of an hour ago are not walked: more is appended than the walk can follow. */
  is_behind: boolean
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

export function organListing(audit: WalkedReport, viewer: Viewer, signature: string, ts: string) {
  const organs = audit.chains.filter(({ ns }) => seesNamespace(viewer, ns)).map(organRecord)
  return {
    ok: audit.broken === null,
    service: 'orch',
    what: 'the receipt chains of this ledger, one per organ, and what a walk over them found',
    organ_count: organs.length,
    organs,
    verified_to: audit.verified_to,
    ledger_size: audit.size,
    walk: audit.walk,
    broken: breakFor(viewer, audit),
    doctrine: {
      khipu_integrity: integritySentence(audit),
      khipu_kind: `hash chains of one ledger; agreement between replicas is ${CONJECTURES.consensus}`,
      lambda: `${LAMBDA.status}, ${LAMBDA_POWER}, never a theorem`,
      locked_proven: LOCKED_FORMULAS.length,
      locked_proven_kernel: KERNEL_COMMIT,
      locked_proven_note: `exactly ${LOCKED_FORMULAS.join(', ')}; the lambda boundary is not among them`,
      digest_matches: audit.broken === null,
      chain_to_genesis_verified: isVerified(audit) && audit.walk.full_walk_ended_at !== null,
      chain_to_genesis_verified_at: audit.walk.full_walk_ended_at,
      signature_status: signature,
      trust_ceiling: LAMBDA.trust_ceiling,
      runtime_cdn: 0,
      fabricated_data: false,
    },
    ts,
  }
}

/** What was looked at when, and what of it was not. */
export function walkedSentence({ walk }: Pick<WalkedReport, 'walk'>): string {
  const { walked_now, from_index, size, walked_at, full_walk_ended_at } = walk
  const what = from_index === 0 ? `all ${size} receipts` : `the newest ${walked_now} of ${size} receipts`
  const rest = from_index === 0 ? '' : `; the newest full walk ended at ${full_walk_ended_at ?? 'no time yet'}`
  return `${what} walked at ${walked_at}: body digests, links of both hash families and the tree${rest}`
}

function integritySentence(audit: WalkedReport): string {
  if (audit.broken !== null) return `BROKEN: ${brokenSentence(audit.broken)}`
  if (isVerified(audit)) return `VERIFIED: ${walkedSentence(audit)}`
  return `VERIFYING: ${audit.walked_to} of ${audit.size} receipts walked so far`
}

/** For everybody: where it broke and how, and not in whose chain. */
export const brokenSentence = ({ node_index, reason }: AuditBreak): string =>
  `the walk found ${reason} ${node_index === null ? 'beside the receipts' : `at index ${node_index}`}`

/** The break as a viewer may see it: the chain of another namespace is not named. */
function breakFor(viewer: Viewer, { broken, chains }: AuditReport): AuditBreak | null {
  if (broken === null || broken.organ === null) return broken
  const chain = chains.find(({ organ }) => organ === broken.organ)
  if (chain !== undefined && seesNamespace(viewer, chain.ns)) return broken
  return { ...broken, organ: null, seq: null, sentence: brokenSentence(broken) }
}

/** `store` is relative to the data folder: where that lies is nobody's business. */
export function lakeHealth(audit: AuditReport, viewer: Viewer, durability: string) {
  const seen = audit.chains.filter(({ ns }) => seesNamespace(viewer, ns))
  return {
    ok: audit.broken === null,
    store: STORES[durability] ?? durability,
    chain_alg: 'sha3_256' as const,
    schema: LAKE_SCHEMA as typeof LAKE_SCHEMA,
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
