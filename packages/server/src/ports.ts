/** The outside world as the operations see it. Each port is a contract: what MUST hold, and what a caller does when it
 *  does not. Adapters fulfil them; tests may fulfil them too. */

import type { Label, Reading, ReceiptDraft, ReceiptKind, TrustedKey } from '@orch/core'
import type { AuthMode, Scope } from './access.ts'
import type { Upstreams } from './adapters/models/contract.ts'
import type { ShownReceipt } from './domain/receipt-view.ts'
import type { AssetFile } from './features/assets/catalog.ts'
import type { ClaimCompiler } from './features/claims/rules/compiler.ts'
import type { Identity } from './features/identity/contract.ts'
import type { Readings } from './features/readings/contract.ts'
import type { ComponentCheck } from './features/runtime/schemas.ts'
import type { Gates, Governance, Policies, ReviewQueue } from './governance/contract.ts'
import type {
  Appended,
  AuditReport,
  BrokenPlace,
  CounterMove,
  DocumentWrite,
  Idempotency,
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
} from './ledger/contract.ts'
import type { Call, Method, Reply } from './operation.ts'
import type { Background, BackgroundTask } from './platform/background.ts'
import type { Clock } from './platform/clock.ts'

export type { RequestSpan, Tracing } from './adapters/telemetry/contract.ts'

export type { Background, BackgroundTask, Clock }

export type CheckState = 'OK' | 'FAILED' | 'UNKNOWN'

/** The result of a check that ran. A check that throws or overruns is FAILED with a code, never skipped. */
export type CheckResult = Omit<ComponentCheck, 'blocking'>

/** One thing the service needs to do its work. `run` returns what it found; throwing means FAILED. */
export interface Check {
  name: string
  /** A failed blocking check makes the service not ready. */
  blocking: () => boolean
  run(): Promise<Finding>
}

export interface Finding {
  state: CheckState
  detail: Record<string, unknown>
  /** False where what was found leaves the service able to work, though the check is a blocking one. */
  blocking?: false
}

/** Since when a state lasts. MUST answer with the time of the first call that named this state, until another is named. */
export interface StateMemory {
  since(name: string, state: string): string
}

export interface ReadinessReport {
  ready: boolean
  draining: boolean
  /** Null while it is not. */
  drainingSince: string | null
  productionReady: boolean
  components: Record<string, ComponentCheck>
  blocking: string[]
  checkedAt: string
}

/** The single source of truth about what works. Concurrent callers share one run. */
export interface Readiness {
  report(): Promise<ReadinessReport>
}

/** What the signer can do right now, from its newest self-test; never from configuration alone. */
export interface SignerStatus {
  status: 'LIVE' | 'DEMO' | 'UNSIGNED' | 'UNAVAILABLE'
  signingAvailable: boolean
  keyKind: 'demo' | 'production' | null
  fingerprint: string | null
  testedAt: string | null
}

export interface RequestMeter {
  begin(): void
  /** `code` of the refusal, where it ended in one. */
  end(status: number, seconds: number, code?: string | null): void
}

/** What the HTTP layer counts. Labels are templates and closed codes, so the number of series stays bounded. */
export interface HttpMetrics {
  /** `operation` is the id of the operation that answers on the route, where one does. */
  request(method: string, route: string, operation?: string): RequestMeter
  bodyRejected(reason: string): void
  authFailed(code: string): void
  rateLimited(): void
}

/** The calls of one operation in this process since it started. MUST hold what was timed while serving them and nothing
 *  else: no probe, no estimate, no value for a call that never was. */
export interface CallSeries {
  id: string
  /** Calls that ended, refusals included, and how many of them ended in a 5xx. */
  count: number
  errors: number
  /** Calls by the status they ended in. */
  statuses: ReadonlyMap<number, number>
  /** Refusals by their codes. */
  codes: ReadonlyMap<string, number>
  /** Being answered now. */
  running: number
  lastAt: string | null
  /** Calls that ended in the last `recentSeconds` of the log. */
  recent: number
  /** Of the newest calls, oldest first, by a clock that never goes back. */
  durationsMs: readonly number[]
}

export interface ServedCalls {
  /** The most durations a series keeps. */
  window: number
  /** The seconds that `recent` of a series speaks of. */
  recentSeconds: number
  /** Every operation that is mounted, called or not. */
  series(): readonly CallSeries[]
  /** Of the calls of `governance.govern` those that recorded a decision, from its examination to its durable receipt. */
  decisions: CallSeries
}

type LogLine = (fields: Record<string, unknown>, message: string) => void
type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'
export type Log = Record<LogLevel, LogLine> & { isLevelEnabled(level: LogLevel): boolean }

export interface Metrics {
  text(): Promise<string>
  json(): Promise<{ name: string; type: string; help: string; samples: { labels: object; value: number }[] }[]>
}

export type FactSource = `env:${string}` | 'git' | 'package.json' | 'build-record.json' | 'computed' | 'none'

/** One thing known about this build, and who said so. Unknown is null with the source `none`. */
export interface Fact<T = string> {
  value: T | null
  source: FactSource
  readAt: string
}

/** Gathered once at start. A disagreement between sources is shown, not settled. */
export interface BuildFacts {
  gitSha: Fact
  /** The commit as the build record or the checkout has it, whatever is configured. */
  observedCommit: Fact
  workingTree: Fact<'CLEAN' | 'DIRTY'>
  version: Fact
  buildTime: Fact
  buildDigest: Fact
  /** True or false when a build record exists to compare with; null when there is none. */
  matchesRecord: boolean | null
  conflicts: { field: string; state: 'CONFLICT'; values: { source: FactSource; value: string }[] }[]
}

export interface Runtime {
  startedAt: number
  versions(): { node: string; v8: string; sqlite: string; platform: string; arch: string }
  /** 99th percentile of the event loop's delay, milliseconds, over the last minute. */
  eventLoopDelayP99(): number
  /** The median of the same. */
  eventLoopDelayP50(): number
  /** The longest of the same. */
  eventLoopDelayMax(): number
  /** How long the delay has been so great that work of this process runs late, in milliseconds; 0 while it has not. */
  eventLoopLateMs(): number
}

export interface AppendOptions {
  /** The proof of inclusion comes back with the acknowledgement. */
  prove?: boolean
  /** No key signs it: for receipts of kind `sample` alone, so that nothing simulated ever carries a signature. */
  unsigned?: boolean
  idempotency?: Idempotency | null
  /** Committed with the receipt or not at all. Where one is not at the version it is expected at, the append is rejected
   *  with `state_conflict` and leaves nothing: read again, decide again, append again. A replay writes none of them. */
  documents?: readonly DocumentWrite[]
  /** Committed likewise. Where one has no room, the append is rejected with `quota_exceeded`, whose `quota` names the
   *  counter, and leaves nothing; others of its batch are not affected. Counters are not competed for: any number of
   *  appends move one at once. */
  counters?: readonly CounterMove[]
}

/** The one ledger. `append` resolves only when the receipt is durable; every rejection means that nothing was recorded,
 *  unless the message says that the store did not tell. What cannot be recorded must not be allowed. */
export interface Ledger {
  append(draft: ReceiptDraft, options?: AppendOptions): Promise<Appended>
  /** Changes what needs no receipt: all of it durably, or nothing and `state_conflict` or `quota_exceeded`. */
  writeDocuments(writes: readonly DocumentWrite[], counters?: readonly CounterMove[]): Promise<void>
  reader: LedgerReader
  queries: LedgerQueries
  state(): LedgerState
  waiting(): number
  /** Called after every batch, on this node and on others, and when appends stop. Returns the way to stop listening. */
  onState(listener: (state: LedgerState) => void): () => void
  inclusion(leafIndex: number, treeSize: number): Promise<Uint8Array[]>
  consistency(from: number, to: number): Promise<Uint8Array[]>
  /** Root of the tree as it was at that size. */
  rootAt(size: number): Promise<Uint8Array>
  /** Re-walks what came since the last call and says what holds. */
  audit(): Promise<AuditReport>
  /** Walks the ledger now, whole or its newest 50,000 receipts; requests in flight share one walk, and it counts for at
   *  most 10 s. `verifySignatures`: each signature as well. A break it finds stops the ledger before this resolves. */
  walk(verifySignatures?: boolean): Promise<WalkedReport>
  /** What the newest walks found, without walking. */
  newestWalk(): Promise<NewestWalk>
  /** Whoever finds that what is stored does not hold says so here: from then on nothing is appended, and every report
   *  speaks of the break. */
  reportBreak(sentence: string, place?: BrokenPlace): void
  signer: SignerInfo
  /** Keys of other ledgers that the operator takes for production keys. */
  trusted: readonly TrustedKey[]
  /** Verification key of the transparency log. */
  vkey: string
  /** What the start-up verification found. */
  tail: TailReport
  /** Why the last snapshot could not be taken; null when it could, or there was none to take. */
  snapshotFault: string | null
  /** Full segments of a thousand receipts that had no snapshot at the newest look. */
  snapshotsMissing: number
  checkpointNow(): Promise<void>
  /** The whole ledger in its export format, up to the newest checkpoint. */
  exportLines(): AsyncIterable<string>
  /** Writes, reads back and rolls back one row; throws when the store cannot. */
  probe(): Promise<void>
  /** Asked of the connection that writes. */
  storeModes(): Promise<StoreModes>
  /** Tests the signer now; what came of it stands in `signer`. */
  testSigner(): Promise<void>
  /** Makes the next demo key without using it, so that the old one can sign the receipt that names it. */
  prepareKey(): Promise<{ old: string; next: string; nextPem: string }>
  /** Signs with the prepared key from the next batch on. */
  activateKey(): Promise<void>
  /** Signs the digest of an evidence pack and no other type or form; null when there is no key. */
  signStatement(payloadType: string, bytes: Uint8Array): Promise<StatementSignature | null>
  /** The newest checkpoint, signed for another log to hold; null when there is no key or nothing recorded yet. */
  signCheckpoint(): Promise<SignedCheckpoint | null>
  close(): Promise<void>
}

/** What a decision wants written. The first document is the one that requests compete for, such as their session. */
export interface PendingWrites {
  documents?: readonly DocumentWrite[]
  counters?: readonly CounterMove[]
  /** What is said to whoever competed for too long, in place of `state_conflict`. */
  busy?: 'session_busy'
}

/** What an operation wants recorded, and what it answers besides the receipt. `answer` is plain JSON: a replay is
 *  rebuilt from it. Its pending writes are written with the receipt. */
export interface Draft extends PendingWrites {
  /** The reply shows the receipt's proof of inclusion. */
  prove?: true
  /** The reply carries its evidence: the receipt covers the answer by its digest. */
  coversAnswer?: boolean
  /** A sample, which no key signs. */
  unsigned?: true
  chain: string
  kind: ReceiptKind
  payload: Record<string, unknown>
  policy?: { rules_digest: string; policy_digest: string } | null
  answer: Record<string, unknown>
  /** Called once when the receipt is durable, and for no replay: what only recorded work may change. */
  recorded?(receipt: Appended): void
}

/** Makes the reply from the receipt. Deterministic, given the receipt, the answer and the tree size of the first time. */
export type ToReply = (
  receipt: ShownReceipt,
  answer: Record<string, unknown>,
  treeSize: number,
) => object | Promise<object>

/** One request on its way from its decision to its reply. Without `toReceipt` the decision is the draft itself. */
export type Recording<D> = {
  /** Makes the reply; without it the reply is the answer with the summary of its receipt. */
  toReply?: ToReply | undefined
  identity?: OwnIdentity
} & (
  | {
      /** MUST read the documents it writes by itself: when one of them changed before the receipt was recorded, it runs
       *  again, for five seconds. What may happen only once, such as a call to an upstream, it MUST keep. */
      decide(): D | Promise<D>
      toReceipt(decided: D): Draft | Promise<Draft>
    }
  | { decide(): Draft | Promise<Draft>; toReceipt?: undefined }
)

export interface Recorder {
  /** Decides, appends the receipt of the decision and replies; the same Idempotency-Key and request gives the first
   *  answer again. Equal keys of this node take turns: of many at once the first does the work. */
  record<D>(call: Call, operationId: string, recording: Recording<D>): Promise<Reply>
  /** Commits what must be durable before something happens that cannot be taken back, such as a call to an upstream: the
   *  pending writes of `decide` are written, or it decides again on what is stored by then. Returns the decision whose
   *  writes were committed; one without writes commits nothing. */
  commitBefore<T extends PendingWrites>(decide: () => Promise<T>): Promise<T>
}

/** Where an operation has its own idea of what makes two requests one. */
export interface OwnIdentity {
  /** Used where no Idempotency-Key is given. */
  key?: string | undefined
  /** Digest of what must be equal under one key, in place of the whole request. */
  request?: Uint8Array
  /** The answer rests on a simulated row, which no key signs. */
  sample?: true
}

/** Files of this build that the evidence speaks about. */
export type ArtifactName =
  | 'formula-registry'
  | 'chain-of-title-policy'
  | 'lockfile'
  | 'advisories'
  | 'frontier-projects'
  | 'specified-routes'
  | 'materials-formation'
  | 'materials-elements'
  | 'pinn-bench'
  | 'pinn-bench-digest'
  | 'm1-corpus'
  | 'm1-training'
  | 'm1-weights'
  | 'bench-results'
  | 'evidence-golden-vectors'
  | 'evidence-decision-vectors'
  | 'evidence-claim-vectors'
  | 'evidence-chain-test'
  | 'evidence-merkle-test'
  | 'evidence-build-test'
  | 'evidence-meter-test'
  | 'evidence-transport-test'

export interface ArtifactDigest {
  /** From the root of the repository. */
  path: string
  present: true
  bytes: number
  sha256: string
}

export interface ArtifactAbsent {
  path: string
  present: false
  reason: string
}

/** MUST read the file for every call: what was read before the request is not evidence of it. */
export interface Artifacts {
  text(name: ArtifactName): Promise<(ArtifactDigest & { text: string }) | ArtifactAbsent>
  digest(name: ArtifactName): Promise<ArtifactDigest | ArtifactAbsent>
}

/** `bytes` of a folder are its sorted lines of digest and name. */
export type FoundAsset =
  | { present: true; bytes: Uint8Array; modifiedAt: string | null }
  | { present: false; reason: string }

/** MUST read for every call, MUST NOT follow a link out of a folder, and tells no path of the machine. */
export interface AssetFiles {
  read(name: AssetFile): Promise<FoundAsset>
}

/** Effects of recorded steps on their way out. Counted no further than 10,001 per namespace and state. */
export interface Outbox {
  /** `expiredLeases`: claimed by whoever did not come back in time. `oldestDueAt` in milliseconds since the epoch; null
   *  where none waits. */
  stats(): Promise<{
    pending: number
    claimed: number
    expiredLeases: number
    deadLetters: number
    oldestDueAt: number | null
  }>
}

export interface Nodes {
  /** How many nodes work on the store, and how that is known. */
  seen(): Promise<{ count: number; basis: string }>
}

export type MeterReading = { meter: string } & (
  | { reading: Reading<{ joules: number; at: string }> }
  | { error: string }
)

/** Energy meters, asked in the request. Never rejects for what a meter does; a meter that does not answer has an error. */
export interface EnergyMeters {
  configured: number
  /** A meter that is being asked is not asked again: whoever comes meanwhile waits for the same answer. */
  read(): Promise<MeterReading[]>
}

/** What an external transparency log says about our newest anchored checkpoint. `INCLUDED` MUST mean that its proof came
 *  in this very call and was verified under the pinned key of that log. */
export interface AnchorReading {
  status: 'NOT_ATTEMPTED' | 'UNREACHABLE' | 'INCLUDED' | 'INVALID'
  attempted: boolean
  reachable: boolean | null
  log_index: number | null
  entry_uuid: string | null
  inclusion_proof: object | null
  /** The anchored envelope and its proof in Sigstore's form, for whoever checks it without us. */
  bundle: object | null
  checkpoint: { size: number; root: string } | null
  note: string
}

export interface Anchoring {
  configured: boolean
  /** Submits our newest checkpoint. */
  anchor(signal: AbortSignal): Promise<AnchorReading>
  /** Reads the newest anchor back; submits nothing. */
  read(signal: AbortSignal): Promise<AnchorReading>
}

/** A file that pages load, as it was built. */
export interface PageFile {
  text: string
  sha256: string
}

/** What a person in a browser gets in place of what a program does. */
export interface BrowserPages {
  /** A page is being opened, by a client that asks for HTML before anything else. */
  isNavigation(headers: IncomingHeaders): boolean
  /** The page that shows what this operation says; null where there is none. */
  addressOf(
    id: string,
    asked: { params: Readonly<Record<string, string>>; query: Readonly<Record<string, unknown>> },
  ): string | null
  /** A reply that has no page of its own, inside one. `url` is the path as it was asked. */
  showReply(reply: { id: string; url: string; host: string | undefined; body: object | string }): ShownPage
  showRefusal(refusal: { status: number; code: string; body: object }): ShownPage
}

interface ShownPage {
  html: string
  headers: Record<string, string>
}

type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Pages as they were built, read once at start. Whoever serves one MUST send its own policy with it. */
export interface Pages {
  /** One self-contained file; `policy` is the one that stands inside it. */
  verify: { html: string; sha256: string; policy: string }
  /** What the pages load that are made for each request. */
  sheet: PageFile
  theme: PageFile
  operator: PageFile
  model: PageFile
  /** The console: one document for all its addresses, the names of its pages, and its files by name. */
  console: { html: string; pages: readonly string[]; assets: ReadonlyMap<string, PageFile> }
}

/** The claim compiler as it was found at start: loaded and self-tested, or the reason why it cannot be used. */
export type ClaimEngine = { ready: true; compiler: ClaimCompiler } | { ready: false; fault: string }

/** How many event streams may be open, in all and for one caller. */
export interface StreamLimits {
  total: number
  perCaller: number
}

/** One served operation as other features may know it. */
export interface CatalogEntry {
  id: string
  method: Method
  /** The canonical path, with `{name}` for what a caller fills in. */
  path: string
  summary: string
  scopes: readonly Scope[]
  labels: readonly Label[]
}

/** What most features share. What one feature alone needs is named in its own folder, and `app.ts` hands it over. */
export interface Ports {
  clock: Clock
  background: Background
  ledger: Ledger
  recorder: Recorder
  governance: Governance
  gates: Gates
  policies: Policies
  reviews: ReviewQueue
  readiness: Readiness
  readings: Readings
  upstreams: Upstreams
  /** Every operation that is served, once. It is filled when all features are open and empty before: read it while a
   *  request is served, not while a feature opens. */
  catalog: readonly CatalogEntry[]
  build: BuildFacts
  identity: Identity
  artifacts: Artifacts
  signer: () => SignerStatus
  authMode: () => AuthMode
  /** The address of this service for a caller who reached it under `host`, safe inside single quotes of a shell. The
   *  header is the caller's own: a host the operator does not answer for MUST give null. */
  publicOrigin: (host: string | undefined) => string | null
}
