/** What became of a commit whose answer was lost. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { endSession, type PostgresAddress, readerSession } from './session.ts'

type CommitOutcome = 'committed' | 'rolled back' | 'unknown'

/** Longer than the 5 s after which the server itself ends a session that never got its COMMIT. */
export const RETRY_BUDGET_MS = 8_000
const STEP_MS = 100

/** Asks until the server has decided. `digest` is the first of the batch, null for a batch without receipts. */
export async function outcomeOf(
  address: PostgresAddress,
  xid: string,
  digest: Uint8Array | null,
  patienceMs: number,
): Promise<CommitOutcome> {
  const enough = AbortSignal.timeout(patienceMs)
  while (!enough.aborted) {
    const found = await ask(address, xid, digest)
    if (found !== 'not yet') return found
    await pause(STEP_MS)
  }
  return 'unknown'
}

/** A server that cannot be asked has not said anything: it is asked again while there is patience left. */
async function ask(
  address: PostgresAddress,
  xid: string,
  digest: Uint8Array | null,
): Promise<CommitOutcome | 'not yet'> {
  let client: pg.Client | null = null
  try {
    client = await readerSession(address)
    return await judge(client, xid, digest)
  } catch {
    return 'not yet'
  } finally {
    await endSession(client)
  }
}

/** The status is read before the receipt is looked for, in a statement of its own: a snapshot taken earlier than the
 *  status would miss a batch that was committed in between. `committed` without the receipt means that the number of
 *  the transaction was given out again after a failover. The receipt alone decides nothing: a node that took the place
 *  can have written the very same one. */
async function judge(client: pg.Client, xid: string, digest: Uint8Array | null): Promise<CommitOutcome | 'not yet'> {
  const asked = await client.query<{ status: string | null; standby: boolean }>(
    'SELECT pg_xact_status($1::xid8) AS status, pg_is_in_recovery() AS standby',
    [xid],
  )
  const { status, standby } = asked.rows[0]!
  // A standby may lag behind what it says.
  if (standby || status === 'in progress') return 'not yet'
  if (status === 'aborted') return 'rolled back'
  return status === 'committed' && (digest === null || (await holds(client, digest))) ? 'committed' : 'unknown'
}

const holds = async (client: pg.Client, digest: Uint8Array): Promise<boolean> =>
  (await client.query('SELECT FROM orch.receipts WHERE digest = $1', [digest])).rowCount === 1
