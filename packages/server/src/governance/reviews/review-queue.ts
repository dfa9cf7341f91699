/** People's side of the pipeline: the items that wait, their verdicts, and what time does to them. */
import { sha256Hex } from '@orch/core'
import type { Caller } from '../../access.ts'
import { boundDocuments } from '../../domain/bound-documents.ts'
import {
  assertMayVote,
  assertOpen,
  cast,
  linked,
  REVIEW_PAYLOAD_SPACE,
  REVIEW_SPACE,
  REVIEW_STATES,
  REVIEWS_COUNTED_TO,
  type Review,
  type ReviewItem,
  type ReviewState,
  reviewItem,
  stateAt,
  type Vote,
  withEvent,
} from '../../domain/reviews/review.ts'
import { ServiceError } from '../../errors.ts'
import type { CheckReceipt, DocumentQuery, DocumentRow } from '../../ledger/contract.ts'
import type { Clock, Draft, Ledger } from '../../ports.ts'
import type { ReviewPage, ReviewQueue, StepReviewed, StepVerdict } from '../contract.ts'
import { type ProvenReview, provenReview } from './proven-reviews.ts'
import {
  changingWrites,
  newestReceipt,
  questionOf,
  type ReviewDocument,
  readPayload,
  readReview,
  reviewAltered,
  toReviewDocument,
} from './review-documents.ts'

export interface Parts {
  ledger: Ledger
  check: CheckReceipt
  clock: Clock
  fourEyes: boolean
  stepReviewed: StepReviewed
}

/** Rows looked at for one page: what a filter leaves out is not searched for without end. */
const MAX_SCANNED = 1000
const COUNTED = REVIEWS_COUNTED_TO + 1

export function createReviewQueue({ ledger, check, clock, fourEyes, stepReviewed }: Parts): ReviewQueue {
  const { reader } = ledger
  const source = { reader: ledger.reader, check }
  const seen = async (caller: Caller, reviewId: string): Promise<ProvenReview> => {
    const stored = await readReview(reader, reviewId)
    if (stored === null || !maySee(caller, stored))
      throw new ServiceError(
        'review_not_found',
        'there is no review of this review_id that you may see; GET /api/orch/v1/reviews lists them',
      )
    const proven = await provenReview(source, stored)
    if (proven === null) throw reviewAltered()
    return proven
  }
  const itemOf = async (stored: ReviewDocument): Promise<ReviewItem> => {
    const [receipt, payload] = await Promise.all([
      newestReceipt(reader, stored),
      reader.document(REVIEW_PAYLOAD_SPACE, stored.row.key),
    ])
    const review = linked(stored.review, receipt)
    const state = stateAt(stored.state, review, clock.now())
    return payload === null
      ? reviewItem(review, state, 'erased')
      : reviewItem(review, state, 'held', questionOf(payload))
  }

  /** One that leans on no receipt is left out, and those beside it are shown. */
  const itemsOf = async (chosen: readonly ReviewDocument[]): Promise<ReviewItem[]> => {
    const items = await Promise.all(chosen.map((stored) => itemOf(stored).catch(nullOn('stored_record_altered'))))
    return items.filter((item) => item !== null)
  }

  return {
    fourEyes,
    async item(caller, reviewId) {
      const stored = await seen(caller, reviewId)
      const payload = caller.scopes.has('review:decide') ? await readPayload(source, reviewId) : null
      return { item: await itemOf(stored), payload }
    },
    async list(caller, { state, operation, limit, after }): Promise<ReviewPage> {
      const now = clock.now()
      const stored = storedStates(state)
      const chosen: ReviewDocument[] = []
      // Read together: one after the other, each of a page's reads would wait behind everybody else's.
      const page = async (next: ReviewPage['after']) => ({ items: await itemsOf(chosen), after: next })
      let last = after
      let scanned = 0
      for (;;) {
        const rows = await newestFirst(reader, caller.namespace, stored, last, Math.min(100, MAX_SCANNED - scanned))
        for (const row of rows) {
          scanned += 1
          last = { rank: row.rank, key: row.key }
          const stored = toReviewDocument(row)
          if (stored === null || !maySee(caller, stored)) continue
          if (state !== 'all' && stateAt(stored.state, stored.review, now) !== state) continue
          if (operation !== null && stored.review.operation !== operation) continue
          chosen.push(stored)
          if (chosen.length === limit) return page(last)
        }
        if (rows.length === 0) return page(null)
        if (scanned >= MAX_SCANNED) return page(last ?? null)
      }
    },
    async counts(caller) {
      const { namespace: owner } = caller
      const count = (state: ReviewState) => reader.countDocuments({ space: REVIEW_SPACE, owner, state }, COUNTED)
      const counts = await Promise.all(REVIEW_STATES.map(async (state) => [state, await count(state)]))
      const oldestPendingSeconds = await oldestPending(reader, owner, clock.now())
      return { counts: Object.fromEntries(counts), oldestPendingSeconds }
    },
    waiting: () => reader.countDocuments({ space: REVIEW_SPACE, state: 'pending' }, COUNTED),
    async verdict(caller, reviewId, { verdict, reason, reviewer }): Promise<Draft> {
      const stored = await seen(caller, reviewId)
      const now = clock.now()
      assertOpen(stored.state, stored.review, now)
      assertMayVote(stored.review, verdict, caller)
      const { newest, opened } = stored
      const vote: Vote = {
        verdict,
        reviewer: caller.authMode === 'registry' ? caller.owner : (reviewer ?? caller.owner),
        key_id: caller.keyId,
        reason,
        reason_sha256: sha256Hex(new TextEncoder().encode(reason)),
      }
      const { review, state, vote: number } = cast(stored.review, vote, now, newest)
      const { documents, counters, payload } = await sideWritesFor(review, stored.state, state)
      const { reason_sha256 } = vote
      const said = { verdict, reason_sha256, reviewer: vote.reviewer, vote: number, state_after: state, ...payload }
      return {
        ...verdictDraft(review, opened, said),
        documents: [...(await changingWrites(reader, stored, review, state)), ...documents],
        counters,
        answer: { review, state },
      }
    },
    async sweep() {
      const now = clock.now()
      for (const state of ['pending', 'approved'] as const) {
        const rows = await reader.documents({ space: REVIEW_SPACE, state, order: 'asc', limit: 100 })
        for (const stored of rows.flatMap((row) => toReviewDocument(row) ?? []))
          await expire(stored, now).catch(nullOn('session_chain_broken'))
      }
    },
  }

  /** A vote that leaves the review open changes nothing else. */
  async function sideWritesFor(review: Review, from: ReviewState, to: ReviewState): Promise<Required<StepVerdict>> {
    const claim = review.step === null || from === to ? {} : await stepReviewed(review, from, to)
    return { documents: claim.documents ?? [], counters: claim.counters ?? [], payload: claim.payload ?? {} }
  }

  /** Recorded by whichever node comes first; the others find it done. A session that somebody edited keeps its own reviews
   *  open, and nobody else's: the integrity walk names it. */
  async function expire(stored: ReviewDocument, now: number): Promise<void> {
    if (stateAt(stored.state, stored.review, now) !== 'expired') return
    // Whoever holds the store may have written it: what no receipt bears out is not signed in anybody's name.
    const proven = await provenReview(source, stored)
    if (proven === null) return
    const { review, opened, newest } = proven
    const at = new Date(now).toISOString()
    const next = withEvent(review, { kind: 'expired', at }, newest)
    const { documents, counters, payload } = await sideWritesFor(next, stored.state, 'expired')
    const changes = [...(await changingWrites(reader, stored, next, 'expired')), ...documents]
    const said = { verdict: 'expire', reason_sha256: null, reviewer: null, vote: 0, state_after: 'expired' }
    const draft = {
      ...verdictDraft(review, opened, { ...said, ...payload, ...boundDocuments(changes) }),
      ns: review.namespace,
      ts_utc: at,
      request_id: `expiry-${review.review_id}`,
      actor: { owner: 'orch', key_id: null, auth_mode: 'internal' },
    }
    await ledger.append(draft, { documents: changes, counters }).catch(nullOn('state_conflict'))
  }
}

/** What every receipt of a verdict says, whether people gave it or time did. */
const verdictDraft = (
  { review_id, input_sha256, valid_until, required_approvals, rules_digest, policy_digest }: Review,
  reviewed_digest: string,
  said: Record<string, unknown>,
) => ({
  chain: 'governance',
  kind: 'review' as const,
  policy: { rules_digest, policy_digest },
  payload: { review_id, reviewed_digest, input_sha256, valid_until, required_approvals, ...said },
})

/** A reviewer sees the namespace; everyone else what they asked for themselves. */
const maySee = (caller: Caller, { review }: ReviewDocument): boolean =>
  caller.authMode !== 'registry' ||
  (review.namespace === caller.namespace &&
    (caller.scopes.has('review:decide') || review.requested_by.owner === caller.owner))

/** Time may have closed what is stored as open, so those are looked at as well. */
function storedStates(state: ReviewState | 'all'): (ReviewState | null)[] {
  if (state === 'all') return [null]
  return state === 'expired' ? ['expired', 'pending', 'approved'] : [state]
}

async function newestFirst(
  reader: Ledger['reader'],
  owner: string,
  states: readonly (ReviewState | null)[],
  after: DocumentQuery['after'] | null,
  limit: number,
): Promise<DocumentRow[]> {
  const pages = await Promise.all(
    states.map((state) =>
      reader.documents({
        space: REVIEW_SPACE,
        owner,
        ...(state === null ? {} : { state }),
        ...(after === null || after === undefined ? {} : { after }),
        order: 'desc',
        limit,
      }),
    ),
  )
  return pages
    .flat()
    .sort((a, b) => b.rank - a.rank || (a.key < b.key ? 1 : -1))
    .slice(0, limit)
}

async function oldestPending(reader: Ledger['reader'], owner: string, now: number): Promise<number | null> {
  const rows = await reader.documents({ space: REVIEW_SPACE, owner, state: 'pending', order: 'asc', limit: 100 })
  const open = rows
    .flatMap((row) => toReviewDocument(row) ?? [])
    .find(({ state, review }) => stateAt(state, review, now) === 'pending')
  return open === undefined ? null : Math.max(0, Math.floor((now - Date.parse(open.review.created_at)) / 1000))
}

const nullOn =
  (code: ServiceError['code']) =>
  (error: unknown): null => {
    if (error instanceof ServiceError && error.code === code) return null
    throw error
  }
