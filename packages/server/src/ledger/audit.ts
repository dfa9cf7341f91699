/** The integrity audit: the whole ledger is walked once from genesis and then further from where the walk stopped, so
 *  what is reported was recomputed and never asserted. Runs in the reading thread and yields between slices. */

import { setImmediate as breathe, setTimeout as rest } from 'node:timers/promises'
import { EMPTY_RECORD, hexEncode, type LedgerRecord, organOf, TILE_WIDTH } from '@orch/core'
import type { AuditBreak, AuditedChain, AuditReport, ChainHead, LedgerReader, Row } from '../ledger-contract.ts'
import { AuditWalk, type WalkedHead } from './audit-walk.ts'
import { NO_RECORD, type Ring, ringFault, steadyRing } from './own-record.ts'
import { Signatures } from './signatures.ts'

type AuditReader = Pick<LedgerReader, 'range' | 'tile' | 'keys' | 'chains' | 'head'>

/** What one call may spend on catching up. */
const PATIENCE_MS = 250
const AWAY_MS = 5_000

export class LedgerAudit {
  private readonly reader: AuditReader
  private readonly monotonic: () => number
  private walk = new AuditWalk()
  /** A second walk from genesis; takes the place of the first when it has come as far, or finds a break. */
  private again: AuditWalk | null = null
  private running: Promise<void> | null = null
  private behind: Promise<void> | null = null
  private readonly record: () => Promise<LedgerRecord | null>
  private judged: { ring: Ring; signatures: Signatures } | null = null
  private readonly onBreak: (broken: AuditBreak) => void
  private told = false
  private whole: { walk: AuditWalk; at: string } | null = null

  /** `record` is what the ledger says of itself, null where the log key did not sign it. `onBreak` hears once of the first
   *  break, whether somebody asked for a report or not. */
  constructor(
    reader: AuditReader,
    record: () => Promise<LedgerRecord | null>,
    monotonic: () => number,
    onBreak: (broken: AuditBreak) => void = () => undefined,
  ) {
    this.reader = reader
    this.record = record
    this.monotonic = monotonic
    this.onBreak = onBreak
  }

  /** Catches up with the head as far as the time allows and says how far it came. `startOver` walks from genesis again:
   *  what was verified before stays reported until the new walk has come as far or found a break. */
  async report(startOver = false): Promise<AuditReport> {
    const deadline = this.monotonic() + PATIENCE_MS
    if (startOver) this.startOver()
    const stored = await this.storedEnds()
    const { chains, size } = stored
    const isBehind = () => this.walk.at < size || (startOver && this.again !== null)
    while (isBehind() && this.monotonic() < deadline) await this.step()
    const { walk } = this
    if (walk.at >= size) compareEnds(walk, stored)
    this.noteWhole(size)
    await this.compareRing(walk)
    this.tell()
    const heads = walk.heads()
    return {
      verified_to: walk.verifiedTo,
      walked_to: walk.at,
      full_walk_at: this.whole?.at ?? null,
      size: Math.max(size, walk.at),
      broken: walk.first,
      chains: chains.map((chain) => audited(chain, walk, heads)),
    }
  }

  /** Heads between two looks at the size: where that stayed, they belong to it and to nothing else. Where it grew, every
   *  receipt a head counts is still within the second size. */
  private async storedEnds(): Promise<StoredEnds> {
    const before = await this.reader.head()
    const chains = await this.reader.chains()
    const { size, frontier, chains: count } = await this.reader.head()
    return { chains, size, frontier, count, steady: before.size === size }
  }

  private async compareRing(walk: AuditWalk): Promise<void> {
    const { record, keys } = await this.ring()
    const sentence = record === null ? NO_RECORD : ringFault(keys, record)
    if (sentence !== null) walk.condemn({ node_index: null, organ: null, seq: null, reason: 'ring_mismatch', sentence })
  }

  private ring(): Promise<Ring> {
    return steadyRing(() => this.reader.keys(), this.record)
  }

  startOver(): void {
    this.again ??= new AuditWalk()
    this.walkOn()
  }

  /** Walks to the present head behind everything else. */
  walkOn(): void {
    this.behind ??= this.walkToHead().finally(() => {
      this.behind = null
    })
  }

  private async walkToHead(): Promise<void> {
    while (!(await this.reachHead())) await rest(AWAY_MS, undefined, { ref: false })
  }

  /** Rests as long as it works, so that lookups in the same thread wait for at most a slice. */
  private async reachHead(): Promise<boolean> {
    try {
      const { size } = await this.reader.head()
      while ((this.again ?? this.walk).at < size) {
        const began = this.monotonic()
        await this.step()
        await rest(this.monotonic() - began, undefined, { ref: false })
      }
      this.noteWhole(size)
      return true
    } catch {
      // The store is away; whoever asks for a report is told so, and the walk goes on when it is back.
      return false
    }
  }

  /** One slice at a time; whoever comes meanwhile shares it. */
  private step(): Promise<void> {
    this.running ??= this.slice().finally(() => {
      this.running = null
    })
    return this.running
  }

  private async slice(): Promise<void> {
    const { again } = this
    await this.advance(this.walk)
    if (again !== null) {
      await this.advance(again)
      if (again === this.again && (again.at >= this.walk.at || again.first !== null)) {
        this.walk = again
        this.again = null
        this.noteWhole(again.at)
      }
    }
    this.tell()
    await breathe()
  }

  /** A walk is whole when it first comes to the head; from there on it only goes along. */
  private noteWhole(size: number): void {
    if (this.whole?.walk === this.walk || this.walk.at < size) return
    this.whole = { walk: this.walk, at: new Date(performance.timeOrigin + this.monotonic()).toISOString() }
  }

  private tell(): void {
    const { first } = this.walk
    if (first === null || this.told) return
    this.told = true
    this.onBreak(first)
  }

  /** At most to the end of a tile of the tree, whose leaves the rows are compared with. */
  private async advance(walk: AuditWalk): Promise<void> {
    const index = Math.floor(walk.at / TILE_WIDTH)
    const end = (index + 1) * TILE_WIDTH
    const { size } = await this.reader.head()
    if (walk.at >= size) return
    const rows = (await this.reader.range(walk.at, end - walk.at)).filter(({ nodeIndex }) => nodeIndex < end)
    const tile = await this.reader.tile(0, index)
    // After the rows: what was recorded with them is then in the record.
    const signatures = await this.signatures()
    for (const row of rows) walk.take({ row, leaf: leafOf(tile, row), signature: signatures.of(row) })
    walk.missUpTo(Math.min(end, size))
  }

  private async signatures(): Promise<Signatures> {
    const ring = await this.ring()
    const record = ring.record ?? EMPTY_RECORD
    // A ring that does not bear out its record is told by the comparison; here the newest one is enough.
    if (this.judged === null || this.judged.ring.record !== ring.record)
      this.judged = { ring, signatures: new Signatures(record, ring.keys) }
    return this.judged.signatures
  }
}

export const breakReason = ({ node_index: at, sentence }: AuditBreak): string =>
  at === null ? `the ledger is broken: ${sentence}` : `receipt ${at} is broken: ${sentence}`

function leafOf(tile: Uint8Array | null, { nodeIndex }: Row): string | null {
  const at = (nodeIndex % TILE_WIDTH) * 32
  return tile === null || tile.length < at + 32 ? null : hexEncode(tile.subarray(at, at + 32))
}

interface StoredEnds {
  chains: readonly ChainHead[]
  size: number
  frontier: readonly Uint8Array[]
  /** How many chains the head of the ledger counts; a new chain gets the next number. */
  count: number | undefined
  steady: boolean
}

/** What rows alone cannot show: receipts cut off the end of a chain, a head that is not its newest receipt, and a head of
 *  the tree that is not theirs. */
function compareEnds(walk: AuditWalk, { chains, size, frontier, count, steady }: StoredEnds) {
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
  walk.condemn({
    node_index: null,
    organ: null,
    seq: null,
    reason: 'root_mismatch',
    sentence: 'every link holds, yet the stored root is not that of the stored receipts',
  })
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

function audited(stored: ChainHead, walk: AuditWalk, heads: Map<string, WalkedHead>): AuditedChain {
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
    verified_to: found?.depth ?? 0,
  }
}
