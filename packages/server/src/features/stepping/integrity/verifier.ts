/** Walks the recorded steps by itself: all of them at start and every day, and what came since every minute. What it has
 *  walked is kept in memory alone: whoever can write to the store cannot change what was found. */

import { type CheckedLedger, receiptChecks } from '../../../domain/receipt-checks.ts'
import type { LedgerReader } from '../../../ledger/contract.ts'
import { singleFlight } from '../../../platform/single-flight.ts'
import type { Clock } from '../../../ports.ts'
import type { EffectSink } from '../contract.ts'
import { effectSpace } from '../outbox/effect-documents.ts'
import { storedKeyMark } from '../store/keyed-hash.ts'
import { COUNT_ALL, STEP_CHAIN } from '../store/session-documents.ts'
import { sliced } from './chain-pages.ts'
import type { EntryParts } from './entries.ts'
import { compareHeads, type HeadDocument, readHeads } from './heads.ts'
import { type Books, ChainWalk, type WalkedSoFar } from './walk.ts'

export const FULL_WALK_MS = 24 * 3_600_000
export const MAX_WALKED = 50_000
export const RECHECKED = 1_000
export interface VerifierParts {
  reader: LedgerReader
  ledger: CheckedLedger
  clock: Pick<Clock, 'now' | 'monotonic'>
  sink: Pick<EffectSink, 'name' | 'delivered'>
  /** Records beyond which a walk does not begin at genesis. */
  maxWalked?: number
}

export interface Walked {
  walk: ChainWalk
  mode: 'FULL' | 'INCREMENTAL'
}

export class Verifier {
  private readonly parts: VerifierParts
  private progress = new Map<string, WalkedSoFar>()
  private fullAt: number | null = null
  private broken = false
  private rechecked = 0
  /** One round; a second one while it lasts is the same. */
  readonly tick = singleFlight(() => this.walkNew())

  constructor(parts: VerifierParts) {
    this.parts = parts
  }

  get lastFullWalkAt(): string | null {
    return this.fullAt === null ? null : new Date(this.fullAt).toISOString()
  }

  /** Whether the newest walk of this process found something wrong. */
  get isBroken(): boolean {
    return this.broken
  }

  async namespaces(): Promise<{ namespace: string; records: number }[]> {
    const chains = await this.parts.reader.chains()
    return chains
      .filter(({ chain }) => chain === STEP_CHAIN)
      .map(({ ns, depth }) => ({ namespace: ns, records: depth }))
  }

  /** For a request: as much as it takes to answer now. What the verifier keeps is not changed by it. */
  async walk(
    namespace: string,
    books: Exclude<Books, 'each'>,
    total: number,
    before: readonly HeadDocument[],
  ): Promise<Walked> {
    const { reader, maxWalked = MAX_WALKED } = this.parts
    const from = total <= maxWalked ? null : (this.progress.get(namespace) ?? null)
    const walk = new ChainWalk(namespace, books, from)
    const parts = await this.entryParts()
    const space = effectSpace(namespace)
    const effects = books === 'whole' ? await reader.countDocuments({ space }, COUNT_ALL) : 0
    await walk.advance(parts)
    if (from !== null) await walk.recheck(parts, ...this.slice(from.steps.seq))
    await compareHeads(parts, walk, before)
    // Counted before the walk: whatever was recorded meanwhile is among those that were walked.
    if (effects > walk.effects) walk.asked.broken('effect_binding')
    return { walk, mode: from === null ? 'FULL' : 'INCREMENTAL' }
  }

  /** The next slice of what was walked before, round and round. */
  private slice(records: number): [from: number, count: number] {
    const from = this.rechecked < records ? this.rechecked : 0
    this.rechecked = from + RECHECKED
    return [from, Math.min(RECHECKED, records - from)]
  }

  /** Between two full walks only what is new is looked at. */
  private async walkNew(): Promise<void> {
    const now = this.parts.clock.now()
    const full = this.fullAt === null || now - this.fullAt >= FULL_WALK_MS
    const heads = full ? await readHeads(this.parts.reader, null) : null
    const progress = new Map(full ? [] : this.progress)
    let broken = full ? false : this.broken
    for (const { namespace, records } of await this.namespaces()) {
      const from = progress.get(namespace) ?? null
      if (from?.steps.seq === records) continue
      const walk = new ChainWalk(namespace, 'each', from)
      const parts = await this.entryParts()
      await walk.advance(parts)
      progress.set(namespace, walk.snapshot())
      if (heads !== null) await compareHeads(parts, walk, ofNamespace(heads, namespace))
      broken ||= walk.asked.isBroken
    }
    this.progress = progress
    this.broken = broken
    if (full) this.fullAt = now
  }

  private async entryParts(): Promise<EntryParts> {
    const { reader, sink, ledger, clock } = this.parts
    let mark: string | null = null
    const keyMark = async () => {
      mark ??= await storedKeyMark(reader)
      return mark
    }
    const check = sliced(receiptChecks(ledger, reader), clock)
    return { reader, sink, check, keyMark, now: () => clock.now() }
  }
}

export const ofNamespace = (heads: readonly HeadDocument[], namespace: string): HeadDocument[] =>
  heads.filter(({ row }) => row.owner.startsWith(`${namespace}/`))
