/** Reviews as the pipeline opens them, the store keeps them and an approval uses them up. */
import { randomUUID } from 'node:crypto'
import { parseJsonText, sha256Hex } from '@orch/core'
import Type from 'typebox'
import { documentKey } from '../../domain/document-key.ts'
import {
  isClosed,
  REVIEW_PAYLOAD_SPACE,
  REVIEW_SPACE,
  type Review,
  type ReviewState,
  withEvent,
} from '../../domain/reviews/review.ts'
import { AnyObject } from '../../domain/wire.ts'
import { ServiceError } from '../../errors.ts'
import type { DocumentRow, DocumentWrite, LedgerReader } from '../../ledger/contract.ts'
import { readJson } from '../../platform/shape.ts'
import type { DecisionOutcome, Examined, ReviewTicket } from '../contract.ts'
import { provingReceipt, type ReceiptSource } from '../proving-receipts.ts'

export interface ReviewDocument {
  row: DocumentRow
  review: Review
  state: ReviewState
}

/** Larger payloads are not kept: the reviewer is told so and decides on digest and findings. */
const MAX_PAYLOAD = 900_000

/** Null for a text that is no review: whoever holds the store wrote it, and what he wrote is neither shown nor logged. */
export function toReviewDocument(row: DocumentRow): ReviewDocument | null {
  const read = readJson(ReviewShape, row.value)
  return read.ok ? { row, review: read.value as unknown as Review, state: row.state as ReviewState } : null
}

/** As much as a text has to be to be looked into; what it says is compared with its receipts. */
const ReviewShape = Type.Object({ requested_by: AnyObject, events: Type.Array(AnyObject) })

export async function readReview(reader: LedgerReader, reviewId: string): Promise<ReviewDocument | null> {
  const row = await reader.document(REVIEW_SPACE, documentKey(reviewId))
  const stored = row && toReviewDocument(row)
  if (row !== null && stored === null) throw reviewAltered()
  return stored
}

/** The digest of the receipt that the document was last written with. */
export async function newestReceipt(reader: LedgerReader, { row }: ReviewDocument): Promise<string> {
  const receipt = row.nodeIndex === null ? null : await reader.byIndex(row.nodeIndex)
  if (receipt === null) throw reviewAltered()
  return receipt.digest
}

/** What the reviewer sees and an approval sets free. Rejects where it is not what was recorded: a person would approve one
 *  text and another would go out. */
export async function readPayload(source: ReceiptSource, reviewId: string): Promise<Record<string, unknown> | null> {
  const row = await source.reader.document(REVIEW_PAYLOAD_SPACE, documentKey(reviewId))
  if (row === null) return null
  if ((await provingReceipt(source, row)) === null) throw reviewAltered()
  const { masked_question: _, ...payload } = parseJsonText(row.value) as Record<string, unknown>
  return payload
}

/** It stands first in the payload, so that a list reads it without parsing all the rest. */
const QUESTION = /^\{"masked_question":("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*")/u

export function questionOf({ value }: DocumentRow): string | null {
  const quoted = QUESTION.exec(value)?.[1]
  return quoted === undefined ? null : (JSON.parse(quoted) as string)
}

export const reviewAltered = () =>
  new ServiceError('stored_record_altered', 'this review is not what its receipts say; nothing is decided on it')

export function openingWrites(
  review: Review,
  masked_question: string | null,
  payload: Record<string, unknown>,
): DocumentWrite[] {
  const key = documentKey(review.review_id)
  const text = JSON.stringify({ masked_question, ...payload })
  const fits = Buffer.byteLength(text) <= MAX_PAYLOAD
  const common = { key, expect: 0, owner: review.namespace, rank: Date.parse(review.created_at) }
  return [
    { ...common, space: REVIEW_SPACE, state: 'pending', value: JSON.stringify(review) },
    {
      ...common,
      space: REVIEW_PAYLOAD_SPACE,
      state: 'held',
      value: fits ? text : JSON.stringify({ masked_question, too_large: true, bytes: Buffer.byteLength(text) }),
    },
  ]
}

/** The item in its next state; once that is final its payload goes with the same commit. */
export async function changingWrites(
  reader: LedgerReader,
  { row }: ReviewDocument,
  next: Review,
  state: ReviewState,
): Promise<DocumentWrite[]> {
  const { space, key, version, owner, rank } = row
  const change: DocumentWrite = { space, key, expect: version, owner, rank, state, value: JSON.stringify(next) }
  const payload = isClosed(state) ? await reader.document(REVIEW_PAYLOAD_SPACE, key) : null
  if (payload === null) return [change]
  const { space: stored, version: expect } = payload
  return [change, { space: stored, key, expect, owner, rank, state: 'erased', value: null }]
}

/** The link is absolute where the operator named the address of the service. */
export const ticketOf = ({ review_id, expires_at }: Review, baseUrl: string | null): ReviewTicket => ({
  review_id,
  expires_at,
  url: `${baseUrl ?? ''}/api/orch/v1/reviews/${review_id}`,
})

interface Opening {
  reviewTtlSeconds: number
  fourEyes: boolean
  now: number
  step: Record<string, unknown> | null
  newId?: () => string
}

/** Who asked for what: the name of a tool that nobody registered is the caller's own text and stays out. */
export const askedBy = ({
  decisionRequest,
  tool,
}: Examined): Required<Pick<Review, 'tool' | 'tool_sha256' | 'agent'>> => ({
  tool: tool?.name ?? null,
  tool_sha256: decisionRequest.tool === null ? null : sha256Hex(decisionRequest.tool),
  agent: decisionRequest.agent ?? null,
})

export const reviewOf = (
  { examined, decision, digests }: Pick<DecisionOutcome, 'examined' | 'decision' | 'digests'>,
  reasons: readonly string[],
  { reviewTtlSeconds, fourEyes, now, step, newId = randomUUID }: Opening,
): Review => ({
  review_id: `rev_${newId().replaceAll('-', '')}`,
  operation: examined.decisionRequest.operation,
  namespace: examined.decisionRequest.caller.namespace,
  requested_by: { owner: examined.decisionRequest.caller.owner, key_id: examined.decisionRequest.caller.keyId },
  input_sha256: examined.decisionRequest.inputSha256,
  ...askedBy(examined),
  ...digests,
  reasons: [...reasons],
  findings: examined.examination.findings,
  lambda: decision.lambda?.value ?? null,
  created_at: new Date(now).toISOString(),
  expires_at: new Date(now + reviewTtlSeconds * 1000).toISOString(),
  required_approvals: fourEyes ? 2 : 1,
  valid_until: null,
  step,
  events: [{ kind: 'opened', at: new Date(now).toISOString(), receipt: null }],
})

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
