/** Publishes checkpoints. One root for one size, for ever: a checkpoint goes to the guard before it goes to the store, and
 *  only what is in the store is served, exported or anchored. A store that was rolled back afterwards is then behind its
 *  guard and signs nothing. The guard may be another machine, so nobody waits for it but the checkpoint itself. */
import { type Checkpoint, consistencyProof, type NoteSigner, nodesFromTiles } from '@orch/core'
import { GuardUnavailable } from '../errors.ts'
import { damage, type Fault, foreignGuard, historyFault } from './audit/start-check.ts'
import {
  checkpointOfAnyGeneration,
  type OwnCheckpoint,
  ownCheckpoint,
  readCheckpoint,
  signHead,
} from './checkpoints.ts'
import type { Guard, LedgerReader } from './contract.ts'
import type { LedgerStore } from './store/store.ts'
import { readTileOf } from './tail.ts'
import type { Head } from './types.ts'

const MAX_TRIES = 3

interface PublisherDeps {
  store: Pick<LedgerStore, 'checkpoint' | 'putCheckpoint' | 'head' | 'assertOwnFiles'>
  reader: LedgerReader
  logKey: { vkey: string; signer: NoteSigner }
  /** Null for a ledger in memory. */
  guard: Guard | null
  /** Runs some work between two batches, alone with the store. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>
  isReadOnly(): boolean
  /** The head of a store that is ours alone; null where other nodes append too. */
  ownHead(): Head | null
  /** What is stored does not continue what was signed. */
  stop(fault: Fault): void
  /** The guard did not answer, with why; null when it did. */
  guardAnswered(fault: string | null): void
}

interface Prepared {
  note: string
  checkpoint: Checkpoint
  isStored: boolean
}

export class CheckpointPublisher {
  private readonly deps: PublisherDeps
  /** The newest checkpoint in the store that we know of. */
  private signed: OwnCheckpoint | null = null
  private guardCheckpoint: Checkpoint | null = null
  private turn: Promise<void> = Promise.resolve()
  private queued: Promise<void> | null = null
  private isGuardAway = false

  constructor(deps: PublisherDeps) {
    this.deps = deps
  }

  /** What the start found in the store and in the guard. */
  begin(signed: OwnCheckpoint | null, guardCheckpoint: Checkpoint | null): void {
    this.signed = signed
    this.guardCheckpoint = guardCheckpoint
  }

  /** A checkpoint over all that is committed by now. Resolves without one where the guard does not answer or the ledger is
   *  read-only. Who comes while one waits for its turn shares it. */
  publish(): Promise<void> {
    this.queued ??= this.turn
      .catch(() => undefined)
      .then(() => {
        this.queued = null
        return this.publishNow().catch((error: unknown) => this.noteGuardAway(error))
      })
    this.turn = this.queued
    return this.queued
  }

  /** The same for somebody who waits: a guard that did not answer the last time is not waited for again. */
  async publishIfGuarded(): Promise<void> {
    if (!this.isGuardAway) await this.publish()
  }

  /** Has the guard hold this head, which nothing in it contradicts, before the first append. */
  async establish(head: Head): Promise<boolean> {
    const { guard, logKey } = this.deps
    if (guard === null || (this.guardCheckpoint !== null && this.guardCheckpoint.origin === logKey.signer.name))
      return true
    // Signed for the guard alone: it is published like any other, once there is more than this to say.
    const note = await signHead(head, logKey.signer)
    if (!(await guard.advance({ note, old: null, proof: [] }))) return false
    this.guardCheckpoint = await ownCheckpoint(note, logKey.vkey)
    return true
  }

  private noteGuardAway(error: unknown): void {
    if (!(error instanceof GuardUnavailable)) throw error
    this.isGuardAway = true
    this.deps.guardAnswered(error.message)
  }

  private async publishNow(): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const next = await this.deps.runExclusive(() => this.prepare())
      if (next === null) return
      if (!(await this.moveGuard(next))) {
        await this.lookAtGuard()
        continue
      }
      const { note, checkpoint, isStored } = next
      if (!isStored) await this.deps.runExclusive(() => this.deps.store.putCheckpoint({ size: checkpoint.size, note }))
      this.signed = { note, checkpoint }
      return
    }
    throw new GuardUnavailable('the guard is moved by others faster than this node can follow')
  }

  private async prepare(): Promise<Prepared | null> {
    const { store, logKey, isReadOnly, ownHead } = this.deps
    if (isReadOnly()) return null
    store.assertOwnFiles()
    // The note first, the head second: another node may sign and append in between, and a head never goes back.
    const newest = await store.checkpoint()
    const head = ownHead() ?? (await store.head())
    const { note: known = null, checkpoint: signed = null } = this.signed ?? {}
    const isKnown = newest?.size === signed?.size && (newest?.note ?? null) === known
    if (isKnown && head.size === (signed?.size ?? 0)) return null
    const stored = newest === null ? null : await readCheckpoint(newest, logKey.vkey)
    if (!(await this.maySign(head, stored)) || typeof stored === 'string') return null
    const isStored = stored?.checkpoint.size === head.size
    const note = isStored ? stored.note : await signHead(head, logKey.signer)
    return { note, checkpoint: (await ownCheckpoint(note, logKey.vkey))!, isStored }
  }

  /** A head that does not continue every note we know of is never signed. A text says why the stored one is none. */
  private async maySign(head: Head, stored: OwnCheckpoint | string | null): Promise<boolean> {
    const { reader, stop } = this.deps
    const fault =
      typeof stored === 'string'
        ? damage(stored)
        : ((await historyFault(reader, head, this.signed?.checkpoint ?? null)) ??
          (await historyFault(reader, head, stored?.checkpoint ?? null)))
    if (fault !== null) stop(fault)
    return fault === null
  }

  /** True when the guard holds the checkpoint, or there is none to hold it. */
  private async moveGuard({ note, checkpoint }: Prepared): Promise<boolean> {
    const { guard, reader, guardAnswered } = this.deps
    if (guard === null) return true
    const { size } = checkpoint
    const from = this.guardCheckpoint?.size ?? 0
    if (from > size) return false
    const proof = from === 0 ? [] : await consistencyProof(from, size, nodesFromTiles(size, readTileOf(reader)))
    if (!(await guard.advance({ note, old: this.guardCheckpoint, proof }))) return false
    this.guardCheckpoint = checkpoint
    this.isGuardAway = false
    guardAnswered(null)
    return true
  }

  /** Another node moved the guard, or another ledger: ours goes on only if it continues what is there. The guard first,
   *  the head second, as everywhere. */
  private async lookAtGuard(): Promise<void> {
    const { guard, reader, logKey, stop } = this.deps
    const note = await guard!.newest(logKey.signer.name)
    this.guardCheckpoint = note === null ? null : await checkpointOfAnyGeneration(note, logKey.vkey)
    if (note !== null && this.guardCheckpoint?.origin !== logKey.signer.name) return stop(foreignGuard(guard!.kind))
    const fault = await historyFault(reader, await reader.head(), this.guardCheckpoint)
    if (fault !== null) stop(fault)
  }
}
