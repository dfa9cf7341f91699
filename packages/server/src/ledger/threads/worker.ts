/** The ledger's thread: the sequencer, its store and its signer. An fsync here never stalls a request there. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { withUnsigned } from '@orch/core'
import type { LogKey } from '../../adapters/signers/log-key.ts'
import type { Signer } from '../../adapters/signers/signer.ts'
import { isoNow, systemClock } from '../../platform/clock.ts'
import { onUnforeseen } from '../../platform/last-resort.ts'
import { breakReason } from '../audit/audit.ts'
import { type OwnRecord, ownRecord } from '../audit/own-record.ts'
import { rootHex } from '../batch.ts'
import type { KeyRow, LedgerReader, LedgerState, SignedCheckpoint } from '../contract.ts'
import type { Outcome } from '../outcome.ts'
import { probeStore } from '../probe.ts'
import type { FromLedger, LedgerCall, LedgerSettings, ToLedger } from '../protocol.ts'
import { CheckpointPublisher } from '../publisher.ts'
import { Sequencer } from '../sequencer.ts'
import { StoreReplaced } from '../store/own-files.ts'
import { checkpointEnvelope, signStatement } from '../store/statements.ts'
import type { LedgerStore } from '../store/store.ts'
import { answersTo, answerWith, onMessages } from '../thread.ts'
import type { Head } from '../types.ts'
import { claimLog } from './claim.ts'
import { type GuardWatch, guardWatch } from './guard-watch.ts'
import { assertNoLostKey, openSigner, type SigningKeys, signingKeys } from './keys.ts'
import { type Answer, openReading } from './reading.ts'
import { acceptRestore } from './restore.ts'
import { openGuard, openStore } from './start.ts'

const CHECKPOINT_MS = 2_000
const SELF_TEST_MS = 30_000
const ANSWER_RETENTION_MS = 30 * 24 * 3_600_000

const settings = workerData as LedgerSettings
const port = parentPort!
const post = (message: FromLedger) => port.postMessage(message)
const answer = answersTo(port)
const now = () => isoNow(systemClock)

class LedgerThread {
  private readonly store: LedgerStore
  private readonly reader: LedgerReader
  private readonly logKey: LogKey
  private readonly sequencer: Sequencer
  private readonly state: LedgerState
  private readonly keys: SigningKeys
  private readonly record: OwnRecord
  private readonly guardWatch: GuardWatch
  private started = false
  private testing: Promise<void> | null = null
  private readonly settled: [number, Outcome][] = []
  /** By a batch whose outcomes are still to be told. */
  private grown = false
  /** Of an in-memory ledger alone: any other one is read by its reading thread. */
  private reading: Answer | null = null

  constructor(store: LedgerStore, reader: LedgerReader, logKey: LogKey, head: Head, signer: Signer) {
    this.store = store
    this.reader = reader
    const guard = openGuard(settings, store, logKey.vkey)
    this.record = ownRecord(store, logKey)
    this.logKey = logKey
    this.keys = signingKeys(settings, signer, store, this.record, now)
    this.state = {
      size: head.size,
      root: rootHex(head),
      readOnly: null,
      broken: false,
      rolledBack: false,
      durability: store.durability,
      guard: { kind: guard?.kind ?? 'none', fault: null, blocking: false },
    }
    this.sequencer = new Sequencer(
      {
        store,
        signer: this.keys,
        allowUnsigned: settings.allowUnsigned,
        nowMs: () => systemClock.now(),
        stampMs: () => performance.timeOrigin + performance.now(),
        declareUnsigned: (from, to) => this.record.change((record) => withUnsigned(record, { from, to })),
        onCommit: (next) => {
          this.grown = true
          Object.assign(this.state, { size: next.size, root: rootHex(next) })
        },
        onReadOnly: (readOnly, { broken = false, rolledBack = false }) =>
          this.announce({
            readOnly,
            broken: this.state.broken || broken || rolledBack,
            rolledBack: this.state.rolledBack || rolledBack,
          }),
      },
      head,
    )
    const publisher = new CheckpointPublisher({
      ...{ store, reader, logKey, guard },
      runExclusive: (work) => this.sequencer.runExclusive(work),
      isReadOnly: () => this.state.readOnly !== null,
      ownHead: () => (store.exclusive ? this.sequencer.current : null),
      stop: ({ reason, rolledBack }) => this.stopBroken(reason, rolledBack),
      guardAnswered: (fault) => this.guardWatch.answered(fault),
    })
    this.guardWatch = guardWatch({
      parts: { settings, store, reader, logKey, record: this.record },
      guard,
      publisher,
      isReadOnly: () => this.state.readOnly !== null,
      state: () => this.state.guard,
      changed: (next) => this.announce({ guard: next }),
      suspend: (reason) => this.sequencer.suspend(reason),
      stop: (reason, rolledBack) => this.stopBroken(reason, rolledBack),
    })
  }

  private announce(change: Partial<LedgerState>): void {
    Object.assign(this.state, change)
    // Until then `ready` will carry it.
    if (this.started) post({ type: 'state', state: this.state })
  }

  /** `givenUp` is a key that the operator says is lost. */
  async start(givenUp: KeyRow | null): Promise<void> {
    const tail = await this.guardWatch.verifyStart()
    if (this.state.readOnly === null) {
      if (givenUp !== null) await this.keys.end(givenUp)
      await this.keys.settleKinds()
      await this.keys.enter(this.state.size)
    }
    await this.testSigner()
    const timers = [
      setInterval(() => this.guardWatch.publish().catch((error) => this.stopFor(error)), CHECKPOINT_MS),
      setInterval(() => this.testSigner(), SELF_TEST_MS),
      setInterval(() => this.forgetAnswers().catch((error) => this.stopFor(error)), 3_600_000),
    ]
    onMessages(port, (message: ToLedger) => {
      if (message.type === 'close') for (const timer of timers) clearInterval(timer)
      this.take(message)
    })
    this.started = true
    const files = this.store.files()
    post({ type: 'ready', state: this.state, signer: this.keys.info(), vkey: this.logKey.vkey, tail, files })
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
    else if (message.type === 'read') answerWith(answer, message.id, () => this.read(message.method, message.args))
    else if (message.type === 'call') answerWith(answer, message.id, () => this.call(message.method))
    else if (message.type === 'side-writes')
      answerWith(answer, message.id, () => this.sequencer.applySideWrites(message.writes))
    else if (message.type === 'sign')
      answerWith(answer, message.id, () => signStatement(this.keys, message.payloadType, message.bytes))
    else if (message.type === 'stop') this.stopBroken(message.reason)
    else void this.close()
  }

  /** One message per batch, which tells of the ledger's new size too: all of a batch settles within one turn. */
  private settle(id: number, outcome: Outcome): void {
    if (this.settled.push([id, outcome]) > 1) return
    queueMicrotask(() => {
      post({ type: 'settled', outcomes: this.settled.splice(0), state: this.grown ? this.state : null })
      this.grown = false
    })
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
      await this.guardWatch.publishNow()
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

  /** Another node's store may be away for a while; our own disk failing is the end. */
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
    // A store that is away can be neither signed nor closed; the thread ends all the same, and what fails here has been
    // acted upon where it failed.
    await this.checkpoint().catch(() => undefined)
    await this.sequencer.drain()
    this.keys.close()
    await Promise.allSettled([this.reader.close()])
    await Promise.allSettled([this.store.close()])
    // Answers travel at the end of their turn, and nothing travels through a port that is closed.
    await nextTurn()
    post({ type: 'closed' })
    port.close()
  }

  /** Nobody knows what became of the batch that was under way: nothing more is acknowledged until a restart has looked.
   *  The thread itself stays, so that an in-memory ledger can still be read and readiness says why nothing is taken. */
  failClosed(): void {
    this.sequencer.stop('the ledger failed in a way that nobody foresaw, which the log tells; restart it')
  }
}

let running: LedgerThread | null = null

async function main(): Promise<void> {
  const { store, reader } = await openStore(settings)
  try {
    const logKey = await claimLog(settings, store)
    if (settings.acceptRestore !== undefined) {
      const parts = { settings, store, reader, logKey, record: ownRecord(store, logKey) }
      await acceptRestore(parts, openGuard(settings, store, logKey.vkey), settings.acceptRestore)
    }
    const current = settings.acceptRestore === undefined ? logKey : await claimLog(settings, store)
    const givenUp = await assertNoLostKey(settings, store)
    running = new LedgerThread(store, reader, current, await store.head(), await openSigner(settings))
    await running.start(givenUp)
  } catch (error) {
    // Whoever repairs the cause must find the store free.
    await store.rollback().catch(() => undefined)
    await reader.close()
    await store.close()
    throw error
  }
}

const failClosed = () => (running === null ? process.exit(1) : running.failClosed())
onUnforeseen('ledger', { unhandledRejection: failClosed, uncaughtException: failClosed })

main().catch((error: unknown) => {
  post({ type: 'failed', message: (error as Error).message })
  port.close()
})
