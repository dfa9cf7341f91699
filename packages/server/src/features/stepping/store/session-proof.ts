/** Whether the head of a session is the one that its newest receipt left. The head is a document, and whoever can write to
 *  the store can write to it: budget, grants, approvals, what people made of reviews. Nothing is decided on it before. */
import { sha256Hex } from '@orch/core'
import { partitionName } from '../../../domain/partition.ts'
import { ServiceError } from '../../../errors.ts'
import type { CheckReceipt, DocumentRow, LedgerReader } from '../../../ledger/contract.ts'
import { ONE } from '../rules/millionths.ts'
import { nameOf, type SessionDocument, type SessionPlace } from './session-documents.ts'
import { type SessionEvent, sessionEvent, sinceStep } from './session-events.ts'

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

/** Rejects with `session_chain_broken`. */
export async function provenHead(
  reader: LedgerReader,
  check: CheckReceipt,
  place: SessionPlace,
  stored: SessionDocument,
): Promise<ProvenHead> {
  const row = stored.row.nodeIndex === null ? null : await reader.byIndex(stored.row.nodeIndex)
  const event = row && sessionEvent(row)
  if (!event || !isHeadOf(event, place, stored)) throw chainBroken()
  const { digest, signature } = await check(event.row)
  const since =
    digest === event.row.digest && signature !== false ? await sinceStep(reader, check, event.session, digest) : null
  if (since === null || since.step === null) throw chainBroken()
  const verdicts = since.verdicts.flatMap(({ verdict }) => verdict ?? [])
  if (verdicts.some(({ signature_valid }) => signature_valid === false)) throw chainBroken()
  return { event: digest, step: since.step, granted: verdicts.reduce((sum, { grant }) => sum + grant, 0) }
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
