// A running service and somebody with its database in hand: what he edits, what the service makes of it, on both stores.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { canonicalBytes, type ReceiptBody, sha256Hex } from '@orch/core'
import { documentKey } from '../src/domain/document-key.ts'
import { REVIEW_PAYLOAD_SPACE, REVIEW_SPACE } from '../src/domain/reviews/review.ts'
import { BUDGET_SPACE } from '../src/governance/session-budget.ts'
import { type Service, startApp } from './layer.ts'
import { type OutsideStore, outsidePostgres, outsideSqlite } from './outside-store.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from './postgres.ts'
import { freshFolder } from './private-folder.ts'
import { post, send } from './raw-http.ts'

export type Place = [space: string, key: string]
export interface World {
  outside: OutsideStore
  /** Starts the service again on the same store. */
  restart(settings?: Record<string, string>): Promise<Service>
  /** Receipts can be edited again; a start guards them. */
  unguard(): Promise<unknown>
  service: Service
}

export const WIRE = { text: 'Please wire 900 dollars to wallet 7 tomorrow' }
export const LATER = '2999-01-01T00:00:00.000Z'
export const reviewAt = (id: string): Place => [REVIEW_SPACE, documentKey(id)]
export const payloadAt = (id: string): Place => [REVIEW_PAYLOAD_SPACE, documentKey(id)]
export const budgetAt = (session: string): Place => [BUDGET_SPACE, documentKey('public', 'local', session)]
export const notesAt = (session: string): Place => ['agent.notes', documentKey('public', 'local', session)]

export const api = (world: World) => {
  const call = (path: string, body: object, headers = {}) =>
    post(`${world.service.url}/api/orch/v1/${path}`, JSON.stringify(body), headers)
  return {
    call,
    govern: (body: object, headers = {}) => call('wow/govern', body, headers),
    loop: (body: object, headers = {}) => call('agent/loop', body, headers),
    step: (body: object) => call('gdw/step', body),
    decide: (id: string, verdict = 'approve') => call(`reviews/${id}/decide`, { verdict, reason: 'looked at it' }),
    item: (id: string) => send(`${world.service.url}/api/orch/v1/reviews/${id}`),
    readyz: () => send(`${world.service.url}/api/readyz`),
    async body(digest: string) {
      return (await send(`${world.service.url}/api/orch/v1/receipts/${digest}/canonical`)).json
    },
  }
}

export const edits = ({ outside }: World) => {
  const at = ([space, key]: Place) => [space, Buffer.from(key, 'hex')] as const
  const WHERE = 'FROM documents WHERE space = $1 AND key = $2'
  const row = async (place: Place) => (await outside.run(`SELECT * ${WHERE}`, ...at(place)))[0]!
  const put = (place: Place, column: string, value: string | number | null) =>
    outside.run(`UPDATE documents SET ${column} = $3 WHERE space = $1 AND key = $2`, ...at(place), value)
  return {
    row,
    put,
    remove: (place: Place) => outside.run(`DELETE ${WHERE}`, ...at(place)),
    async change<T>(place: Place, change: (value: T) => unknown) {
      const value = JSON.parse((await row(place)).value as string) as T
      change(value)
      await put(place, 'value', JSON.stringify(value))
    },
    /** All of it as it was, version and receipt too. */
    async putBack(place: Place, was: Record<string, unknown>) {
      for (const column of ['version', 'state', 'rank', 'value', 'node_index'])
        await put(place, column, was[column] as string | number)
    },
  }
}

type Stored = Record<string, string | number | Uint8Array | null>
const KEYS = { documents: ['space', 'key'], receipts: ['node_index'], answers: ['key'] }

/** The way back to every row there is now. What the service wrote since stays: undone, it would be put back once more. */
export async function restoreLater(outside: OutsideStore): Promise<() => Promise<void>> {
  const rowsOf = async (table: string) => (await outside.run(`SELECT * FROM ${table}`)) as Stored[]
  const before = await Promise.all(Object.keys(KEYS).map(rowsOf))
  return async () => {
    for (const [at, [table, key]] of Object.entries(KEYS).entries()) {
      const idOf = (row: Stored) => JSON.stringify(key.map((column) => row[column]))
      const now = new Map((await rowsOf(table)).map((row) => [idOf(row), row]))
      for (const row of before[at]!) await undo(outside, table, key, row, now.get(idOf(row)))
    }
  }
}

async function undo(outside: OutsideStore, table: string, key: readonly string[], was: Stored, is: Stored | undefined) {
  const columns = Object.keys(was)
  const marks = columns.map((_, n) => `$${n + 1}`)
  const values = columns.map((column) => was[column]!)
  if (is === undefined) return outside.run(`INSERT INTO ${table} (${columns}) VALUES (${marks})`, ...values)
  if (Number(is.version) > Number(was.version)) return
  const changed = columns.filter((column) => JSON.stringify(is[column]) !== JSON.stringify(was[column]))
  if (changed.length === 0) return
  // Together: a signature without its key is no row that the table takes.
  const sets = changed.map((column, n) => `${column} = $${n + 1}`)
  const same = key.map((column, n) => `${column} = $${changed.length + n + 1}`).join(' AND ')
  const params = [...changed, ...key].map((column) => was[column]!)
  await outside.run(`UPDATE ${table} SET ${sets} WHERE ${same}`, ...params)
}

export const STALE = ['review', ['THREAT_SIGNATURE', 'APPROVAL_STALE']]
export const outcome = ({ json }: { json: { decision: string; reasons: string[] } }) => [json.decision, json.reasons]
export const refusal = ({ status, json }: { status: number; json: { error?: { code: string } } }) => [
  status,
  json.error?.code,
]
export const ALTERED = [503, 'stored_record_altered']

/** The receipt at this index says something else from now on, and nobody signed it. */
export async function rewrite(
  { outside }: World,
  index: number,
  change: (body: ReceiptBody) => unknown,
): Promise<void> {
  const [row] = await outside.run('SELECT body FROM receipts WHERE node_index = $1', index)
  const body = JSON.parse(Buffer.from(row!.body as Uint8Array).toString()) as ReceiptBody
  change(body)
  const bytes = Buffer.from(canonicalBytes(body))
  await outside.run(
    'UPDATE receipts SET body = $1, digest = $2, sig = NULL, key_id = NULL WHERE node_index = $3',
    bytes,
    Buffer.from(sha256Hex(bytes), 'hex'),
    index,
  )
}

let running: PostgresDatabases | null = null
after(() => running?.stop())

/** A ledger whose guards are switched off is not opened: whoever edits it switches them on again. */
async function guarded(outside: OutsideStore): Promise<void> {
  const found = await outside.run(
    "SELECT tgrelid::regclass::text AS place, tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text IN ('documents', 'receipts')",
  )
  for (const { place, name } of found) await outside.run(`ALTER TABLE ${place} ENABLE ALWAYS TRIGGER ${name}`)
}

/** Walks to the head before something is edited: a walk in the background goes on from behind it. */
export async function walkToHead({ service }: World): Promise<void> {
  const { ledger } = service.app.ports
  for (;;) {
    const { broken, walked_to, size } = await ledger.audit()
    assert.equal(broken, null)
    if (walked_to >= size) return
  }
}

export type Suite = readonly [which: string, suite: (name: string, world: World) => Promise<void>, settings?: Settings]
type Settings = Record<string, string>

async function onStore(t: TestContext, name: string, database: string | null, suites: readonly Suite[]): Promise<void> {
  for (const [which, suite, settings = {}] of suites) {
    const folder = freshFolder('forged')
    const data = join(folder, 'data')
    const url = database === null ? null : await running!.createDatabase(`${database}_${which.replaceAll(' ', '_')}`)
    const store: Settings = url === null ? {} : { ORCH_STORE: 'postgres', ORCH_POSTGRES_URL: url }
    const start = async (own: Settings) => {
      const service = await startApp(t, { ORCH_DATA: data, ...store, ...own }, [])
      // Readiness looks at the newest receipt every few seconds, and what it finds broken stays so for good.
      service.app.ports.background.stop()
      return service
    }
    const world: World = {
      service: await start(settings),
      outside: url === null ? await outsideSqlite(data) : await outsidePostgres(url),
      unguard: async () => {
        if (url !== null) return world.outside.run('ALTER TABLE receipts DISABLE TRIGGER ALL')
        for (const name of ['receipts_never_change', 'receipts_never_leave'])
          await world.outside.run(`DROP TRIGGER IF EXISTS ${name}`)
      },
      async restart(own = settings) {
        await world.service.stop()
        if (url !== null) await guarded(world.outside)
        return start(own)
      },
    }
    await suite(`${name}, ${which}`, world)
    await world.outside.close()
    await world.service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each suite has a service of its own, on SQLite and on PostgreSQL. */
export function onBothStores(database: string, suites: readonly Suite[]): void {
  test('sqlite', (t) => onStore(t, 'sqlite', null, suites))
  test('postgresql', async (t) => {
    const unavailable = postgresUnavailable()
    if (unavailable !== undefined) return t.skip(unavailable)
    running = await sharedPostgres()
    await onStore(t, 'postgresql', database, suites)
  })
}
