// Edits of somebody who holds the database, each of which once went unnoticed: what a walk says of them, and what a step
// on the session is answered.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pae, RECEIPT_PAYLOAD_TYPE } from '@orch/core'
import { type Service, startApp } from '#testing/layer.ts'
import { type OutsideStore, outsidePostgres, outsideSqlite } from '#testing/outside-store.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { post, send } from '#testing/raw-http.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { REVIEW_SPACE } from '../../../domain/reviews/review.ts'
import type { StoredEffect, StoredSession } from '../contract.ts'
import { effectKey, effectSpace } from '../outbox/effect-documents.ts'
import { sessionName } from '../rules/state.ts'
import { SESSION_SPACE, STATE_SPACE, stateKey } from '../store/session-documents.ts'

type Place = [space: string, key: string]
type Found = { index?: number; kind?: string; session?: string }

const WRITES = { session_id: 'a', request: 'Write a poem about the sea' }
const [A, B] = ['a', 'b'].map((id) => sessionName('public', 'local', id)) as [string, string]
const HEAD: Place = [SESSION_SPACE, A]
const FIRST: Place = [STATE_SPACE, stateKey(B, 1)]
const effectOf = (id: string): Place => [
  effectSpace('public'),
  effectKey({ namespace: 'public', owner: 'local', sessionId: id }, 1, 'proof_export'),
]
const KEY: Place = ['gdw.key', documentKey('shingles')]

async function suite(name: string, outside: OutsideStore, { url: base, app }: Service): Promise<void> {
  // Readiness looks at the newest receipt every few seconds, and what it finds broken stays so for good.
  app.ports.background.stop()
  const API = `${base}/api/orch/v1`
  const step = (body: object, headers = {}) => post(`${API}/gdw/step`, JSON.stringify(body), headers)
  const walk = async (path: string) => (await send(`${API}/gdw/${path}`)).json
  const verdict = (id: string) =>
    post(`${API}/reviews/${id}/decide`, JSON.stringify({ verdict: 'approve', reason: 'seen' }))
  const key = (hex: string) => Buffer.from(hex, 'hex')
  const storedAt = async ([space, at]: Place) =>
    (await outside.run('SELECT value FROM documents WHERE space = $1 AND key = $2', space, key(at)))[0]!.value as string
  const put = (place: Place, column: string, value: string | number) =>
    outside.run(`UPDATE documents SET ${column} = $1 WHERE space = $2 AND key = $3`, value, place[0], key(place[1]))
  const edit = async <T>(place: Place, change: (value: T) => unknown) => {
    const value = JSON.parse(await storedAt(place)) as T
    change(value)
    await put(place, 'value', JSON.stringify(value))
  }

  const heavy = { active_tool_count: 64, context_tokens: 131_072, risk_budget: 0.15 }
  await step({ session_id: 'b', request: 'pay all invoices of Acme' })
  await step({ session_id: 'a', request: 'read the annual report of the northern branch', ...heavy })
  const replayed = await step({ session_id: 'b', request: 'read the audit log' }, { 'x-request-id': 'kept' })
  const reviewed = (await step(WRITES)).json
  assert.equal(reviewed.decision, 'review')
  await post(`${API}/gdw/drain`, '{}')
  const reviewPlace: Place = [REVIEW_SPACE, documentKey(reviewed.review.review_id)]

  const found = (what: string, work: () => Promise<unknown>, expected: Found, refused?: object) =>
    test(`${name}: ${what} is found`, async () => {
      // The ledger's own walk goes on from behind what it has seen, so it does not meet what is edited here.
      await app.ports.ledger.audit()
      await outside.restoring(work, async () => {
        for (const path of ['integrity', 'integrity/global']) {
          const { ok, first_broken } = await walk(path)
          assert.equal(ok, false, path)
          if (expected.index !== undefined) assert.equal(first_broken.index, expected.index, path)
          if (expected.kind !== undefined) assert.equal(first_broken.kind, expected.kind, path)
        }
        if (refused !== undefined) assert.equal((await step(refused)).json.error?.code, 'session_chain_broken')
      })
    })

  const isWhole = async () => {
    const { ok, first_broken } = await walk('integrity/global')
    assert.deepEqual([ok, first_broken], [true, null])
  }
  await test(`${name}: an untouched store is whole`, isWhole)

  await found(
    'an approval in documents alone',
    async () => {
      await put(reviewPlace, 'state', 'approved')
      await edit<Record<string, unknown>>(reviewPlace, (review) => (review.valid_until = '2999-01-01T00:00:00.000Z'))
      await edit<StoredSession>(HEAD, (head) => {
        const { rules_digest, policy_digest } = reviewed
        const given = { review_id: reviewed.review.review_id, valid_until: '2999-01-01T00:00:00.000Z', estimate: 0 }
        head.approvals = { [reviewed.request_digest]: { ...given, rules_digest, policy_digest } }
        head.settled = { 2: 'allow' }
        head.pending_reviews = 0
      })
    },
    { index: 4, kind: 'state_hash' },
    WRITES,
  )
  await test(`${name}: a review that was edited is not approved`, () =>
    outside.restoring(
      () => edit<{ step: { estimate: number } }>(reviewPlace, ({ step: about }) => (about.estimate = 0)),
      async () => {
        const { status, json } = await verdict(reviewed.review.review_id)
        assert.deepEqual([status, json.error.code], [503, 'stored_record_altered'])
      },
    ))
  await test(`${name}: a head that was edited does not come out of a verdict with a receipt`, () =>
    outside.restoring(
      () => edit<StoredSession>(HEAD, (head) => (head.granted = 600_000)),
      async () => assert.equal((await verdict(reviewed.review.review_id)).json.error.code, 'session_chain_broken'),
    ))

  assert.equal((await verdict(reviewed.review.review_id)).status, 200)
  await test(`${name}: a grant with its receipt is whole`, isWhole)

  const heads: [what: string, kind: string, change: (head: StoredSession) => unknown][] = [
    ['a grant nobody gave', 'spent', (head) => (head.granted = 600_000)],
    ['a grant beyond the whole of risk', 'spent', (head) => (head.granted = 9_000_000_000)],
    ['a grant taken back', 'spent', (head) => (head.granted = 0)],
    ['an approval at another charge', 'state_hash', (head) => (head.approvals[reviewed.request_digest]!.estimate = 0)],
    ['a step that people never settled', 'state_hash', (head) => (head.settled = { 1: 'allow' })],
    ['a number of open reviews', 'state_hash', (head) => (head.pending_reviews = -5)],
    ['the state before', 'state_hash', (head) => (head.prev_state_hash = 'ab'.repeat(32))],
    ['the name of a session', 'state_hash', (head) => (head.session_id = 'b')],
    ['the time a session began', 'state_hash', (head) => (head.created_at = '2020-01-01T00:00:00.000Z')],
    ['the time of the newest step', 'state_hash', (head) => (head.updated_at = '2999-01-01T00:00:00.000Z')],
  ]
  for (const [what, kind, change] of heads)
    await found(`${what} in the head`, () => edit<StoredSession>(HEAD, change), { index: 4, kind }, WRITES)
  await found('a session listed as over', () => put(HEAD, 'state', 'EXPIRED'), { index: 4, kind: 'state_hash' })
  await found('a session listed as of long ago', () => put(HEAD, 'rank', 0), { index: 4, kind: 'state_hash' })
  await found('a session that never ends', () => put(HEAD, 'rank', 9e15), { index: 4, kind: 'state_hash' }, WRITES)
  await found('a session listed under another owner', () => put(HEAD, 'owner', 'public/x'), { index: 4 }, WRITES)

  const states: [what: string, change: (state: Record<string, unknown>) => unknown][] = [
    ['remembered words', (state) => (state.shingles = [])],
    ['what was asked', (state) => (state.asked = ['x'])],
    ['what was forbidden', (state) => (state.forbidden = ['x'])],
    ['the receipt before', (state) => (state.prev_receipt = 'ab'.repeat(32))],
    ['the time of a step', (state) => (state.created_at = '2020-01-01T00:00:00.000Z')],
    ['a field that was added', (state) => (state.extra = true)],
  ]
  for (const [what, change] of states)
    await found(`${what} beside a record`, () => edit(FIRST, change), { index: 0, kind: 'state_hash' })
  for (const [column, value] of [
    ['state', 'allow'],
    ['rank', 7],
    ['version', 2],
    ['owner', 'public/x'],
  ] as const)
    await found(`the column ${column} of a step`, () => put(FIRST, column, value), { index: 0, kind: 'state_hash' })

  const EFFECT = effectOf('b')
  const pending = { state: 'PENDING', attempts: 0, claim_generation: 0, sink: null, last_error: null } as const
  const effects: [what: string, change: (effect: StoredEffect) => unknown][] = [
    ['exported to nowhere', (effect) => Object.assign(effect, { state: 'EXPORTED', sink: null })],
    ['exported and never claimed', (effect) => Object.assign(effect, pending, { state: 'EXPORTED', sink: 'x' })],
    ['put off for ever', (effect) => Object.assign(effect, pending, { due_at: 9e15 })],
    ['without an attempt left', (effect) => Object.assign(effect, pending, { attempts: 8 })],
    ['given up by nobody', (effect) => Object.assign(effect, pending, { state: 'DEAD_LETTER' })],
    ['with recoveries to spare', (effect) => (effect.recoveries = -100)],
  ]
  for (const [what, change] of effects)
    await found(`an effect ${what}`, () => edit(EFFECT, change), { index: 0, kind: 'effect_binding' })
  await found('an effect listed as dead', () => put(EFFECT, 'state', 'DEAD_LETTER'), {
    index: 0,
    kind: 'effect_binding',
  })
  await found('an effect listed for later', () => put(EFFECT, 'rank', 9e15), { index: 0, kind: 'effect_binding' })
  await found('another key of remembered words', () => edit<{ secret: string }>(KEY, (one) => (one.secret = 'x')), {
    index: 0,
    kind: 'state_hash',
  })

  await test(`${name}: an effect that no step implies is found`, () =>
    outside.restoring(
      () =>
        outside.run(
          'INSERT INTO documents (space, key, version, owner, state, rank, value, node_index) SELECT space, $1, 1, owner, state, rank, $2, node_index FROM documents WHERE space = $3 AND key = $4',
          ...[key('ab'.repeat(32)), '{"state":"PENDING"}', EFFECT[0], key(EFFECT[1])],
        ),
      async () => assert.equal((await walk('integrity/global')).first_broken.kind, 'effect_binding'),
    ))
  await test(`${name}: a delivery that is written as failed for good is believed, and counted as a dead letter`, () =>
    outside.restoring(
      async () => {
        await put(EFFECT, 'state', 'DEAD_LETTER')
        await edit<StoredEffect>(EFFECT, (effect) => {
          const last_error = { class: 'PERMANENT', code: 'EACCES', at: new Date().toISOString() }
          Object.assign(effect, { state: 'DEAD_LETTER', sink: null, lease_until: null, last_error })
        })
      },
      async () => {
        const { ok, effects: counted } = await walk('integrity/global')
        assert.deepEqual([ok, counted.dead_letter], [true, 1])
      },
    ))
  await test(`${name}: a session of a namespace without steps is found`, () =>
    outside.restoring(
      () =>
        outside.run(
          "INSERT INTO documents (space, key, version, owner, state, rank, value, node_index) SELECT space, $1, 1, 'other/x', state, rank, value, node_index FROM documents WHERE space = $2 AND key = $3",
          ...[key('ab'.repeat(32)), HEAD[0], key(HEAD[1])],
        ),
      async () => assert.equal((await walk('integrity/global')).ok, false),
    ))
  await test(`${name}: an answer that was edited is not given again`, () =>
    outside.restoring(
      () => outside.run(`UPDATE answers SET answer = replace(answer, '"decision":"allow"', '"decision":"deny"')`),
      async () => {
        const body = { session_id: 'b', request: 'read the audit log' }
        const { status, json } = await step(body, { 'x-request-id': 'kept' })
        assert.deepEqual([status, json.error.code], [503, 'stored_record_altered'])
      },
    ))
  await test(`${name}: an answer that was not edited is`, async () => {
    const again = await step({ session_id: 'b', request: 'read the audit log' }, { 'x-request-id': 'kept' })
    assert.equal(again.text, replayed.text)
  })

  const chain = (of: string) => `(SELECT id FROM chains WHERE ns = 'public' AND chain = '${of}')`
  const receipts = (of: string) => `receipts WHERE chain_id = ${chain(of)}`
  const random = Buffer.from('cd'.repeat(32), 'hex')
  const ofA = [1, 3]
  await found(
    'a whole session taken out of the middle',
    async () => {
      await outside.run(`DELETE FROM ${receipts('gdw')} AND seq IN (${ofA})`)
      await outside.run('DELETE FROM documents WHERE space LIKE $1 AND owner LIKE $2', 'gdw.%', `%${A}`)
      await outside.run('DELETE FROM documents WHERE space = $1 AND key = $2', HEAD[0], key(A))
    },
    { index: 1, kind: 'missing_receipt' },
  )
  await found(
    'a tail cut off with all that belongs to it',
    async () => {
      await outside.run(`DELETE FROM ${receipts('gdw')} AND seq > 0`)
      await outside.run("DELETE FROM documents WHERE space LIKE 'gdw.%' AND owner LIKE $1", `%${A}`)
      await outside.run('DELETE FROM documents WHERE space = $1 AND key = $2', HEAD[0], key(A))
    },
    {},
  )
  await found(
    'a signature taken off',
    () => outside.run(`UPDATE ${receipts('gdw').replace(' WHERE', ' SET sig = NULL, key_id = NULL WHERE')}`),
    {
      index: 0,
      kind: 'signature',
    },
  )
  await found(
    'a verdict without its signature',
    () => outside.run(`UPDATE ${receipts('governance').replace(' WHERE', ' SET sig = NULL, key_id = NULL WHERE')}`),
    {
      index: 4,
      kind: 'signature',
    },
  )
  await found('audit receipts taken out', () => outside.run(`DELETE FROM ${receipts('gdw-recovery')}`), {
    index: 0,
    kind: 'recovery_audit',
  })
  for (const column of ['prev', 'lake'])
    await found(
      `another ${column} of a receipt`,
      () => outside.run(`UPDATE receipts SET ${column} = $1 WHERE chain_id = ${chain('gdw')} AND seq = 2`, random),
      { index: 2, kind: 'link' },
    )
  await found('a deeper chain', () => outside.run(`UPDATE chains SET depth = depth + 1 WHERE id = ${chain('gdw')}`), {
    index: 4,
    kind: 'missing_receipt',
  })
  await found(
    'a shallower chain',
    () => outside.run(`UPDATE chains SET depth = depth - 1 WHERE id = ${chain('gdw')}`),
    {
      kind: 'link',
    },
  )
  await found(
    'another head of a chain',
    () => outside.run(`UPDATE chains SET head = $1 WHERE id = ${chain('gdw')}`, random),
    {
      kind: 'link',
    },
  )

  await test(`${name}: what was put back is whole, and the approval is used at the estimate of the step that was held`, async () => {
    await isWhole()
    const allowed = (await step(WRITES)).json
    assert.ok(allowed.risk, JSON.stringify(allowed))
    assert.deepEqual([allowed.reason_codes, allowed.risk.charged], [['APPROVED_BY_REVIEW'], reviewed.risk.estimate])
    await isWhole()
  })
  await found('a verdict that a step names, taken out,', () => outside.run(`DELETE FROM ${receipts('governance')}`), {
    index: 4,
  })

  await test(`${name}: a ledger found broken elsewhere is not called whole, and stays so until it was started again`, async () => {
    await post(`${base}/api/orch/khipu/sign`, '{"n":1}')
    // Walked before it is edited: the ledger's own walk goes on from behind it.
    assert.equal((await app.ports.ledger.audit()).broken, null)
    const edited = `UPDATE receipts SET digest = $1 WHERE chain_id = ${chain('mint')}`
    await outside.restoring(() => outside.run(edited, random), isWhole)
    await outside.run(edited, random)
    assert.notEqual((await app.ports.ledger.walk(true)).broken, null)
    while (app.ports.ledger.state().readOnly === null) await pause(20)
    for (const path of ['integrity', 'integrity/global']) {
      const { ok, first_broken, invalid } = await walk(path)
      assert.deepEqual([ok, first_broken.kind, first_broken.session], [false, 'checkpoint', null], path)
      assert.deepEqual(new Set(Object.values(invalid)), new Set([0]), 'no record of a session is blamed for it')
    }
  })
  // Last: a key that this ledger never took into use stops it.
  await found('a receipt signed anew with a key planted in the ring', () => plantKey(outside, receipts('gdw')), {
    index: 0,
    kind: 'signature',
  })
}

/** Signs what is there as well as the ledger would, with a key that is not the ledger's. */
async function plantKey(outside: OutsideStore, rows: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const added = await outside.run(
    "INSERT INTO keys (keyid, spki, kind, from_index, from_ts) VALUES ($1, $2, 'demo', 0, $3) RETURNING id",
    createHash('sha256').update(spki).digest('hex'),
    spki,
    '2026-01-01T00:00:00.000Z',
  )
  for (const { node_index, body, sig: own } of await outside.run(`SELECT node_index, body, sig FROM ${rows}`)) {
    const sig = sign('sha256', pae(RECEIPT_PAYLOAD_TYPE, body as Uint8Array), { key: privateKey, dsaEncoding: 'der' })
    assert.equal((own as Uint8Array)[0], sig[0], 'signatures are of one form')
    const change = 'UPDATE receipts SET sig = $1, key_id = $2 WHERE node_index = $3'
    await outside.run(change, sig, Number(added[0]!.id), Number(node_index))
  }
}

let running: PostgresDatabases | null = null
after(() => running?.stop())

test('sqlite', async (t) => {
  const service = await startApp({ after }, {}, [])
  const outside = await outsideSqlite(service.data)
  t.after(() => outside.close())
  await suite('sqlite', outside, service)
})

test('postgresql', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable !== undefined) return t.skip(unavailable)
  running = await sharedPostgres()
  const url = await running.createDatabase('tampering')
  const service = await startApp(t, { ORCH_STORE: 'postgres', ORCH_POSTGRES_URL: url }, [])
  const outside = await outsidePostgres(url)
  t.after(() => outside.close())
  await suite('postgresql', outside, service)
})
