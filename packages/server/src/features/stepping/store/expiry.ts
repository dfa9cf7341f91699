/** Sessions whose time is over: they stay readable, take no more steps and give back their place. */
import type { LedgerReader } from '../../../ledger/contract.ts'
import type { PendingWrites } from '../../../ports.ts'
import { givenBack } from '../quotas.ts'
import { IDLE_MS, SESSION_SPACE, sessionWrite, toSessionDocument } from './session-documents.ts'

const AT_ONCE = 100

/** One at a time, each with its own place given back: a session that is stepped on meanwhile keeps the others from
 *  nothing. */
export async function idleSessions(
  reader: LedgerReader,
  now: number,
): Promise<Required<Omit<PendingWrites, 'busy'>>[]> {
  const query = { space: SESSION_SPACE, state: 'ACTIVE', order: 'asc' as const, upTo: now - IDLE_MS, limit: AT_ONCE }
  return (await reader.documents(query)).map((row) => {
    const { session } = toSessionDocument(row)
    const [namespace, owner] = splitPartition(row.owner)
    const place = { namespace, owner, sessionId: session.session_id }
    return {
      documents: [sessionWrite(place, row.version, session, 'EXPIRED')],
      counters: givenBack(place, { sessions: 1 }),
    }
  })
}

/** A namespace holds no `/`. */
function splitPartition(partition: string): [namespace: string, owner: string] {
  const slash = partition.indexOf('/')
  return [partition.slice(0, slash), partition.slice(slash + 1)]
}
