/** What verdicts on steps under review do to a session, recomputed from their receipts: a grant or an approval that
 *  no receipt gave is none. */
import { grantFor, type SessionBudget } from './budget.ts'
import { ONE } from './millionths.ts'
import type { StateRecord } from './state.ts'

/** A verdict as its receipt tells it. */
export interface WalkedVerdict {
  review_id: string
  approved: boolean
  /** Digest of the receipt of the step under review. */
  reviewed: string
  step: number
  /** Millionths, as is what was granted. */
  estimate: number
  grant: number
  /** Null where it is not signed. */
  signature_valid: boolean | null
}

/** A step that people were asked about and whose answer is still to come, or to be used. */
interface OpenReview {
  review_id: string
  step: number
  receipt: string
  request_digest: string
  estimate: number
  approved: boolean
}

export interface Reviewed extends SessionBudget {
  /** Those that wait, and approvals nobody used yet. Null where they are not known: grants are then added up and not
   *  recomputed. */
  reviews: readonly OpenReview[] | null
}

/** Null where a verdict is none on this session as it stood. */
export function afterVerdicts<T extends Reviewed>(before: T, verdicts: readonly WalkedVerdict[]): T | null {
  let session: T | null = before
  for (const verdict of verdicts) session = session && afterVerdict(session, verdict)
  return session
}

function afterVerdict<T extends Reviewed>(session: T, verdict: WalkedVerdict): T | null {
  const { grant, approved } = verdict
  const granted = session.granted + grant
  if (!Number.isSafeInteger(grant) || grant < 0 || session.budget + granted > ONE) return null
  if (session.reviews === null) return { ...session, granted }
  const asked = session.reviews.find((open) => isAbout(open, verdict))
  if (asked === undefined || grant !== grantFor(session, approved ? asked.estimate : 0).missing) return null
  const rest = session.reviews.filter((open) => open !== asked)
  return { ...session, granted, reviews: approved ? [...rest, { ...asked, approved }] : rest }
}

const isAbout = (open: OpenReview, { review_id, reviewed, step, estimate }: WalkedVerdict): boolean =>
  !open.approved &&
  open.review_id === review_id &&
  open.receipt === reviewed &&
  open.step === step &&
  open.estimate === estimate

/** A step that says it was approved uses an approval of exactly its request, at the charge of the step that was reviewed. */
export function usesApproval(
  reviews: readonly OpenReview[] | null,
  approvedBy: string | null,
  record: StateRecord,
): boolean {
  if (approvedBy === null || reviews === null) return true
  const { decision, estimate, request_digest } = record
  return reviews.some(
    (open) =>
      open.approved &&
      open.review_id === approvedBy &&
      open.request_digest === request_digest &&
      open.estimate === estimate &&
      decision === 'allow',
  )
}

/** What is open after a step: without the approval it used, with the review it opened. */
export function reviewsAfter(
  reviews: readonly OpenReview[] | null,
  { step, decision, request_digest, estimate }: StateRecord,
  receipt: { digest: string; review_id: string | null; approved_by: string | null } | null,
): OpenReview[] | null {
  if (reviews === null) return null
  const rest = reviews.filter(({ review_id, approved }) => !(approved && review_id === receipt?.approved_by))
  if (decision !== 'review' || receipt?.review_id == null) return rest
  const { review_id, digest } = receipt
  return [...rest, { review_id, step, receipt: digest, request_digest, estimate, approved: false }]
}
