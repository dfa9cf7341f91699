// What only PostgreSQL can do to a ledger: several nodes, sessions that end, answers that are lost on the way.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { GENESIS_PREV } from '@orch/core'
import pg from 'pg'
import { entryOf } from '#testing/ledger-stores.ts'
import { type PostgresServer, postgresUnavailable, startPostgres } from '#testing/postgres.ts'
import { place } from '../../place.ts'
import type { Head } from '../../types.ts'
import { type Batch, type LedgerStore, OutcomeUnknown } from '../store.ts'
import { outcomeOf } from './outcome.ts'
import { listen, postgresReader } from './reader.ts'
import { readerSession, writerSession } from './session.ts'
import { postgresStore } from './store.ts'

const unavailable = postgresUnavailable()
let server: PostgresServer
let databases = 0

before(async () => {
  if (!unavailable) server = await startPostgres({ settings: { fsync: 'off' } })
})
after(async () => server?.stop())

function onPostgres(sentence: string, check: (url: string) => Promise<void>): void {
  test(sentence, async (t) => {
    if (unavailable) return t.skip(unavailable)
    databases += 1
    await check(await server.createDatabase(`store_${databases}`))
  })
}

async function sql(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

async function withStore(store: LedgerStore, use: (store: LedgerStore) => Promise<void>): Promise<void> {
  await store.open()
  try {
    await use(store)
  } finally {
    await store.close()
  }
}

/** One unsigned receipt that begins a chain of its own. */
function batchOf(head: Head): Batch {
  const entry = entryOf(`chain-${head.size}`, head.size)
  const { ns, chain } = entry
  const begun = { id: head.chainCount + 1, ns, chain, depth: 0, head: GENESIS_PREV, headIndex: -1, lake: GENESIS_PREV }
  return { ...place([entry], head, () => begun), signatures: [null], keyid: null, answers: [] }
}

async function append(store: LedgerStore): Promise<void> {
  await store.write(batchOf(await store.lock()))
  await store.commit()
}

onPostgres('nothing in the address weakens the session of the writer', async (url) => {
  const weak =
    '-c synchronous_commit=off -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c default_transaction_isolation=serializable'
  const session = await writerSession({ url: `${url}?options=${encodeURIComponent(weak)}&application_name=sneaky` })
  const settings = ['synchronous_commit', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  const found: string[] = []
  for (const name of [...settings, 'application_name'])
    found.push(Object.values((await session.query(`SHOW ${name}`)).rows[0])[0] as string)
  await session.end()
  assert.deepEqual(found, ['on', '10s', '10s', '5s', 'orch-ledger'])
})

onPostgres('a stronger promise than ours is kept', async (url) => {
  const session = await writerSession({
    url: `${url}?options=${encodeURIComponent('-c synchronous_commit=remote_apply')}`,
  })
  assert.equal((await session.query('SHOW synchronous_commit')).rows[0].synchronous_commit, 'remote_apply')
  await session.end()
})

onPostgres('the sessions of the reader cannot write', async (url) => {
  await withStore(postgresStore({ url }), append)
  const session = await readerSession({ url })
  await assert.rejects(session.query(`INSERT INTO orch.meta VALUES ('a', 'b')`), /read-only transaction/)
  await session.end()
})

onPostgres('nodes that start together make the tables once', async (url) => {
  const stores = Array.from({ length: 6 }, () => postgresStore({ url }))
  await Promise.all(stores.map((store) => store.open()))
  await append(stores[0]!)
  await append(stores[5]!)
  await Promise.all(stores.map((store) => store.close()))
  await withStore(postgresStore({ url }), async (store) => assert.equal((await store.head()).size, 2))
})

onPostgres('a role that may only append can run the ledger, and cannot remove a receipt', async (url) => {
  await withStore(postgresStore({ url }), append)
  await sql(
    url,
    `CREATE ROLE appender LOGIN PASSWORD 'p/w@d#1'; GRANT USAGE ON SCHEMA orch TO appender;
     GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA orch TO appender;
     GRANT UPDATE ON orch.head, orch.chains, orch.edges, orch.keys, orch.meta TO appender`,
  )
  const own = url.replace(/orch:[^@]+@/, `appender:${encodeURIComponent('p/w@d#1')}@`)
  await withStore(postgresStore({ url: own }), append)
  await assert.rejects(sql(own, 'DELETE FROM orch.receipts'), /permission denied/)
})

onPostgres('a ledger whose triggers were switched off or dropped is not opened', async (url) => {
  await withStore(postgresStore({ url }), append)
  await sql(url, 'ALTER TABLE orch.receipts DISABLE TRIGGER receipts_never_change')
  await assert.rejects(postgresStore({ url }).open(), /triggers/)
  await sql(url, 'ALTER TABLE orch.receipts ENABLE ALWAYS TRIGGER receipts_never_change')
  await withStore(postgresStore({ url }), append)
  await sql(url, 'DROP TRIGGER tiles_never_leave ON orch.tiles')
  await assert.rejects(postgresStore({ url }).open(), /triggers/)
})

onPostgres('a writer’s commit waits for the disk of the server', async (url) => {
  const session = await writerSession({ url })
  const { rows } = await session.query('SHOW synchronous_commit')
  assert.deepEqual(rows, [{ synchronous_commit: 'on' }])
  await session.end()
})

onPostgres(
  'a ledger made before checkpoints were guarded gets its guard, and one that lost it is not opened',
  async (url) => {
    await withStore(postgresStore({ url }), append)
    const dropped = `DROP TRIGGER checkpoints_never_change ON orch.checkpoints;
    DROP TRIGGER checkpoints_never_leave ON orch.checkpoints`
    await sql(url, `${dropped}; DROP TABLE orch.checkpoints_guarded`)
    await withStore(postgresStore({ url }), append)
    await sql(url, dropped)
    await assert.rejects(postgresStore({ url }).open(), /triggers/)
  },
)

onPostgres('the triggers hold in a replication session too', async (url) => {
  await withStore(postgresStore({ url }), append)
  const attempt = 'SET session_replication_role = replica; DELETE FROM orch.receipts'
  await assert.rejects(sql(url, attempt), /receipts are append-only/)
})

onPostgres('another table in front on the search path is not written to', async (url) => {
  await sql(url, 'CREATE SCHEMA decoy; CREATE TABLE decoy.head (id int); ALTER ROLE orch SET search_path = decoy')
  try {
    await withStore(postgresStore({ url }), append)
    assert.equal((await sql(url, 'SELECT count(*)::int AS n FROM orch.receipts')).rows[0].n, 1)
  } finally {
    await sql(url, 'ALTER ROLE orch RESET search_path')
  }
})

onPostgres('a number beyond 2^53 is refused, never rounded', async (url) => {
  await withStore(postgresStore({ url }), async (store) => {
    await sql(url, 'UPDATE orch.head SET size = 9007199254740993')
    await assert.rejects(store.head(), /2\^53/)
    await assert.rejects(store.lock(), /2\^53/)
  })
})

onPostgres('a failure to connect names a code and neither address nor password', async (url) => {
  const password = decodeURIComponent(new URL(url).password)
  const cases = [
    url.replace(password, 'wrong-secret'),
    url.replace(/store_\d+$/, 'nowhere-secret'),
    url.replace(/@.*$/, '@127.0.0.1:1/db-secret'),
    'postgres://orch:half-secret/other-half-secret@127.0.0.1/db',
    'postgres://orch:half-secret@other-half-secret@no-host-secret.invalid/db',
  ]
  for (const address of cases) {
    for (const attempt of [() => postgresStore({ url: address }).open(), () => readHead(address)]) {
      const error = await attempt().then(
        () => assert.fail('it connected'),
        (reason: Error) => reason,
      )
      assert.match(error.message, /^PostgreSQL cannot be reached \([\w ]+\)$/)
      const everything = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`
      assert.doesNotMatch(everything, /secret|postgres:\/\//)
      assert.ok(!everything.includes(password))
    }
  }
})

async function readHead(url: string): Promise<void> {
  const reader = postgresReader({ url })
  try {
    await reader.head()
  } finally {
    await reader.close()
  }
}

onPostgres('a server restarted between two batches is connected to again', async (url) => {
  const reader = postgresReader({ url })
  await withStore(postgresStore({ url }), async (store) => {
    await append(store)
    assert.equal((await reader.head()).size, 1)
    await server.restart()
    await append(store)
    assert.equal((await reader.head()).size, 2)
  })
  await reader.close()
})

onPostgres('a batch in which a statement failed is not called committed', async (url) => {
  await withStore(postgresStore({ url }), async (store) => {
    const batch = batchOf(await store.lock())
    await store.write(batch)
    await assert.rejects(store.write(batch), /unique/)
    await assert.rejects(store.commit(), /rolled the batch back/)
    assert.equal((await store.head()).size, 0)
    await assert.rejects(store.commit(), /no batch is open/)
    await assert.rejects(store.write(batch), /no batch is open/)
    await append(store)
  })
})

onPostgres('a node that stops in the middle of a batch frees the head and cannot commit later', async (url) => {
  const other = postgresStore({ url })
  await other.open()
  await withStore(postgresStore({ url }), async (stopped) => {
    await stopped.write(batchOf(await stopped.lock()))
    await append(other)
    await assert.rejects(stopped.commit(), /nothing was recorded/)
    const reader = postgresReader({ url })
    assert.equal((await reader.range(0, 10)).length, 1)
    await reader.close()
    await append(stopped)
    assert.equal((await other.head()).size, 2)
  })
  await other.close()
})

interface Relay {
  url: string
  /** What happens to a COMMIT on its way. */
  onCommit: 'pass' | 'swallow' | 'lose the answer'
  /** Takes no new connection. */
  closed: boolean
  stop(): Promise<void>
}

/** Stands between the store and the server and cuts the line at the moment that matters. */
async function relayTo(url: string): Promise<Relay> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const relay = createServer((near) => {
    if (own.closed) return near.destroy()
    const far = connect(Number(target.port), target.hostname)
    const cut = () => [near, far].map((socket) => socket.destroy())
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', cut).on('close', cut)
    }
    let answerLost = false
    near.on('data', (chunk) => {
      const commit = own.onCommit !== 'pass' && chunk.includes('COMMIT\0')
      if (commit && own.onCommit === 'swallow') return cut()
      answerLost ||= commit
      far.write(chunk)
    })
    far.on('data', (chunk) => (answerLost ? cut() : near.write(chunk)))
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as { port: number }
  const own: Relay = {
    url: url.replace(`:${target.port}/`, `:${port}/`),
    onCommit: 'pass',
    closed: false,
    async stop() {
      for (const socket of sockets) socket.destroy()
      relay.close()
      await once(relay, 'close')
    },
  }
  return own
}

async function throughRelay(url: string, use: (relay: Relay, store: LedgerStore) => Promise<void>): Promise<void> {
  const relay = await relayTo(url)
  try {
    await withStore(postgresStore({ url: relay.url }, 300), (store) => use(relay, store))
  } finally {
    await relay.stop()
  }
}

onPostgres('a commit whose answer was lost is found to have been kept', async (url) => {
  await throughRelay(url, async (relay, store) => {
    relay.onCommit = 'lose the answer'
    await append(store)
    relay.onCommit = 'pass'
    assert.equal((await store.head()).size, 1)
    await append(store)
    assert.equal((await store.head()).size, 2)
  })
})

onPostgres('a commit that never arrived is found to have been rolled back', async (url) => {
  await throughRelay(url, async (relay, store) => {
    relay.onCommit = 'swallow'
    await assert.rejects(append(store), (error) => !(error instanceof OutcomeUnknown) && /nothing/.test(String(error)))
    relay.onCommit = 'pass'
    assert.equal((await store.head()).size, 0)
    await append(store)
  })
})

onPostgres('a commit whose answer was lost with the whole line has an unknown outcome', async (url) => {
  await throughRelay(url, async (relay, store) => {
    await store.write(batchOf(await store.lock()))
    relay.onCommit = 'lose the answer'
    relay.closed = true
    await assert.rejects(store.commit(), OutcomeUnknown)
    relay.closed = false
    relay.onCommit = 'pass'
    assert.equal((await store.head()).size, 1)
  })
})

onPostgres('a transaction still in progress is waited for, and a number never given out is not judged', async (url) => {
  await withStore(postgresStore({ url }), append)
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('BEGIN')
  const { xid } = (await holder.query('SELECT pg_current_xact_id()::text AS xid')).rows[0]
  const digest = new Uint8Array(32)
  assert.equal(await outcomeOf({ url }, xid, digest, 250), 'unknown')
  const waiting = outcomeOf({ url }, xid, digest, 8000)
  await pause(150)
  await holder.query('ROLLBACK')
  assert.equal(await waiting, 'rolled back')
  await holder.query('BEGIN')
  const next = (await holder.query('SELECT pg_current_xact_id()::text AS xid')).rows[0].xid
  await holder.query('COMMIT')
  assert.equal(await outcomeOf({ url }, next, digest, 8000), 'unknown', 'committed, but not by the batch')
  assert.equal(await outcomeOf({ url }, next, null, 8000), 'committed')
  assert.equal(await outcomeOf({ url }, String(2 ** 50), digest, 250), 'unknown')
  await holder.end()
})

/** Collects what a listener says and waits for a size. */
function heard(): { sizes: number[]; onSize: (size: number) => void; until(size: number): Promise<void> } {
  const sizes: number[] = []
  return {
    sizes,
    onSize: (size) => sizes.push(size),
    async until(size) {
      while (sizes.at(-1) !== size) await pause(20)
    },
  }
}

onPostgres('a listener hears of appends, believes no payload and comes back after its session ended', async (url) => {
  await withStore(postgresStore({ url }), async (store) => {
    await append(store)
    const ear = heard()
    const stop = await listen({ url }, ear.onSize)
    assert.deepEqual(ear.sizes, [1])
    await append(store)
    await ear.until(2)
    await sql(url, `NOTIFY orch_ledger, '999'`)
    await sql(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'orch-ledger-reader' AND datname = current_database()`,
    )
    await append(store)
    await ear.until(3)
    await append(store)
    await ear.until(4)
    await stop()
    await append(store)
    await pause(100)
    assert.deepEqual(ear.sizes, [1, 2, 3, 4])
  })
})
