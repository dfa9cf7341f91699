import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { SQLITE_WITHOUT_STEP_GUARDS } from '#testing/without-step-guards.ts'
import { LEDGER_FILE } from '../../../ledger/store/sqlite/store.ts'
import type { StoredEffect, StoredSession, StoredState } from '../contract.ts'
import { effectKey, effectSpace } from '../outbox/effect-documents.ts'
import { sessionName } from '../rules/state.ts'
import { SESSION_SPACE, STATE_SPACE, stateKey } from '../store/session-documents.ts'
import { readHeads } from './heads.ts'
import { Verifier } from './verifier.ts'

const service = await startApp({ after }, {}, [])
const API = `${service.url}/api/orch/v1/gdw`
const { ledger } = service.app.ports
const { reader } = ledger
// The service writes beside it.
const outside = new DatabaseSync(join(service.data, LEDGER_FILE), { timeout: 10_000 })
after(() => outside.close())
// The database would refuse most of what is altered here.
outside.exec(SQLITE_WITHOUT_STEP_GUARDS)
const step = async (session_id: string, request: string) =>
  (await post(`${API}/step`, JSON.stringify({ session_id, request }))).json
const walk = async (path = 'integrity/global') => (await send(`${API}/${path}`)).json

const [A, B] = ['a', 'b'].map((id) => sessionName('public', 'local', id)) as [string, string]
// In the order they are recorded: a 1, b 1, a 2, b 2 under review, a 3.
for (const [id, request] of [
  ['a', 'read the audit log'],
  ['b', 'list the open invoices'],
  ['a', 'read the audit log of March'],
  ['b', 'pay all invoices of Acme'],
  ['a', 'summarise the minutes'],
] as const)
  assert.ok((await step(id, request)).receipt, request)

type Place = [space: string, key: string]
const stateAt = (session: string, n: number): Place => [STATE_SPACE, stateKey(session, n)]
const effectAt = (id: string, n: number, kind: StoredEffect['kind']): Place => [
  effectSpace('public'),
  effectKey({ namespace: 'public', owner: 'local', sessionId: id }, n, kind),
]
const bytes = (hex: string) => Buffer.from(hex, 'hex')
const valueAt = ([space, key]: Place): string =>
  (
    outside.prepare('SELECT value FROM documents WHERE space = ? AND key = ?').get(space, bytes(key)) as {
      value: string
    }
  ).value
const put = (place: Place, value: string) =>
  outside.prepare('UPDATE documents SET value = ? WHERE space = ? AND key = ?').run(value, place[0], bytes(place[1]))
const change = <T>(place: Place, edit: (value: T) => void): void => {
  const value = JSON.parse(valueAt(place)) as T
  edit(value)
  put(place, JSON.stringify(value))
}
const remove = ([space, key]: Place) =>
  outside.prepare('UPDATE documents SET value = NULL WHERE space = ? AND key = ?').run(space, bytes(key))

const tamperings: [what: string, do_: () => void, index: number, kind: string | null, session: string | null][] = [
  [
    'altering a record',
    () => change<StoredState>(stateAt(A, 2), ({ record }) => (record.spent = 1)),
    2,
    'state_hash',
    A,
  ],
  [
    'altering a record and the hash beside it',
    () =>
      change<StoredState>(stateAt(A, 2), (state) => {
        state.record.mode = 'mla_global'
        state.state_hash = 'ab'.repeat(32)
      }),
    2,
    'state_hash',
    A,
  ],
  ['deleting a record', () => remove(stateAt(A, 2)), 2, 'orphan_receipt', null],
  ['making a record unreadable', () => put(stateAt(B, 1), '{'), 1, 'orphan_receipt', null],
  [
    'swapping two records',
    () => {
      const [one, other] = [stateAt(A, 2), stateAt(B, 2)]
      const [first, second] = [valueAt(one), valueAt(other)]
      put(one, second)
      put(other, first)
    },
    2,
    null,
    null,
  ],
  [
    'putting a copy of a record in the place of another',
    () => put(stateAt(A, 3), valueAt(stateAt(A, 2))),
    4,
    'step_gap',
    A,
  ],
  [
    'inserting a record nobody signed for',
    () =>
      outside
        .prepare(
          'INSERT INTO documents (space, key, version, owner, state, rank, value, node_index) SELECT space, ?, 1, owner, state, 4, value, node_index FROM documents WHERE space = ? AND key = ?',
        )
        .run(bytes(stateKey(A, 4)), STATE_SPACE, bytes(stateKey(A, 3))),
    5,
    'missing_receipt',
    A,
  ],
  [
    'taking a record to another receipt',
    () =>
      outside
        .prepare('UPDATE documents SET node_index = 0 WHERE space = ? AND key = ?')
        .run(STATE_SPACE, bytes(stateKey(A, 2))),
    2,
    'missing_receipt',
    A,
  ],
  [
    'taking the head of a session back',
    () =>
      change<StoredSession>([SESSION_SPACE, A], (session) => {
        session.step = 2
        session.state_hash = session.prev_state_hash
      }),
    5,
    'step_gap',
    A,
  ],
  [
    'making a session spend less',
    () => change<StoredSession>([SESSION_SPACE, A], (session) => (session.spent = 0)),
    5,
    'spent',
    A,
  ],
  ['removing a session', () => remove([SESSION_SPACE, B]), 5, 'checkpoint', null],
  ['removing an effect', () => remove(effectAt('a', 1, 'proof_export')), 0, 'effect_binding', A],
  [
    'giving an effect another id',
    () => change<StoredEffect>(effectAt('a', 2, 'proof_export'), (effect) => (effect.effect_id = 'cd'.repeat(32))),
    2,
    'effect_binding',
    A,
  ],
  [
    'telling reviewers something else',
    () => change<StoredState>(stateAt(B, 2), (state) => (state.review!.reasons = ['NOTHING_TO_SEE'])),
    3,
    'effect_binding',
    B,
  ],
]

/** Put back as it was, removed and inserted documents too. */
function restoring(work: () => void, then: () => Promise<void>): Promise<void> {
  outside.exec('CREATE TEMP TABLE IF NOT EXISTS kept AS SELECT * FROM documents WHERE 0; DELETE FROM temp.kept')
  outside.exec("INSERT INTO temp.kept SELECT * FROM documents WHERE space LIKE 'gdw.%'")
  work()
  return then().finally(() => {
    outside.exec(
      "BEGIN; DELETE FROM documents WHERE space LIKE 'gdw.%'; INSERT INTO documents SELECT * FROM temp.kept; COMMIT",
    )
  })
}

for (const [what, tamper, index, kind, session] of tamperings)
  test(`${what} is found at its index`, () =>
    restoring(tamper, async () => {
      const report = await walk()
      assert.equal(report.ok, false)
      assert.equal(report.first_broken.index, index)
      if (kind !== null) assert.equal(report.first_broken.kind, kind)
      if (session !== null) assert.equal(report.first_broken.session, session)
      const own = await walk('integrity')
      assert.equal(own.ok, false)
      if (session !== null) assert.equal(own.first_broken.session, session === A ? 'a' : 'b', 'to its owner by its id')
    }))

test('an untouched store holds, with the root of the heads', async () => {
  const report = await walk()
  assert.deepEqual([report.ok, report.first_broken, report.records_total, report.sessions], [true, null, 5, 2])
  assert.deepEqual([report.merkle.leaves, report.walk.mode, report.walk.records_walked], [2, 'FULL', 5])
  assert.deepEqual([...new Set(Object.values(report.invalid))], [0])
  const own = await walk('integrity')
  assert.deepEqual([own.merkle, own.scope], [report.merkle, 'owner'])
})

test('a step on a session whose records do not hold is refused and leaves nothing; others go on', async () => {
  const head: Place = [SESSION_SPACE, A]
  const whole = valueAt(head)
  change<StoredSession>(head, (session) => {
    session.spent = 0
  })
  const before = (await reader.head()).size
  const { error } = await step('a', 'read the audit log of May')
  assert.equal(error.code, 'session_chain_broken')
  assert.equal((await reader.head()).size, before)
  assert.equal((await step('c', 'read the audit log')).step, 1)
  put(head, whole)
  assert.equal((await step('a', 'read the audit log of May')).step, 4)
})

test('beyond the limit a walk goes on from where the verifier has been, and looks at older records again', async () => {
  const sink = { name: 'none', delivered: null }
  const verifier = new Verifier({
    reader,
    ledger,
    clock: { now: () => 1_000, monotonic: () => 0 },
    sink,
    maxWalked: 3,
  })
  await verifier.tick()
  assert.equal(verifier.lastFullWalkAt, new Date(1_000).toISOString())
  const total = (await verifier.namespaces())[0]!.records
  const begun = async () => verifier.walk('public', 'whole', total, await readHeads(reader, null))
  const { walk: found, mode } = await begun()
  assert.deepEqual(
    [mode, found.start, found.walked],
    ['INCREMENTAL', total, total],
    'all of them once more, for there are few',
  )
  assert.equal(found.asked.state().first_broken, null)
  await step('a', 'read the audit log of June')
  const next = await begun()
  assert.deepEqual(
    [next.walk.start, next.walk.asked.next, next.walk.asked.state().first_broken],
    [total, total + 1, null],
  )
  await restoring(
    () => change<StoredState>(stateAt(A, 2), ({ record }) => (record.estimate += 1)),
    async () => {
      const { walk: broken } = await begun()
      assert.deepEqual(broken.asked.state().first_broken, { session: A, index: 2, kind: 'state_hash' })
    },
  )
})

test('what the verifier found broken blocks new steps until a walk finds it whole', async () => {
  let now = 1_000
  const sink = { name: 'none', delivered: null }
  const verifier = new Verifier({ reader, ledger, clock: { now: () => now, monotonic: () => 0 }, sink })
  await restoring(
    () => remove(stateAt(A, 1)),
    async () => {
      await verifier.tick()
      assert.equal(verifier.isBroken, true)
    },
  )
  await verifier.tick()
  assert.equal(verifier.isBroken, true, 'until all of it was walked again')
  now += 24 * 3_600_000
  await verifier.tick()
  assert.equal(verifier.isBroken, false)
})

test('walks while steps are being recorded find nothing wrong', async () => {
  const steps = Array.from({ length: 40 }, (_, n) => step(`busy ${n % 3}`, `read report number ${n}`))
  const reports = await Promise.all(Array.from({ length: 6 }, (_, n) => walk(n % 2 ? 'integrity' : 'integrity/global')))
  await Promise.all(steps)
  assert.deepEqual(
    reports.map(({ ok, first_broken }) => [ok, first_broken]),
    reports.map(() => [true, null]),
  )
})

test('no word of an allowed request lies in the store', async () => {
  const { decision } = await step('private', 'read the chapter about xylophonists in Quetzaltenango')
  assert.equal(decision, 'allow')
  for (const file of [LEDGER_FILE, `${LEDGER_FILE}-wal`]) {
    const stored = readFileSync(join(service.data, file)).toString('latin1').toLowerCase()
    for (const word of ['xylophonist', 'quetzaltenango']) assert.ok(!stored.includes(word), `${word} in ${file}`)
  }
})

// Last: a receipt that was read and does not hold stops the ledger for good.
test('a receipt that was rewritten in the database is found, and its signature with it', () =>
  restoring(
    () => undefined,
    async () => {
      const { sql } = outside
        .prepare("SELECT group_concat(name) AS sql FROM sqlite_master WHERE type = 'trigger'")
        .get() as { sql: string }
      const triggers = outside.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all() as {
        name: string
        sql: string
      }[]
      assert.ok(sql.length > 0)
      for (const { name } of triggers) outside.exec(`DROP TRIGGER ${name}`)
      const { node_index, body } = outside
        .prepare(
          'SELECT r.node_index, r.body FROM receipts r JOIN chains c ON c.id = r.chain_id WHERE c.chain = ? AND r.seq = 2',
        )
        .get('gdw') as { node_index: number; body: Uint8Array }
      const set = outside.prepare('UPDATE receipts SET body = ? WHERE node_index = ?')
      set.run(Buffer.from(Buffer.from(body).toString().replace('"headroom":', '"headroom":1')), node_index)
      const report = await walk()
      set.run(body, node_index)
      for (const trigger of triggers) outside.exec(trigger.sql)
      assert.deepEqual([report.ok, report.first_broken], [false, { session: A, index: 2, kind: 'receipt_digest' }])
      assert.equal(report.invalid.signature, 1)
    },
  ))
