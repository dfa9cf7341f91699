/** One walk over the whole ledger from genesis. The core walker stops at the first break, which is all a verdict needs;
 *  whoever has to repair a store also wants to know which other chains hold, so the walk goes on without the broken one.
 *  Whoever can edit the store controls every column of every row: what the bytes say is compared with all of them. */

import { setImmediate as turnOfLoop } from 'node:timers/promises'
import {
  ChainWalker,
  DecisionLinks,
  describeBreak,
  hexEncode,
  organOf,
  type SessionCharge,
  sha256Hex,
  TILE_WIDTH,
  type WalkedChain,
  type WalkState,
} from '@orch/core'
import type { AuditBreak, LedgerReader, Row } from '../contract.ts'
import type { SignatureFinding } from './signatures.ts'

/** A row beside what the store says of it elsewhere. */
interface WalkedRow {
  row: Row
  /** The leaf that the stored tree has in this place; null where its tile is missing or too short. */
  leaf: string | null
  signature: SignatureFinding
}

export interface WalkedHead {
  depth: number
  head: string
  lake: string
}

export class AuditWalk {
  /** Where it began; the next index to look at. */
  readonly from: number
  at: number
  /** Signatures that were verified on the way. */
  signaturesChecked = 0
  first: AuditBreak | null = null
  readonly broken = new Map<string, AuditBreak>()
  private walker: ChainWalker
  /** What receipts say of earlier ones; a walk that begins in the middle has not seen those. */
  private readonly links: DecisionLinks | null
  private linked: number
  private readonly known: Set<string>
  private readonly newest: Map<string, number>
  private readonly missing: number[] = []

  /** From genesis, or from a place in the middle with the tree and the chains as they stood there. */
  constructor(start: WalkState = { size: 0, frontier: [], chains: [] }, newest: Iterable<[string, number]> = []) {
    this.from = start.size
    this.at = start.size
    this.linked = start.size
    this.walker = new ChainWalker(start)
    this.links = start.size === 0 ? new DecisionLinks() : null
    this.known = new Set(start.chains.map(({ chain }) => chain))
    this.newest = new Map(newest)
  }

  knows(organ: string): boolean {
    return this.known.has(organ)
  }

  /** Chains that the rows to come go on with. */
  enter(chains: readonly WalkedChain[]): void {
    if (chains.length === 0) return
    const state = this.walker.state()
    this.walker = new ChainWalker({ ...state, chains: [...state.chains, ...chains] })
    for (const { chain } of chains) this.known.add(chain)
  }

  /** Receipts that were found to link, from genesis to the first break. */
  get verifiedTo(): number {
    return Math.min(this.at, this.first?.node_index ?? this.at)
  }

  get frontier(): readonly string[] {
    return this.walker.state().frontier
  }

  heads(): Map<string, WalkedHead> {
    return new Map(
      this.walker
        .state()
        .chains.map((one) => [one.chain, { depth: one.depth, head: one.head_digest, lake: one.lake_head }]),
    )
  }

  take(walked: WalkedRow): void {
    this.missUpTo(walked.row.nodeIndex)
    const organ = organOf(walked.row.ns, walked.row.chain)
    this.known.add(organ)
    if (walked.signature === 'valid' || walked.signature === 'invalid') this.signaturesChecked += 1
    if (!this.broken.has(organ)) {
      const fault = this.link(walked, organ)
      if (fault !== null) this.note(organ, fault)
    }
    this.at = walked.row.nodeIndex + 1
  }

  /** Rows that should be there and are not. */
  missUpTo(index: number): void {
    if (this.at >= index) return
    this.missing.push(this.at)
    const sentence = `the receipt at index ${this.at} is missing`
    this.first ??= { ...NOWHERE, node_index: this.at, reason: 'index_gap', sentence }
    this.at = index
  }

  /** For what only shows beside the rows: a head that is further than they go, a tree that is another. */
  condemn(fault: AuditBreak): void {
    if (fault.organ !== null) this.note(fault.organ, fault)
    else if (this.first === null || isEarlier(fault, this.first)) this.first = fault
  }

  /** What a session had spent by the newest charge on the way; null where nothing is known of it. */
  charged(ns: string, owner: string, session: string): SessionCharge | null {
    return this.links?.charged(ns, owner, session) ?? null
  }

  /** The index of the newest receipt of a chain that linked; -1 for a chain without one. */
  newestOf(organ: string): number {
    return this.newest.get(organ) ?? -1
  }

  /** Where a chain that lacks a receipt broke: at the first index nobody has, after the last one it was seen at. */
  gapAfter(organ: string): number | null {
    const seen = this.newestOf(organ)
    return this.missing.find((index) => index > seen) ?? null
  }

  private link({ row, leaf, signature }: WalkedRow, organ: string): AuditBreak | null {
    const { nodeIndex, seq, body, digest, prev, lake } = row
    // After a break the remaining chains are numbered among themselves; their links do not depend on it.
    const node_index = this.first === null ? nodeIndex : this.linked
    const stored = { node_index, body, digest, prev, lake, leaf: leaf ?? '' }
    const found = this.walker.push({
      ...stored,
      signature_valid: signature !== 'invalid',
      signature_missing: signature === 'missing',
    })
    if (found === null) return this.placed(row, organ)
    this.walker = new ChainWalker(this.walker.state())
    const at = found.reason === 'seq_gap' ? (this.gapAfter(organ) ?? nodeIndex) : nodeIndex
    const sentence = describeBreak({ ...found, broken_at: at, chain: organ, seq })
    return { node_index: at, organ, seq, reason: found.reason, sentence }
  }

  /** The columns a lookup goes by must be those of the bytes, or a receipt is served under another one's name. */
  private placed(row: Row, organ: string): AuditBreak | null {
    const { chain, seq } = this.walker.last!
    this.linked += 1
    this.newest.set(chain, row.nodeIndex)
    if (chain === organ && seq === row.seq) return this.borneOut(row, organ)
    const { nodeIndex: at } = row
    const sentence = `the store files the receipt at index ${at} as ${organ} ${row.seq}, its bytes say ${chain} ${seq}`
    return { node_index: at, organ: chain, seq, reason: 'place_mismatch', sentence }
  }

  /** A document that was edited and then used leaves a receipt that those before it do not bear out. */
  private borneOut(row: Row, organ: string): AuditBreak | null {
    const fault = this.links?.push(row.body, row.digest) ?? null
    // What follows a break may speak of receipts that were not walked.
    if (fault === null || this.first !== null) return null
    const { nodeIndex, seq } = row
    const broken = { broken_at: nodeIndex, chain: organ, seq, reason: 'not_borne_out' as const }
    const sentence = `${describeBreak({ ...broken, expected: null, found: null })}: ${fault}`
    return { node_index: nodeIndex, organ, seq, reason: broken.reason, sentence }
  }

  private note(organ: string, fault: AuditBreak): void {
    const name = fault.organ ?? organ
    const known = this.broken.get(name)
    if (known === undefined || isEarlier(fault, known)) this.broken.set(name, fault)
    if (this.first === null || isEarlier(fault, this.first)) this.first = fault
  }
}

/** The place of a break that belongs to no receipt. */
export const NOWHERE = { node_index: null, organ: null, seq: null }

/** A break whose place is known says more than one beside the receipts. */
export const isEarlier = (a: AuditBreak, b: AuditBreak): boolean =>
  (a.node_index ?? Number.POSITIVE_INFINITY) < (b.node_index ?? Number.POSITIVE_INFINITY)

/** So many rows are taken in one round of the event loop. To verify the signatures of a whole slice takes a tenth of a
 *  second, and whoever asks ten short questions one after the other, as readiness does, would wait for ten of those. */
const ROWS_AT_ONCE = 16

type SliceReader = Pick<LedgerReader, 'range' | 'tile' | 'head' | 'bySeq'>

/** One piece of a walk: the rows up to the end of a tile of the tree, whose leaves they are compared with. `signatures`
 *  is asked for after the rows were read: what was recorded with them is then in the record. `between` gives the thread
 *  away. */
export async function walkSlice(
  reader: SliceReader,
  walk: AuditWalk,
  signatures: () => Promise<(row: Row) => SignatureFinding>,
  between: () => Promise<void> = () => turnOfLoop(),
): Promise<void> {
  const index = Math.floor(walk.at / TILE_WIDTH)
  const end = (index + 1) * TILE_WIDTH
  const { size } = await reader.head()
  if (walk.at >= size) return
  const rows = (await reader.range(walk.at, end - walk.at)).filter(({ nodeIndex }) => nodeIndex < end)
  const tile = await reader.tile(0, index)
  const signatureOf = await signatures()
  if (walk.from > 0) walk.enter(await begunBefore(reader, walk, rows))
  for (const [at, row] of rows.entries()) {
    if (at > 0 && at % ROWS_AT_ONCE === 0) await between()
    walk.take({ row, leaf: leafOf(tile, row), signature: signatureOf(row) })
  }
  walk.missUpTo(Math.min(end, size))
}

function leafOf(tile: Uint8Array | null, { nodeIndex }: Row): string | null {
  const at = (nodeIndex % TILE_WIDTH) * 32
  return tile === null || tile.length < at + 32 ? null : hexEncode(tile.subarray(at, at + 32))
}

/** Chains that began before the walk did: their first row in it must follow the receipt before, as its bytes are now. */
async function begunBefore(reader: SliceReader, walk: AuditWalk, rows: readonly Row[]): Promise<WalkedChain[]> {
  const firsts = new Map<string, Row>()
  for (const row of rows) {
    const organ = organOf(row.ns, row.chain)
    if (!firsts.has(organ) && !walk.knows(organ)) firsts.set(organ, row)
  }
  const begun = [...firsts.values()].filter(({ seq }) => seq > 0)
  const befores = await Promise.all(begun.map(({ ns, chain, seq }) => reader.bySeq(ns, chain, seq - 1)))
  return befores.flatMap((row) =>
    row === null
      ? []
      : [
          {
            chain: organOf(row.ns, row.chain),
            depth: row.seq + 1,
            head_digest: sha256Hex(row.body),
            lake_head: row.lake,
          },
        ],
  )
}
