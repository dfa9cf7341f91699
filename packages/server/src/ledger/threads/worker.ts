/** The ledger’s thread: the sequencer, its store and its signer. An fsync here never stalls a request there. */

import { parentPort, workerData } from 'node:worker_threads'
import { withUnsigned } from '@orch/core'
import type { LogKey } from '../../adapters/signers/log-key.ts'
import { GuardUnavailable } from '../../errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { onUnforeseen } from '../../platform/last-resort.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import { breakReason } from '../audit/audit.ts'
import { RESTORE_PENDING } from '../audit/guard-check.ts'
import { OwnRecord } from '../audit/own-record.ts'
import type { Guard, KeyRow, LedgerReader, LedgerState, SignedCheckpoint, TailReport } from '../contract.ts'
import type { Outcome } from '../outcome.ts'
import { probeStore } from '../probe.ts'
import type { AcceptRestore, FromLedger, LedgerCall, LedgerSettings, ToLedger } from '../protocol.ts'
import { CheckpointPublisher } from '../publisher.ts'
import { refusal } from '../refusals.ts'
import { rootHex, Sequencer } from '../sequencer.ts'
import { StoreReplaced } from '../store/own-files.ts'
import { openSqliteReader, sqliteReader } from '../store/sqlite/reader.ts'
import { sqliteStore } from '../store/sqlite/store.ts'
import { checkpointEnvelope, signStatement } from '../store/statements.ts'
import type { LedgerStore } from '../store/store.ts'
import { answerWith } from '../thread.ts'
import type { Head } from '../types.ts'
import { claimLog } from './claim.ts'
import { assertNoLostKey, SigningKeys } from './keys.ts'
import { type Answer, openReading } from './reading.ts'
import { acceptRestore } from './restore.ts'
import { type Examined, examineStart, leaveFolderGuard, openGuard } from './start.ts'

const CHECKPOINT_MS = 2_000
const SELF_TEST_MS = 30_000
const ANSWER_RETENTION_MS = 30 * 24 * 3_600_000
const GUARD_GRACE_MS = 60_000

const settings = workerData as LedgerSettings
const port = parentPort!
const post = (message: FromLedger) => port.postMessage(message)
const now = () => new Date(systemClock.now()).toISOString()

async function openStore(): Promise<{ store: LedgerStore; reader: LedgerReader }> {
  if (settings.store === 'postgres') {
    const url = settings.postgresUrl!
    const { postgresStore } = await import('../store/postgres/store.ts')
    const { postgresReader } = await import('../store/postgres/reader.ts')
    const store = postgresStore({ url })
    await store.open()
    return { store, reader: postgresReader({ url }) }
  }
  const store = sqliteStore(settings.store === 'memory' ? null : settings.data)
  await store.open()
  return {
    store,
    reader:
      settings.store === 'memory' ? sqliteReader(store.database()) : openSqliteReader(settings.data, store.files()),
  }
}

class LedgerThread {
  private readonly store: LedgerStore
  private readonly reader: LedgerReader
  private readonly logKey: LogKey
  private readonly sequencer: Sequencer
  private readonly state: LedgerState
  private readonly keys: SigningKeys
  private readonly record: OwnRecord
  private readonly guard: Guard | null
  private readonly publisher: CheckpointPublisher
  /** The guard was asked and bears the store out: until then nothing is appended or signed. */
  private isGuarded = false
  private guardAwaySince: number | null = null
  private readonly meet = singleFlight(() => this.meetLate())
  private started = false
  private testing: Promise<void> | null = null
  private readonly settled: [number, Outcome][] = []
  /** Of an in-memory ledger alone: any other one is read by its reading thread. */
  private reading: Answer | null = null

  constructor(store: LedgerStore, reader: LedgerReader, logKey: LogKey, head: Head) {
    this.store = store
    this.reader = reader
    this.guard = openGuard(settings, store, logKey.vkey)
    this.record = new OwnRecord(store, logKey)
    this.logKey = logKey
    this.keys = new SigningKeys(settings, store, this.record, now)
    this.state = {
      size: head.size,
      root: rootHex(head),
      readOnly: null,
      broken: false,
      rolledBack: false,
      durability: store.durability,
      guard: { kind: this.guard?.kind ?? 'none', fault: null, blocking: false },
    }
    this.sequencer = new Sequencer(
      {
        store,
        signer: this.keys,
        allowUnsigned: settings.allowUnsigned,
        nowMs: () => systemClock.now(),
        stampMs: () => performance.timeOrigin + performance.now(),
        declareUnsigned: (from, to) => this.record.change((record) => withUnsigned(record, { from, to })),
        onCommit: (next) => this.announce({ size: next.size, root: rootHex(next) }),
        onReadOnly: (readOnly, { broken = false, rolledBack = false }) =>
          this.announce({
            readOnly,
            broken: this.state.broken || broken || rolledBack,
            rolledBack: this.state.rolledBack || rolledBack,
          }),
      },
      head,
    )
    this.publisher = new CheckpointPublisher({
      ...{ store, reader, logKey, guard: this.guard },
      runExclusive: (work) => this.sequencer.runExclusive(work),
      isReadOnly: () => this.state.readOnly !== null,
      ownHead: () => (store.exclusive ? this.sequencer.current : null),
      stop: ({ reason, rolledBack }) => this.stopBroken(reason, rolledBack),
      guardAnswered: (fault) => this.guardAnswered(fault),
    })
  }

  private announce(change: Partial<LedgerState>): void {
    Object.assign(this.state, change)
    // Until then `ready` will carry it.
    if (this.started) post({ type: 'state', state: this.state })
  }

  /** `givenUp` is a key that the operator says is lost. */
  async start(givenUp: KeyRow | null): Promise<void> {
    const tail = await this.verifyStart()
    if (this.state.readOnly === null) {
      if (givenUp !== null) await this.keys.end(givenUp)
      await this.keys.settleKinds()
      await this.keys.enter(this.state.size)
    }
    await this.testSigner()
    const timers = [
      setInterval(() => this.publish().catch((error) => this.stopFor(error)), CHECKPOINT_MS),
      setInterval(() => this.testSigner(), SELF_TEST_MS),
      setInterval(() => this.forgetAnswers().catch((error) => this.stopFor(error)), 3_600_000),
    ]
    port.on('message', (message: ToLedger) => {
      if (message.type === 'close') for (const timer of timers) clearInterval(timer)
      this.take(message)
    })
    this.started = true
    const files = this.store.files()
    post({ type: 'ready', state: this.state, signer: this.keys.info(), vkey: this.logKey.vkey, tail, files })
  }

  /** From the newest signed checkpoint to the head, and against the checkpoint remembered outside the store. A guard that
   *  does not answer stops nobody from reading. */
  private async verifyStart(): Promise<TailReport> {
    try {
      const found = await this.meetGuard()
      if (found.refusal !== null) throw new Error(found.refusal)
      return found.tail
    } catch (error) {
      if (!(error instanceof GuardUnavailable)) throw error
      const found = await this.examine(null)
      this.publisher.begin(found.signed, null)
      this.guardAnswered(error.message)
      return found.tail
    }
  }

  private async examine(guard: Guard | null): Promise<Examined> {
    const { store, reader, logKey, record } = this
    const found = await examineStart({ settings, store, reader, logKey, record }, guard)
    if (found.stop !== null) this.stopBroken(found.stop, found.rolledBack)
    return found
  }

  /** The first look at the guard. What it holds is compared, and where it holds nothing of a log that is new, it is given
   *  the first checkpoint before anything is appended. */
  private async meetGuard(): Promise<Examined> {
    const found = await this.examine(this.guard)
    if (found.stop !== null || found.refusal !== null) return found
    this.publisher.begin(found.signed, found.isTakenOver ? null : found.guardCheckpoint)
    if (!(await this.publisher.establish(found.head))) throw new GuardUnavailable('the guard is moved by another node')
    if (found.isTakenOver) leaveFolderGuard(settings)
    if (found.isRestorePending) await this.store.putMeta(RESTORE_PENDING, '')
    this.isGuarded = true
    this.guardAnswered(null)
    return found
  }

  private guardAnswered(fault: string | null): void {
    const at = performance.now()
    this.guardAwaySince = fault === null ? null : (this.guardAwaySince ?? at)
    const graceMs = this.isGuarded ? (settings.guard?.graceMs ?? GUARD_GRACE_MS) : 0
    const blocking = this.guardAwaySince !== null && at - this.guardAwaySince >= graceMs
    this.sequencer.suspend(
      blocking ? refusal('guard_unavailable', `${fault}; nothing more is recorded until it does`) : null,
    )
    const { guard } = this.state
    if (guard.fault !== fault || guard.blocking !== blocking) this.announce({ guard: { ...guard, fault, blocking } })
  }

  /** By the clock: this one asks a guard that did not answer again, and meets one that never did. */
  private async publish(): Promise<void> {
    if (!this.isGuarded && this.state.readOnly === null) await this.meet()
    if (this.isGuarded) await this.publisher.publish()
  }

  private async meetLate(): Promise<void> {
    try {
      const { refusal: reason } = await this.meetGuard()
      if (reason !== null) this.stopBroken(reason, true)
    } catch (error) {
      if (!(error instanceof GuardUnavailable)) throw error
      this.guardAnswered(error.message)
    }
  }

  /** Who asks while a test runs waits for that one: a signing service is not asked more often for being slow. */
  private testSigner(): Promise<void> {
    this.testing ??= this.keys
      .test()
      .then(() => {
        if (this.started) post({ type: 'signer', signer: this.keys.info() })
      })
      .finally(() => {
        this.testing = null
      })
    return this.testing
  }

  private take(message: ToLedger): void {
    if (message.type === 'append')
      for (const { id, entry } of message.entries)
        this.sequencer.append(entry).then((outcome) => this.settle(id, outcome))
    else if (message.type === 'read') answerWith(post, message.id, () => this.read(message.method, message.args))
    else if (message.type === 'call') answerWith(post, message.id, () => this.call(message.method))
    else if (message.type === 'side-writes')
      answerWith(post, message.id, () => this.sequencer.applySideWrites(message.writes))
    else if (message.type === 'sign')
      answerWith(post, message.id, () => signStatement(this.keys, message.payloadType, message.bytes))
    else if (message.type === 'stop') this.stopBroken(message.reason)
    else void this.close()
  }

  /** One message per batch: all of a batch settles within one turn. */
  private settle(id: number, outcome: Outcome): void {
    if (this.settled.push([id, outcome]) > 1) return
    queueMicrotask(() => post({ type: 'settled', outcomes: this.settled.splice(0) }))
  }

  private read(method: string, args: unknown[]): Promise<unknown> {
    this.reading ??= openReading({
      reader: this.reader,
      record: this.record.read,
      vkey: this.logKey.vkey,
      onBreak: (broken) => this.stopBroken(breakReason(broken)),
    })
    return this.reading(method, args)
  }

  private call(method: LedgerCall): Promise<unknown> {
    if (method === 'checkpoint') return this.checkpoint()
    if (method === 'probe') return this.probe()
    if (method === 'storeModes') return this.sequencer.runExclusive(() => this.store.modes())
    if (method === 'testSigner') return this.testSigner()
    if (method === 'prepareKey') return this.keys.prepare()
    if (method === 'signCheckpoint') return this.signCheckpoint()
    return this.activateKey()
  }

  /** A store that cannot record now may be able to later; one whose files were taken away never records again. */
  private async probe(): Promise<void> {
    try {
      await this.sequencer.runExclusive(() => probeStore(this.store))
    } catch (error) {
      if (error instanceof StoreReplaced) this.sequencer.stopForStore(error)
      throw error
    }
  }

  private async signCheckpoint(): Promise<SignedCheckpoint | null> {
    await this.checkpoint()
    const newest = await this.store.checkpoint()
    const { publicKeyPem } = this.keys.info()
    if (newest === null || publicKeyPem === null) return null
    const envelope = await checkpointEnvelope(this.keys, newest.note)
    return envelope === null ? null : { size: newest.size, envelope, publicKeyPem }
  }

  /** For a caller who waits. */
  private async checkpoint(): Promise<void> {
    try {
      if (this.isGuarded) await this.publisher.publishIfGuarded()
    } catch (error) {
      this.stopFor(error)
      throw error
    }
  }

  private forgetAnswers(): Promise<number> {
    return this.sequencer.runExclusive(() => this.store.forgetAnswers(systemClock.now() - ANSWER_RETENTION_MS))
  }

  private stopBroken(reason: string, rolledBack = this.state.rolledBack): void {
    this.announce({ broken: true, rolledBack })
    this.sequencer.stop(reason)
  }

  /** Another node’s store may be away for a while; our own disk failing is the end. */
  private stopFor(error: unknown): void {
    if (this.store.exclusive) this.sequencer.stopForStore(error)
  }

  private async activateKey(): Promise<void> {
    await this.sequencer.runExclusive(() => this.keys.activate(this.state.size))
    // A test under way is of the key before.
    await this.testing
    await this.testSigner()
  }

  private async close(): Promise<void> {
    // A store that is away can be neither signed nor closed; the thread ends all the same.
    await this.checkpoint().catch(ignoreStopped)
    await this.sequencer.drain()
    this.keys.close()
    await Promise.allSettled([this.reader.close()])
    await Promise.allSettled([this.store.close()])
    post({ type: 'closed' })
    port.close()
  }

  /** Nobody knows what became of the batch that was under way: nothing more is acknowledged until a restart has looked.
   *  The thread itself stays, so that an in-memory ledger can still be read and readiness says why nothing is taken. */
  failClosed(): void {
    this.sequencer.stop('the ledger failed in a way that nobody foresaw, which the log tells; restart it')
  }
}

/** What fails here has been acted upon where it failed. */
const ignoreStopped = () => undefined

let running: LedgerThread | null = null

async function main(): Promise<void> {
  const { store, reader } = await openStore()
  try {
    const logKey = await claimLog(settings, store)
    if (settings.acceptRestore !== undefined) await accept(store, reader, logKey, settings.acceptRestore)
    const current = settings.acceptRestore === undefined ? logKey : await claimLog(settings, store)
    const givenUp = await assertNoLostKey(settings, store)
    running = new LedgerThread(store, reader, current, await store.head())
    await running.start(givenUp)
  } catch (error) {
    // Whoever repairs the cause must find the store free.
    await store.rollback().catch(() => undefined)
    await reader.close()
    await store.close()
    throw error
  }
}

function accept(store: LedgerStore, reader: LedgerReader, logKey: LogKey, restore: AcceptRestore): Promise<void> {
  const parts = { settings, store, reader, logKey, record: new OwnRecord(store, logKey) }
  return acceptRestore(parts, openGuard(settings, store, logKey.vkey), restore)
}

const failClosed = () => (running === null ? process.exit(1) : running.failClosed())
onUnforeseen('ledger', { unhandledRejection: failClosed, uncaughtException: failClosed })

main().catch((error: unknown) => {
  post({ type: 'failed', message: (error as Error).message })
  port.close()
})
