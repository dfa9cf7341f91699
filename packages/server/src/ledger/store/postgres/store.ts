/** The ledger in PostgreSQL, for several nodes: the row of the head orders them. A batch costs three round trips (lock,
 *  write, commit) and those of the chains and answers it has to look up. */

import type pg from 'pg'
import type { CheckpointRow, KeyRow, StoreModes } from '../../contract.ts'
import type { Head } from '../../types.ts'
import { ledgerTexts } from '../ledger-sql.ts'
import { type Batch, type LedgerStore, OutcomeUnknown } from '../store.ts'
import { answerOf, bytesOf, chainOf, edgesOf, headRowOf, hexOf, packHashes } from '../stored-rows.ts'
import { outcomeOf, RETRY_BUDGET_MS } from './outcome.ts'
import { ensureSchema } from './schema.ts'
import { endSession, isGone, type PostgresAddress, writerSession } from './session.ts'
import { columns, hexColumns, POSTGRES, postgresSideWrites, SIDE_WRITE_SQL } from './side-writes.ts'

/** Other nodes listen here. Anybody who may connect can send on a channel, so its payload is never believed. */
export const CHANNEL = 'orch_ledger'

/** One message, four statements, each with a snapshot of its own: the edges are read after the lock was waited for. */
const LOCK = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT size, frontier, chains FROM orch.head WHERE id = 1 FOR UPDATE;
SELECT idx, data FROM orch.edges ORDER BY level;
SELECT pg_current_xact_id()::text AS xid`

/** Prepared once per session under these names. `head` is one statement, hence one snapshot of head and edges. `write`
 *  is a whole batch in one statement; in it the head moves only from where the batch began. */
const SQL = {
  ...ledgerTexts(POSTGRES),
  head: `SELECT h.size, h.frontier, h.chains, e.idx, e.data
    FROM orch.head h LEFT JOIN orch.edges e ON true WHERE h.id = 1 ORDER BY e.level`,
  write: `WITH new_receipts AS (
      INSERT INTO orch.receipts (node_index, chain_id, seq, prev, digest, lake, body, sig, key_id)
      SELECT r.node_index, r.chain_id, r.seq, r.prev, r.digest, r.lake, r.body, r.sig,
        CASE WHEN r.unsigned THEN NULL ELSE (SELECT id FROM orch.keys WHERE keyid = $9) END
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[],
        $8::bytea[], $32::boolean[]) AS r (node_index, chain_id, seq, prev, digest, lake, body, sig, unsigned)
    ), new_chains AS (
      INSERT INTO orch.chains (id, ns, chain, depth, head, head_index, lake) SELECT * FROM
        unnest($10::bigint[], $11::text[], $12::text[], $13::bigint[], $14::bytea[], $15::bigint[], $16::bytea[])
      ON CONFLICT (id) DO UPDATE SET depth = excluded.depth, head = excluded.head, head_index = excluded.head_index,
        lake = excluded.lake
    ), new_tiles AS (
      INSERT INTO orch.tiles (level, idx, data) SELECT * FROM unnest($17::bigint[], $18::bigint[], $19::bytea[])
    ), new_edges AS (
      INSERT INTO orch.edges (level, idx, data) SELECT * FROM unnest($20::bigint[], $21::bigint[], $22::bytea[])
      ON CONFLICT (level) DO UPDATE SET idx = excluded.idx, data = excluded.data
    ), new_answers AS (
      INSERT INTO orch.answers (key, request, node_index, answer, at_ms, tree_size)
      SELECT a.*, $28 FROM unnest($23::bytea[], $24::bytea[], $25::bigint[], $26::text[], $27::bigint[]) AS a
    )
    UPDATE orch.head SET size = $28, frontier = $29, chains = $30 WHERE id = 1 AND size = $31
    RETURNING pg_notify('${CHANNEL}', size::text)`,
  answers: `SELECT key, request, node_index AS "nodeIndex", tree_size AS "treeSize", answer FROM orch.answers
    WHERE key = ANY ($1::bytea[])`,
  putKey: `INSERT INTO orch.keys (keyid, spki, kind, from_index, to_index, from_ts, to_ts)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (keyid) DO UPDATE
      SET kind = excluded.kind, to_index = excluded.to_index, to_ts = excluded.to_ts`,
  modes: `SELECT current_setting('synchronous_commit') AS synchronous,
    CASE current_setting('fsync') WHEN 'on' THEN 'wal' ELSE 'wal, fsync off' END AS journal_mode`,
  putCheckpoint: 'INSERT INTO orch.checkpoints (size, note) VALUES ($1, $2) ON CONFLICT (size) DO NOTHING',
  putMeta:
    'INSERT INTO orch.meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  putAnswers: `INSERT INTO orch.answers (key, request, node_index, tree_size, answer, at_ms) SELECT * FROM
    unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])`,
  forget: 'DELETE FROM orch.answers WHERE at_ms < $1',
  ...SIDE_WRITE_SQL,
} as const

interface OpenBatch {
  client: pg.Client
  xid: string
  first: Uint8Array | null
}

type Found = Record<string, unknown>

/** The one session of the writer and the batch open on it. */
class Writer {
  private readonly address: PostgresAddress
  private readonly patienceMs: number
  private client: pg.Client | null = null
  private batch: OpenBatch | null = null
  readonly sideWrites = postgresSideWrites(async (name, ...values) => (await this.ask(name, ...values)).rows)

  constructor(address: PostgresAddress, patienceMs: number) {
    this.address = address
    this.patienceMs = patienceMs
  }

  /** The session in use; a new one where the last was lost. Never a new one in the middle of a batch. */
  async session(): Promise<pg.Client> {
    if (this.batch !== null) return this.batch.client
    this.client ??= await this.watched()
    return this.client
  }

  private async watched(): Promise<pg.Client> {
    const client = await writerSession(this.address)
    client.once('end', () => {
      if (this.client === client) this.client = null
    })
    return client
  }

  async ask(name: keyof typeof SQL, ...values: unknown[]): Promise<pg.QueryResult<Found>> {
    const client = await this.session()
    try {
      return await client.query<Found>({ name, text: SQL[name], values })
    } catch (error) {
      if (isGone(error)) await this.drop()
      throw error
    }
  }

  async lock(): Promise<Head> {
    if (this.batch !== null) throw new Error('a batch is open already')
    const reused = this.client !== null
    try {
      return await this.begin()
    } catch (error) {
      await this.drop()
      // A session that went away unnoticed between two batches lost nothing: a new one begins the batch.
      if (reused && isGone(error)) return await this.begin()
      throw error
    }
  }

  private async begin(): Promise<Head> {
    const client = await this.session()
    const results = (await client.query(LOCK)) as unknown as pg.QueryResult<Found>[]
    const [, head, edges, xact] = results
    // Before the batch counts as open: nothing is placed after a head that cannot be read.
    const found = headOf(head!.rows[0], edges!.rows)
    this.batch = { client, xid: xact!.rows[0]!.xid as string, first: null }
    return found
  }

  async write(batch: Batch): Promise<void> {
    const open = this.opened()
    open.first = batch.placed[0] === undefined ? null : bytesOf(batch.placed[0].digest)
    const { rowCount } = await this.ask('write', ...valuesOf(batch))
    if (rowCount !== 1) throw new Error('the head is not where the batch began')
    if (batch.documents !== undefined) await this.sideWrites.writeDocuments(batch.documents)
    if (batch.counters !== undefined) await this.sideWrites.writeCounters(batch.counters)
  }

  async commit(): Promise<void> {
    const open = this.opened()
    const answer = await this.sendCommit(open)
    this.batch = null
    if (answer === 'COMMIT') return
    await this.drop()
    // A transaction that failed before is rolled back by COMMIT, and the server says so without an error.
    const outcome =
      answer === null ? await outcomeOf(this.address, open.xid, open.first, this.patienceMs) : 'rolled back'
    if (outcome === 'rolled back') throw new Error('the database rolled the batch back; nothing was recorded')
    if (outcome === 'unknown') throw new OutcomeUnknown('the database did not say whether the batch was kept')
  }

  /** Null where the answer was lost or is an error: some come after the commit has happened, so none is believed. */
  private async sendCommit({ client }: OpenBatch): Promise<string | null> {
    try {
      return (await client.query('COMMIT')).command
    } catch {
      return null
    }
  }

  async rollback(): Promise<void> {
    const open = this.batch
    this.batch = null
    if (open === null || this.client !== open.client) return
    try {
      await open.client.query('ROLLBACK')
    } catch {
      // Without its session the server rolls the batch back by itself.
      await this.drop()
    }
  }

  private opened(): OpenBatch {
    if (this.batch === null) throw new Error('no batch is open')
    return this.batch
  }

  async drop(): Promise<void> {
    const client = this.client
    this.client = null
    await endSession(client)
  }
}

/** `patienceMs`: how long the outcome of a commit without an answer is asked for before it counts as unknown. */
export function postgresStore(address: PostgresAddress, patienceMs = RETRY_BUDGET_MS): LedgerStore {
  const writer = new Writer(address, patienceMs)
  const first = async (name: keyof typeof SQL, ...values: unknown[]) => (await writer.ask(name, ...values)).rows[0]
  return {
    durability: 'DURABLE_EXTERNAL',
    exclusive: false,
    async open() {
      try {
        await ensureSchema(await writer.session())
      } catch (error) {
        await writer.drop()
        throw error
      }
    },
    assertOwnFiles: () => undefined,
    files: () => [],
    lock: () => writer.lock(),
    begin: async () => void (await writer.lock()),
    async head() {
      const { rows } = await writer.ask('head')
      return headOf(rows[0], rows[0]?.idx === null ? [] : rows)
    },
    chain: async (ns, chain) => chainOf(await first('chain', ns, chain)),
    async answers(keys) {
      const { rows } = await writer.ask('answers', keys)
      const byKey = new Map(rows.map((row) => [hexOf(row.key), row]))
      return keys.map((key) => answerOf(byKey.get(hexOf(key))))
    },
    write: (batch) => writer.write(batch),
    ...writer.sideWrites,
    async putAnswers(rows) {
      await writer.ask('putAnswers', ...columns(rows, 'key', 'request', 'nodeIndex', 'treeSize', 'answer', 'atMs'))
    },
    commit: () => writer.commit(),
    rollback: () => writer.rollback(),
    async modes() {
      const { journal_mode, synchronous } = (await first('modes')) as unknown as Omit<StoreModes, 'engine'>
      return { engine: 'postgresql', journal_mode, synchronous }
    },
    spill: () => undefined,
    keys: async () => (await writer.ask('keys')).rows.map((row) => ({ ...(row as unknown as KeyRow) })),
    async putKey({ keyid, spki, kind, fromIndex, toIndex, from, to }) {
      await writer.ask('putKey', keyid, spki, kind, fromIndex, toIndex, from, to)
    },
    checkpoint: async () => ((await first('checkpoint')) as unknown as CheckpointRow | undefined) ?? null,
    async putCheckpoint({ size, note }) {
      await writer.ask('putCheckpoint', size, note)
    },
    meta: async (name) => ((await first('meta', name))?.value as string | undefined) ?? null,
    async putMeta(name, value) {
      await writer.ask('putMeta', name, value)
    },
    forgetAnswers: async (beforeMs) => (await writer.ask('forget', beforeMs)).rowCount ?? 0,
    close: () => writer.drop(),
  }
}

function headOf(row: Found | undefined, edges: readonly Found[]): Head {
  const { size, hashes, chains } = headRowOf(row)
  return { size, frontier: { size, hashes }, edges: edgesOf(edges), chainCount: chains }
}

/** The values of `write`, column by column. */
function valuesOf({ placed, signatures, keyid, chains, head, tiles, changedEdges, answers }: Batch): unknown[] {
  const edges = changedEdges.map((level) => head.edges[level]!)
  return [
    ...columns(placed, 'nodeIndex', 'chainId', 'seq'),
    ...hexColumns(placed, 'prev', 'digest', 'lake'),
    ...columns(placed, 'body'),
    placed.map((_, at) => signatures[at] ?? null),
    keyid,
    ...columns(chains, 'id', 'ns', 'chain', 'depth'),
    ...hexColumns(chains, 'head'),
    ...columns(chains, 'headIndex'),
    ...hexColumns(chains, 'lake'),
    ...columns(tiles, 'level', 'index', 'data'),
    changedEdges,
    ...columns(edges, 'index'),
    edges.map((edge) => packHashes(edge.hashes)),
    ...columns(answers, 'key', 'request', 'nodeIndex', 'answer', 'atMs'),
    head.size,
    packHashes(head.frontier.hashes),
    head.chainCount,
    head.size - placed.length,
    placed.map((row) => row.unsigned ?? false),
  ]
}
