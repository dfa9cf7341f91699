/** The one decision pipeline: every surface that decides comes through here. */

import { type Decision, decisionOf } from '../domain/decision/decide.ts'
import { graverEffect } from '../domain/policy/requests.ts'
import { maskedQuestion } from '../domain/reviews/masked-question.ts'
import { approves, awaits } from '../domain/reviews/review.ts'
import { ServiceError } from '../errors.ts'
import type { CheckReceipt } from '../ledger/contract.ts'
import { KeyedMutex } from '../platform/keyed-mutex.ts'
import type { Clock, Ledger } from '../ports.ts'
import { labelCheck } from './agent-label.ts'
import type {
  DecideOptions,
  DecisionOutcome,
  DecisionRequest,
  Examined,
  Gates,
  Governance,
  Policies,
} from './contract.ts'
import { policyVerdict, registeredTool, stageVerdict } from './policy/policy-stage.ts'
import { provingReceipt, type ReceiptSource, verified } from './proving-receipts.ts'
import { approvalUses, type IsUsed } from './reviews/approval-uses.ts'
import type { ReviewNotice } from './reviews/notice.ts'
import { type ProvenReview, provenReview } from './reviews/proven-reviews.ts'
import {
  askedBy,
  openingWrites,
  readPayload,
  readReview,
  reviewOf,
  ticketOf,
  usedWrites,
} from './reviews/review-documents.ts'
import { type BudgetDocument, budgetWrite, readBudget, spentAfter } from './session-budget.ts'
import { SessionMemory } from './session-memory.ts'
import type { DecisionCounters } from './tallies.ts'

interface GovernanceSettings {
  sessionRiskBudget: number
  reviewTtlSeconds: number
  fourEyes: boolean
  /** Where people reach the service; null: links are paths. */
  baseUrl?: string | null
  /** Names reviews; with the system's own chance unless told. */
  newId?: () => string
}

interface GovernanceParts {
  ledger: Pick<Ledger, 'reader' | 'queries' | 'state' | 'reportBreak'>
  /** Verifies a stored receipt: what no receipt bears out is not believed. */
  check: CheckReceipt
  gates: Gates
  policies: Policies
  clock: Clock
  tallies: DecisionCounters
  /** Told of a decision that waits, once it is recorded. MUST NOT reject. */
  notify(notice: ReviewNotice): Promise<void>
}

export function createGovernance(given: GovernanceParts, settings: GovernanceSettings): Governance {
  const { ledger, check, gates, policies, clock, tallies } = given
  const { baseUrl = null } = settings
  const source = { reader: ledger.reader, check }
  const parts: Governing = { ...given, source, isUsed: approvalUses(ledger) }
  const use = (approval: ProvenReview) => () => usedWrites(ledger.reader, approval, clock.now())
  const memory = new SessionMemory()
  const turns = new KeyedMutex()
  const assertPlainLabel = labelCheck(gates)
  return {
    inTurn(asked, call, work) {
      const session = sessionOf(asked)
      if (session === null) return work()
      if (!turns.isLocked(session)) return turns.run(session, work)
      const { signal } = call
      return turns.run(session, async () => {
        if (signal.aborted)
          throw new ServiceError('request_timeout', 'the request ended before its turn in its session came')
        return work()
      })
    },
    async examine(asked) {
      assertReady(gates, policies)
      const begunAt = clock.monotonic()
      const tool = registeredTool(policies, asked.tool)
      const decisionRequest = {
        ...asked,
        effect: tool === null ? asked.effect : graverEffect(asked.effect, tool.effect),
      }
      await assertPlainLabel(decisionRequest.agent ?? null)
      const sessionTail = memory.tail(sessionOf(decisionRequest), clock.monotonic())
      // Read first: the gates take the active rules when they are asked, and a reload may come while they work.
      const rulesDigest = gates.status().rules_digest ?? ''
      return {
        decisionRequest,
        examination: await gates.examine({ ...decisionRequest, sessionTail }),
        rulesDigest,
        begunAt,
        tool,
      }
    },
    decide: (examined, options = {}) => determine(parts, settings, examined, options),
    recorded(determination, seq, as) {
      const { decisionRequest, examination } = determination.examined
      memory.remember(sessionOf(decisionRequest), examination.folded, clock.monotonic())
      // A review that waits already was counted and told of when it was opened.
      const review = determination.alreadyOpen === true ? null : determination.review
      tallies.record(decisionRequest.caller.namespace, { ...determination, review }, seq, as)
      const { reviewReasons: reasons = determination.decision.reasons } = determination
      if (review !== null) void parts.notify({ ...review, ...noticeOf(determination.examined), reasons })
    },
    async pendingReview(decisionRequest) {
      const stored = await namedReview(parts, decisionRequest, awaits, digestsOf(parts))
      return stored && { ticket: ticketOf(stored.review, baseUrl), reasons: stored.review.reasons }
    },
    async approvedPayload(decisionRequest) {
      const stored = await namedReview(parts, decisionRequest, approves, digestsOf(parts))
      if (stored === null || stored.approval === null) return null
      const payload = await readPayload(source, stored.review.review_id)
      return payload && { payload, approval: stored.approval, use: use(stored) }
    },
    openReview(determination, { reasons, step, payload }) {
      const review = reviewOf(determination, reasons, { ...settings, now: clock.now(), step })
      const question = questionIn(determination.examined)
      return { review, ticket: ticketOf(review, baseUrl), documents: openingWrites(review, question, payload) }
    },
    async approval(examined) {
      const stored = await namedReview(parts, examined.decisionRequest, approves)
      if (stored === null || stored.approval === null) return null
      const { rules_digest, policy_digest } = stored.review
      const asked = policyVerdict(policies, examined, true)
      const same = rules_digest === examined.rulesDigest && policy_digest === asked.policy_digest
      const current = same && asked.outcome === 'allow'
      return { review: stored.review, named: stored.approval, current, use: use(stored) }
    },
    verifiedBody: (row) => verified(source, row),
    matchesHead: async (row) => (await provingReceipt(source, row)) !== null,
    tallies: (namespace) => tallies.read(namespace),
    tool: (name) => registeredTool(policies, name),
  }
}

const questionIn = ({ decisionRequest, examination }: Examined): string | null =>
  maskedQuestion(decisionRequest.text, examination)

/** What people are told of a request that waits. */
const noticeOf = (examined: Examined) => ({
  operation: examined.decisionRequest.operation,
  question: questionIn(examined),
  ...askedBy(examined),
})

interface Governing extends GovernanceParts {
  source: ReceiptSource
  isUsed: IsUsed
}

function assertReady(gates: Gates, policies: Policies): void {
  const unready = [gates.status(), policies.status()].find(({ ready }) => !ready)
  if (unready !== undefined)
    throw new ServiceError(
      'gates_unavailable',
      'the gates or policies did not load, so nothing is decided; read /api/readyz',
    )
}

const sessionOf = ({ caller, sessionId }: Pick<DecisionRequest, 'caller' | 'sessionId'>): string | null =>
  sessionId === null ? null : JSON.stringify([caller.namespace, caller.owner, sessionId])

type Digests = DecisionOutcome['digests']

const digestsOf = ({ gates, policies }: GovernanceParts): Digests => ({
  rules_digest: gates.status().rules_digest ?? '',
  policy_digest: policies.status().policy_digest ?? '',
})

async function determine(
  parts: Governing,
  settings: GovernanceSettings,
  examined: Examined,
  options: DecideOptions,
): Promise<DecisionOutcome> {
  const { clock } = parts
  const { decisionRequest, examination } = examined
  const now = clock.now()
  const watch = stopwatch(clock)
  const stored = await sessionBudget(parts, decisionRequest, now)
  watch.lap('session-risk-budget')
  const policy = policyVerdict(parts.policies, examined, false)
  watch.lap('cedar-policy')
  const digests = { rules_digest: examined.rulesDigest, policy_digest: policy.policy_digest }
  // Steps and runs go on by rules of their own. Read before the approval: what is approved in between is one or the other.
  const repeats = decisionRequest.surface === 'govern' || decisionRequest.surface === 'infer'
  const pendingReview = repeats ? await namedReview(parts, decisionRequest, awaits, digests) : null
  const approval = await namedReview(parts, decisionRequest, approves, digests)
  const decision = decisionOf({
    examination,
    policy: stageVerdict(policy),
    budget: budgetOf(stored, options, settings),
    severity: decisionRequest.severity,
    approval: pendingReview === null ? approvalWord(decisionRequest, approval, parts, examined) : null,
  })
  watch.lap('lambda-floor')
  const stageMs = { ...watch.laps, ...evaluationMs(examined) }
  const lifted = decision.reasons.includes('APPROVED_BY_REVIEW') ? approval : null
  const charge = chargeFor(stored, decisionRequest, decision, settings, now)
  // The documents say the same and can be edited.
  const bound = {
    ...(lifted?.approval ? { approval: lifted.approval } : {}),
    ...(charge === null ? {} : { session_budget: charge.named }),
  }
  const determined = { examined, decision, policy, digests, stageMs, bound }
  if (options.dryRun === true) return { ...determined, bound: {}, documents: [], review: null }
  const alreadyOpen = decision.decision === 'review' && pendingReview !== null
  const opened =
    decision.decision === 'review' && !alreadyOpen
      ? reviewOf(determined, decision.reasons, { ...settings, now, step: options.step ?? null })
      : null
  const documents = [
    ...(charge === null ? [] : [charge.write]),
    ...(lifted === null ? [] : await usedWrites(parts.ledger.reader, lifted, now)),
    ...(opened === null ? [] : openingWrites(opened, questionIn(examined), options.payload ?? {})),
  ]
  const review = alreadyOpen ? pendingReview.review : opened
  const ticket = review && ticketOf(review, settings.baseUrl ?? null)
  return { ...determined, documents, review: ticket, ...(alreadyOpen ? { alreadyOpen } : {}) }
}

type StoredBudget = BudgetDocument | null | 'unavailable'

/** Without a session nothing has been spent; where the store does not say, nothing is known. */
function budgetOf(
  stored: StoredBudget,
  { alreadyCharged = 0 }: DecideOptions,
  { sessionRiskBudget }: GovernanceSettings,
) {
  if (stored === 'unavailable') return null
  return { spent_micro: (stored?.spent ?? 0) + alreadyCharged, limit_micro: sessionRiskBudget }
}

/** What the session is charged, as its document and as the receipt says it; null where no document is charged. */
function chargeFor(
  stored: StoredBudget,
  { caller }: DecisionRequest,
  { budget, charge_micro }: Decision,
  { sessionRiskBudget }: GovernanceSettings,
  now: number,
) {
  if (stored === null || stored === 'unavailable') return null
  const spent_after = spentAfter(stored, (budget?.spent_micro ?? 0) + charge_micro, sessionRiskBudget)
  const named = { session: stored.key, spent_before: stored.spent, spent_after }
  return { named, write: budgetWrite(stored, caller, spent_after, now) }
}

/** A person lifts what a policy wants looked at, and only if that policy allows it once it is approved. */
function approvalWord(
  decisionRequest: DecisionRequest,
  approval: ProvenReview | null,
  parts: GovernanceParts,
  examined: Examined,
) {
  if (decisionRequest.reviewId === null) return null
  if (approval === null || approval.approval === null) return 'stale'
  return policyVerdict(parts.policies, examined, true).outcome === 'allow' ? 'valid' : 'stale'
}

/** `unavailable`: the store did not say, or what it said is not what the receipts bear out. */
async function sessionBudget(
  parts: Governing,
  { caller, sessionId, ownBudget }: DecisionRequest,
  now: number,
): Promise<StoredBudget> {
  if (sessionId === null || ownBudget === true) return null
  const source = { ...parts.source, queries: parts.ledger.queries }
  return readBudget(source, caller, sessionId, now).catch(() => 'unavailable' as const)
}

/** The review the caller named, if it is one of this very request, stands as asked, and its receipts bear that out. Without
 *  digests it counts whatever has become of rules and policies since. Null where a receipt used its approval, whatever the
 *  item says. */
async function namedReview(
  { ledger, source, clock, isUsed }: Governing,
  { reviewId, caller: { namespace, owner }, operation, inputSha256: input_sha256 }: DecisionRequest,
  stands: typeof approves,
  digests?: Digests,
): Promise<ProvenReview | null> {
  const stored = reviewId === null ? null : await readReview(ledger.reader, reviewId)
  if (stored === null) return null
  const { rules_digest, policy_digest } = digests ?? stored.review
  const asked = { namespace, owner, operation, input_sha256, rules_digest, policy_digest }
  if (!stands(stored.state, stored.review, asked, clock.now())) return null
  const proven = await provenReview(source, stored)
  return proven?.approval && (await isUsed(proven.approval)) ? null : proven
}

function stopwatch(clock: Clock) {
  const laps: Record<string, number> = {}
  let begun = clock.monotonic()
  return {
    laps,
    lap(stage: string) {
      const now = clock.monotonic()
      laps[stage] = now - begun
      begun = now
    },
  }
}

const evaluationMs = ({ examination: { normaliseMs, evaluations } }: Examined): Record<string, number | null> => ({
  normalise: normaliseMs,
  ...Object.fromEntries(Object.entries(evaluations).map(([gate, { ms }]) => [gate, ms])),
})
