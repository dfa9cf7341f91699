// The pure re-walk. Whoever hands over the entries controls every byte of them; what the walk has seen so far is all
// it relies on. Its state grows with the number of chains and never with the number of receipts.
import { GENESIS_PREV } from './doctrine.ts'
import { hexDecode, hexEncode } from './encoding.ts'
import { lakeHash, organOf } from './lake.ts'
import { appendLeaf, type Frontier, frontierRoot, leafHash } from './merkle.ts'
import { type ReceiptLink, readLink } from './verify/link.ts'

export type ChainEntry = {
  node_index: number
  /** The exact bytes that were hashed and signed. */
  body: Uint8Array
  /** What the store claims beside the bytes; each is recomputed where it is given. */
  digest?: string
  prev?: string
  lake?: string
  leaf?: string
  /** The verdict on this entry's signature where somebody checked it; leave out for unsigned entries. */
  signature_valid?: boolean
  /** It carries no signature where receipts are to carry one. A sample may go without wherever it stands. */
  signature_missing?: boolean
}

export type BreakReason =
  | 'index_gap'
  | 'not_canonical'
  | 'not_a_receipt'
  | 'digest_mismatch'
  | 'leaf_mismatch'
  | 'signature_invalid'
  | 'signature_missing'
  | 'seq_gap'
  | 'prev_mismatch'
  | 'lake_mismatch'
  | 'missing'
  | 'beyond_size'
  | 'root_mismatch'
  | 'not_borne_out'

/** `broken_at` is the index where the walk first fails; null only for a root that differs with every link intact. */
export type ChainBreak = {
  broken_at: number | null
  chain: string | null
  seq: number | null
  reason: BreakReason
  expected: string | number | null
  found: string | number | null
}

/** `sample`: it may go unsigned. */
export type WalkedReceipt = {
  chain: string
  seq: number
  digest: string
  time: string
  kind: string
  sample: boolean
}

/** What was simulated is nobody's decision: no key vouches for it, by design. */
export const mayGoUnsigned = ({ kind, chain }: { kind: string; chain: string }): boolean =>
  kind === 'sample' && chain === 'sample'

export type WalkedChain = { chain: string; depth: number; head_digest: string; lake_head: string }

/** Plain JSON, so that a walk can stop at a checkpoint and go on from there. Restore only what was kept safe. */
export type WalkState = { size: number; frontier: string[]; chains: WalkedChain[] }

export type WalkReport = {
  ok: boolean
  /** Index of the first entry that was walked. */
  from: number
  /** Receipts that link, from genesis; the walk stops at a break. A signature refuted later may lie before its end. */
  count: number
  /** Merkle root over those receipts. */
  root: string
  heads: WalkedChain[]
  broken: ChainBreak | null
}

export class ChainWalker {
  private readonly from: number
  private readonly chains: Map<string, WalkedChain>
  private frontier: Frontier
  private fault: ChainBreak | null = null
  private newest: WalkedReceipt | null = null

  /** Without a state the walk starts at genesis. A state that is not one of `state()` is misuse and throws. */
  constructor(state: WalkState = { size: 0, frontier: [], chains: [] }) {
    this.from = state.size
    this.chains = new Map(state.chains.map((chain) => [chain.chain, { ...chain }]))
    this.frontier = restoredFrontier(state)
  }

  get broken(): ChainBreak | null {
    return this.fault
  }

  /** What the newest receipt that linked says of itself; null before the first. */
  get last(): WalkedReceipt | null {
    return this.newest
  }

  /** The break, once there is one: what follows it is not looked at, for it would prove nothing. */
  push(entry: ChainEntry): ChainBreak | null {
    this.fault ??= this.step(entry)
    return this.fault
  }

  /** For signatures that are checked in batches behind the walk: the earliest break wins. */
  condemn(late: ChainBreak): void {
    if (this.fault === null || comesBefore(late, this.fault)) this.fault = late
  }

  state(): WalkState {
    return {
      size: this.frontier.size,
      frontier: this.frontier.hashes.map(hexEncode),
      chains: [...this.chains.values()].map((chain) => ({ ...chain })),
    }
  }

  /** `expected` is a size and a root from elsewhere, such as a signed checkpoint: it finds what was cut off the end. */
  finish(expected?: { size: number; root: string }): WalkReport {
    if (expected) this.fault ??= this.differsFrom(expected)
    return {
      ok: this.fault === null,
      from: this.from,
      count: this.frontier.size,
      root: hexEncode(frontierRoot(this.frontier)),
      heads: this.state().chains,
      broken: this.fault,
    }
  }

  private step(entry: ChainEntry): ChainBreak | null {
    const at = this.frontier.size
    const broken = breakAt(at)
    // F22: the next entry is the next index, so nothing is dropped, doubled or put in between.
    if (entry.node_index !== at) return broken('index_gap', at, entry.node_index)
    const reading = readLink(entry.body)
    if (!reading.ok) return broken(reading.reason, null, reading.detail)
    const { link, digest } = reading
    const brokenLink = breakAt(at, link)
    if (entry.digest !== undefined && entry.digest !== digest)
      return brokenLink('digest_mismatch', digest, entry.digest)
    if (entry.prev !== undefined && entry.prev !== link.prev) return brokenLink('prev_mismatch', link.prev, entry.prev)
    const leaf = leafHash(entry.body)
    if (entry.leaf !== undefined && entry.leaf !== hexEncode(leaf))
      return brokenLink('leaf_mismatch', hexEncode(leaf), entry.leaf)
    if (entry.signature_valid === false) return brokenLink('signature_invalid', null, null)
    if (entry.signature_missing === true && !mayGoUnsigned(link)) return brokenLink('signature_missing', null, null)
    return this.join(entry, link, digest, leaf, brokenLink)
  }

  /** F4: `prev` names the head of its chain, which was walked before and so has a strictly smaller index. */
  private join(
    entry: ChainEntry,
    link: ReceiptLink,
    digest: string,
    leaf: Uint8Array,
    broken: ReturnType<typeof breakAt>,
  ): ChainBreak | null {
    const chain = organOf(link.ns, link.chain)
    const head = this.chains.get(chain) ?? { chain, depth: 0, head_digest: GENESIS_PREV, lake_head: GENESIS_PREV }
    if (link.seq !== head.depth) return broken('seq_gap', head.depth, link.seq)
    if (link.prev !== head.head_digest) return broken('prev_mismatch', head.head_digest, link.prev)
    const lake = nextLake(head, link, digest)
    if (entry.lake !== undefined && entry.lake !== lake) return broken('lake_mismatch', lake, entry.lake)
    this.chains.set(chain, { chain, depth: head.depth + 1, head_digest: digest, lake_head: lake })
    this.frontier = appendLeaf(this.frontier, leaf)
    const { seq, ts_utc: time, kind } = link
    this.newest = { chain, seq, digest, time, kind, sample: mayGoUnsigned(link) }
    return null
  }

  private differsFrom(expected: { size: number; root: string }): ChainBreak | null {
    const { size } = this.frontier
    if (size < expected.size) return breakAt(size)('missing', expected.size, size)
    if (size > expected.size) return breakAt(expected.size)('beyond_size', expected.size, size)
    const root = hexEncode(frontierRoot(this.frontier))
    return root === expected.root ? null : breakAt(null)('root_mismatch', expected.root, root)
  }
}

/** A whole ledger, or the part after `from`, in one call. */
export function verifyChain(
  entries: Iterable<ChainEntry>,
  options: { from?: WalkState; expected?: { size: number; root: string } } = {},
): WalkReport {
  const walker = new ChainWalker(options.from)
  for (const entry of entries) if (walker.push(entry)) break
  return walker.finish(options.expected)
}

const SENTENCES: Record<BreakReason, string> = {
  index_gap: 'the next receipt does not carry the next index',
  not_canonical: 'the stored bytes are not canonical JSON',
  not_a_receipt: 'the stored bytes are not a receipt body',
  digest_mismatch: 'the stored digest is not that of the stored bytes',
  leaf_mismatch: 'the stored leaf is not that of the stored bytes',
  signature_invalid: 'the signature does not verify over the stored bytes',
  signature_missing: 'the receipt carries no signature, and nothing says that it was recorded without one',
  seq_gap: 'the receipt is not the next one of its chain',
  prev_mismatch: 'the receipt does not follow the head of its chain',
  lake_mismatch: 'the lake hash is not that of this receipt in this place',
  missing: 'the ledger ends before the size it should have',
  beyond_size: 'the ledger goes on beyond the size it should have',
  root_mismatch: 'every link holds, yet the Merkle root is not the expected one',
  not_borne_out: 'the receipts before do not bear out what this one says',
}

export function describeBreak({ broken_at, chain, seq, reason }: ChainBreak): string {
  const where = broken_at === null ? '' : ` at index ${broken_at}`
  return `${SENTENCES[reason]}${where}${chain === null ? '' : ` (chain ${chain}, seq ${seq})`}`
}

const breakAt =
  (broken_at: number | null, link?: ReceiptLink) =>
  (reason: BreakReason, expected: ChainBreak['expected'], found: ChainBreak['found']): ChainBreak => ({
    broken_at,
    chain: link ? organOf(link.ns, link.chain) : null,
    seq: link ? link.seq : null,
    reason,
    expected,
    found,
  })

const comesBefore = (a: ChainBreak, b: ChainBreak): boolean =>
  a.broken_at !== null && (b.broken_at === null || a.broken_at < b.broken_at)

const nextLake = (head: WalkedChain, { ts_utc }: ReceiptLink, digest: string): string =>
  lakeHash({
    organ: head.chain,
    chain_index: head.depth + 1,
    prev_hash: head.lake_head,
    receipt_digest: digest,
    ts_utc,
  })

function restoredFrontier({ size, frontier }: WalkState): Frontier {
  const hashes = frontier.map((hash) => hexDecode(hash))
  if (!hashes.every((hash) => hash !== null)) throw new RangeError('the frontier of a walk is hashes in hex')
  const restored = { size, hashes }
  frontierRoot(restored)
  return restored
}
