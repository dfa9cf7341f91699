/** The ledger’s thread: the sequencer, its store and its signer. An fsync here never stalls a request there. */

import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { withUnsigned } from '@orch/core'
import { systemClock } from './adapters/clock.ts'
import { writeDurably } from './adapters/durable-file.ts'
import { onUnforeseen } from './adapters/last-resort.ts'
import type { LogKey } from './adapters/log-key.ts'
import { breakReason, LedgerAudit } from './ledger/audit.ts'
import {
  GUARD_FILE,
  type OwnCheckpoint,
  ownCheckpoint,
  readCheckpoint,
  readGuard,
  signHead,
} from './ledger/checkpoints.ts'
import type { Outcome } from './ledger/outcome.ts'
import { StoreReplaced } from './ledger/own-files.ts'
import { OwnRecord } from './ledger/own-record.ts'
import { probeStore } from './ledger/probe.ts'
import type { FromLedger, LedgerCall, LedgerSettings, ToLedger } from './ledger/protocol.ts'
import { openSqliteReader, sqliteReader } from './ledger/reader-sqlite.ts'
import { rootHex, Sequencer } from './ledger/sequencer.ts'
import { checkStart, type Fault, historyFault } from './ledger/start-check.ts'
import { checkpointEnvelope, signStatement } from './ledger/statements.ts'
import type { LedgerStore } from './ledger/store.ts'
import { sqliteStore } from './ledger/store-sqlite.ts'
import { answerWith } from './ledger/thread.ts'
import type { Head } from './ledger/types.ts'
import { claimLog } from './ledger-claim.ts'
import type { KeyRow, LedgerReader, LedgerState, SignedCheckpoint, TailReport } from './ledger-contract.ts'
import { assertNoLostKey, SigningKeys } from './ledger-keys.ts'

const CHECKPOINT_MS = 2_000
const SELF_TEST_MS = 30_000
const ANSWERS_KEPT_MS = 30 * 24 * 3_600_000

const settings = workerData as LedgerSettings
const port = parentPort!
const post = (message: FromLedger) => port.postMessage(message)
const now = () => new Date(systemClock.now()).toISOString()

async function openStore(): Promise<{ store: LedgerStore; reader: LedgerReader }> {
  if (settings.store === 'postgres') {
    const url = settings.postgresUrl!
    const { postgresStore } = await import('./ledger/store-postgres.ts')
    const { postgresReader } = await import('./ledger/reader-postgres.ts')
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
  /** The newest checkpoint we know of. */
  private signed: OwnCheckpoint | null = null
  private started = false
  private testing: Promise<void> | null = null
  private readonly settled: [number, Outcome][] = []
  /** Of an in-memory ledger alone: any other one is audited by its reading thread. */
  private readonly audit: LedgerAudit

  constructor(store: LedgerStore, reader: LedgerReader, logKey: LogKey, head: Head) {
    this.store = store
    this.reader = reader
    this.record = new OwnRecord(store, logKey)
    this.audit = new LedgerAudit(
      reader,
      this.record.read,
      () => performance.now(),
      (broken) => this.stopBroken(breakReason(broken)),
    )
    this.logKey = logKey
    this.keys = new SigningKeys(settings, store, this.record, now)
    this.state = {
      size: head.size,
      root: rootHex(head),
      readOnly: null,
      broken: false,
      rolledBack: false,
      durability: store.durability,
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
        onReadOnly: (readOnly, rolledBack) =>
          this.announce({ readOnly, ...(rolledBack ? { broken: true, rolledBack } : {}) }),
      },
      head,
    )
  }

  private announce(change: Partial<LedgerState>): void {
    Object.assign(this.state, change)
    // Until then `ready` will carry it.
    if (this.started) post({ type: 'state', state: this.state })
  }

  /** `givenUp` is a key that the operator says is lost. */
  async start(head: Head, givenUp: KeyRow | null): Promise<void> {
    const tail = await this.verifyStart(head)
    if (this.state.readOnly === null) {
      if (givenUp !== null) await this.keys.end(givenUp)
      await this.keys.settleKinds()
      await this.keys.enter(this.state.size)
    }
    await this.testSigner()
    const timers = [
      setInterval(() => this.checkpoint().catch(ignoreStopped), CHECKPOINT_MS),
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

  /** From the newest signed checkpoint to the head, and against the checkpoint remembered outside the store. */
  private async verifyStart(head: Head): Promise<TailReport> {
    const newest = await this.store.checkpoint()
    const guard = this.store.durability === 'EPHEMERAL' ? null : readGuard(settings.data)
    const { vkey } = this.logKey
    const record = this.record.read
    const inputs = { reader: this.reader, head, vkey, newest, guard, record }
    const { tail, signed, stop, rolledBack } = await checkStart(inputs)
    this.signed = signed
    if (stop !== null) this.stopBroken(stop, rolledBack)
    else if (newest !== null && guard === null) this.keepGuard(newest.note)
    return tail
  }

  private keepGuard(note: string): void {
    if (this.store.durability !== 'EPHEMERAL') writeDurably(join(settings.data, GUARD_FILE), note)
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
    else if (message.type === 'companions')
      answerWith(post, message.id, () => this.sequencer.writeCompanions(message.writes))
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
    if (method === 'audit') return this.audit.report(args[0] === true)
    return (this.reader as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[method]!(...args)
  }

  private call(method: LedgerCall): Promise<unknown> {
    if (method === 'checkpoint') return this.checkpoint()
    if (method === 'probe') return this.probe()
    if (method === 'storeModes') return this.sequencer.between(() => this.store.modes())
    if (method === 'testSigner') return this.testSigner()
    if (method === 'prepareKey') return this.keys.prepare()
    if (method === 'signCheckpoint') return this.signCheckpoint()
    return this.activateKey()
  }

  /** A store that cannot record now may be able to later; one whose files were taken away never records again. */
  private async probe(): Promise<void> {
    try {
      await this.sequencer.between(() => probeStore(this.store))
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

  private async checkpoint(): Promise<void> {
    try {
      await this.sequencer.between(() => this.signNewest())
    } catch (error) {
      this.stopFor(error)
      throw error
    }
  }

  private async signNewest(): Promise<void> {
    if (this.state.readOnly !== null) return
    this.store.assertOwnFiles()
    // The note first, the head second: another node may sign and append in between, and a head never goes back.
    const newest = await this.store.checkpoint()
    const head = this.store.exclusive ? this.sequencer.current : await this.store.head()
    const { note: known = null, checkpoint: signed = null } = this.signed ?? {}
    if (head.size === (signed?.size ?? 0) && (newest?.note ?? null) === known && newest?.size === signed?.size) return
    const stored = newest === null ? null : await readCheckpoint(newest, this.logKey.vkey)
    if (typeof stored === 'string') return this.stopBroken(stored)
    const fault = await this.signFault(head, stored)
    if (fault !== null) return this.stopBroken(fault.reason, fault.rolledBack)
    const note = stored?.checkpoint.size === head.size ? stored.note : await signHead(head, this.logKey.signer)
    if (note !== stored?.note) await this.store.putCheckpoint({ size: head.size, note })
    this.keepGuard(note)
    const checkpoint = await ownCheckpoint(note, this.logKey.vkey)
    this.signed = checkpoint === null ? null : { note, checkpoint }
  }

  /** One root for one size, for ever: a head that does not continue every note we know of is never signed. */
  private async signFault(head: Head, stored: OwnCheckpoint | null): Promise<Fault | null> {
    const ours = await historyFault(this.reader, head, this.signed?.checkpoint ?? null)
    return ours ?? historyFault(this.reader, head, stored?.checkpoint ?? null)
  }

  private forgetAnswers(): Promise<number> {
    return this.sequencer.between(() => this.store.forgetAnswers(systemClock.now() - ANSWERS_KEPT_MS))
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
    await this.sequencer.between(() => this.keys.activate(this.state.size))
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
  const logKey = await claimLog(settings, store)
  const givenUp = await assertNoLostKey(settings, store)
  const head = await store.head()
  running = new LedgerThread(store, reader, logKey, head)
  await running.start(head, givenUp)
}

const failClosed = () => (running === null ? process.exit(1) : running.failClosed())
onUnforeseen('ledger', { unhandledRejection: failClosed, uncaughtException: failClosed })

main().catch((error: unknown) => post({ type: 'failed', message: (error as Error).message }))
