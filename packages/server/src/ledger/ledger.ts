/** The ledger as the service’s own thread sees it: appends go to one thread, reads to another. */

import {
  bodyTemplate,
  consistencyProof,
  frontierRoot,
  hexEncode,
  inclusionProof,
  mayGoUnsigned,
  nodesFromTiles,
  organOf,
  type ReadNodes,
  type ReceiptDraft,
  replays,
  type TrustedKey,
} from '@orch/core'
import { ReceiptAltered, ServiceError, StoreUnavailable } from '../errors.ts'
import type { AppendOptions, Ledger } from '../ports.ts'
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
  Row,
  SignedCheckpoint,
  SignerInfo,
  StatementSignature,
  StoreModes,
  TailReport,
  WalkedReport,
} from './contract.ts'
import { exportLines } from './export.ts'
import type { Outcome } from './outcome.ts'
import { MAX_BODY_BYTES, PLACE_BYTES } from './place.ts'
import type { FromLedger, FromReader, LedgerCall, LedgerSettings, ReaderSettings, ToLedger } from './protocol.ts'
import type { Refusal } from './refusals.ts'
import { assertCounters, assertDocuments } from './side-writes.ts'
import type { OwnFile } from './store/own-files.ts'
import { readTileOf, rootAt } from './tail.ts'
import { openThread, type Thread } from './thread.ts'
import type { Entry, SideWrites } from './types.ts'

export const MAX_WAITING = 4_096

const LEDGER_THREAD = new URL('./threads/worker.ts', import.meta.url)
const READER_THREAD = new URL('./threads/reader.ts', import.meta.url)
const CLOSE_LIMIT_MS = 30_000

const READS = [
  'head',
  'byIndex',
  'byDigest',
  'bySeq',
  'range',
  'chainRange',
  'chains',
  'tile',
  'keys',
  'checkpoint',
  'checkpointFrom',
  'answer',
  'answersAfter',
  'time',
  'document',
  'documents',
  'countDocuments',
  'documentsAfter',
  'counter',
  'countersAfter',
  'meta',
] as const

const QUERIES = [
  'receiptPage',
  'lakePage',
  'newestReceipts',
  'newestSigned',
  'newestDecisions',
  'governancePage',
  'localSpend',
  'payloadHolders',
  'searchText',
  'sessionCharge',
  'eventReplay',
  'eventTail',
  'runFormulas',
] as const satisfies readonly (keyof LedgerQueries)[]

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
  readonly trusted: readonly TrustedKey[]
  tail!: TailReport
  private readonly waitingFor = new Map<number, (outcome: Outcome) => void>()
  private outgoing: { id: number; entry: Entry }[] = []
  private nextId = 1
  private documentsWaiting = 0
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
          this.die(reason)
        },
      )
    })
    // An in-memory ledger has one connection; whoever wants to read asks the thread that holds it.
    if (this.settings.store !== 'memory')
      this.readerThread = openThread<never>(
        READER_THREAD,
        { ...this.settings, vkey: this.vkey, files } satisfies ReaderSettings,
        (message: FromReader) => this.hearReader(message),
        (reason) => this.die(reason),
      )
    const remote = { ...this.remote<LedgerReader>(READS), close: async () => undefined }
    const onFault = (reason: string) => this.reportBreak(reason)
    this.reader = { ...remote, checkpoint: checkpointReader(remote.checkpoint, this.vkey, onFault) }
    this.queries = this.remote<LedgerQueries>(QUERIES)
    if (this.settings.store === 'postgres') this.stopListening = await this.hearOtherNodes(this.settings.postgresUrl!)
  }

  private hear(message: FromLedger): void {
    if (message.type === 'settled') for (const [id, outcome] of message.outcomes) this.settle(id, outcome)
    else if (message.type === 'state') {
      // Another node’s commit may have been heard of before our own thread looked again.
      const { size, root } = this.current
      const next = message.state.size < size ? { ...message.state, size, root } : message.state
      // What this side knows to be broken stays broken while the ledger's thread has not heard of it yet.
      this.current =
        this.current.broken && !next.broken ? { ...next, broken: true, readOnly: this.current.readOnly } : next
      for (const listener of this.listeners) listener(this.current)
    } else if (message.type === 'signer') this.signer = message.signer
  }

  private hearReader(message: FromReader): void {
    if (message.type === 'snapshots') this.snapshotFault = message.fault
    else this.stop(message.reason)
  }

  /** Known here at once, whatever the ledger's thread is doing: the next append is refused, the next question is told. */
  private stop(reason: string): void {
    if (!this.current.broken) this.hear({ type: 'state', state: { ...this.current, broken: true, readOnly: reason } })
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

  /** Commits of other nodes on the same database reach this one’s listeners too. */
  private async hearOtherNodes(url: string): Promise<() => Promise<void>> {
    const { listen } = await import('./store/postgres/reader.ts')
    return listen({ url }, async (size) => {
      if (size <= this.current.size) return
      const head = await this.reader.head()
      if (head.size <= this.current.size) return
      const root = hexEncode(frontierRoot({ size: head.size, hashes: head.frontier }))
      this.hear({ type: 'state', state: { ...this.current, size: head.size, root } })
    })
  }

  private settle(id: number, outcome: Outcome): void {
    const done = this.waitingFor.get(id)
    this.waitingFor.delete(id)
    done?.(outcome)
  }

  /** A thread that ends by itself takes the right to append with it. */
  private die(reason: string): void {
    if (this.current) this.current = { ...this.current, readOnly: `the ledger’s thread ended: ${reason}` }
    for (const done of this.waitingFor.values()) done(STOPPED)
    this.waitingFor.clear()
  }

  async append(
    draft: ReceiptDraft,
    { idempotency = null, documents = [], counters = [], prove = false, unsigned = false }: AppendOptions = {},
  ): Promise<Appended> {
    this.assertOpen()
    if (unsigned && !mayGoUnsigned(draft)) throw new Error('only a sample is recorded unsigned by choice')
    const template = bodyTemplate(draft, unsigned ? null : this.signer.kind)
    const bytes =
      Buffer.byteLength(template.beforePrev) +
      Buffer.byteLength(template.beforeSeq) +
      template.afterSeq.length +
      PLACE_BYTES
    if (bytes > MAX_BODY_BYTES)
      throw new ServiceError('receipt_too_large', `a receipt holds at most ${MAX_BODY_BYTES} bytes`)
    const { ns, chain, ts_utc: ts } = draft
    const extras = {
      ...toSideWrites(documents, counters),
      ...(prove ? { prove: true as const } : {}),
      ...(unsigned ? { unsigned: true as const } : {}),
    }
    const outcome = await this.send({ ns, chain, ts, template, idempotency, ...extras })
    if (!outcome.ok) throw refused(outcome)
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
      if (outcome !== null) throw refused(outcome)
    } finally {
      this.documentsWaiting -= 1
    }
  }

  private assertOpen(): void {
    if (this.waiting() >= MAX_WAITING)
      throw new ServiceError('ledger_busy', 'too many receipts are waiting to be recorded; retry in a second', BUSY)
    if (this.current.readOnly !== null) throw new ServiceError('ledger_read_only', this.current.readOnly)
  }

  private send(entry: Entry): Promise<Outcome> {
    return new Promise((resolve) => {
      const id = this.nextId++
      this.waitingFor.set(id, resolve)
      // Everything that arrives in one turn of the loop travels in one message.
      if (this.outgoing.push({ id, entry }) === 1) setImmediate(() => this.flush())
    })
  }

  private flush(): void {
    this.thread.post({ type: 'append', entries: this.outgoing })
    this.outgoing = []
  }

  state(): LedgerState {
    return this.current
  }

  waiting(): number {
    return this.waitingFor.size + this.documentsWaiting
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
    return this.withKnownBreak(await this.ask<AuditReport>('audit'))
  }

  async walk(verifySignatures = false): Promise<WalkedReport> {
    return this.withKnownBreak(await this.ask<WalkedReport>('walk', verifySignatures))
  }

  async newestWalk(): Promise<NewestWalk> {
    return this.withKnownBreak(await this.ask<NewestWalk>('newestWalk'))
  }

  private ask<T>(method: string, ...args: unknown[]): Promise<T> {
    return fromStore(() => (this.readerThread ?? this.thread).ask<T>({ type: 'read', method, args }))
  }

  /** No report speaks of a ledger as whole that is known to be broken. While no walk has found the place, none of its
   *  chains counts as intact. */
  private withKnownBreak<T extends Pick<AuditReport, 'verified_to' | 'broken'> & Partial<Pick<AuditReport, 'chains'>>>(
    report: T,
  ): T {
    const { broken, readOnly } = this.current
    if (!broken || report.broken !== null) return report
    const reason = readOnly ?? 'the ledger is broken'
    const chains = report.chains?.map((chain) => ({ ...chain, links_intact: false, reason, verified_to: 0 }))
    return {
      ...report,
      ...(chains === undefined ? {} : { chains }),
      verified_to: 0,
      broken: { node_index: null, organ: null, seq: null, reason: 'known_break', sentence: reason },
    }
  }

  private remote<T>(methods: readonly string[]): T {
    const call =
      (method: string) =>
      (...args: unknown[]) =>
        this.ask(method, ...args)
    return Object.fromEntries(methods.map((method) => [method, call(method)])) as T
  }

  async *exportLines(): AsyncGenerator<string> {
    // Cut short at bytes that are not those of their digest: without its footer nobody takes it for the whole ledger.
    const range = async (from: number, limit: number) => (await this.reader.range(from, limit)).map(intact)
    for await (const line of exportLines({ ...this.reader, range })) yield `${line}\n`
  }

  private call<T>(method: LedgerCall): Promise<T> {
    return fromStore(() => this.thread.ask<T>({ type: 'call', method }))
  }

  async checkpointNow(): Promise<void> {
    await this.call('checkpoint')
  }

  async probe(): Promise<void> {
    await this.call('probe')
  }

  storeModes(): Promise<StoreModes> {
    return this.call('storeModes')
  }

  async testSigner(): Promise<void> {
    await this.call('testSigner')
  }

  prepareKey(): Promise<{ old: string; next: string; nextPem: string }> {
    return this.call('prepareKey')
  }

  async activateKey(): Promise<void> {
    await this.call('activateKey')
  }

  signStatement(payloadType: string, bytes: Uint8Array): Promise<StatementSignature | null> {
    return Promise.try(() => this.thread.ask<StatementSignature | null>({ type: 'sign', payloadType, bytes }))
  }

  signCheckpoint(): Promise<SignedCheckpoint | null> {
    return this.call('signCheckpoint')
  }

  async close(): Promise<void> {
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
    // A thread that has died holds no connection any more.
    await thread.ask({ type: 'read', method: 'close', args: [] }).catch(() => undefined)
    await thread.end()
  }
}

/** The one place where a failure of a thread of the ledger becomes what callers are told: the store is away, for a while
 *  or until a restart, and no operation takes that for a fault of its own. */
const fromStore = <T>(ask: () => Promise<T>): Promise<T> =>
  Promise.try(ask).catch((cause: unknown) => {
    throw new StoreUnavailable(cause)
  })

function intact(row: Row): Row {
  if (!replays(row.body, row.digest)) throw new ReceiptAltered(row.nodeIndex)
  return row
}

const STOPPED: Refusal = {
  ok: false,
  code: 'ledger_read_only',
  message: 'the ledger stopped; nothing was acknowledged',
}
const BUSY = { headers: { 'retry-after': '1' } }

function refused({ code, message, counter }: Refusal): ServiceError {
  if (counter === undefined) return new ServiceError(code, message, code === 'ledger_busy' ? BUSY : {})
  const { space, key, limit, retryAfter } = counter
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return new ServiceError(code, message, { headers, extra: { quota: { space, key, limit } } })
}

function toSideWrites(documents: readonly DocumentWrite[], counters: readonly CounterMove[]): SideWrites {
  assertDocuments(documents)
  assertCounters(counters)
  return { ...(documents.length > 0 ? { documents } : {}), ...(counters.length > 0 ? { counters } : {}) }
}
