/** Reads of the PostgreSQL ledger over sessions of their own that cannot write. */

import type pg from 'pg'
import { singleFlight } from '../../../platform/single-flight.ts'
import type { LedgerReader } from '../../contract.ts'
import { ledgerReads, ledgerTexts } from '../ledger-sql.ts'
import { type Question, sideWriteReads } from '../side-writes-sql.ts'
import { endSession, isGone, type PostgresAddress, readerPool, readerSession, unreachable } from './session.ts'
import { POSTGRES } from './side-writes.ts'
import { CHANNEL } from './store.ts'

const TIME = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'

/** Questions are prepared once per session under their names. */
export function postgresReader(address: PostgresAddress): LedgerReader {
  const pool = readerPool(address)
  const ask = async (question: Question): Promise<unknown[]> => {
    try {
      return (await pool.query(question)).rows
    } catch (error) {
      throw isGone(error) ? unreachable(error) : error
    }
  }
  return {
    ...ledgerReads(POSTGRES, ask),
    ...sideWriteReads(POSTGRES, ask),
    time: async () => ((await ask({ name: 'time', text: TIME, values: [] }))[0] as { now: number }).now,
    close: () => pool.end(),
  }
}

const CATCH_UP_MS = 2_000

/** Calls `onSize` with the size of the ledger now and whenever it differs, whoever appended; never after the function
 *  it gives back has been called. A notification is only a reason to look: anybody who may connect can send one. */
export async function listen(
  address: PostgresAddress,
  onSize: (size: number) => void | Promise<void>,
): Promise<() => Promise<void>> {
  let client: pg.Client | null = null
  let again = false
  let stopped = false
  let known = -1
  const drop = async (): Promise<void> => {
    const dropped = client
    client = null
    await endSession(dropped)
  }
  const lookOnce = async (): Promise<void> => {
    client ??= await listeningSession(address, () => void look())
    const { size } = (await client.query<{ size: number }>(ledgerTexts(POSTGRES).head)).rows[0]!
    if (size === known || stopped) return
    await onSize(size)
    known = size
  }
  const lookWhileAsked = singleFlight(async () => {
    while (again && !stopped) {
      again = false
      // Where the database is away, for us or for whoever was told, the next look connects again and tells the size again.
      await lookOnce().catch(drop)
    }
  })
  /** One look at a time; any number of notifications meanwhile make one more. Never rejects: nobody waits for it. */
  const look = (): Promise<void> => {
    again = true
    return lookWhileAsked()
  }
  const timer = setInterval(look, CATCH_UP_MS)
  await look()
  return async () => {
    clearInterval(timer)
    stopped = true
    // The look that is under way, or one that ends at once.
    await look()
    await drop()
  }
}

async function listeningSession(address: PostgresAddress, onNotification: () => void): Promise<pg.Client> {
  const client = await readerSession(address)
  client.on('notification', onNotification)
  try {
    await client.query(`LISTEN ${CHANNEL}`)
    return client
  } catch (error) {
    await endSession(client)
    throw error
  }
}
