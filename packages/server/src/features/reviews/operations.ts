import { assertText } from '../../domain/decision/caller-text.ts'
import { receiptSummary } from '../../domain/receipt-view.ts'
import {
  approvalOf,
  decidedItem,
  REVIEWS_COUNTED_TO,
  type Review,
  type ReviewState,
} from '../../domain/reviews/review.ts'
import { APPENDING, InputError } from '../../errors.ts'
import type { ReviewPage } from '../../governance/contract.ts'
import { operation } from '../../operation.ts'
import type { Ports, ToReply } from '../../ports.ts'
import { ReviewPath, ReviewReply, ReviewsQuery, ReviewsReply, VerdictBody, VerdictReply } from './schemas.ts'

const reading = { group: 'Governance', method: 'GET', scope: 'review:read' } as const
const DECIDE = 'reviews.decide'

/** The decisions that wait for people. Only a person lifts a review, and nothing lifts a denial. */
export const reviews = ({ reviews: queue, recorder }: Pick<Ports, 'reviews' | 'recorder'>) => [
  operation({
    ...reading,
    id: 'reviews.list',
    path: '/reviews',
    summary: 'Decisions that wait for a person, or waited',
    query: ReviewsQuery,
    narrows: true,
    reply: ReviewsReply,
    labels: ['MEASURED'],
    example: { query: { state: 'pending' } },
    async run({ caller, query }) {
      const { state = 'pending', operation: about = null, limit = 20, cursor } = query
      const page = await queue.list(caller, { state, operation: about, limit, after: placeOf(cursor) })
      const { counts, oldestPendingSeconds } = await queue.counts(caller)
      return {
        items: page.items,
        counts,
        counts_exact_to: REVIEWS_COUNTED_TO,
        oldest_pending_seconds: oldestPendingSeconds,
        four_eyes: queue.fourEyes,
        next_cursor: page.after && `${page.after.rank}-${page.after.key}`,
        order: 'newest first' as const,
      }
    },
  }),
  operation({
    ...reading,
    id: 'reviews.read',
    path: '/reviews/:review_id',
    summary: 'One review; its payload only for those who may decide it',
    params: ReviewPath,
    reply: ReviewReply,
    labels: ['STRUCTURAL-ONLY'],
    errors: ['review_not_found'],
    example: { params: { review_id: 'rev_0' } },
    async run({ caller, params }) {
      const { item, payload } = await queue.item(caller, params.review_id)
      return caller.scopes.has('review:decide') ? { ...item, payload } : item
    },
  }),
  operation({
    id: DECIDE,
    group: 'Governance',
    method: 'POST',
    path: '/reviews/:review_id/decide',
    scope: 'review:decide',
    summary: 'Approve or deny what waits; every verdict is a signed receipt',
    params: ReviewPath,
    body: VerdictBody,
    emptyBody: 'refuse',
    reply: VerdictReply,
    labels: ['STRUCTURAL-ONLY'],
    errors: [
      'review_not_found',
      'review_closed',
      'review_expired',
      'self_approval_forbidden',
      'four_eyes_unenforceable',
      'grant_exceeds_limit',
      'session_chain_broken',
      'state_conflict',
      ...APPENDING,
    ],
    example: { params: { review_id: 'rev_0' }, body: { verdict: 'deny', reason: 'not this quarter' } },
    run(call) {
      const { verdict, reason, reviewer = null } = call.body
      assertText(reason, 'reason')
      // With a registry the credential says who decides; a name in the body would be a claim nobody checked.
      if (reviewer !== null && call.caller.authMode === 'registry')
        throw refuse(['body', 'reviewer'], 'omit it: the reviewer is taken from the credential', 'extra_forbidden')
      return recorder.record(call, DECIDE, {
        decide: () => queue.verdict(call.caller, call.params.review_id, { verdict, reason, reviewer }),
        toReply,
      })
    },
  }),
]

const toReply: ToReply = (receipt, answer) => {
  const { review, state } = answer as unknown as { review: Review; state: ReviewState }
  return {
    ...decidedItem(review, state, receipt.digest),
    receipt: receiptSummary(receipt),
    approval: state === 'approved' ? approvalOf(review) : null,
  }
}

const refuse = (loc: string[], msg: string, type: string) => new InputError([{ loc, msg, type }])

type Place = NonNullable<ReviewPage['after']>

const CURSOR = /^(\d{1,16})-([0-9a-f]{64})$/

function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null
  const [, rank, key] = CURSOR.exec(cursor) ?? []
  if (rank === undefined || key === undefined || !Number.isSafeInteger(Number(rank)))
    throw refuse(
      ['query', 'cursor'],
      'must be the next_cursor of a page of this list; leave it out for the first page',
      'pattern',
    )
  return { rank: Number(rank), key }
}
