/** Sessions on PostgreSQL as the ledger needs them: numbers and bytes parsed locally, limits that free the head row when
 *  a process stops, and failures that never repeat the address. */
import pg from 'pg'

export interface PostgresAddress {
  url: string
}

const INT8 = 20
const BYTEA = 17

/** Plain bytes with a buffer of their own: a slice of a pool would carry its neighbours across a thread boundary. */
const bytesFromText = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'))

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('the database holds a number beyond 2^53')
  return value
}

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return safeInteger
    if (oid === BYTEA) return bytesFromText
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/** Set on the session, after the start, so that nothing in the address, the role or the environment weakens them.
 *  `remote_apply` waits for more than `on` does and is left alone. Idle in a transaction for 5 s = the process stopped:
 *  the server ends the session, so the head row is free again and the batch can never be committed late. */
const WRITER_SETTINGS = `SELECT set_config('application_name', 'orch-ledger', false),
  set_config('statement_timeout', '10s', false), set_config('lock_timeout', '10s', false),
  set_config('idle_in_transaction_session_timeout', '5s', false),
  set_config('default_transaction_read_only', 'off', false), set_config('client_encoding', 'UTF8', false),
  set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`

/** Every question of a reader is a walk along an index that ends at its limit, and the planner is not asked: it takes the
 *  first ten thousand of a million for a good reason to read the whole table, or to collect the places of all of them
 *  first. What is that short is not worth compiling either. */
const READER_SETTINGS = `SELECT set_config('application_name', 'orch-ledger-reader', false),
  set_config('statement_timeout', '10s', false), set_config('client_encoding', 'UTF8', false),
  set_config('default_transaction_read_only', 'on', false), set_config('enable_seqscan', 'off', false),
  set_config('enable_bitmapscan', 'off', false), set_config('enable_sort', 'off', false),
  set_config('jit', 'off', false)`

/** The server gives up after 10 s; no answer after 15 means that nobody is there. */
const NO_ANSWER_MS = 15_000
const CONNECT_MS = 5_000

const optionsOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  types: TYPES,
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_MS,
  query_timeout: NO_ANSWER_MS,
})

/** A password with a stray `@` or `/` ends up as host, port or database of the address: of a failure to connect only
 *  the code is repeated, never the words. */
export const unreachable = (error: unknown): Error =>
  new Error(`PostgreSQL cannot be reached (${(error as { code?: string }).code ?? 'no answer'})`)

/** True where the session itself is gone; a statement that was merely refused leaves it usable. */
export const isGone = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || /^(?:08|28|3D|53300|57P|25P0[34])/.test(error.code ?? '')

export const readerSession = (address: PostgresAddress): Promise<pg.Client> => connect(address, READER_SETTINGS)
export const writerSession = (address: PostgresAddress): Promise<pg.Client> => connect(address, WRITER_SETTINGS)

async function connect({ url }: PostgresAddress, settings: string): Promise<pg.Client> {
  let client: pg.Client | null = null
  try {
    client = new pg.Client(optionsOf(url))
    // A session that ends while nobody asks anything would otherwise end the process; the next statement finds out.
    client.on('error', () => void endSession(client))
    await client.connect()
    await client.query(settings)
    return client
  } catch (error) {
    await endSession(client)
    throw unreachable(error)
  }
}

/** Never rejects: a session that cannot be ended in good order is over all the same. */
export async function endSession(client: pg.Client | null): Promise<void> {
  await client?.end().catch(() => undefined)
}

export function readerPool({ url }: PostgresAddress): pg.Pool {
  const onConnect = async (client: pg.ClientBase): Promise<void> => {
    await client.query(READER_SETTINGS)
  }
  try {
    const pool = new pg.Pool({ ...optionsOf(url), max: 4, onConnect })
    // The pool drops the session that failed by itself; without a listener the process would end.
    pool.on('error', () => undefined)
    return pool
  } catch (error) {
    throw unreachable(error)
  }
}
