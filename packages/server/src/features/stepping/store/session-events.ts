/** Receipts that changed the head of a session: those of its steps, and those of verdicts on steps under review. Each one
 *  names the one before and what it left as the head, so that a head counts only with the receipt that bears it out. */
import { replays, sha256Hex } from '@orch/core'
import { partitionName } from '../../../domain/partition.ts'
import { bodyOf, isRecord } from '../../../domain/stored-receipt.ts'
import { ServiceError } from '../../../errors.ts'
import type { CheckReceipt, DocumentRow, LedgerReader, Row } from '../../../ledger/contract.ts'
import { ONE } from '../rules/millionths.ts'
import { FIRST_PREV } from '../rules/state.ts'
import type { WalkedVerdict } from '../rules/verdicts.ts'
import { nameOf, receiptOf, type SessionDocument, type SessionPlace, STEP_CHAIN } from './session-documents.ts'

/** In the receipt of a step by itself; in that of a verdict as `step_review`. */
export interface SessionEvent {
  row: Row
  /** Name of the session. */
  session: string
  /** Digest of the receipt that changed the head before; 64 zeros for the first step. */
  prev: string
  /** SHA-256 of the head it left. */
  head: string
  /** What the receipt says of the change. */
  reported: Record<string, unknown>
  /** Null for a step. */
  verdict: WalkedVerdict | null
}

/** Null for a receipt that changes no session. */
function sessionEvent(row: Row): SessionEvent | null {
  const body = bodyOf(row)
  if (body === null) return null
  const isStep = body.kind === 'step' && row.chain === STEP_CHAIN
  const reported = isStep ? body.payload : body.kind === 'review' ? body.payload.step_review : null
  if (!isRecord(reported)) return null
  const { session, session_prev_event: prev, session_head_sha256: head } = reported
  const texts = { session: String(session), prev: String(prev), head: String(head) }
  return { row, ...texts, reported, verdict: isStep ? null : verdictOf(body.payload, reported) }
}

/** The event that a document was last written with. */
export async function eventOf(reader: LedgerReader, row: DocumentRow): Promise<SessionEvent | null> {
  const receipt = await receiptOf(reader, row)
  return receipt && sessionEvent(receipt)
}

function verdictOf(payload: Record<string, unknown>, reported: Record<string, unknown>): WalkedVerdict {
  return {
    review_id: String(payload.review_id),
    approved: payload.state_after === 'approved',
    reviewed: String(payload.reviewed_digest),
    step: Number(reported.step),
    estimate: Number(reported.estimate),
    grant: Number(reported.grant),
    signature_valid: null,
  }
}

/** The step that a receipt comes after, and the verdicts in between, oldest first. */
export interface SinceStep {
  /** Digest of its receipt; 64 zeros before the first step. */
  receipt: string
  step: SessionEvent | null
  verdicts: WalkedVerdict[]
}

/** Back from the receipt with this digest, itself included; null where something on the way is not what it says. Digests
 *  are recomputed, so the way has an end. `read`: the event of that receipt, where the caller has it. */
export async function sinceStep(
  reader: LedgerReader,
  check: CheckReceipt,
  session: string,
  newest: string,
  read: SessionEvent | null = null,
): Promise<SinceStep | null> {
  const verdicts: WalkedVerdict[] = []
  for (let digest = newest; digest !== FIRST_PREV; ) {
    const event = read?.row.digest === digest ? read : await eventByDigest(reader, digest)
    if (!event || event.session !== session || !replays(event.row.body, digest)) return null
    if (event.verdict === null) return { receipt: digest, step: event, verdicts }
    const { signature } = await check(event.row)
    verdicts.unshift({ ...event.verdict, signature_valid: signature })
    digest = event.prev
  }
  return { receipt: FIRST_PREV, step: null, verdicts }
}

async function eventByDigest(reader: LedgerReader, digest: string): Promise<SessionEvent | null> {
  const row = await reader.byDigest(digest)
  return row && sessionEvent(row)
}

export interface ProvenHead {
  /** Digest of the receipt that changed the head last. */
  event: string
  /** The receipt of the newest step. */
  step: SessionEvent
  /** What verdicts granted since, in millionths. */
  granted: number
}

export const chainBroken = (): ServiceError =>
  new ServiceError(
    'session_chain_broken',
    "the session's stored steps are inconsistent; read /api/orch/v1/gdw/integrity",
  )

/** Whether the head of a session is the one that its newest receipt left. The head is a document, and whoever can write to
 *  the store can write to it: budget, grants, approvals, what people made of reviews. Nothing is decided on it before.
 *  Rejects with `session_chain_broken`. */
export async function provenHead(
  reader: LedgerReader,
  check: CheckReceipt,
  place: SessionPlace,
  stored: SessionDocument,
): Promise<ProvenHead> {
  const event = await eventOf(reader, stored.row)
  if (event === null || !isHeadOf(event, place, stored)) throw chainBroken()
  const { digest, signature } = await check(event.row)
  const isOwn = digest === event.row.digest && signature !== false
  const since = isOwn ? await sinceStep(reader, check, event.session, digest, event) : null
  if (!since?.step || since.verdicts.some(({ signature_valid }) => signature_valid === false)) throw chainBroken()
  return { event: digest, step: since.step, granted: since.verdicts.reduce((sum, { grant }) => sum + grant, 0) }
}

function isHeadOf(event: SessionEvent, place: SessionPlace, { row, session }: SessionDocument): boolean {
  return (
    event.row.ns === place.namespace &&
    event.session === nameOf(place) &&
    event.head === sha256Hex(row.value) &&
    session.session_id === place.sessionId &&
    row.owner === partitionName(place) &&
    hasOwnRank(row) &&
    session.budget + session.granted <= ONE
  )
}

/** Idleness is counted from the rank, so it must be the time that stands in the head. */
export const hasOwnRank = ({ rank, value }: DocumentRow): boolean =>
  rank === Date.parse((JSON.parse(value) as { updated_at: string }).updated_at)
