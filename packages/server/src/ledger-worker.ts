/** The ledger’s thread: the sequencer, its store and its signer. An fsync here never stalls a request there. */

import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Checkpoint, withUnsigned } from '@orch/core'
import { systemClock } from './adapters/clock.ts'
import { writeDurably } from './adapters/durable-file.ts'
import type { LogKey } from './adapters/log-key.ts'
import { breakReason } from './ledger/audit.ts'
import { GUARD_FILE, ownCheckpoint, readGuard, signHead } from './ledger/checkpoints.ts'
import type { Outcome } from './ledger/outcome.ts'
import { OwnRecord } from './ledger/own-record.ts'
import { probeStore } from './ledger/probe.ts'
import type { FromLedger, LedgerCall, LedgerSettings, ToLedger } from './ledger/protocol.ts'
import { openSqliteReader, sqliteReader } from './ledger/reader-sqlite.ts'
import { rootHex, Sequencer } from './ledger/sequencer.ts'
import { checkStart, FOREIGN_NOTE, historyFault } from './ledger/start-check.ts'
import { checkpointEnvelope, signStatement } from './ledger/statements.ts'
import type { LedgerStore } from './ledger/store.ts'
import { sqliteStore } from './ledger/store-sqlite.ts'
import type { Head } from './ledger/types.ts'
import { claimLog } from './ledger-claim.ts'
import type { LedgerReader, LedgerState, SignedCheckpoint, TailReport } from './ledger-contract.ts'
import { SigningKeys } from './ledger-keys.ts'
import { type Answer, openReading } from './ledger-reading.ts'

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
    reader: settings.store === 'memory' ? sqliteReader(store.database()) : openSqliteReader(settings.data),
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
  private signed: Checkpoint | null = null
  private started = false
  private testing: Promise<void> | null = null
  private readonly settled: [number, Outcome][] = []
  /** Of an in-memory ledger alone: any other one is read by its reading thread. */
  private reading: Answer | null = null

  constructor(store: LedgerStore, reader: LedgerReader, logKey: LogKey, head: Head) {
    this.store = store
    this.reader = reader
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
        onReadOnly: (readOnly, broken) => this.announce({ readOnly, broken: this.state.broken || broken }),
      },
      head,
    )
  }

  private announce(change: Partial<LedgerState>): void {
    Object.assign(this.state, change)
    // Until then `ready` will carry it.
    if (this.started) post({ type: 'state', state: this.state })
  }

  async start(head: Head): Promise<void> {
    const tail = await this.verifyStart(head)
    if (this.state.readOnly === null) {
      await this.keys.settleKinds()
      await this.keys.enter(this.state.size)
    }
    await this.testSigner()
    const timers = [
      setInterval(() => this.checkpoint().catch((error) => this.stopFor(error)), CHECKPOINT_MS),
      setInterval(() => this.testSigner(), SELF_TEST_MS),
      setInterval(() => this.forgetAnswers().catch((error) => this.stopFor(error)), 3_600_000),
    ]
    port.on('message', (message: ToLedger) => {
      if (message.type === 'close') for (const timer of timers) clearInterval(timer)
      this.take(message)
    })
    this.started = true
    post({ type: 'ready', state: this.state, signer: this.keys.info(), vkey: this.logKey.vkey, tail })
  }

  /** From the newest signed checkpoint to the head, and against the checkpoint remembered outside the store. */
  private async verifyStart(head: Head): Promise<TailReport> {
    const newest = (await this.store.checkpoint())?.note ?? null
    const guard = this.store.durability === 'EPHEMERAL' ? null : readGuard(settings.data)
    const { vkey } = this.logKey
    const record = this.record.read
    const inputs = { reader: this.reader, head, vkey, newest, guard, record }
    const { tail, signed, stop, rolledBack } = await checkStart(inputs)
    this.signed = signed
    if (stop !== null) this.stopBroken(stop, rolledBack)
    else if (newest !== null && guard === null) this.keepGuard(newest)
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
    else if (message.type === 'read') this.answer(message.id, this.read(message.method, message.args))
    else if (message.type === 'call') this.answer(message.id, this.call(message.method))
    else if (message.type === 'companions') this.answer(message.id, this.sequencer.writeCompanions(message.writes))
    else if (message.type === 'sign')
      this.answer(message.id, signStatement(this.keys, message.payloadType, message.bytes))
    else if (message.type === 'stop') this.stopBroken(message.reason)
    else void this.close()
  }

  /** One message per batch: all of a batch settles within one turn. */
  private settle(id: number, outcome: Outcome): void {
    if (this.settled.push([id, outcome]) > 1) return
    queueMicrotask(() => post({ type: 'settled', outcomes: this.settled.splice(0) }))
  }

  private answer(id: number, work: Promise<unknown>): void {
    work.then(
      (value) => post({ type: 'returned', id, value }),
      (error: Error) => post({ type: 'returned', id, error: error.message }),
    )
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
    if (method === 'probe') return this.sequencer.between(() => probeStore(this.store))
    if (method === 'storeModes') return this.sequencer.between(() => this.store.modes())
    if (method === 'testSigner') return this.testSigner()
    if (method === 'prepareKey') return this.keys.prepare()
    if (method === 'signCheckpoint') return this.signCheckpoint()
    return this.activateKey()
  }

  private async signCheckpoint(): Promise<SignedCheckpoint | null> {
    await this.checkpoint()
    const newest = await this.store.checkpoint()
    const { publicKeyPem } = this.keys.info()
    if (newest === null || publicKeyPem === null) return null
    const envelope = await checkpointEnvelope(this.keys, newest.note)
    return envelope === null ? null : { size: newest.size, envelope, publicKeyPem }
  }

  private checkpoint(): Promise<void> {
    return this.sequencer.between(async () => {
      if (this.state.readOnly !== null) return
      // The note first, the head second: another node may sign and append in between, and a head never goes back.
      const newest = await this.store.checkpoint()
      const head = this.store.exclusive ? this.sequencer.current : await this.store.head()
      if (head.size === (this.signed?.size ?? 0) && newest?.size === this.signed?.size) return
      if (!(await this.maySign(head, newest?.note ?? null))) return
      const note = newest?.size === head.size ? newest.note : await signHead(head, this.logKey.signer)
      if (note !== newest?.note) await this.store.putCheckpoint({ size: head.size, note })
      this.keepGuard(note)
      this.signed = await ownCheckpoint(note, this.logKey.vkey)
    })
  }

  /** One root for one size, for ever: a head that does not continue every note we know of is never signed. */
  private async maySign(head: Head, newest: string | null): Promise<boolean> {
    const stored = newest === null ? null : await ownCheckpoint(newest, this.logKey.vkey)
    const fault =
      newest !== null && stored === null
        ? FOREIGN_NOTE
        : ((await historyFault(this.reader, head, this.signed)) ?? (await historyFault(this.reader, head, stored)))
    if (fault === null) return true
    this.stopBroken(fault.reason, fault.rolledBack)
    return false
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
    if (this.store.exclusive)
      this.sequencer.stop(
        `the store failed to record (${(error as { code?: string }).code ?? 'unknown error'}); restart after repair`,
      )
  }

  private async activateKey(): Promise<void> {
    await this.sequencer.between(() => this.keys.activate(this.state.size))
    // A test under way is of the key before.
    await this.testing
    await this.testSigner()
  }

  private async close(): Promise<void> {
    await this.checkpoint().catch((error) => this.stopFor(error))
    await this.sequencer.drain()
    this.keys.close()
    await this.reader.close()
    await this.store.close()
    post({ type: 'closed' })
    port.close()
  }
}

async function main(): Promise<void> {
  const { store, reader } = await openStore()
  const logKey = await claimLog(settings, store)
  const head = await store.head()
  await new LedgerThread(store, reader, logKey, head).start(head)
}

main().catch((error: unknown) => post({ type: 'failed', message: (error as Error).message }))
