/** What the one decision pipeline promises every surface that decides. */
import type { NamedApproval, NamedCharge } from '@orch/core'
import type { Caller } from '../access.ts'
import type { Decision } from '../domain/decision/decide.ts'
import type { Examination, TextPart } from '../domain/decision/examine.ts'
import type { ReviewTicket } from '../domain/decision/wire.ts'
import type { Direction, Effect, Origin, SensitivityClass } from '../domain/gates/finding.ts'
import type { Rules } from '../domain/gates/rules.ts'
import type { Authorize, PolicyVerdict } from '../domain/policy/authorization.ts'
import type { Review, ReviewItem, ReviewState } from '../domain/reviews/review.ts'
import type { VerifiedBody } from '../domain/stored-receipt.ts'
import type { DocumentRow, DocumentWrite, Row } from '../ledger/contract.ts'
import type { Call } from '../operation.ts'
import type { Draft, PendingWrites } from '../ports.ts'

export type { ReviewTicket } from '../domain/decision/wire.ts'
export type { FiredForbid, PolicyVerdict } from '../domain/policy/authorization.ts'

/** One text as the gates are asked about it. */
export interface GateRequest {
  text: string
  direction: Direction
  origin: Origin
  /** Where not all of the text is of one origin. */
  parts?: readonly TextPart[]
  effect: Effect
  declared: SensitivityClass
  context?: unknown
  /** The last folded code points of the session; empty without one. */
  sessionTail?: string
  /** A model was asked or a tool has run for it already, which a refusal would leave without a receipt: it is held where there is
   *  no time to read it. */
  begun?: boolean
}

/** A set of files that decisions are made by. */
interface SetStatus {
  /** False: nothing may be decided, and `reason` says why. */
  ready: boolean
  reason: string | null
  engine: string
  /** Why the newest files on the disk are not active; null when they are. */
  reload_failed: string | null
  /** The active files, as they were read. */
  files: { name: string; sha256: string }[]
}

export interface GatesStatus extends SetStatus {
  rules_digest: string | null
  confusables_digest: string | null
}

/** The text gates over the active rules. A text that cannot be read is denied inside the examination; without rules
 *  `examine` rejects with `gates_unavailable`, and with `gates_busy` where too many texts wait for what is not begun. MUST NOT keep the event loop
 *  for longer than a short text takes. */
export interface Gates {
  examine(request: GateRequest): Promise<Examination>
  /** The active rules; null where none could be loaded. */
  rules(): Rules | null
  status(): GatesStatus
  /** Reads the files again and takes them over where they differ; a set that fails leaves the last good one
   *  active. */
  reload(): Promise<GatesStatus>
  close(): Promise<void>
}

/** The policy engine and its active set. `authorize` always answers, with a deny where it cannot decide. */
export interface Policies {
  authorize: Authorize
  /** `policies`: how many the set holds. */
  status(): SetStatus & { policy_digest: string | null; policies: number }
  /** Reads the files again, as `Gates.reload` does. */
  reload(): void
  /** Digest of what lies on the disk now; null when it cannot be read. */
  diskDigest(): string | null
  texts(): { name: string; text: string }[]
  /** What the operator registered under a name in the active set; null where nothing is. */
  tool(name: string): ToolEntry | null
}

/** A tool the server itself can run, or one an operator registered. Callers register nothing and state no effects. */
export interface ToolEntry {
  name: string
  effect: Effect
  /** The operator wants every call held for a person. */
  review?: boolean | undefined
}

/** What a decision is asked about. */
export interface DecisionRequest extends Omit<GateRequest, 'sessionTail'> {
  caller: Caller
  /** Id of the operation that asks, such as `governance.govern`. */
  operation: string
  /** What counters are kept by. */
  surface: 'govern' | 'infer' | 'agent' | 'step'
  tool: string | null
  /** Name of the agent, as the caller states it. */
  agent?: string | null
  /** An argument holds text of an observation. */
  tainted?: boolean
  /** 0 to 10. */
  severity: number
  sessionId: string | null
  /** The surface keeps the session's budget by rules of its own: none is read or charged here. */
  ownBudget?: true
  reviewId: string | null
  /** SHA-256 of the canonical request a person approves, `review_id` left out. An approval is good for this digest alone. */
  inputSha256: string
  /** Asked in place of the question about text or tool, where the surface has another one. */
  ask?: (facts: { rank: number; approved: boolean }, authorize: Authorize) => PolicyVerdict
}

/** A text after S1 to S3. Made once, however often the rest is decided again. */
export interface Examined {
  decisionRequest: DecisionRequest
  examination: Examination
  rulesDigest: string
  /** By the clock that never goes back. */
  begunAt: number
  /** What the registry held under the named tool when the text was examined. */
  tool: ToolEntry | null
}

/** What was decided on what is stored now, and what has to be recorded with it. */
export interface DecisionOutcome {
  examined: Examined
  decision: Decision
  policy: PolicyVerdict
  /** Body `policy` of the receipt. */
  digests: { rules_digest: string; policy_digest: string }
  /** Written with the receipt, or nothing is told: the session's budget, a review that opens or is used up. */
  documents: DocumentWrite[]
  review: ReviewTicket | null
  /** The ticket is that of a review opened before: the same request came again while it waits. */
  alreadyOpen?: true
  /** Of the surface, where rules of its own decided; a notice of the review tells these. */
  reviewReasons?: readonly string[]
  /** For the payload of the receipt: the verdicts that lifted it, and what its session was charged. */
  bound: BoundFacts
  /** Milliseconds of each stage; null where nothing was timed. */
  stageMs: Record<string, number | null>
}

/** What a receipt says of the documents it rests on, so that they count only as far as it bears them out. */
export interface BoundFacts {
  approval?: NamedApproval
  session_budget?: NamedCharge
}

export interface DecideOptions {
  /** Nothing is charged, queued or used up. */
  dryRun?: boolean
  /** Charged before in the same request and not yet stored. */
  alreadyCharged?: number
  /** What a reviewer gets to see and the approval sets free; stored apart and erased when the review closes. */
  payload?: Record<string, unknown>
  /** Kept in the review item beside the common fields. */
  step?: Record<string, unknown>
}

/** A review of what a surface decided by rules of its own on top of the pipeline's. */
export interface ReviewRequest {
  reasons: readonly string[]
  step: Record<string, unknown>
  payload: Record<string, unknown>
}

/** What an approval set free, with the verdicts that did. */
export interface ApprovedPayload {
  payload: Record<string, unknown>
  approval: NamedApproval
  /** Marks the approval as used, in the commit these are written with. */
  use(): Promise<DocumentWrite[]>
}

/** A person's approval of exactly this request, while it may be used. */
export interface ActiveApproval {
  review: Review
  /** For the receipt of what it lifts. */
  named: NamedApproval
  /** Rules and policies are those it was given under, and the policies allow the request once it is approved. */
  current: boolean
  /** Marks it as used, in the commit these are written with. */
  use(): Promise<DocumentWrite[]>
}

interface GateTally {
  name: string
  evaluated: number
  fired: number
  timed_out: number
  errors: number
}

/** What a recorded determination is counted as: the decision that a receipt of kind `decision` states, the verdict on the
 *  request that a receipt of another kind states, or a scan of what a tool or a model returned. */
export type RecordedAs = 'decision' | 'verdict' | 'output_scan'

type VerdictCounts = Readonly<Record<'allow' | 'review' | 'deny', number>>

/** Counted in this process since it started, what was recorded alone: no tests, dry runs or samples. None of these is a
 *  state: how many reviews wait is asked of the store. */
export interface Tallies {
  since: string
  gates: readonly GateTally[]
  /** How often the rule fired. */
  rules: Readonly<Record<string, number>>
  /** Receipts of kind `decision`. */
  decisions: VerdictCounts
  /** Verdicts in receipts of other kinds: inference, agent-step, step. */
  verdicts: VerdictCounts
  /** Scans of tool and model output. */
  outputScans: VerdictCounts
  reviewsOpened: number
  /** Of the receipts counted here, in their chains; null before the first. */
  firstSeq: number | null
  lastSeq: number | null
}

/** The decision pipeline. Rejects with `gates_unavailable` where rules or policies are missing: then nothing is told. */
export interface Governance {
  /** From the examination of a text until it is recorded, so that the session remembers it before its next text is read: of
   *  two calls at once each would be read without the other. Calls of one session take turns, and whoever was refused or left
   *  meanwhile begins nothing. Without a session nobody waits. */
  inTurn<T>(
    asked: Pick<DecisionRequest, 'caller' | 'sessionId'>,
    call: Pick<Call, 'signal'>,
    work: () => Promise<T>,
  ): Promise<T>
  /** S1 to S3. */
  examine(decisionRequest: DecisionRequest): Promise<Examined>
  /** S4 to S7 on what is stored now. Run again when the recording met a conflict. */
  decide(examined: Examined, options?: DecideOptions): Promise<DecisionOutcome>
  /** Called once the receipt is durable: the session remembers the text, the counters count. */
  recorded(determination: DecisionOutcome, seq: number, as: RecordedAs): void
  /** The review that this very request names and that still waits for people; null without one. */
  pendingReview(decisionRequest: DecisionRequest): Promise<{ ticket: ReviewTicket; reasons: Review['reasons'] } | null>
  /** What a still valid approval of this very request set free, such as a withheld answer; null without one. */
  approvedPayload(decisionRequest: DecisionRequest): Promise<ApprovedPayload | null>
  /** Opens a review of what the surface itself holds back; written with the receipt. */
  openReview(
    determination: DecisionOutcome,
    request: ReviewRequest,
  ): { review: Review; ticket: ReviewTicket; documents: DocumentWrite[] }
  /** Null where `reviewId` names no approval of this very request that may still be used. */
  approval(examined: Examined): Promise<ActiveApproval | null>
  /** What a stored receipt says; null for one that is gone, was edited, or that this ledger did not sign or record. */
  verifiedBody(row: Row | null): Promise<VerifiedBody | null>
  /** Whether the receipt that the document was last written with says that it was written like this. */
  matchesHead(row: DocumentRow): Promise<boolean>
  /** The counts of the whole process, or of one namespace. */
  tallies(namespace?: string): Tallies
  /** The server's own registry. */
  tool(name: string): ToolEntry | null
}

interface ReviewQuery {
  state: ReviewState | 'all'
  operation: string | null
  limit: number
  after: { rank: number; key: string } | null
}

export interface ReviewPage {
  items: ReviewItem[]
  /** Where the next page goes on; null at the end. */
  after: { rank: number; key: string } | null
}

/** What else changes when a review of a step leaves its state: written with the verdict, or the verdict is not given. MUST
 *  read what it writes by itself. */
export type StepReviewed = (review: Review, from: ReviewState, to: ReviewState) => Promise<StepVerdict>

export interface StepVerdict extends Omit<PendingWrites, 'busy'> {
  /** Told in the receipt of the verdict, beside what every verdict tells. */
  payload?: Record<string, unknown>
}

/** The queue of reviews. Rejects with `review_not_found`, `review_closed`, `review_expired`, `self_approval_forbidden` or
 *  `four_eyes_unenforceable`; of many verdicts at once the store lets one through. */
export interface ReviewQueue {
  fourEyes: boolean
  item(caller: Caller, reviewId: string): Promise<{ item: ReviewItem; payload: Record<string, unknown> | null }>
  list(caller: Caller, query: ReviewQuery): Promise<ReviewPage>
  /** Counted no further than 10,001. */
  counts(caller: Caller): Promise<{ counts: Record<string, number>; oldestPendingSeconds: number | null }>
  /** How many wait for a person, of every namespace; counted no further than 10,001. */
  waiting(): Promise<number>
  /** What is to be recorded for this verdict on what is stored now. */
  verdict(
    caller: Caller,
    reviewId: string,
    vote: { verdict: 'approve' | 'deny'; reason: string; reviewer: string | null },
  ): Promise<Draft>
  /** Records what time has closed. */
  sweep(): Promise<void>
}
