/** Reviews as far as receipts bear them out. An item lies in the store, where whoever holds it can write `approved` on it:
 *  it counts only if the receipt it was last written with says so, and an approval only through the verdicts themselves. */
import type { NamedApproval } from '@orch/core'
import { matchesReceipt } from '../../domain/bound-documents.ts'
import { asOpened, linked, type Review, type Vote } from '../../domain/reviews/review.ts'
import type { VerifiedBody } from '../../domain/stored-receipt.ts'
import { provingReceipt, type ReceiptSource, verified } from '../proving-receipts.ts'
import type { ReviewDocument } from './review-documents.ts'

/** A review that its receipts bear out. */
export interface ProvenReview extends ReviewDocument {
  /** Digests of the receipt it was opened with and of the one it was last written with. */
  opened: string
  newest: string
  /** Null unless enough people approved and nobody denied. */
  approval: NamedApproval | null
}

/** Null where something of it was not written by this ledger. */
export async function provenReview(source: ReceiptSource, stored: ReviewDocument): Promise<ProvenReview | null> {
  const { row } = stored
  const newest = await provingReceipt(source, row)
  if (newest === null || newest.ns !== stored.review.namespace || row.owner !== newest.ns) return null
  const review = linked(stored.review, newest.digest)
  const opened = review.events[0]?.receipt ?? newest.digest
  const opening = await verified(source, await source.reader.byDigest(opened))
  const first = { ...row, state: 'pending', value: JSON.stringify(asOpened(stored.review)) }
  if (opening === null || !matchesReceipt(opening.payload, first)) return null
  const approval = await approvalOf(source, review, opened)
  return approval === 'broken' ? null : { ...stored, opened, newest: newest.digest, approval }
}

async function approvalOf(
  source: ReceiptSource,
  review: Review,
  opened: string,
): Promise<NamedApproval | null | 'broken'> {
  const cast = review.events.flatMap(({ vote, receipt }) => (vote ? [{ vote, receipt: receipt ?? '' }] : []))
  const receipts = await Promise.all(
    cast.map(async ({ receipt }) => verified(source, await source.reader.byDigest(receipt))),
  )
  if (!cast.every(({ vote }, at) => isVerdict(receipts[at] ?? null, review, vote, at + 1, opened))) return 'broken'
  const votes = cast.map(({ vote }) => vote)
  const isEnough = votes.length >= Math.max(1, review.required_approvals)
  const isApproved = isEnough && votes.every(({ verdict }) => verdict === 'approve') && areDistinct(votes, review)
  const { review_id, input_sha256, rules_digest, policy_digest } = review
  const named = { review_id, input_sha256, rules_digest, policy_digest }
  return isApproved ? { ...named, receipts: cast.map(({ receipt }) => receipt) } : null
}

function isVerdict(body: VerifiedBody | null, review: Review, vote: Vote, number: number, opened: string): boolean {
  if (body === null) return false
  const { payload, policy } = body
  return (
    body.kind === 'review' &&
    body.ns === review.namespace &&
    body.actor.key_id === vote.key_id &&
    policy?.rules_digest === review.rules_digest &&
    policy.policy_digest === review.policy_digest &&
    payload.review_id === review.review_id &&
    payload.input_sha256 === review.input_sha256 &&
    payload.reviewed_digest === opened &&
    payload.verdict === vote.verdict &&
    payload.reviewer === vote.reviewer &&
    payload.vote === number
  )
}

/** Where two are needed they are two people, with two credentials. */
const areDistinct = (votes: readonly Vote[], { required_approvals: required }: Review): boolean =>
  required < 2 ||
  [votes.map(({ reviewer }) => reviewer), votes.map(({ key_id }) => key_id)].every(
    (names) => new Set(names).size >= required,
  )
