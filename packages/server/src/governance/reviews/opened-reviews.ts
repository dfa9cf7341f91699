/** Reviews as the pipeline opens them, knows them again and uses them up. */
import { randomUUID } from 'node:crypto'
import { approves, type Review, withEvent } from '../../domain/reviews/review.ts'
import type { DocumentWrite, LedgerReader } from '../../ledger/contract.ts'
import type { DecisionOutcome, DecisionRequest, ReviewTicket } from '../contract.ts'
import { changingWrites, newestReceipt, type ReviewDocument } from './review-documents.ts'

const reviewUrl = (reviewId: string): string => `/api/orch/v1/reviews/${reviewId}`

export const ticketOf = ({ review_id, expires_at }: Review): ReviewTicket => ({
  review_id,
  expires_at,
  url: reviewUrl(review_id),
})

interface Opening {
  reviewTtlSeconds: number
  fourEyes: boolean
  now: number
  step: Record<string, unknown> | null
  newId?: () => string
}

export const reviewOf = (
  {
    examined: { decisionRequest, examination },
    decision,
    digests,
  }: Pick<DecisionOutcome, 'examined' | 'decision' | 'digests'>,
  reasons: readonly string[],
  { reviewTtlSeconds, fourEyes, now, step, newId = randomUUID }: Opening,
): Review => ({
  review_id: `rev_${newId().replaceAll('-', '')}`,
  operation: decisionRequest.operation,
  namespace: decisionRequest.caller.namespace,
  requested_by: { owner: decisionRequest.caller.owner, key_id: decisionRequest.caller.keyId },
  input_sha256: decisionRequest.inputSha256,
  ...digests,
  reasons: [...reasons],
  findings: examination.findings,
  lambda: decision.lambda?.value ?? null,
  created_at: new Date(now).toISOString(),
  expires_at: new Date(now + reviewTtlSeconds * 1000).toISOString(),
  required_approvals: fourEyes ? 2 : 1,
  valid_until: null,
  step,
  events: [{ kind: 'opened', at: new Date(now).toISOString(), receipt: null }],
})

/** Of this very matter, whatever has become of rules and policies since. */
export function isApprovalOf(
  { state, review }: ReviewDocument,
  decisionRequest: DecisionRequest,
  now: number,
): boolean {
  const { namespace, owner } = decisionRequest.caller
  const { rules_digest, policy_digest } = review
  const asked = { namespace, owner, operation: decisionRequest.operation, input_sha256: decisionRequest.inputSha256 }
  return approves(state, review, { ...asked, rules_digest, policy_digest }, now)
}

/** In the commit of whatever the approval lifted. */
export async function usedWrites(
  reader: LedgerReader,
  approval: ReviewDocument,
  now: number,
): Promise<DocumentWrite[]> {
  const at = new Date(now).toISOString()
  const next = withEvent(approval.review, { kind: 'consumed', at }, await newestReceipt(reader, approval))
  return changingWrites(reader, approval, next, 'consumed')
}
