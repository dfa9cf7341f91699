/** Receipts that changed the head of a session: those of its steps, and those of verdicts on steps under review. Each one
 *  names the one before and what it left as the head, so that a head counts only with the receipt that bears it out. */
import { replays } from '@orch/core'
import { bodyOf, isRecord } from '../../../domain/stored-receipt.ts'
import type { CheckReceipt, LedgerReader, Row } from '../../../ledger/contract.ts'
import { FIRST_PREV } from '../rules/state.ts'
import type { WalkedVerdict } from '../rules/verdicts.ts'
import { STEP_CHAIN } from './session-documents.ts'

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
export function sessionEvent(row: Row): SessionEvent | null {
  const body = bodyOf(row)
  if (body === null) return null
  const isStep = body.kind === 'step' && row.chain === STEP_CHAIN
  const reported = isStep ? body.payload : body.kind === 'review' ? body.payload.step_review : null
  if (!isRecord(reported)) return null
  const { session, session_prev_event: prev, session_head_sha256: head } = reported
  const texts = { session: String(session), prev: String(prev), head: String(head) }
  return { row, ...texts, reported, verdict: isStep ? null : verdictOf(body.payload, reported) }
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
  verdicts: SessionEvent[]
}

/** Back from the receipt with this digest, itself included; null where something on the way is not what it says. Digests
 *  are recomputed, so the way has an end. */
export async function sinceStep(
  reader: LedgerReader,
  check: CheckReceipt,
  session: string,
  newest: string,
): Promise<SinceStep | null> {
  const verdicts: SessionEvent[] = []
  for (let digest = newest; digest !== FIRST_PREV; ) {
    const row = await reader.byDigest(digest)
    const event = row && sessionEvent(row)
    if (!event || event.session !== session || !replays(event.row.body, digest)) return null
    if (event.verdict === null) return { receipt: digest, step: event, verdicts }
    const { signature } = await check(event.row)
    verdicts.unshift({ ...event, verdict: { ...event.verdict, signature_valid: signature } })
    digest = event.prev
  }
  return { receipt: FIRST_PREV, step: null, verdicts }
}
