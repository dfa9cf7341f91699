/** One decision that waits for people. The item is working state; every step of it is borne out by a receipt. */

import { ServiceError } from '../../errors.ts'
import type { Finding } from '../gates/finding.ts'

export const REVIEW_SPACE = 'review'
export const REVIEW_PAYLOAD_SPACE = 'review-payload'
/** How long an approval may be used. */
const APPROVAL_MS = 15 * 60_000

/** Reviews of a state are counted exactly this far. */
export const REVIEWS_COUNTED_TO = 10_000

export const REVIEW_STATES = ['pending', 'approved', 'denied', 'expired', 'consumed'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

export interface Vote {
  verdict: 'approve' | 'deny'
  reviewer: string
  key_id: string | null
  /** The words stay with the review, bound to the receipt of the verdict, which has their digest alone. Absent in reviews
   *  of earlier versions. */
  reason?: string
  reason_sha256: string
}

/** What happened to the item, oldest first. The receipt of the newest event is known only once it is recorded: it is the
 *  one the document was written with, and is filled in with the next event. */
interface ReviewEvent {
  kind: 'opened' | 'vote' | 'expired' | 'consumed'
  at: string
  receipt: string | null
  vote?: Vote
}

export interface Review {
  review_id: string
  operation: string
  namespace: string
  requested_by: { owner: string; key_id: string | null }
  input_sha256: string
  /** A registered name; of another one the digest alone. Reviews of before these were kept hold neither, nor the agent. */
  tool?: string | null
  tool_sha256?: string | null
  /** As the caller stated it. */
  agent?: string | null
  rules_digest: string
  policy_digest: string
  reasons: string[]
  findings: Finding[]
  lambda: number | null
  created_at: string
  expires_at: string
  required_approvals: number
  /** Null until enough people approved. */
  valid_until: string | null
  step: Record<string, unknown> | null
  events: ReviewEvent[]
}

/** What is stored and what it means by the clock: time closes an item before any sweep has recorded that. */
export function stateAt(stored: ReviewState, review: Review, now: number): ReviewState {
  const until = stored === 'pending' ? review.expires_at : stored === 'approved' ? review.valid_until : null
  return until !== null && now >= Date.parse(until) ? 'expired' : stored
}

export const isClosed = (state: ReviewState): boolean => state !== 'pending' && state !== 'approved'

const votesOf = (review: Review): Vote[] => review.events.flatMap(({ vote }) => (vote ? [vote] : []))

/** `newest` is the digest of the receipt the stored document was written with. */
export function withEvent(review: Review, event: Omit<ReviewEvent, 'receipt'>, newest: string): Review {
  return { ...review, events: [...linked(review, newest).events, { ...event, receipt: null }] }
}

export const linked = (review: Review, newest: string): Review => ({
  ...review,
  events: review.events.map((one) => (one.receipt === null ? { ...one, receipt: newest } : one)),
})

/** As it was before anybody voted and before its receipt was known. */
export const asOpened = (review: Review): Review => ({
  ...review,
  valid_until: null,
  events: review.events.slice(0, 1).map((opened) => ({ ...opened, receipt: null })),
})

export type Approval = Pick<Review, 'review_id' | 'input_sha256' | 'rules_digest' | 'policy_digest'> & {
  valid_until: string
}

export function approvalOf(review: Review): Approval | null {
  const { review_id, input_sha256, rules_digest, policy_digest, valid_until } = review
  return valid_until === null ? null : { review_id, input_sha256, rules_digest, policy_digest, valid_until }
}

/** An approval counts for the request, the rules and the policies it was given for, and for nobody else. */
export type Asked = Pick<Review, (typeof BOUND)[number]> & { owner: string }

export const approves = (stored: ReviewState, review: Review, asked: Asked, now: number): boolean =>
  stateAt(stored, review, now) === 'approved' && isOf(review, asked)

/** The very same request waits already: asked again, it waits under the same review. */
export const awaits = (stored: ReviewState, review: Review, asked: Asked, now: number): boolean =>
  stateAt(stored, review, now) === 'pending' && isOf(review, asked)

const BOUND = ['namespace', 'operation', 'input_sha256', 'rules_digest', 'policy_digest'] as const

const isOf = (review: Review, asked: Asked): boolean =>
  review.requested_by.owner === asked.owner && BOUND.every((name) => review[name] === asked[name])

interface Voter {
  keyId: string | null
  owner: string
  authMode: string
}

interface Cast {
  review: Review
  state: ReviewState
  /** Which vote this is, from 1. */
  vote: number
}

/** The item must be open at this very moment; whoever comes second is told so. */
export function assertOpen(stored: ReviewState, review: Review, now: number): void {
  const state = stateAt(stored, review, now)
  if (state === 'expired') throw new ServiceError('review_expired', 'this review ran out of time and counts as denied')
  if (state !== 'pending') throw new ServiceError('review_closed', `this review is ${state} already`)
}

/** Where people have credentials, nobody approves what they asked for, with that credential or another of theirs, and
 *  nobody votes twice. Where they have none they cannot be told apart, so a rule that needs two of them cannot be kept. */
export function assertMayVote(review: Review, verdict: Vote['verdict'], { keyId, owner, authMode }: Voter): void {
  if (verdict === 'deny') return
  if (authMode !== 'registry') {
    if (review.required_approvals > 1)
      throw new ServiceError(
        'four_eyes_unenforceable',
        'two people are needed and without a credential registry they cannot be told apart; deny, or use a registry',
      )
    return
  }
  const voters = votesOf(review).flatMap((vote) => [vote.key_id, vote.reviewer])
  const asked = [review.requested_by.key_id, review.requested_by.owner]
  if ([keyId, owner].some((own) => asked.includes(own) || voters.includes(own)))
    throw new ServiceError('self_approval_forbidden', 'the approver must be neither the requester nor an earlier voter')
}

export function cast(review: Review, vote: Vote, now: number, newest: string): Cast {
  const at = new Date(now).toISOString()
  const next = withEvent(review, { kind: 'vote', at, vote }, newest)
  const approvals = votesOf(next).filter(({ verdict }) => verdict === 'approve').length
  const number = votesOf(next).length
  if (vote.verdict === 'deny') return { review: next, state: 'denied', vote: number }
  if (approvals < review.required_approvals) return { review: next, state: 'pending', vote: number }
  const valid_until = new Date(now + APPROVAL_MS).toISOString()
  return { review: { ...next, valid_until }, state: 'approved', vote: number }
}

export type ReviewItem = ReturnType<typeof reviewItem>

/** `question` goes with the payload: nothing of the text outlives the review. */
export function reviewItem(
  review: Review,
  state: ReviewState,
  payload: 'held' | 'erased',
  question: string | null = null,
) {
  const { events, namespace: _, ...shown } = review
  const [opened] = events
  const closing = events.findLast(({ kind }) => kind === 'vote' || kind === 'expired')
  const settled = state === 'pending' ? null : (closing?.receipt ?? null)
  return {
    schema: 'orch.review/v1' as const,
    ...shown,
    tool: shown.tool ?? null,
    tool_sha256: shown.tool_sha256 ?? null,
    agent: shown.agent ?? null,
    question,
    state,
    reviewed: opened?.receipt ? { receipt_id: opened.receipt, digest: opened.receipt } : null,
    votes: events.flatMap(({ vote, at, receipt }) =>
      vote ? [{ ...vote, reason: vote.reason ?? null, at, receipt_id: receipt }] : [],
    ),
    final_receipt: settled,
    consumed_by: events.find(({ kind }) => kind === 'consumed')?.receipt ?? null,
    payload_state: payload,
  }
}

/** The outcome of a verdict, once its receipt is known. */
export const decidedItem = (review: Review, state: ReviewState, receipt: string): ReviewItem =>
  reviewItem(linked(review, receipt), state, isClosed(state) ? 'erased' : 'held')
