/** The append path. Batches are placed in order, signed and committed one after the other; where the store is ours alone
 *  and signatures are made elsewhere, the next batch is placed and being signed while the last one goes to the disk. Its
 *  documents and counters are judged by what the last one leaves: both are stored in this order or neither is. */

import {
  allWaiting,
  type Contested,
  type InFlight,
  isSameHead,
  provePaths,
  rollbackReason,
  type Signatures,
  separateConflicts,
  signaturesFor,
  toAppendedBatch,
  toStoreBatch,
} from './batch.ts'
import { BatchProofs } from './batch-proofs.ts'
import { chainHeads } from './chain-heads.ts'
import { DocumentRolledBack, DocumentVersions } from './document-versions.ts'
import { type Outcome, replayIndex, type Waiting } from './outcome.ts'
import { place } from './place.ts'
import { type Refusal, refusal, storeFault, storeUnavailable } from './refusals.ts'
import { type SequencerDeps, type StopCause, signaturesOf } from './sequencer-deps.ts'
import { sideWriter } from './side-writer.ts'
import { NO_CHANGES, type SideWriteChanges } from './side-writes.ts'
import type { Entry, Head, SideWrites } from './types.ts'

export const MAX_BATCH = 256

export class Sequencer {
  private readonly deps: SequencerDeps
  private readonly proofs = new BatchProofs()
  private readonly queue: Waiting[] = []
  private head: Head
  private readonly chains: ReturnType<typeof chainHeads>
  private readonly replays: ReturnType<typeof replayIndex>
  private readOnly: string | null = null
  /** Why nothing is taken for now. */
  private suspended: Refusal | null = null
  private running: Promise<void> | null = null
  private readonly tasks: (() => Promise<void>)[] = []
  /** Changes what needs no receipt, all of it or nothing. Null when it is durable. */
  readonly applySideWrites: (writes: SideWrites) => Promise<Refusal | null>
  private readonly versions: DocumentVersions
  /** Something waits for the batch under way to be durable before it is judged. */
  private postponing = false

  constructor(deps: SequencerDeps, head: Head) {
    this.deps = deps
    this.head = head
    this.versions = new DocumentVersions(deps.store.exclusive)
    this.chains = chainHeads(deps.store, head)
    this.replays = replayIndex(deps.store)
    this.applySideWrites = sideWriter({
      store: deps.store,
      versions: this.versions,
      runExclusive: (work) => this.runExclusive(work),
      closed: () => this.refusalNow(),
      failed: (error) => this.storeFailed(error),
    })
  }

  append(entry: Entry): Promise<Outcome> {
    return new Promise((settle) => {
      const refused = this.refusalNow()
      if (refused !== null) return settle(refused)
      this.queue.push({ entry, settle })
      this.wake()
    })
  }

  /** Runs some work between two batches, alone with the store. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.tasks.push(async () => work().then(resolve, reject))
      this.wake()
    })
  }

  get current(): Head {
    return this.head
  }

  /** Resolves when everything that was taken is committed or refused; what comes meanwhile is taken too. */
  async drain(): Promise<void> {
    while (this.running !== null) await this.running
  }

  /** Takes nothing for this reason until it is told null; what was taken before is committed. */
  suspend(reason: Refusal | null): void {
    this.suspended = reason
  }

  stop(reason: string, found: StopCause = {}): void {
    if (this.readOnly !== null) return
    this.readOnly = reason
    this.deps.onReadOnly(reason, found)
    this.refuse(this.queue.splice(0), this.closed())
  }

  /** A store of our own that failed once is not tried again: a restart finds out what it holds. */
  stopForStore(error: unknown): Refusal {
    this.stop(storeFault(error))
    return this.closed()
  }

  /** The next entries to place. Once the ledger is read-only there are none, and what a batch put back is refused. */
  private take(): Waiting[] {
    if (this.readOnly !== null) this.refuse(this.queue.splice(0), this.closed())
    return this.queue.splice(0, MAX_BATCH)
  }

  private wake(): void {
    this.running ??= this.run().finally(() => {
      this.running = null
      if (this.queue.length > 0 || this.tasks.length > 0) this.wake()
    })
  }

  private async run(): Promise<void> {
    let current: InFlight | null = null
    while (current !== null || this.queue.length > 0 || this.tasks.length > 0) {
      if (current === null) {
        for (const task of this.tasks.splice(0)) await task()
        if (!this.deps.store.exclusive) await this.runShared()
        else current = await this.startBatch()
        continue
      }
      current = await this.finishExclusive(current)
    }
  }

  /** Several processes append: the head row is locked first, and nothing is placed outside the lock. */
  private async runShared(): Promise<void> {
    const { store } = this.deps
    const waiting = this.take()
    if (waiting.length === 0) return
    let batch: InFlight | null = null
    let locked = this.head
    try {
      locked = await store.lock()
      this.assertContinues(locked)
      if (!isSameHead(locked, this.head)) this.goBackTo(locked)
      batch = await this.prepare(waiting)
      const signatures = batch === null ? [] : await this.signed(batch)
      if (batch !== null && signatures !== null) return await this.writeAndCommit(batch, signatures)
      // Another node may fill exactly the places of what was not stored: nothing of it stays in the cache.
      this.goBackTo(locked)
      await store.rollback()
    } catch (error) {
      this.goBackTo(locked)
      await this.failShared(batch === null ? waiting : allWaiting(batch), error)
    }
  }

  private assertContinues(locked: Head): void {
    const reason = rollbackReason(locked, this.head)
    if (reason === null) return
    this.stop(reason, { rolledBack: true })
    throw new Error(reason)
  }

  private goBackTo(head: Head): void {
    this.head = head
    this.chains.goBackTo(head)
    this.proofs.forget()
  }

  /** A lost connection rolls the batch back; only a commit whose answer was lost leaves the outcome open. */
  private async failShared(waiting: readonly Waiting[], error: unknown): Promise<void> {
    await this.deps.store.rollback().catch(() => undefined)
    // A duplicate that was put back has its turn with the next batch; it is not refused and then recorded.
    const refused = waiting.filter((item) => !this.queue.includes(item))
    this.refuse(refused, this.readOnly === null ? this.storeFailed(error) : this.closed())
  }

  /** Null while it may append. */
  private refusalNow(): Refusal | null {
    return this.readOnly === null ? this.suspended : this.closed()
  }

  private closed(): Refusal {
    return refusal('ledger_read_only', this.readOnly!)
  }

  private refuse(waiting: readonly Waiting[], reason: Refusal): void {
    for (const { entry, settle } of waiting) {
      this.replays.settled(entry)
      settle(reason)
    }
  }

  /** `previous`: what the batch under way changes beside the ledger. */
  private async startBatch(previous = NO_CHANGES): Promise<InFlight | null> {
    const waiting = this.take()
    if (waiting.length === 0) return null
    try {
      return await this.prepare(waiting, previous)
    } catch (error) {
      if (error instanceof DocumentRolledBack) this.storeFailed(error)
      else this.stop(`the ledger refused to go on: ${(error as Error).message}`)
      this.refuse(waiting, this.closed())
      return null
    }
  }

  /** Signatures of this batch, the start of the next, then the commit: the next one is signed elsewhere while this one
   *  syncs. Where it would be signed on this thread, this one would only wait for it. */
  private async finishExclusive(current: InFlight): Promise<InFlight | null> {
    const signatures = await this.signed(current)
    if (signatures === null) {
      this.goBackTo(current.before)
      return null
    }
    const next = this.mustWait() ? null : await this.startBatch(current.sideWrites)
    try {
      await this.deps.store.begin()
      await this.writeAndCommit(current, signatures)
      return next
    } catch (error) {
      // Whatever the disk did, nothing of this is acknowledged and nothing more is tried: a restart finds out.
      await this.deps.store.rollback().catch(() => undefined)
      const reason = this.stopForStore(error)
      this.refuse([...allWaiting(current), ...(next === null ? [] : allWaiting(next))], reason)
      return null
    }
  }

  private mustWait(): boolean {
    return this.tasks.length > 0 || this.postponing || this.deps.signer.signsHere?.() === true
  }

  /** A store of several nodes may be away for a while; one that was edited is not used any further. */
  private storeFailed(error: unknown): Refusal {
    if (error instanceof DocumentRolledBack) {
      this.stop(error.message, { broken: true })
      return this.closed()
    }
    return this.deps.store.exclusive ? this.stopForStore(error) : storeUnavailable(error)
  }

  /** Null when the signer did not sign and unsigned receipts are not allowed; the batch is then refused whole. */
  private async signed(batch: InFlight): Promise<Signatures | null> {
    const signatures = await signaturesFor(batch)
    if (signatures !== null) return signatures
    if (this.deps.allowUnsigned) return batch.placement.placed.map(() => null)
    const message = 'the signer does not answer; nothing was recorded, retry later'
    this.refuse(allWaiting(batch), refusal('signer_unavailable', message))
    return null
  }

  private async prepare(waiting: Waiting[], previous = NO_CHANGES): Promise<InFlight | null> {
    const { signer } = this.deps
    const { fresh, rejected, sideWrites } = await this.withoutConflicts(await this.withoutReplays(waiting), previous)
    if (fresh.length === 0) return null
    const entries = fresh.map(({ entry }) => entry)
    await this.chains.load(entries)
    const before = this.head
    const placement = place(entries, before, (entry) => this.chains.of(entry))
    this.head = placement.head
    this.chains.set(placement.chains)
    const key = signer.key()
    const signing = { from: this.deps.stampMs(), to: 0 }
    const signatures = signaturesOf(signer, placement.placed).finally(() => {
      signing.to = this.deps.stampMs()
    })
    // The rejection is looked at when the batch's turn comes; until then it must not count as unhandled.
    signatures.catch(() => undefined)
    // While others sign, this thread has nothing better to do.
    const paths = await provePaths(this.proofs, fresh, placement)
    return { waiting: fresh, rejected, sideWrites, placement, before, key, signatures, signing, paths }
  }

  /** Answers what was answered before; what waits for its duplicate is taken up with the next batch. */
  private async withoutReplays(waiting: Waiting[]): Promise<Waiting[]> {
    const { fresh, duplicates, answered } = await this.replays.sort(waiting)
    for (const [{ settle }, outcome] of answered) settle(outcome)
    this.queue.push(...duplicates)
    return fresh
  }

  /** Refuses what expects a document at another version than it is at and what a counter has no room for. What lost to the
   *  batch under way comes first in the next one, which then waits for that batch. */
  private async withoutConflicts(waiting: Waiting[], previous: SideWriteChanges): Promise<Contested> {
    const ground = { size: this.head.size, previous }
    const contested = await separateConflicts(this.deps.store, waiting, this.versions, ground)
    for (const { item, reason } of contested.refused) this.refuse([item], reason)
    for (const { entry } of contested.postponed) this.replays.settled(entry)
    this.queue.unshift(...contested.postponed)
    this.postponing = contested.postponed.length > 0
    return contested
  }

  private async writeAndCommit(batch: InFlight, signatures: Signatures): Promise<void> {
    const { store } = this.deps
    const { waiting, rejected, sideWrites, placement } = batch
    const atMs = this.deps.nowMs()
    const from = this.deps.stampMs()
    await store.write(toStoreBatch(batch, signatures, atMs))
    if (placement.placed.some((row, at) => !row.unsigned && !signatures[at]))
      await this.deps.declareUnsigned?.(placement.placed[0]!.nodeIndex, placement.head.size)
    for (const { entry } of waiting) await entry.alongside?.(placement.head)
    await store.commit()
    this.versions.remember(sideWrites.documents)
    const appended = toAppendedBatch(batch, signatures, { from, to: this.deps.stampMs() })
    for (const { entry } of waiting) this.replays.settled(entry)
    this.deps.onCommit(placement.head, appended)
    for (const [at, { settle }] of waiting.entries()) settle({ ok: true, appended: appended[at]! })
    for (const { item, reason } of rejected) this.refuse([item], reason)
  }
}
