/** A walk along the receipts of the steps of one namespace. What is kept between two walks grows with the sessions and
 *  never with the steps, so that a walk can go on where the last one ended. */

import { bodyOf } from '../../../domain/stored-receipt.ts'
import type { Row } from '../../../ledger/contract.ts'
import { type ChainEnd, type ChainPlace, chainStart, isAtEnd, isEnd, linkFault } from '../rules/chain-links.ts'
import { kindsFor } from '../rules/effects.ts'
import { type IntegrityState, IntegrityWalker } from '../rules/integrity.ts'
import type { BrokenKind, SessionHead } from '../rules/integrity-faults.ts'
import { AUDIT_CHAIN, readStateNamed, STEP_CHAIN } from '../store/session-documents.ts'
import { type ChainPart, chainPages } from './chain-pages.ts'
import { type EntryParts, type Found, readEntry } from './entries.ts'

/** Plain data, so that it can be copied. */
export interface WalkedSoFar {
  /** Where the walk goes on, in the chain of steps and in that of audits. */
  steps: ChainPlace
  audits: ChainPlace
  /** Effects that the walked decisions imply. */
  effects: number
  whole: IntegrityState | null
  owners: Record<string, IntegrityState>
}

/** Whose records are walked: of everybody together, of each owner, or of one. */
export type Books = 'whole' | 'each' | { owner: string }

export class ChainWalk {
  readonly namespace: string
  private readonly books: Books
  private readonly whole: IntegrityWalker | null
  private readonly owners: Map<string, IntegrityWalker>
  private steps: ChainPlace
  private audits: ChainPlace
  /** Effects that the walked decisions imply. */
  effects: number
  walked = 0
  /** Index of the first record of this walk. */
  readonly start: number

  constructor(namespace: string, books: Books, from: WalkedSoFar | null = null) {
    this.namespace = namespace
    this.books = books
    this.steps = from?.steps ?? chainStart()
    this.audits = from?.audits ?? chainStart()
    this.effects = from?.effects ?? 0
    this.whole = typeof books === 'object' ? null : new IntegrityWalker(from?.whole ?? undefined)
    const known = Object.entries(from?.owners ?? {}).filter(([owner]) => this.isWanted(owner))
    this.owners = new Map(known.map(([owner, state]) => [owner, new IntegrityWalker(state)]))
    if (typeof books === 'object') this.bookOf(books.owner)
    this.start = this.asked.next
  }

  /** Place in the chain of steps that comes next. */
  get seq(): number {
    return this.steps.seq
  }

  /** To where the chain ends now. */
  async advance(parts: EntryParts): Promise<void> {
    const before = await this.chainTips(parts)
    await this.checkStart(parts)
    this.checkEnd(STEP_CHAIN, this.steps, before)
    const entry = async (row: Row) => (this.isWanted(ownerOf(row)) ? readEntry(parts, row) : null)
    for await (const page of chainPages(this.part(parts, STEP_CHAIN, this.steps.seq), entry))
      for (const [row, found] of page) {
        this.steps = this.follow(this.steps, row, before)
        if (found) this.take(found)
      }
    await this.advanceAudits(parts, before)
    this.checkCut(before, await this.chainTips(parts))
  }

  /** Older records once more, from a place in the chain on. */
  async recheck(parts: EntryParts, from: number, count: number): Promise<void> {
    const again = async (row: Row) => (this.isWanted(ownerOf(row)) ? readAgain(parts, row) : null)
    for await (const page of chainPages({ ...this.part(parts, STEP_CHAIN, from), to: from + count }, again))
      for (const [, found] of page) if (found) this.takeAgain(found)
  }

  private part({ reader }: EntryParts, chain: string, from: number): ChainPart {
    return { reader, namespace: this.namespace, chain, from }
  }

  get walkers(): IntegrityWalker[] {
    return [...(this.whole === null ? [] : [this.whole]), ...this.owners.values()]
  }

  /** Of the whole namespace, or of the one owner that was asked for. */
  get asked(): IntegrityWalker {
    return this.whole ?? (this.owners.values().next().value as IntegrityWalker)
  }

  snapshot(): WalkedSoFar {
    return {
      steps: this.steps,
      audits: this.audits,
      effects: this.effects,
      whole: this.whole?.state() ?? null,
      owners: Object.fromEntries([...this.owners].map(([owner, walker]) => [owner, walker.state()])),
    }
  }

  private isWanted(owner: string): boolean {
    return typeof this.books === 'string' || this.books.owner === owner
  }

  private bookOf(owner: string): IntegrityWalker | null {
    if (this.books === 'whole') return null
    const known = this.owners.get(owner) ?? new IntegrityWalker()
    this.owners.set(owner, known)
    return known
  }

  /** Where the ledger says that the chains end. */
  private async chainTips({ reader }: EntryParts): Promise<ChainTips> {
    const own = (await reader.chains()).filter(({ ns }) => ns === this.namespace)
    return new Map(own.map((end) => [end.chain, end]))
  }

  private fault(chain: string, kind: BrokenKind, place: ChainPlace): void {
    for (const walker of this.walkers)
      if (chain === AUDIT_CHAIN) walker.broken('recovery_audit', place.seq)
      else walker.broken(kind)
  }

  /** What the walk goes on from must still be there. */
  private async checkStart({ reader }: EntryParts): Promise<void> {
    if (this.steps.seq === 0) return
    const last = await reader.bySeq(this.namespace, STEP_CHAIN, this.steps.seq - 1)
    if (last?.digest !== this.steps.digest) this.fault(STEP_CHAIN, 'checkpoint', this.steps)
  }

  private follow(place: ChainPlace, row: Row, chainTips: ChainTips): ChainPlace {
    const fault = linkFault(place, row, String(bodyOf(row)?.ts_utc))
    if (fault !== null) this.fault(row.chain, fault, place)
    const next = { seq: row.seq + 1, digest: row.digest, lake: row.lake }
    this.checkEnd(row.chain, next, chainTips)
    return next
  }

  private checkEnd(chain: string, place: ChainPlace, chainTips: ChainTips): void {
    const end = chainTips.get(chain)
    if (end !== undefined && isAtEnd(place, end) && !isEnd(place, end)) this.fault(chain, 'link', place)
  }

  /** Receipts that the ledger counted are gone, or it counts fewer than there are. */
  private checkCut(before: ChainTips, after: ChainTips): void {
    for (const [chain, place] of [
      [STEP_CHAIN, this.steps],
      [AUDIT_CHAIN, this.audits],
    ] as const) {
      if (place.seq < (before.get(chain)?.depth ?? 0)) this.fault(chain, 'missing_receipt', place)
      if (place.seq > (after.get(chain)?.depth ?? 0)) this.fault(chain, 'link', place)
    }
  }

  private take({ owner, state }: Found): void {
    this.walked += 1
    if (state !== null) this.effects += kindsFor(state.record.decision).length
    const own = this.bookOf(owner)
    for (const walker of [this.whole, own]) {
      if (walker === null) continue
      const index = walker.next
      if (state === null) walker.orphan(index)
      else walker.push({ ...state, index })
    }
  }

  private takeAgain({ seq, owner, state, before }: FoundAgain): void {
    this.walked += 1
    for (const walker of [this.whole, this.owners.get(owner) ?? null])
      if (state === null) walker?.orphan(seq)
      else walker?.recheck({ ...state, index: seq }, before)
  }

  private async advanceAudits(parts: EntryParts, chainTips: ChainTips): Promise<void> {
    this.checkEnd(AUDIT_CHAIN, this.audits, chainTips)
    for await (const page of chainPages(this.part(parts, AUDIT_CHAIN, this.audits.seq), parts.check))
      for (const [row, { digest, signature }] of page) {
        if (digest !== row.digest || signature === false) this.fault(AUDIT_CHAIN, 'recovery_audit', this.audits)
        this.audits = this.follow(this.audits, row, chainTips)
      }
  }
}

type ChainTips = ReadonlyMap<string, ChainEnd>

const ownerOf = (row: Row): string => String(bodyOf(row)?.actor.owner)

interface FoundAgain extends Found {
  seq: number
  before: SessionHead | null
}

async function readAgain(parts: EntryParts, row: Row): Promise<FoundAgain> {
  const found = await readEntry(parts, row)
  const before = found.state === null ? null : await headBefore(parts, found.session, found.state.record.step)
  return { ...found, seq: row.seq, before }
}

/** What a record follows, as the records beside it say. */
async function headBefore({ reader }: EntryParts, session: string, step: number): Promise<SessionHead | null> {
  const [before, own] = await Promise.all([step - 1, step].map((at) => readStateNamed(reader, session, at)))
  if (!before || !own) return null
  const { record, state_hash } = before.state
  const { spent, budget, granted } = record
  const budgets = { spent, budget, granted, reviews: null }
  return { session, step: record.step, state_hash, receipt_digest: own.state.prev_receipt, ...budgets }
}
