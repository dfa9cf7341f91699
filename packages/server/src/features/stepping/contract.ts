/** What governed stepping promises its surface, and how it lies in the store. */
import type { Caller } from '../../access.ts'
import type { Call, Reply } from '../../operation.ts'
import type { BenchReply, DrainStatus, HealthReply, IntegrityReply, SessionReply } from './read-schemas.ts'
import type { SessionBudget } from './rules/budget.ts'
import type { EffectProgress, EffectState } from './rules/effect-transitions.ts'
import type { EffectBinding } from './rules/effects.ts'
import type { StateRecord } from './rules/state.ts'
import type { StepBody, StepReply } from './schemas.ts'

/** Why nothing can be recorded now. */
export type WriteBlocker =
  | 'CREDENTIAL_REGISTRY_UNAVAILABLE'
  | 'POLICY_UNAVAILABLE'
  | 'GATES_UNAVAILABLE'
  | 'STORE_UNAVAILABLE'
  | 'STORE_READ_ONLY'
  | 'SCHEMA_VERSION_MISMATCH'
  | 'CHAIN_BROKEN'
  | 'HEAD_BEHIND_CHECKPOINT'
  | 'LEDGER_UNAVAILABLE'

export interface StepAsked {
  body: StepBody
  /** SHA-256 of the canonical body. */
  digest: string
  /** Of the same body asked in earnest: what a person approves. Differs for a dry run alone. */
  approvedDigest: string
}

/** The head of a session: the one document that all steps of it compete for. Space `gdw.session`, key the name of the
 *  session, which is a digest of (namespace, owner, session id), owner `<namespace>/<owner>`, state ACTIVE or EXPIRED,
 *  rank the time of the newest step. */
export interface StoredSession extends SessionBudget {
  session_id: string
  step: number
  state_hash: string
  prev_state_hash: string
  pending_reviews: number
  /** By the digest of the request that was approved. */
  approvals: Record<string, StoredApproval>
  /** What people, or time, made of steps under review, by step. */
  settled: Record<string, 'allow' | 'deny'>
  created_at: string
  updated_at: string
}

/** As the verdict left it. What the item itself says by then is not asked: anybody who can write to the store can edit it. */
export interface StoredApproval {
  review_id: string
  valid_until: string
  /** Of the step under review, in millionths: what the approved one is charged. */
  estimate: number
  rules_digest: string
  policy_digest: string
}

/** One recorded step, never changed: space `gdw.state`, key by (name of the session, step), owner
 *  `<namespace>/<owner>/<name of the session>`, rank the step. Its receipt is the one it was written with. */
export interface StoredState {
  record: StateRecord
  state_hash: string
  /** Digest of the receipt of the step before; 64 zeros for the first. */
  prev_receipt: string
  /** The item without any text of the request, as the review notice tells it; null unless the step is under review. */
  review: Record<string, unknown> | null
  /** Keyed hashes, never text. */
  shingles: string[]
  /** Of a text under 8 words, its words; missing in steps recorded before they were kept. */
  words?: string[]
  asked: string[]
  forbidden: string[]
  created_at: string
}

/** One effect: space `gdw.effect/<namespace>`, key by (name of the session, step, kind), owner
 *  `<owner>/<name of the session>`, state as in the value, rank `due_at` while PENDING, `lease_until` while CLAIMED and
 *  `created_at` afterwards. A change expects the version that was read: that is the fence. What an effect delivers holds
 *  the digest of its step's receipt, which nobody knows before both are stored together; so payload and `effect_id` are
 *  not stored but follow from the state and its receipt, the same ones for ever. */
export interface StoredEffect extends EffectProgress, Omit<EffectBinding, 'payload_sha256'> {
  /** Milliseconds since the epoch. */
  created_at: number
  /** Known from the first claim on. */
  effect_id: string | null
  /** Name of the sink that has it; null until it is exported. */
  sink: string | null
}

export interface Stepping {
  /** Throws `write_surface_unavailable` while anything blocks; asked before a byte of the body is read. */
  assertWritable(): void
  blockers(): WriteBlocker[]
  /** Decides and records one step; a dry run gives the same answer on what is stored now and writes nothing anywhere. */
  step(call: Call, asked: StepAsked): Promise<StepReply | Reply>
  /** Rejects with `session_not_found` for what is unknown or another owner's. */
  session(caller: Caller, sessionId: string): Promise<SessionReply>
  /** Re-walks the caller's records, or everybody's where there is no caller. */
  integrity(caller: Caller | null): Promise<IntegrityReply>
  /** Whether the records of everybody in the namespace hold, as a walk over them now says. */
  isIntact(namespace: string): Promise<boolean>
  health(): Promise<Omit<HealthReply, 'auth_mode' | 'signer' | 'drain'>>
  /** Constants, the risk table and the caller's quotas. */
  terms(caller: Caller): Omit<BenchReply, 'label' | 'benchmark_status' | 'reason' | 'result' | 'reproduce'>
}

/** What is delivered: these bytes under this id. */
export interface EffectArtifact {
  effect_id: string
  bytes: Uint8Array
}

/** Where effects go. */
export interface EffectSink {
  kind: 'file' | 'web'
  /** Tells it from every other one: what a sink has is looked for there and not on another node or in a later folder. */
  name: string
  /** Resolves when the bytes are there for good. MUST take a repetition of an id for the same delivery, and MUST reject
   *  with an error whose `code` says why where it failed: nothing else of the error is looked at. */
  deliver(artifact: EffectArtifact): Promise<void>
  /** What lies under the id, null where nothing does; null in place of the reading where the sink cannot be read. */
  delivered: ((effectId: string) => Promise<Uint8Array | null>) | null
}

export interface RecoveryAsked {
  limit: number
  /** The revision the caller expects, in lower case; null where it did not say. */
  expected: string | null
}

export interface Effects {
  /** Takes due effects of the caller's namespace, oldest first, to the sink and records what came of it. Any number of
   *  workers on any number of nodes may do so at once: an effect that another one has is left to it. */
  drain(call: Call, limit: number): Promise<Reply>
  /** Makes effects of the caller's namespace due again that failed for a passing reason, in the commit of its audit
   *  receipt. Rejects with `source_revision_mismatch` unless the revision that runs is the expected one, and with
   *  `integrity_not_verified` where the records do not hold. */
  recover(call: Call, asked: RecoveryAsked): Promise<Reply>
  status(): Promise<DrainStatus>
  /** All effects, by state. */
  counts(): Promise<Record<EffectState, number>>
}
