// What one receipt says of others: a verdict names the receipt that opened its review, a decision that people let through
// names the verdicts that let it, and a charge goes on from what its session had spent. Records beside the ledger say the same and can be edited by whoever holds the store;
// these statements are signed, so a record that was edited and then used shows here, at the receipt that used it.
import { utf8Decode } from '../encoding.ts'
import { parseJsonText } from '../json-text.ts'
import type { ReceiptBody, ReceiptKind } from '../receipt.ts'
import { type Fields, isRecord } from './shape.ts'

/** What a lifted decision says of its approval. */
export type NamedApproval = {
  review_id: string
  /** What was approved, as every verdict names it. */
  input_sha256: string
  rules_digest: string
  policy_digest: string
  /** Digests of the verdicts, oldest first. */
  receipts: readonly string[]
  /** It is used up by another receipt of the same request: by the decision before, or by the answer that follows. */
  used?: false
}

/** What a charge says of its session, in millionths. Receipts of earlier versions say null of what was spent before where
 *  nothing was stored of the session. */
export type NamedCharge = { session: string; spent_before: number | null; spent_after: number }

type ReviewTrail = {
  input: unknown
  reviewed: unknown
  policy: ReceiptBody['policy']
  required: number
  votes: number
  approvals: { digest: string; reviewer: unknown }[]
  state: unknown
  usedBy: string | null
}

/** What the newest charge of a session left behind, and when, in milliseconds since the epoch. */
export type SessionCharge = { spent: number; at: number }

/** Of these kinds the service writes every field: what a caller minted is never read as a decision or a verdict. */
const DECIDING: ReadonlySet<ReceiptKind> = new Set(['decision', 'inference', 'agent-step', 'step'])
/** Looking for the names costs less than reading every value. */
const SAYS = /"kind":"review"|"APPROVED_BY_REVIEW"|"session_budget":\{|"review_id":"/
/** How many reviews and sessions a walk remembers; of older ones it says nothing. */
const MAX_TRAILS = 100_000
/** A session that was idle for a day begins anew; an hour less, for clocks that differ between nodes. */
export const SAME_SESSION_MS = 23 * 3_600_000

/** Receipts are pushed in the order of the ledger, each one after it was found to link. */
export class DecisionLinks {
  /** Digest of the receipt that opened each review. */
  private readonly openings = new Map<string, string>()
  private readonly reviews = new Map<string, ReviewTrail>()
  private readonly sessions = new Map<string, SessionCharge>()
  private readonly max: number
  /** A ledger from before approvals were named has decisions without; once one is named, all are. */
  private named = false
  private forgotten = false

  constructor(max = MAX_TRAILS) {
    this.max = max
  }

  /** A sentence where the receipt is not borne out by those before it. */
  push(bytes: Uint8Array, digest: string): string | null {
    const text = utf8Decode(bytes)
    if (text === null || !SAYS.test(text)) return null
    const body = parseJsonText(text) as unknown as ReceiptBody
    if (body.kind === 'review') return this.pushVerdict(body, digest)
    this.pushOpening(body, digest)
    if (!DECIDING.has(body.kind)) return null
    return this.pushApproval(body, digest) ?? this.pushCharge(body)
  }

  /** The first decision that names a review opened it; later ones are of the same request, asked again meanwhile. What a
   *  request without a body came to stands one level deeper. */
  private pushOpening({ ns, kind, payload }: ReceiptBody, digest: string): void {
    const said = kind === 'example' ? payload.value : DECIDING.has(kind) ? payload : null
    if (!isRecord(said) || typeof said.review_id !== 'string') return
    const key = `${ns}/${said.review_id}`
    if (!this.openings.has(key)) this.keep(this.openings, key, digest)
  }

  private pushVerdict({ ns, policy, payload }: ReceiptBody, digest: string): string | null {
    const { review_id, verdict, input_sha256: input, reviewed_digest: reviewed, vote, required_approvals } = payload
    if (typeof input !== 'string') return null
    const key = `${ns}/${review_id}`
    if (!this.isOpenedBy(key, reviewed))
      return `it is a verdict on the review ${shown(review_id)} and names another receipt than the one that opened it`
    const before = this.reviews.get(key)
    const trail = before ?? {
      ...{ input, reviewed, policy, required: Number(required_approvals) },
      ...{ votes: Math.max(0, Number(vote) - 1), approvals: [], state: 'pending', usedBy: null },
    }
    const isExpiry = verdict === 'expire'
    const isOpen = trail.state === 'pending' || (isExpiry && trail.state === 'approved' && trail.usedBy === null)
    if (!isOpen) return `it is a verdict on the review ${shown(review_id)}, which was closed before`
    if (!isExpiry && vote !== trail.votes + 1)
      return `it is verdict ${Number(vote)} on the review ${shown(review_id)}, which has ${trail.votes}`
    if (trail.input !== input || trail.reviewed !== reviewed || !samePolicy(trail.policy, policy))
      return `it is a verdict on the review ${shown(review_id)} and names another request than the verdict before`
    const approvals =
      verdict === 'approve' ? [...trail.approvals, { digest, reviewer: payload.reviewer }] : trail.approvals
    const votes = trail.votes + (isExpiry ? 0 : 1)
    this.keep(this.reviews, key, { ...trail, votes, approvals, state: payload.state_after })
    return null
  }

  /** Of a review that was forgotten nothing can be said. */
  private isOpenedBy(key: string, named: unknown): boolean {
    const opening = this.openings.get(key)
    return opening === undefined ? this.forgotten : opening === named
  }

  private pushApproval({ ns, payload }: ReceiptBody, digest: string): string | null {
    if (payload.decision !== 'ALLOW' || !isLifted(payload)) return null
    const { approval } = payload
    if (!isRecord(approval)) return this.named ? 'a review let it through and it names no verdict that did' : null
    this.named = true
    const key = `${ns}/${approval.review_id}`
    const trail = this.reviews.get(key)
    const of = `the review ${shown(approval.review_id)} let it through`
    if (trail === undefined) return this.forgotten ? null : `${of}, and no verdict on it was recorded before`
    if (trail.state !== 'approved' || !isApprovedBy(trail, approval.receipts))
      return `${of}, and the verdicts it names do not approve that review`
    const { rules_digest, policy_digest } = approval as Fields
    if (trail.input !== approval.input_sha256 || !samePolicy(trail.policy, { rules_digest, policy_digest }))
      return `${of}, and the verdicts it names approve another request`
    if (approval.used === false) return null
    if (trail.usedBy !== null) return `${of}, and that approval was used before`
    this.keep(this.reviews, key, { ...trail, usedBy: digest })
    return null
  }

  /** The newest charge that was pushed; null for a session without one. */
  charged(ns: string, owner: string, session: string): SessionCharge | null {
    return this.sessions.get(`${ns}/${owner}/${session}`) ?? null
  }

  private pushCharge({ ns, actor, ts_utc, payload }: ReceiptBody): string | null {
    const charge = payload.session_budget
    if (!isRecord(charge)) return null
    const key = `${ns}/${actor.owner}/${charge.session}`
    const [at, after] = [Date.parse(ts_utc), Number(charge.spent_after)]
    const before = charge.spent_before === null ? null : Number(charge.spent_before)
    const known = this.sessions.get(key)
    if (known !== undefined && before !== null && at - known.at < SAME_SESSION_MS && before < known.spent)
      return `its session had spent ${known.spent} millionths before, and it was charged as if that were ${before}`
    this.keep(this.sessions, key, { spent: after, at })
    return null
  }

  /** Written last is forgotten last. */
  private keep<T>(trails: Map<string, T>, key: string, trail: T): void {
    trails.delete(key)
    trails.set(key, trail)
    if (trails.size <= this.max) return
    trails.delete(trails.keys().next().value!)
    this.forgotten = true
  }
}

/** Whoever made the receipt chose the id, and a sentence is read by people. */
const shown = (id: unknown): string => (typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : 'of an unreadable id')

const isLifted = ({ reasons }: Fields): boolean => Array.isArray(reasons) && reasons.includes('APPROVED_BY_REVIEW')

/** Exactly the verdicts that were recorded, enough of them, and where two are needed from two people. */
function isApprovedBy({ approvals, required }: ReviewTrail, named: unknown): boolean {
  if (!Array.isArray(named) || named.length !== approvals.length || named.length < Math.max(1, required)) return false
  const reviewers = new Set(approvals.map(({ reviewer }) => reviewer))
  return approvals.every(({ digest }, at) => named[at] === digest) && (required < 2 || reviewers.size >= required)
}

const samePolicy = (a: Fields | ReceiptBody['policy'], b: Fields | ReceiptBody['policy']): boolean =>
  a?.rules_digest === b?.rules_digest && a?.policy_digest === b?.policy_digest
