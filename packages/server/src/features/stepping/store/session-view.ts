/** A session as its owner sees it. */
import type { Caller } from '../../../access.ts'
import { ServiceError } from '../../../errors.ts'
import type { LedgerReader } from '../../../ledger/contract.ts'
import { effectOwner, effectSpace } from '../outbox/effect-documents.ts'
import { countEffects } from '../outbox/stats.ts'
import type { SessionReply } from '../read-schemas.ts'
import { remainingOf } from '../rules/budget.ts'
import { toDecimal } from '../rules/millionths.ts'
import {
  IDLE_MS,
  isExpired,
  placeOf,
  readSession,
  receiptOf,
  type SessionPlace,
  STATE_SPACE,
  stateOwner,
  toStateDocument,
} from './session-documents.ts'

const RECENT = 20

export async function sessionView(
  reader: LedgerReader,
  caller: Caller,
  sessionId: string,
  now: number,
): Promise<SessionReply> {
  const place = placeOf(caller, sessionId)
  const stored = await readSession(reader, place)
  if (stored === null)
    throw new ServiceError(
      'session_not_found',
      'you have no session of this session_id; POST /api/orch/v1/gdw/step opens one',
    )
  const { session, row } = stored
  return {
    schema: 'orch.gdw.session/v1',
    session_id: session.session_id,
    step: session.step,
    state_hash: session.state_hash,
    prev_state_hash: session.prev_state_hash,
    budget: toDecimal(session.budget),
    granted: toDecimal(session.granted),
    spent: toDecimal(session.spent),
    remaining: toDecimal(remainingOf(session)),
    lifecycle: isExpired(stored, now) ? 'EXPIRED' : 'ACTIVE',
    pending_reviews: session.pending_reviews,
    effects: await countEffects(reader, { space: effectSpace(place.namespace), owner: effectOwner(place) }),
    recent_steps: await recentSteps(reader, place),
    order: 'newest-first',
    created_at: session.created_at,
    updated_at: session.updated_at,
    expires_at: new Date(row.rank + IDLE_MS).toISOString(),
  }
}

async function recentSteps(reader: LedgerReader, place: SessionPlace) {
  const query = { space: STATE_SPACE, owner: stateOwner(place), order: 'desc' as const, limit: RECENT }
  const rows = (await reader.documents(query)).map(toStateDocument)
  return Promise.all(
    rows.map(async ({ row, state: { record } }) => ({
      step: record.step,
      decision: record.decision,
      mode: record.mode,
      estimate: toDecimal(record.estimate),
      receipt_id: (await receiptOf(reader, row))?.digest ?? null,
    })),
  )
}
