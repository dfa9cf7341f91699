/** A walk along the receipts of the steps of one namespace. What is kept between two walks grows with the sessions and
 *  never with the steps, so that a walk can go on where the last one ended. */
import { setImmediate as otherWork } from 'node:timers/promises'
import { type IntegrityState, IntegrityWalker } from '../domain/stepping/integrity.ts'
import type { SessionHead } from '../domain/stepping/integrity-faults.ts'
import { bodyOf } from '../domain/stored-receipt.ts'
import type { Row } from '../ledger-contract.ts'
import { type EntryParts, entryOf, type Found } from './integrity-entries.ts'
import { readStateNamed } from './session-documents.ts'

export const STEP_CHAIN = 'gdw'
export const AUDIT_CHAIN = 'gdw-recovery'
const PAGE = 100

/** Plain data, so that it can be copied. */
export interface WalkedSoFar {
  /** Place in the chain of steps that comes next, and the digest of the receipt before it. */
  seq: number
  lastDigest: string | null
  auditSeq: number
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
  seq: number
  private lastDigest: string | null
  private auditSeq: number
  walked = 0
  /** Index of the first record of this walk. */
  readonly start: number

  constructor(namespace: string, books: Books, from: WalkedSoFar | null = null) {
    this.namespace = namespace
    this.books = books
    this.seq = from?.seq ?? 0
    this.lastDigest = from?.lastDigest ?? null
    this.auditSeq = from?.auditSeq ?? 0
    this.whole = typeof books === 'object' ? null : new IntegrityWalker(from?.whole ?? undefined)
    const kept = Object.entries(from?.owners ?? {}).filter(([owner]) => this.isWanted(owner))
    this.owners = new Map(kept.map(([owner, state]) => [owner, new IntegrityWalker(state)]))
    if (typeof books === 'object') this.bookOf(books.owner)
    this.start = this.asked.next
  }

  /** To where the chain ends now. */
  async advance(parts: EntryParts): Promise<void> {
    await this.checkStart(parts)
    for (;;) {
      const rows = await parts.reader.chainRange(this.namespace, STEP_CHAIN, this.seq, PAGE)
      if (rows.length === 0) break
      const found = await Promise.all(rows.map((row) => (this.isWanted(ownerOf(row)) ? entryOf(parts, row) : null)))
      for (const one of found) if (one !== null) this.take(one)
      this.seq = rows.at(-1)!.seq + 1
      this.lastDigest = rows.at(-1)!.digest
      await otherWork()
    }
    if (this.whole !== null) await this.advanceAudits(parts, this.whole)
  }

  /** Older records once more, from a place in the chain on. */
  async recheck(parts: EntryParts, from: number, count: number): Promise<void> {
    for (let seq = from; seq < from + count; seq += PAGE) {
      const rows = await parts.reader.chainRange(this.namespace, STEP_CHAIN, seq, Math.min(PAGE, from + count - seq))
      for (const row of rows.filter((one) => this.isWanted(ownerOf(one)))) await this.recheckRow(parts, row)
      await otherWork()
    }
  }

  get walkers(): IntegrityWalker[] {
    return [...(this.whole === null ? [] : [this.whole]), ...this.owners.values()]
  }

  /** Of the whole namespace, or of the one owner that was asked for. */
  get asked(): IntegrityWalker {
    return this.whole ?? (this.owners.values().next().value as IntegrityWalker)
  }

  keep(): WalkedSoFar {
    return {
      seq: this.seq,
      lastDigest: this.lastDigest,
      auditSeq: this.auditSeq,
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

  /** What the walk goes on from must still be there. */
  private async checkStart({ reader }: EntryParts): Promise<void> {
    if (this.seq === 0) return
    const last = await reader.bySeq(this.namespace, STEP_CHAIN, this.seq - 1)
    if (last?.digest !== this.lastDigest) for (const walker of this.walkers) walker.compareCheckpoint('')
  }

  private take({ owner, state }: Found): void {
    this.walked += 1
    const own = this.bookOf(owner)
    for (const walker of [this.whole, own]) {
      if (walker === null) continue
      const index = walker.next
      if (state === null) walker.orphan(index)
      else walker.push({ ...state, index })
    }
  }

  private async recheckRow(parts: EntryParts, row: Row): Promise<void> {
    const { owner, session, state } = await entryOf(parts, row)
    this.walked += 1
    for (const walker of [this.whole, this.owners.get(owner) ?? null]) {
      if (walker === null) continue
      if (state === null) walker.orphan(row.seq)
      else walker.recheck({ ...state, index: row.seq }, await headBefore(parts, session, state.record.step))
    }
  }

  private async advanceAudits({ reader, check }: EntryParts, walker: IntegrityWalker): Promise<void> {
    for (;;) {
      const rows = await reader.chainRange(this.namespace, AUDIT_CHAIN, this.auditSeq, PAGE)
      if (rows.length === 0) return
      for (const row of rows) {
        const { digest: computed_digest, signature: signature_valid } = await check(row)
        walker.audit({ index: row.seq, digest: row.digest, computed_digest, prev: row.prev, signature_valid })
      }
      this.auditSeq = rows.at(-1)!.seq + 1
    }
  }
}

const ownerOf = (row: Row): string => String(bodyOf(row)?.actor.owner)

/** What a record follows, as the records beside it say. */
async function headBefore({ reader }: EntryParts, session: string, step: number): Promise<SessionHead | null> {
  const [before, own] = await Promise.all([step - 1, step].map((at) => readStateNamed(reader, session, at)))
  if (!before || !own) return null
  const { record, state_hash } = before.state
  const { spent, budget, granted } = record
  return { session, step: record.step, state_hash, receipt_digest: own.state.prev_receipt, spent, budget, granted }
}
