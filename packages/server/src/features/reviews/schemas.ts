/** Items of the review queue and what is sent about them. */
import Type from 'typebox'
import { FindingReply } from '../../domain/decision/wire.ts'
import { REVIEW_STATES } from '../../domain/reviews/review.ts'
import { Count, Hex64, Nullable, ReceiptSummary, Text, Timestamp, words } from '../../domain/wire.ts'

export const ReviewPath = Type.Object({ review_id: Type.String({ minLength: 1, maxLength: 128 }) })

export const ReviewsQuery = Type.Object({
  state: Type.Optional(words([...REVIEW_STATES, 'all'])),
  operation: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
})

export const VerdictBody = Type.Object(
  {
    verdict: words(['approve', 'deny']),
    reason: Type.String({ minLength: 3, maxLength: 2000 }),
    reviewer: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  },
  { additionalProperties: false, $id: 'ReviewVerdict' },
)

const Vote = Type.Object({
  verdict: words(['approve', 'deny']),
  reviewer: Type.String(),
  key_id: Text,
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why, in the words of the reviewer; null for a verdict recorded before words were kept',
  }),
  reason_sha256: Type.String({ ...Hex64, description: 'What the receipt of the verdict holds of the reason' }),
  at: Timestamp,
  receipt_id: Nullable(Hex64),
})

const itemFields = {
  schema: Type.Literal('orch.review/v1'),
  review_id: Type.String(),
  state: words(REVIEW_STATES),
  operation: Type.String(),
  reviewed: Nullable(Type.Object({ receipt_id: Hex64, digest: Hex64 })),
  question: Type.Union([Type.String(), Type.Null()], {
    description:
      'What is held, in one line of at most 280 characters, personal values and secrets replaced by their rule; null once the review is closed, and where a gate did not finish',
  }),
  tool: Type.Union([Type.String(), Type.Null()], { description: 'The registered tool that was asked for' }),
  tool_sha256: Type.Union([Hex64, Type.Null()], { description: 'Digest of its name, registered or not' }),
  agent: Type.Union([Type.String(), Type.Null()], { description: 'The agent that asked, as its caller stated it' }),
  input_sha256: Hex64,
  rules_digest: Hex64,
  policy_digest: Hex64,
  reasons: Type.Array(Type.String()),
  findings: Type.Array(FindingReply),
  lambda: Nullable(Type.Number()),
  requested_by: Type.Object({ owner: Type.String(), key_id: Text }),
  created_at: Timestamp,
  expires_at: Timestamp,
  valid_until: Nullable(Timestamp),
  required_approvals: Count,
  votes: Type.Array(Vote),
  final_receipt: Nullable(Hex64),
  consumed_by: Nullable(Hex64),
  step: Nullable(Type.Record(Type.String(), Type.Unknown())),
  payload_state: words(['held', 'erased'], {
    description:
      'The text is held while the review waits and while an approval can still be used; a denial, a lapse and the use of the approval erase it',
  }),
}

const Item = Type.Object(itemFields, { $id: 'ReviewItem' })

export const ReviewReply = Type.Object({
  ...itemFields,
  payload: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
})

export const ReviewsReply = Type.Object({
  items: Type.Array(Item),
  counts: Type.Object(Object.fromEntries(REVIEW_STATES.map((state) => [state, Count]))),
  counts_exact_to: Count,
  oldest_pending_seconds: Nullable(Count),
  four_eyes: Type.Boolean(),
  next_cursor: Text,
  order: Type.Literal('newest first'),
})

export const VerdictReply = Type.Object({
  ...itemFields,
  receipt: ReceiptSummary,
  approval: Nullable(
    Type.Object({
      review_id: Type.String(),
      input_sha256: Hex64,
      rules_digest: Hex64,
      policy_digest: Hex64,
      valid_until: Timestamp,
    }),
  ),
})
