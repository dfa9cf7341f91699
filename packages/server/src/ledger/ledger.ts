/** The ledger as the service's own thread sees it: appends go to one thread, reads to another. */

import {
  consistencyProof,
  frontierRoot,
  hexEncode,
  inclusionProof,
  nodesFromTiles,
  organOf,
  type ReadNodes,
  type ReceiptDraft,
  type TrustedKey,
} from '@orch/core'
import { verifiedSignatures } from '../domain/verified-signatures.ts'
import { ServiceError, StoreUnavailable } from '../errors.ts'
import { withDeadline } from '../platform/deadline.ts'
import type { AppendOptions, Ledger } from '../ports.ts'
import { appendQueue, toEntry } from './append-queue.ts'
import { withKnownBreak } from './audit/known-breaks.ts'
import { checkpointReader } from './checkpoints.ts'
import type {
  Appended,
  AuditBreak,
  AuditReport,
  BrokenPlace,
  CounterMove,
  DocumentWrite,
  LedgerQueries,
  LedgerReader,
  LedgerState,
  NewestWalk,
  SignedCheckpoint,
  SignerInfo,
  StatementSignature,
  StoreModes,
  TailReport,
  WalkedReport,
} from './contract.ts'
import { exportLines, replayedRows } from './export.ts'
import type { FromLedger, FromReader, LedgerCall, LedgerSettings, ReaderSettings, ToLedger } from './protocol.ts'
import { type Refusal, STOPPED, toServiceError } from './refusals.ts'
import { type Ask, remoteQueries, remoteReader } from './remote-reader.ts'
import { toSideWrites } from './side-writes.ts'
import type { OwnFile } from './store/own-files.ts'
import { readTileOf, rootAt } from './tail.ts'
import { openThread, type Thread } from './thread.ts'

export const MAX_WAITING = 4_096

const LEDGER_THREAD = new URL('./threads/worker.ts', import.meta.url)
const READER_THREAD = new URL('./threads/reader.ts', import.meta.url)
const CLOSE_LIMIT_MS = 30_000

export async function openLedger(settings: LedgerSettings, trusted: readonly TrustedKey[] = []): Promise<Ledger> {
  const service = new LedgerService(settings, trusted)
  await service.open()
  return service
}

class LedgerService implements Ledger {
  private readonly settings: LedgerSettings
  private thread!: Thread<ToLedger>
  private readerThread: Thread<never> | null = null
  reader!: LedgerReader
  queries!: LedgerQueries
  private current!: LedgerState
  signer!: SignerInfo
  vkey = ''
  snapshotFault: string | null = null
  /** Full segments of a thousand receipts that had no snapshot at the newest look. */
  snapshotsMissing = 0
  readonly trusted: readonly TrustedKey[]
  tail!: TailReport
  private readonly appends = appendQueue((entries) => this.thread.post({ type: 'append', entries }))
  private documentsWaiting = 0
  /** Why nothing can be appended until a restart; null while both threads live. */
  private ended: string | null = null
  private stopListening: (() => Promise<void>) | null = null
  private readonly listeners = new Set<(state: LedgerState) => void>()

  constructor(settings: LedgerSettings, trusted: readonly TrustedKey[]) {
    this.settings = { ...settings, trustedKeyids: trusted.map(({ key }) => key.keyid) }
    this.trusted = trusted
  }

  async open(): Promise<void> {
    let files: readonly OwnFile[] = []
    await new Promise<void>((resolve, reject) => {
      this.thread = openThread<ToLedger>(
        'ledger',
        LEDGER_THREAD,
        this.settings,
        (message: FromLedger) => {
          if (message.type === 'failed') reject(new Error(message.message))
          else if (message.type === 'ready') {
            files = message.files
            this.current = message.state
            this.signer = message.signer
            this.vkey = message.vkey
            this.tail = message.tail
            resolve()
          } else this.hear(message)
        },
        (reason) => {
          reject(new Error(reason))
          this.die(`the ledger’s thread ended: ${reason}`)
        },
      )
    })
    // An in-memory ledger has one connection; whoever wants to read asks the thread that holds it.
    if (this.settings.store !== 'memory')
      this.readerThread = openThread<never>(
        'reader',
        READER_THREAD,
        { ...this.settings, vkey: this.vkey, files } satisfies ReaderSettings,
        (message: FromReader) => this.hearReader(message),
        (reason) => this.die(`the reading thread ended: ${reason}`),
      )
    const ask: Ask = (method, ...args) => this.ask(method, ...args)
    const remote = { ...remoteReader(ask), close: async () => undefined }
    const onFault = (reason: string) => this.reportBreak(reason)
    // Only a server has a clock of its own; nobody is asked for what is known.
    const time = this.settings.store === 'postgres' ? remote.time : async () => null
    this.reader = { ...remote, time, checkpoint: checkpointReader(remote.checkpoint, this.vkey, onFault) }
    this.queries = remoteQueries(ask)
    if (this.settings.store === 'postgres') this.stopListening = await this.hearOtherNodes(this.settings.postgresUrl!)
  }

  private hear(message: FromLedger): void {
    if (message.type === 'signer') this.signer = message.signer
    else if (message.type === 'state') this.hearState(message.state)
    else if (message.type === 'settled') {
      try {
        if (message.state !== null) this.hearState(message.state)
      } finally {
        this.appends.settle(message.outcomes)
      }
    }
  }

  private hearState(state: LedgerState): void {
    // Another node's commit may have been heard of before our own thread looked again.
    const { size, root } = this.current
    const next = state.size < size ? { ...state, size, root } : state
    // What this side knows to be broken stays broken while the ledger's thread has not heard of it yet.
    const isBroken = this.current.broken || next.broken
    // So does what ended with a thread of this side, of which the ledger's thread knows nothing.
    const readOnly = this.ended ?? (this.current.broken && !next.broken ? this.current.readOnly : next.readOnly)
    this.current = { ...next, broken: isBroken, readOnly }
    for (const listener of this.listeners) listener(this.current)
  }

  private hearReader(message: FromReader): void {
    if (message.type === 'snapshots') {
      this.snapshotFault = message.fault
      this.snapshotsMissing = message.missing
    } else this.stop(message.reason)
  }

  /** Known here at once, whatever the ledger's thread is doing: the next append is refused, the next question is told. */
  private stop(reason: string): void {
    if (!this.current.broken) this.hearState({ ...this.current, broken: true, readOnly: reason })
    this.thread.post({ type: 'stop', reason })
  }

  reportBreak(sentence: string, place?: BrokenPlace): void {
    if (!this.current.broken) this.stop(sentence)
    if (place === undefined) return
    // Messages arrive in order: the next report of any walk is condemned. Where the thread has died there is none.
    const { nodeIndex: node_index, ns, chain, seq } = place
    const broken: AuditBreak = { node_index, organ: organOf(ns, chain), seq, reason: 'known_break', sentence }
    this.ask('reportBreak', broken).catch(() => undefined)
  }

  /** Commits of other nodes on the same database reach this one's listeners too. */
  private async hearOtherNodes(url: string): Promise<() => Promise<void>> {
    const { listen } = await import('./store/postgres/reader.ts')
    return listen({ url }, async (size) => {
      if (size <= this.current.size) return
      const head = await this.reader.head()
      if (head.size <= this.current.size) return
      const root = hexEncode(frontierRoot({ size: head.size, hashes: head.frontier }))
      this.hearState({ ...this.current, size: head.size, root })
    })
  }

  /** A thread that ends by itself takes the right to append with it. */
  private die(sentence: string): void {
    this.ended ??= sentence
    this.appends.stop()
    if (this.current) this.hearState(this.current)
  }

  async append(draft: ReceiptDraft, options: AppendOptions = {}): Promise<Appended> {
    this.assertOpen()
    const outcome = await this.appends.send(toEntry(draft, options, this.signer.kind))
    if (!outcome.ok) throw toServiceError(outcome)
    const { digest, keyid, signature } = outcome.appended
    // What was written with documents is read back and checked as soon as something is decided on them.
    const isReadBack = (options.documents?.length ?? 0) > 0
    if (isReadBack && keyid !== null && signature !== null) verifiedSignatures.remember(digest, keyid, signature)
    return outcome.appended
  }

  async writeDocuments(documents: readonly DocumentWrite[], counters: readonly CounterMove[] = []): Promise<void> {
    this.assertOpen()
    const writes = toSideWrites(documents, counters)
    if (documents.length + counters.length === 0) return
    this.documentsWaiting += 1
    try {
      const outcome = await fromStore(() => this.thread.ask<Refusal | null>({ type: 'side-writes', writes })).catch(
        () => STOPPED,
      )
      if (outcome !== null) throw toServiceError(outcome)
    } finally {
      this.documentsWaiting -= 1
    }
  }

  private assertOpen(): void {
    if (this.waiting() >= MAX_WAITING)
      throw new ServiceError('ledger_busy', 'too many receipts are waiting to be recorded; retry in a second')
    if (this.current.readOnly !== null) throw new ServiceError('ledger_read_only', this.current.readOnly)
  }

  state(): LedgerState {
    return this.current
  }

  waiting(): number {
    return this.appends.size() + this.documentsWaiting
  }

  onState(listener: (state: LedgerState) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private nodes(size: number): ReadNodes {
    return nodesFromTiles(size, readTileOf(this.reader))
  }

  inclusion(leafIndex: number, treeSize: number): Promise<Uint8Array[]> {
    return inclusionProof(leafIndex, treeSize, this.nodes(treeSize))
  }

  consistency(from: number, to: number): Promise<Uint8Array[]> {
    return consistencyProof(from, to, this.nodes(to))
  }

  rootAt(size: number): Promise<Uint8Array> {
    return rootAt(this.reader, size)
  }

  async audit(): Promise<AuditReport> {
    return withKnownBreak(this.current, await this.ask<AuditReport>('audit'))
  }

  async walk(verifySignatures = false): Promise<WalkedReport> {
    return withKnownBreak(this.current, await this.ask<WalkedReport>('walk', verifySignatures))
  }

  async newestWalk(): Promise<NewestWalk> {
    return withKnownBreak(this.current, await this.ask<NewestWalk>('newestWalk'))
  }

  private ask<T>(method: string, ...args: unknown[]): Promise<T> {
    return fromStore(() => (this.readerThread ?? this.thread).ask<T>({ type: 'read', method, args }))
  }

  async *exportLines(): AsyncGenerator<string> {
    for await (const line of exportLines(replayedRows(this.reader))) yield `${line}\n`
  }

  private call<T>(method: LedgerCall): Promise<T> {
    return fromStore(() => this.thread.ask<T>({ type: 'call', method }))
  }

  checkpointNow = (): Promise<void> => this.call('checkpoint')

  probe = (): Promise<void> => this.call('probe')

  storeModes = (): Promise<StoreModes> => this.call('storeModes')

  testSigner = (): Promise<void> => this.call('testSigner')

  prepareKey = (): Promise<{ old: string; next: string; nextPem: string }> => this.call('prepareKey')

  activateKey = (): Promise<void> => this.call('activateKey')

  signCheckpoint = (): Promise<SignedCheckpoint | null> => this.call('signCheckpoint')

  signStatement(payloadType: string, bytes: Uint8Array): Promise<StatementSignature | null> {
    return Promise.try(() => this.thread.ask<StatementSignature | null>({ type: 'sign', payloadType, bytes }))
  }

  async close(): Promise<void> {
    // Threads that end because they were told to are no news.
    this.listeners.clear()
    await this.stopListening?.()
    await this.endReader()
    // A thread that has ended by itself will not say so again.
    if (this.thread.worker.threadId === -1) return
    await new Promise<void>((resolve) => {
      this.thread.worker.once('exit', () => resolve())
      setTimeout(resolve, CLOSE_LIMIT_MS).unref()
      this.thread.post({ type: 'close' })
    })
    await this.thread.end()
  }

  /** Before the writer goes: the last connection to close is the one that leaves a single file behind. */
  private async endReader(): Promise<void> {
    const thread = this.readerThread
    if (thread === null) return
    // A thread that has died holds no connection any more, and one that hangs must not keep the process.
    const closing = thread.ask({ type: 'read', method: 'close', args: [] }).catch(() => undefined)
    await withDeadline(
      CLOSE_LIMIT_MS,
      () => closing,
      () => undefined,
    )
    await thread.end()
  }
}

/** The one place where a failure of a thread of the ledger becomes what callers are told: the store is away, for a while
 *  or until a restart, and no operation takes that for a fault of its own. */
const fromStore = <T>(ask: () => Promise<T>): Promise<T> =>
  Promise.try(ask).catch((cause: unknown) => {
    throw new StoreUnavailable(cause)
  })
