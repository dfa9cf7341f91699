/** Reads of the PostgreSQL ledger over sessions of their own that cannot write. */

import type pg from 'pg'
import type { CheckpointRow, LedgerReader, Row } from '../../contract.ts'
import { sideWriteReads } from '../side-writes-sql.ts'
import { rowOf } from '../sqlite/reader.ts'
import { answerOf, answerRowOf, bytesOf, chainOf, keyOf, storedHeadOf } from '../stored-rows.ts'
import { endSession, isGone, type PostgresAddress, readerPool, readerSession, unreachable } from './session.ts'
import { POSTGRES } from './side-writes.ts'
import { CHANNEL } from './store.ts'

/** A row that lies beyond the head was put there past the ledger, and is not served. */
const ROW = `SELECT r.node_index, c.ns, c.chain, r.seq, r.prev, r.digest, r.lake, r.body, r.sig, k.keyid, k.kind
  FROM orch.receipts r JOIN orch.chains c ON c.id = r.chain_id LEFT JOIN orch.keys k ON k.id = r.key_id
  WHERE r.node_index < (SELECT size FROM orch.head WHERE id = 1)`
const OF_CHAIN = 'r.chain_id = (SELECT id FROM orch.chains WHERE ns = $1 AND chain = $2)'

/** Prepared once per session under these names. */
const SQL = {
  head: 'SELECT size, frontier, chains FROM orch.head WHERE id = 1',
  byIndex: `${ROW} AND r.node_index = $1`,
  byDigest: `${ROW} AND r.digest = $1`,
  bySeq: `${ROW} AND ${OF_CHAIN} AND r.seq = $3`,
  range: `${ROW} AND r.node_index >= $1 ORDER BY r.node_index LIMIT $2`,
  chainRange: `${ROW} AND ${OF_CHAIN} AND r.seq >= $3 ORDER BY r.seq LIMIT $4`,
  chains: 'SELECT id, ns, chain, depth, head, head_index, lake FROM orch.chains ORDER BY id',
  tile: `SELECT data FROM orch.tiles WHERE level = $1 AND idx = $2
    UNION ALL SELECT data FROM orch.edges WHERE level = $1 AND idx = $2 AND octet_length(data) > 0 LIMIT 1`,
  keys: 'SELECT keyid, spki, kind, from_index, to_index, from_ts, to_ts FROM orch.keys ORDER BY id',
  checkpoint: 'SELECT size, note FROM orch.checkpoints ORDER BY size DESC LIMIT 1',
  checkpointFrom: 'SELECT size, note FROM orch.checkpoints WHERE size >= $1 ORDER BY size LIMIT 1',
  answer: 'SELECT request, node_index, tree_size, answer FROM orch.answers WHERE key = $1',
  answersAfter: `SELECT key, request, node_index, tree_size, answer, at_ms FROM orch.answers WHERE key > $1
    ORDER BY key LIMIT $2`,
  meta: 'SELECT value FROM orch.meta WHERE name = $1',
  time: 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
} as const

export function postgresReader(address: PostgresAddress): LedgerReader {
  const pool = readerPool(address)
  const ask = async (question: { name: string; text: string; values: unknown[] }): Promise<unknown[]> => {
    try {
      return (await pool.query(question)).rows
    } catch (error) {
      throw isGone(error) ? unreachable(error) : error
    }
  }
  const all = (name: keyof typeof SQL, ...values: unknown[]) => ask({ name, text: SQL[name], values })
  const first = async (name: keyof typeof SQL, ...values: unknown[]) => (await all(name, ...values))[0]
  const row = async (name: keyof typeof SQL, ...values: unknown[]): Promise<Row | null> => {
    const found = await first(name, ...values)
    return found === undefined ? null : rowOf(found)
  }
  return {
    async head() {
      const { size, hashes, chains } = storedHeadOf(await first('head'))
      return { size, frontier: hashes, chains }
    },
    byIndex: (index) => row('byIndex', index),
    byDigest: (digest) => row('byDigest', bytesOf(digest)),
    bySeq: (ns, chain, seq) => row('bySeq', ns, chain, seq),
    range: async (from, limit) => (await all('range', from, limit)).map(rowOf),
    chainRange: async (ns, chain, fromSeq, limit) => (await all('chainRange', ns, chain, fromSeq, limit)).map(rowOf),
    chains: async () => (await all('chains')).flatMap((found) => chainOf(found) ?? []),
    tile: async (level, index) =>
      ((await first('tile', level, index)) as { data: Uint8Array } | undefined)?.data ?? null,
    keys: async () => (await all('keys')).map(keyOf),
    checkpoint: async () => ((await first('checkpoint')) as CheckpointRow | undefined) ?? null,
    checkpointFrom: async (size) => ((await first('checkpointFrom', size)) as CheckpointRow | undefined) ?? null,
    answer: async (key) => answerOf(await first('answer', key)),
    answersAfter: async (key, limit) => (await all('answersAfter', key ?? new Uint8Array(), limit)).map(answerRowOf),
    ...sideWriteReads(POSTGRES, ask),
    meta: async (name) => ((await first('meta', name)) as { value: string } | undefined)?.value ?? null,
    time: async () => ((await first('time')) as { now: number }).now,
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
    const { size } = (await this.client.query<{ size: number }>(SQL.head)).rows[0]!
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
