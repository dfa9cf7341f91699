/** Sessions and their recorded steps as the store keeps them. */
import { parseJsonText } from '@orch/core'
import type { Caller } from '../../../access.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { type Partition, partitionName } from '../../../domain/partition.ts'
import { ServiceError } from '../../../errors.ts'
import type { DocumentRow, DocumentWrite, LedgerReader, Row } from '../../../ledger/contract.ts'
import type { PendingWrites } from '../../../ports.ts'
import type { StoredSession, StoredState } from '../contract.ts'
import { givenBack } from '../quotas.ts'
import { sessionName } from '../rules/state.ts'

/** The chains of the ledger that stepping writes to, in every namespace: steps, and runs of the outbox and recoveries. */
export const STEP_CHAIN = 'gdw'
export const AUDIT_CHAIN = 'gdw-recovery'
/** How far documents are counted for a number that is told as one: quotas can be raised, so there is no other end. */
export const COUNT_ALL = Number.MAX_SAFE_INTEGER

export const SESSION_SPACE = 'gdw.session'
export const STATE_SPACE = 'gdw.state'
/** A session is idle for this long before it takes no more steps. */
export const IDLE_MS = 30 * 24 * 3_600_000

/** Whether somebody else wrote first, and nothing happened. */
export const isConflict = (error: unknown): boolean => error instanceof ServiceError && error.code === 'state_conflict'

/** The receipt that a document was last written with. */
export const receiptOf = async (reader: LedgerReader, { nodeIndex }: DocumentRow): Promise<Row | null> =>
  nodeIndex === null ? null : reader.byIndex(nodeIndex)

/** A session by whose it is and what it is called. */
export interface SessionPlace extends Partition {
  sessionId: string
}

export const placeOf = ({ namespace, owner }: Caller, sessionId: string): SessionPlace => ({
  namespace,
  owner,
  sessionId,
})

export const nameOf = ({ namespace, owner, sessionId }: SessionPlace): string =>
  sessionName(namespace, owner, sessionId)

/** Receipts name their session and step, so that a walk along them finds every state. */
export const stateKey = (session: string, step: number): string => documentKey(session, String(step))

/** The steps of one session are listed by it. */
export const stateOwner = (place: SessionPlace): string => `${partitionName(place)}/${nameOf(place)}`

export interface SessionDocument {
  row: DocumentRow
  session: StoredSession
}

export async function readSession(reader: LedgerReader, place: SessionPlace): Promise<SessionDocument | null> {
  const row = await reader.document(SESSION_SPACE, nameOf(place))
  return row === null ? null : toSessionDocument(row)
}

const toSessionDocument = (row: DocumentRow): SessionDocument => ({
  row,
  session: parseJsonText(row.value) as unknown as StoredSession,
})

/** Only a step moves the time that idleness is counted from. */
export const sessionWrite = (
  place: SessionPlace,
  version: number,
  session: StoredSession,
  state: 'ACTIVE' | 'EXPIRED' = 'ACTIVE',
): DocumentWrite => ({
  space: SESSION_SPACE,
  key: nameOf(place),
  expect: version,
  owner: partitionName(place),
  state,
  rank: Date.parse(session.updated_at),
  value: JSON.stringify(session),
})

export const isExpired = ({ row }: SessionDocument, now: number): boolean =>
  row.state === 'EXPIRED' || now - row.rank >= IDLE_MS

export const stateWrite = (place: SessionPlace, state: StoredState): DocumentWrite => ({
  space: STATE_SPACE,
  key: stateKey(nameOf(place), state.record.step),
  expect: 0,
  owner: stateOwner(place),
  state: state.record.decision,
  rank: state.record.step,
  value: JSON.stringify(state),
})

export interface StateDocument {
  row: DocumentRow
  state: StoredState
}

export const toStateDocument = (row: DocumentRow): StateDocument => ({
  row,
  state: parseJsonText(row.value) as unknown as StoredState,
})

export const readState = (reader: LedgerReader, place: SessionPlace, step: number): Promise<StateDocument | null> =>
  readStateNamed(reader, nameOf(place), step)

/** By the name of the session, where nothing else is known of it. */
export async function readStateNamed(
  reader: LedgerReader,
  session: string,
  step: number,
): Promise<StateDocument | null> {
  const row = await reader.document(STATE_SPACE, stateKey(session, step))
  return row === null ? null : toStateDocument(row)
}

const AT_ONCE = 100

/** Sessions whose time is over: they stay readable, take no more steps and give back their place. One at a time, each with
 *  its own place given back: a session that is stepped on meanwhile keeps the others from nothing. */
export async function idleSessions(
  reader: LedgerReader,
  now: number,
): Promise<Required<Omit<PendingWrites, 'busy'>>[]> {
  const query = { space: SESSION_SPACE, state: 'ACTIVE', order: 'asc' as const, upTo: now - IDLE_MS, limit: AT_ONCE }
  return (await reader.documents(query)).map((row) => {
    const { session } = toSessionDocument(row)
    // A namespace holds no `/`.
    const slash = row.owner.indexOf('/')
    const [namespace, owner] = [row.owner.slice(0, slash), row.owner.slice(slash + 1)]
    const place = { namespace, owner, sessionId: session.session_id }
    return {
      documents: [sessionWrite(place, row.version, session, 'EXPIRED')],
      counters: givenBack(place, { sessions: 1 }),
    }
  })
}
