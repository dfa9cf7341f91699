/** Reads of the PostgreSQL ledger over sessions of their own that cannot write. */

import type pg from 'pg'
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
  const listener = new CommitListener(address, onSize)
  const timer = setInterval(() => listener.look(), CATCH_UP_MS)
  await listener.look()
  return async () => {
    clearInterval(timer)
    await listener.stop()
  }
}

class CommitListener {
  private readonly address: PostgresAddress
  private readonly onSize: (size: number) => void | Promise<void>
  private client: pg.Client | null = null
  private looking: Promise<void> | null = null
  private again = false
  private stopped = false
  private size = -1

  constructor(address: PostgresAddress, onSize: (size: number) => void | Promise<void>) {
    this.address = address
    this.onSize = onSize
  }

  /** One look at a time; any number of notifications meanwhile make one more. Never rejects: nobody waits for it. */
  look(): Promise<void> {
    this.again = true
    this.looking ??= this.lookAround().finally(() => {
      this.looking = null
    })
    return this.looking
  }

  private async lookAround(): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false
      try {
        await this.lookOnce()
      } catch {
        // The database is away, for us or for whoever was told: the next look connects again and tells the size again.
        await this.drop()
      }
    }
  }

  private async lookOnce(): Promise<void> {
    this.client ??= await this.connected()
    const { size } = (await this.client.query<{ size: number }>(ledgerTexts(POSTGRES).head)).rows[0]!
    if (size === this.size || this.stopped) return
    await this.onSize(size)
    this.size = size
  }

  private async connected(): Promise<pg.Client> {
    const client = await readerSession(this.address)
    client.on('notification', () => void this.look())
    try {
      await client.query(`LISTEN ${CHANNEL}`)
      return client
    } catch (error) {
      await endSession(client)
      throw error
    }
  }

  private async drop(): Promise<void> {
    const client = this.client
    this.client = null
    await endSession(client)
  }

  async stop(): Promise<void> {
    this.stopped = true
    await this.looking
    await this.drop()
  }
}
