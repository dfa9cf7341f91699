// The chain of evidence records over HTTP, on both stores: what is appended, what is shown, and what damage shows.
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { canonicalize, GENESIS_PREV, sha256Hex } from '@orch/core'
import { envelopeOf, keys, statement } from '#testing/anatomy.ts'
import { type Service, startApp } from '#testing/layer.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { post, send } from '#testing/raw-http.ts'
import type { DocumentRow } from '../../ledger/contract.ts'
import { HEAD_SPACE, RECORD_SPACE } from './stored-records.ts'

const BASE = '/api/orch/v1/anatomy-ledger'
const STORES = ['sqlite', 'postgres'] as const
let server: PostgresDatabases | null = null
let databases = 0
after(() => server?.stop())

async function started(t: TestContext, store: (typeof STORES)[number]): Promise<Service> {
  if (store === 'sqlite') return startApp(t as never, { ORCH_STORE: store })
  server ??= await sharedPostgres()
  databases += 1
  const url = await server.createDatabase(`anatomy_${databases}`)
  return startApp(t as never, { ORCH_STORE: store, ORCH_POSTGRES_URL: url })
}

const onBothStores = (sentence: string, check: (service: Service) => Promise<void>) => {
  for (const store of STORES)
    test(`${store}: ${sentence}`, async (t) => {
      const reason = store === 'postgres' ? postgresUnavailable() : undefined
      if (reason) return t.skip(reason)
      await check(await started(t, store))
    })
}

const evaluate = (service: Service, body: unknown, headers = {}) =>
  post(`${service.url}${BASE}/evaluate`, JSON.stringify(body), headers)
const ledger = async (service: Service, query = '') => (await send(`${service.url}${BASE}/ledger${query}`)).json
const numbered = (n: number) => ({ ...statement(), predicate: { ...(statement().predicate as object), n } })
const fill = async (service: Service, count: number) => {
  for (let n = 0; n < count; n += 1) assert.equal((await evaluate(service, numbered(n))).status, 200)
}
const size = async ({ app }: Service) => (await app.ports.ledger.reader.head()).size

/** Writes past the surface, as somebody with access to the store would. */
async function damage(service: Service, space: string, rank: number, edit: (value: string) => string | null) {
  const store = service.app.ports.ledger
  const rows = await store.reader.documents({ space, order: 'desc', limit: 100 })
  const row = rows.find((one) => one.rank === rank) as DocumentRow
  const { version, nodeIndex: _bound, ...place } = row
  await store.writeDocuments([{ ...place, expect: version, value: edit(row.value) }])
}

onBothStores(
  'records form a chain that anybody can recompute, each bound by a receipt that verifies',
  async (service) => {
    await fill(service, 3)
    const page = await ledger(service)
    assert.deepEqual([page.recordCount, page.outcomes], [3, { ALLOW: 0, REVIEW: 3, BLOCK: 0 }])
    assert.deepEqual(
      page.records.map(({ index }: { index: number }) => index),
      [2, 1, 0],
    )
    let previous = GENESIS_PREV
    for (const { recordHash, ...rest } of page.records.toReversed()) {
      assert.equal(rest.previousHash, previous)
      assert.equal(recordHash, sha256Hex(canonicalize(rest)))
      previous = recordHash
    }
    assert.equal(page.chainRoot, previous)
    assert.deepEqual([page.chainIntegrity.valid, page.chainIntegrity.errors], [true, []])
    assert.deepEqual([page.signatureStatus, page.chainIntegrity.anchored], ['SIGNED_DEMO', false])
    for (const { index, receiptId } of page.receipts) {
      const receipt = (await send(`${service.url}/api/orch/v1/receipts/${receiptId}`)).json
      const record = page.records.find((one: { index: number }) => one.index === index)
      assert.deepEqual([receipt.kind, receipt.body.payload.recordHash], ['anatomy', record.recordHash])
      const report = (await send(`${service.url}/api/orch/v1/verify/receipt/${receiptId}`)).json
      assert.equal(report.verdict, 'PARTIAL', JSON.stringify(report.checks))
    }
  },
)

onBothStores(
  'the same evidence under the same policies is the old record, and still leaves a receipt',
  async (service) => {
    const first = (await evaluate(service, statement())).json
    const before = await size(service)
    const again = (await evaluate(service, { statement: statement(), verification: { verified: true } })).json
    assert.deepEqual([first.duplicate, again.duplicate], [false, true])
    assert.deepEqual(again.record, first.record)
    assert.notEqual(again.receipt.digest, first.receipt.digest)
    assert.equal(await size(service), before + 1)
    const signed = await envelopeOf(statement(), keys.untrusted)
    assert.equal((await evaluate(service, signed)).json.record.index, 1)
    assert.equal((await ledger(service)).recordCount, 2)
  },
)

onBothStores('500 parallel requests under one key leave one record and one receipt', async (service) => {
  const headers = { 'idempotency-key': 'once' }
  const answers = await Promise.all(Array.from({ length: 500 }, () => evaluate(service, statement(), headers)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.deepEqual([await size(service), (await ledger(service)).recordCount], [1, 1])
})

onBothStores('different evidence at the same time forms one chain without a gap', async (service) => {
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => evaluate(service, numbered(n))))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const page = await ledger(service)
  assert.deepEqual([page.recordCount, page.records.length, page.chainIntegrity.valid], [40, 40, true])
})

onBothStores('pages join: each is checked against the record before it', async (service) => {
  await fill(service, 5)
  const seen: number[] = []
  let query = '?limit=2'
  for (let pages = 0; pages < 3; pages += 1) {
    const page = await ledger(service, query)
    assert.equal(page.chainIntegrity.valid, true)
    assert.equal(page.recordCount, 5)
    seen.push(...page.records.map(({ index }: { index: number }) => index))
    query = `?limit=2&cursor=${page.nextCursor}`
    assert.equal(page.nextCursor === null, pages === 2)
  }
  assert.deepEqual(seen, [4, 3, 2, 1, 0])
  await damage(service, RECORD_SPACE, 2, (value) => value.replace('"n":2', '"n":9'))
  assert.deepEqual((await ledger(service, '?limit=2')).chainIntegrity.valid, true)
  assert.deepEqual((await ledger(service, '?limit=1&cursor=3')).chainIntegrity.brokenAt, 2)
})

const damages: [what: string, space: string, rank: number, edit: (value: string) => string | null, found: string][] = [
  ['an edited statement', RECORD_SPACE, 1, (value) => value.replace('"n":1', '"n":7'), '1 RECORD_HASH_MISMATCH'],
  ['an edited record with its hash made anew', RECORD_SPACE, 1, rehashed, '1 RECEIPT_MISMATCH, 2 LINK_BROKEN'],
  ['a record that is no JSON', RECORD_SPACE, 1, () => '{', '1 RECORD_HASH_MISMATCH'],
  ['a record with a lone surrogate', RECORD_SPACE, 1, () => '{"recordHash":"\\ud800"}', '1 RECORD_HASH_MISMATCH'],
  ['a removed record', RECORD_SPACE, 1, () => null, '1 RECORD_MISSING'],
  ['a removed newest record', RECORD_SPACE, 2, () => null, '2 RECORD_MISSING'],
  ['a removed first record', RECORD_SPACE, 0, () => null, '0 RECORD_MISSING'],
  ['edited counts', HEAD_SPACE, 3, (value) => value.replace('"REVIEW":3', '"REVIEW":2'), 'null HEAD_MISMATCH'],
  [
    'an end put back',
    HEAD_SPACE,
    3,
    (value) => value.replace('"recordCount":3', '"recordCount":2'),
    'null HEAD_MISMATCH',
  ],
  ['a removed end', HEAD_SPACE, 3, () => null, 'null HEAD_MISMATCH'],
  ['an end that is no JSON', HEAD_SPACE, 3, () => 'x', 'null HEAD_MISMATCH'],
]
for (const [what, space, rank, edit, found] of damages)
  test(`${what} answers 200 with valid:false and says where`, async (t) => {
    const service = await startApp(t as never, { ORCH_STORE: 'memory' })
    await fill(service, 3)
    await damage(service, space, rank, edit)
    const answer = await send(`${service.url}${BASE}/ledger`)
    const { valid, errors } = answer.json.chainIntegrity
    const reported = errors.map(({ index, code }: { index: number | null; code: string }) => `${index} ${code}`)
    assert.deepEqual([answer.status, valid, reported.join(', ')], [200, false, found])
    const shown = answer.json.records.map(({ index }: { index: number }) => index)
    assert.equal(shown.includes(1), space === HEAD_SPACE || rank !== 1)
  })

function rehashed(value: string): string {
  const { recordHash: _old, ...rest } = JSON.parse(value.replace('"n":1', '"n":7'))
  return canonicalize({ ...rest, recordHash: sha256Hex(canonicalize(rest)) })
}

test('an edited record is not given out as the old one, even with its hash made anew', async (t) => {
  const service = await startApp(t as never, { ORCH_STORE: 'memory' })
  await fill(service, 2)
  await damage(service, RECORD_SPACE, 1, rehashed)
  const before = await size(service)
  const answer = await evaluate(service, numbered(1))
  assert.deepEqual([answer.status, answer.json.error.code, await size(service)], [503, 'ledger_unavailable', before])
})

const tails: [what: string, edit: (value: string) => string | null][] = [
  ['cannot be read', () => '{}'],
  ['is gone', () => null],
  ['has other counts', (value) => value.replace('"REVIEW":1', '"REVIEW":0')],
  ['was put back', () => canonicalize({ recordCount: 0, chainRoot: GENESIS_PREV, outcomes: {} })],
]
for (const [what, edit] of tails)
  test(`nothing is appended to a chain whose end ${what}`, async (t) => {
    const service = await startApp(t as never, { ORCH_STORE: 'memory' })
    await fill(service, 1)
    await damage(service, HEAD_SPACE, 1, edit)
    const before = await size(service)
    const answer = await evaluate(service, numbered(5))
    assert.deepEqual([answer.status, answer.json.error.code], [503, 'ledger_unavailable'])
    assert.equal(await size(service), before)
    assert.equal((await ledger(service)).chainIntegrity.valid, false)
  })

test('a store that cannot be read is 503 for the ledger, and the status says so', async (t) => {
  const service = await startApp(t as never, { ORCH_STORE: 'memory' })
  const { reader } = service.app.ports.ledger
  const fault = () => Promise.reject(new Error('connect ECONNREFUSED /run/planted-path'))
  Object.assign(reader, { documents: fault, document: fault })
  const answer = await send(`${service.url}${BASE}/ledger`)
  assert.deepEqual([answer.status, answer.json.error.code], [503, 'ledger_unavailable'])
  const status = await send(`${service.url}${BASE}/status`)
  assert.deepEqual([status.json.status, status.json.recordCount, status.json.ledgerExists], ['unavailable', null, null])
  assert.doesNotMatch(answer.text + status.text, /planted|ECONNREFUSED/)
})

test('a record that would not fit its document is refused before anything is recorded', async (t) => {
  const service = await startApp(t as never, { ORCH_STORE: 'memory' })
  const subject = `[${Array(32_000).fill('1e20').join()}]`
  const answer = await post(`${service.url}${BASE}/evaluate`, `{"_type":"x","subject":${subject}}`)
  assert.deepEqual([answer.status, answer.json.detail[0].type], [422, 'too_long'])
  assert.equal(await size(service), 0)
})

test('evidence whose payload is no JSON, or is nested beyond a canonical form, is blocked and recorded', async (t) => {
  const service = await startApp(t as never, { ORCH_STORE: 'memory' })
  for (const [payload, code] of [
    ['{', 'PAYLOAD_NOT_JSON'],
    [`{"predicate":${'['.repeat(600)}${']'.repeat(600)}}`, 'PAYLOAD_NOT_JSON'],
    ['null', 'STATEMENT_TYPE_INVALID'],
  ] as const) {
    const { outcome, deny, record } = (await evaluate(service, await envelopeOf(payload, keys.untrusted))).json
    assert.equal(outcome, 'BLOCK')
    assert.ok(deny.includes(code), `${payload.slice(0, 20)}: ${deny}`)
    assert.equal(record.statement, null)
  }
  assert.equal((await ledger(service)).chainIntegrity.valid, true)
})
