/** A person's verdict on an item: who may give it, and what the item becomes. */
import { ServiceError } from '../../errors.ts'
import { APPROVAL_MS, type Review, type ReviewState, stateAt, type Vote, votesOf, withEvent } from './review.ts'

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
