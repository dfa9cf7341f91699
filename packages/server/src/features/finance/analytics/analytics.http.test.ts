// The analytics over HTTP: bounds, receipts, forgeries, and what the ledger keeps of them.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { base64Decode, canonicalize, sha256Hex } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { flags } from '../../../domain/observation.ts'
import { FORMULAS } from './formulas.ts'
import { AUDIT_EXAMPLE } from './research/example.ts'
import { V1, V2 } from './vectors.ts'

const P = '/api/orch/v1/finance'
const A = `${P}/analytics/v2`
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_OUTBOUND: 'off' }, [])
const get = (path: string) => send(`${service.url}${path}`)
const analyse = (path: string, body?: unknown, headers = {}) =>
  post(`${service.url}${path}`, body === undefined ? '' : JSON.stringify(body), headers)
const size = async () => (await service.app.ports.ledger.reader.head()).size
const places = (json: { detail: { loc: (string | number)[] }[] }) => json.detail.map(({ loc }) => loc.join('.'))
const verify = async (body: unknown) => (await analyse(`${A}/receipts/verify`, body)).json

test('without an outside every history is blocked with 200, and a simulated one is computed', async () => {
  for (const path of ['/signals/BTC-USD', '/quote/BTC-USD', '/quote/BTC-USD?benchmark=ETH-USD']) {
    const { status, json } = await get(`${A}${path}`)
    assert.deepEqual(
      [status, json.ok, json.state, json.label, json.result],
      [200, false, 'BLOCKED', 'UNAVAILABLE', null],
    )
    assert.deepEqual([json.inputs.mode, json.error.code], ['unreachable', 'HISTORY_UNAVAILABLE'])
    assert.equal(json.error.cause, 'TRANSPORT_DISABLED')
  }
  const { status, json } = await get(`${A}/signals/BTC-USD?origin=fixture`)
  assert.deepEqual([status, json.ok, json.label], [200, true, 'SIMULATED'])
  const { computation, ...payload } = json
  const { record_sha256, ...record } = computation
  assert.equal(computation.payload_sha256, sha256Hex(canonicalize(payload)))
  assert.equal(record_sha256, sha256Hex(canonicalize(record)))
})

test('symbols and queries are refused by name one step beyond their bounds', async () => {
  const cases: [string, number, string?][] = [
    [`/signals/${'A'.repeat(24)}?origin=fixture`, 200],
    [`/signals/${'A'.repeat(25)}?origin=fixture`, 422, 'path.symbol_name'],
    ['/signals/btc-usd?origin=fixture', 422, 'path.symbol_name'],
    ['/signals/-BTC?origin=fixture', 422, 'path.symbol_name'],
    ['/signals/0.-?origin=fixture', 200],
    ['/signals/BTC', 422, 'path.symbol_name'],
    ['/signals/BTC-USD?origin=kraken', 422, 'query.origin'],
    ['/signals/BTC-USD?benchmark=ETH-USD', 422, 'query.benchmark'],
    ['/signals/BTC-USD?origin=fixture&origin=fixture', 422, 'query.origin'],
    ['/quote/BTC-USD?origin=fixture&benchmark=eth', 422, 'query.benchmark'],
    ['/quote/BTC-USD?origin=fixture&period=9', 422, 'query.period'],
    ['/quote/BTC-USD?origin=fixture&benchmark=SPY', 200],
    ['/receipts?limit=0', 422, 'query.limit'],
    ['/receipts?limit=200', 200],
    ['/receipts?limit=201', 422, 'query.limit'],
    ['/receipts?cursor=i4', 422, 'query.cursor'],
    ['/receipts/verify?x=1', 422, 'query.x'],
  ]
  for (const [path, wanted, place] of cases) {
    const { status, json } = await get(`${A}${path}`)
    assert.equal(status, wanted, `${path} ${JSON.stringify(json)}`)
    if (place !== undefined) assert.deepEqual(places(json), [place], path)
  }
})

test('an empty portfolio is the example of the contract, recorded as an example', async () => {
  const { status, json, headers } = await analyse(`${A}/portfolio`)
  assert.equal(status, 200)
  assert.equal(headers['x-orch-default-example'], '1')
  assert.deepEqual([json.input_source, json.label, json.inputs.label], ['DEFAULT_EXAMPLE', 'MODELED', 'SAMPLE'])
  assert.equal(json.result.portfolio.volatility, '0.114629589351')
  assert.equal(json.result.tail.var, '0.007255302854')
  const { json: row } = await get(`/api/orch/v1/receipts/${json.receipt.digest}`)
  const body = JSON.parse(new TextDecoder().decode(base64Decode(row.dsse.payload)!))
  assert.deepEqual([body.kind, body.chain, body.payload.example_of], ['example', 'finance', 'analysis'])
  assert.deepEqual(
    [body.payload.value.payload_sha256, body.payload.value.inputs_sha256],
    [json.payload_sha256, json.inputs.inputs_sha256],
  )
})

test('a portfolio of the caller leaves one analysis receipt that holds digests and no price', async () => {
  const before = await size()
  const body = { holdings: { AAA: [100, '101.5', 102.25], BBB: ['50', 49.5, 50.2] }, periods_per_year: 365 }
  const { json } = await analyse(`${A}/portfolio`, body)
  assert.equal(await size(), before + 1)
  assert.deepEqual(
    [json.result.portfolio.weights_source, json.result.tail_reason],
    ['EQUAL_DEFAULT', 'TOO_FEW_RETURNS'],
  )
  const { json: row } = await get(`/api/orch/v1/receipts/${json.receipt.digest}`)
  const stored = new TextDecoder().decode(base64Decode(row.dsse.payload)!)
  assert.equal(JSON.parse(stored).kind, 'analysis')
  assert.doesNotMatch(stored, /101\.5|AAA/)
  const { payload_sha256, receipt: _, ...payload } = json
  assert.equal(payload_sha256, sha256Hex(canonicalize(payload)))
})

test('every bound of a portfolio is a 422 that names the field', async () => {
  const holdings = { A: [1, 2, 3], B: [3, 2, 4] }
  const assets = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`S${at}`, [1, 2, 3]]))
  const prices = (count: number) => Array.from({ length: count }, (_, at) => 1 + (at % 7))
  const base = { holdings, periods_per_year: 252 }
  const priced = (price: unknown) => ({ ...base, holdings: { A: [1, 2, price] } })
  const weighted = (a: number, b: number) => ({ ...base, weights: { A: a, B: b } })
  const cases: [object, string[]][] = [
    [base, []],
    [{ ...base, holdings: {} }, ['body.holdings']],
    [{ ...base, holdings: assets(16) }, []],
    [{ ...base, holdings: assets(17) }, ['body.holdings']],
    [{ ...base, holdings: { A: prices(2) } }, ['body.holdings.A']],
    [{ ...base, holdings: { A: prices(300) } }, []],
    [{ ...base, holdings: { A: prices(301) } }, ['body.holdings.A']],
    [{ ...base, holdings: { a: [1, 2, 3] } }, ['body.holdings.a']],
    [priced(1e-12), []],
    [priced(9e-13), ['body.holdings.A.2']],
    [priced('0.000000000001'), []],
    [priced('0.0000000000009'), ['body.holdings.A.2']],
    [priced(1e12), []],
    [priced(1.0001e12), ['body.holdings.A.2']],
    [priced('1000000000000'), []],
    [priced('1000000000000.00000000000001'), ['body.holdings.A.2']],
    [priced('-1'), ['body.holdings.A.2']],
    [priced('1e3'), ['body.holdings.A.2']],
    [priced(null), ['body.holdings.A.2']],
    [{ ...base, periods_per_year: 253 }, ['body.periods_per_year']],
    [{ holdings }, ['body.periods_per_year']],
    [{ ...base, confidence: 0.4999 }, ['body.confidence']],
    [{ ...base, confidence: 0.5 }, []],
    [{ ...base, confidence: 0.999 }, []],
    [{ ...base, confidence: 0.9991 }, ['body.confidence']],
    [weighted(2, -1), []],
    [weighted(2.0001, -1.0001), ['body.weights.A']],
    [weighted(0.5, 0.5000000009), []],
    [weighted(0.5, 0.5000000011), ['body.weights']],
    [weighted(0.1, 0.9), []],
    [{ ...base, weights: { A: 1 } }, ['body.weights.B']],
    [{ ...base, weights: { A: 0.5, B: 0.5, C: 0 } }, ['body.weights.C']],
    [{ ...base, extra: 1 }, ['body.extra']],
  ]
  for (const [body, wanted] of cases) {
    const { status, json } = await analyse(`${A}/portfolio`, body)
    const text = JSON.stringify(body).slice(0, 160)
    assert.equal(status, wanted.length === 0 ? 200 : 422, `${text} ${JSON.stringify(json.detail)}`)
    if (wanted.length > 0) assert.deepEqual(places(json), wanted, text)
  }
  const over = await post(`${service.url}${A}/portfolio`, `{"pad":"${'x'.repeat(196_608)}"}`)
  assert.deepEqual([over.status, over.json.error.code], [413, 'request_body_too_large'])
  const polluted = await post(
    `${service.url}${A}/portfolio`,
    '{"holdings":{"__proto__":[1,2,3]},"periods_per_year":252}',
  )
  assert.equal(polluted.status, 422)
})

test('a weight too small for plain digits is taken, and its digest is one', async () => {
  const body = { holdings: { A: [1, 2, 3], B: [3, 2, 4] }, periods_per_year: 252, weights: { A: 1e-9, B: 1 } }
  const { status, json } = await analyse(`${A}/portfolio`, body)
  assert.equal(status, 200)
  const found = await verify({ envelope: json })
  assert.deepEqual([found.integrity.verdict, found.ledger.verdict], ['VALID', 'FOUND'])
})

test('the audit answers what its panel is, and the example when nothing is sent', async () => {
  const before = await size()
  const { status, json } = await analyse(`${P}/research/audit`, {
    as_of: '2025-12-31',
    records: [{ entity: 'A', period: 2024, value: 1.0, state: 'observed', available_at: '2025-01-31' }],
  })
  assert.deepEqual([status, json.status, json.summary.kept, json.inputs.label], [200, 'AUDITED', 1, 'SAMPLE'])
  assert.equal(await size(), before + 1)
  const example = await analyse(`${P}/research/audit`)
  assert.deepEqual([example.json.status, example.json.input_source], ['BLOCKED', 'DEFAULT_EXAMPLE'])
  const checked = await verify({ envelope: json })
  assert.deepEqual([checked.integrity.verdict, checked.ledger.verdict, checked.build], ['VALID', 'FOUND', 'SAME'])
  const wrong = await analyse(`${P}/research/audit`, { ...AUDIT_EXAMPLE, end_year: 2020 })
  assert.deepEqual([wrong.status, places(wrong.json)], [422, ['body.end_year']])
  assert.equal(await size(), before + 3)
})

test('five thousand records are audited, and their whole answer is one receipt', async () => {
  const records = Array.from({ length: 5000 }, (_, at) => ({
    ...{ entity: `entity ${at % 500}`, period: 2000 + Math.floor(at / 500), value: at, state: 'observed' },
    available_at: '2020-01-01',
  }))
  const { status, json } = await analyse(`${P}/research/audit`, { as_of: '2021-01-01', records })
  assert.deepEqual([status, json.summary.kept, json.record_audit.length], [200, 5000, 5000])
})

test('the same key and body is the same answer, and another body a conflict', async () => {
  const headers = { 'idempotency-key': 'portfolio-1' }
  const body = { holdings: { A: [1, 2, 3] }, periods_per_year: 252 }
  const first = await analyse(`${A}/portfolio`, body, headers)
  const before = await size()
  assert.deepEqual((await analyse(`${A}/portfolio`, body, headers)).json, first.json)
  assert.equal((await analyse(`${A}/portfolio`, { ...body, confidence: 0.9 }, headers)).status, 409)
  assert.equal(await size(), before)
})

test('no GET of the analytics appends', async () => {
  const before = await size()
  for (const path of ['/signals/X?origin=fixture', '/quote/X?origin=fixture', '/receipts', '/receipts/verify'])
    assert.equal((await get(`${A}${path}`)).status, 200)
  assert.equal(await size(), before)
})

test('verification of nothing is a simulated envelope, whole and unsigned', async () => {
  const { status, json } = await analyse(`${A}/receipts/verify`)
  assert.deepEqual([status, json.input_source, json.verified], [200, 'DEFAULT_EXAMPLE', true])
  assert.deepEqual(
    [json.integrity.verdict, json.signature.verdict, json.ledger.verdict, json.build],
    [...['VALID', 'UNSIGNED', 'NOT_FOUND', 'SAME']],
  )
  assert.equal(json.authenticity_established, false)
  const { json: contract } = await get(`${A}/receipts/verify`)
  assert.deepEqual([contract.state, contract.method, contract.verified], ['INPUT_REQUIRED', 'POST', false])
})

test('one changed value of a held reply fails exactly the check that covers it', async () => {
  const { json: envelope } = await get(`${A}/quote/BTC-USD?origin=fixture&benchmark=ETH-USD`)
  const failing = async (changed: object) => {
    const { integrity, verified } = await verify({ envelope: changed })
    assert.equal(verified, integrity.verdict === 'VALID')
    return Object.entries(integrity.checks).flatMap(([name, holds]) => (holds === false ? [name] : []))
  }
  const { computation } = envelope
  assert.deepEqual(await failing(envelope), [])
  const result = {
    ...envelope.result,
    volatility: envelope.result.volatility.replace(/.$/, (c: string) => (c === '1' ? '2' : '1')),
  }
  assert.deepEqual(await failing({ ...envelope, result }), ['payload_digest_matches'])
  assert.deepEqual(await failing({ ...envelope, added: 1 }), ['payload_digest_matches'])
  assert.deepEqual(await failing({ ...envelope, ключ: 1 }), ['payload_digest_matches'])
  assert.deepEqual(await failing({ ...envelope, trading_enabled: true }), ['payload_digest_matches', 'flags_intact'])
  const recorded = (over: object) => ({ ...envelope, computation: { ...computation, ...over } })
  assert.deepEqual(await failing(recorded({ record_sha256: '0'.repeat(64) })), ['record_digest_matches'])
  assert.deepEqual(await failing(recorded({ signed: true })), ['schema_known', 'record_digest_matches'])
  assert.deepEqual(await failing(recorded({ source_revision: 'main' })), [
    'record_digest_matches',
    'source_revision_well_formed',
  ])
  assert.deepEqual(await failing({ ...envelope, schema: 'orch.other/v1' }), [
    ...['schema_known', 'payload_digest_matches', 'component_known'],
  ])
})

test('a forgery that agrees with itself is whole and unsigned, and an older build is as good', async () => {
  const { json } = await get(`${A}/signals/BTC-USD?origin=fixture`)
  const { computation: _, ...payload } = json
  const forge = (over: object, revision = json.source_revision) => {
    const changed = { ...payload, ...over, source_revision: revision }
    const record = {
      schema: 'orch.finance.computation/v1',
      payload_sha256: sha256Hex(canonicalize(changed)),
      component_version: changed.component.version,
      source_revision: revision,
      ...{ signed: false, persistence: 'CALLER_HELD', authority: 'NONE' },
    }
    return { ...changed, computation: { ...record, record_sha256: sha256Hex(canonicalize(record)) } }
  }
  const forged = await verify({ envelope: forge({ label: 'MODELED' }) })
  assert.deepEqual([forged.integrity.verdict, forged.signature.verdict, forged.build], ['VALID', 'UNSIGNED', 'SAME'])
  assert.match(forged.note, /proves nothing about origin/)
  const older = await verify({ envelope: forge({ component: { ...json.component, version: '1.9.0' } }) })
  assert.deepEqual([older.integrity.verdict, older.verified, older.build], ['VALID', true, 'OTHER'])
  const elsewhere = await verify({ envelope: forge({}, 'b'.repeat(40)) })
  assert.deepEqual([elsewhere.integrity.verdict, elsewhere.build], ['VALID', 'OTHER'])
  const unbound = await verify({ envelope: forge({}, 'UNBOUND') })
  assert.deepEqual([unbound.integrity.verdict, unbound.build], ['VALID', 'UNKNOWN'])
})

test('a portfolio reply is found in the ledger, and no other reply passes under its receipt', async () => {
  const { json } = await analyse(`${A}/portfolio`, { holdings: { A: [...V1], B: [...V2] }, periods_per_year: 252 })
  const found = await verify({ envelope: json })
  assert.deepEqual(
    [found.integrity.verdict, found.ledger.verdict, found.signature.verdict],
    ['VALID', 'FOUND', 'VERIFIED'],
  )
  assert.deepEqual([found.signature.key_kind, found.authenticity_established], ['demo', true])
  assert.deepEqual(found.reasons, ['the key is a demo key: it proves integrity and no origin'])
  const { payload_sha256: _, receipt, ...payload } = json
  const changed = { ...payload, result: { ...payload.result, tail: null } }
  const forged = { ...changed, payload_sha256: sha256Hex(canonicalize(changed)), receipt }
  const refused = await verify({ envelope: forged })
  assert.deepEqual(
    [refused.verified, refused.ledger.verdict, refused.signature.verdict, refused.authenticity_established],
    [false, 'MISMATCH', 'NOT_APPLICABLE', false],
  )
  const altered = await verify({ envelope: { ...json, result: { ...json.result, tail: null } } })
  assert.deepEqual(
    [altered.verified, altered.signature.verdict, altered.authenticity_established],
    [false, 'NOT_APPLICABLE', false],
    'a genuine receipt lends an altered result nothing',
  )
  assert.deepEqual(altered.reasons, [
    'payload_digest_matches does not hold',
    'the signature of its receipt does not cover this result',
  ])
  const moved = await verify({ envelope: { ...json, receipt: { ...receipt, seq: receipt.seq + 1 } } })
  assert.equal(moved.ledger.verdict, 'MISMATCH')
  const unknown = await verify({ envelope: { ...json, receipt: { ...receipt, receipt_id: 'f'.repeat(64) } } })
  assert.deepEqual([unknown.ledger.verdict, unknown.signature.verdict], ['NOT_FOUND', 'UNSIGNED'])
})

test('a receipt is verified by its id and as a DSSE envelope, and a changed byte of it is INVALID', async () => {
  const { json } = await analyse(`${A}/portfolio`, { holdings: { A: [1, 2, 3] }, periods_per_year: 252 })
  const byId = await verify({ receipt_id: json.receipt.receipt_id })
  assert.deepEqual([byId.verified, byId.ledger.verdict, byId.signature.verdict], [true, 'FOUND', 'VERIFIED'])
  const none = await verify({ receipt_id: 'f'.repeat(64) })
  assert.deepEqual(
    [none.verified, none.integrity.verdict, none.ledger.verdict, none.signature.verdict],
    [...[false, 'NOT_APPLICABLE', 'NOT_FOUND', 'NOT_APPLICABLE']],
  )
  const { dsse } = (await get(`/api/orch/v1/receipts/${json.receipt.digest}`)).json
  const { payloadType, payload, signatures } = dsse
  const plain = { payloadType, payload, signatures }
  const whole = await verify({ dsse: plain })
  assert.deepEqual([whole.verified, whole.ledger.verdict, whole.signature.verdict], [true, 'FOUND', 'VERIFIED'])
  const bytes = Buffer.from(payload, 'base64')
  const altered = bytes.toString('latin1').replace('"seq":', '"seq":1')
  const bent = await verify({ dsse: { ...plain, payload: Buffer.from(altered, 'latin1').toString('base64') } })
  assert.deepEqual(
    [bent.signature.verdict, bent.authenticity_established, bent.ledger.verdict],
    [...['INVALID', false, 'NOT_FOUND']],
  )
  assert.equal(bent.verified, false)
  const bare = await verify({ dsse: { ...plain, signatures: [] } })
  assert.deepEqual([bare.signature.verdict, bare.authenticity_established], ['UNSIGNED', false])
  const noise = await verify({ dsse: { a: 1 } })
  assert.deepEqual([noise.verified, noise.signature.verdict], [false, 'NOT_APPLICABLE'])
})

test('a verification takes exactly one thing', async () => {
  const cases: [object, string][] = [
    [{ envelope: {}, dsse: {} }, 'body.dsse'],
    [{ envelope: {}, receipt_id: 'f'.repeat(64) }, 'body.receipt_id'],
    [{ receipt_id: 'f'.repeat(63) }, 'body.receipt_id'],
    [{ receipt: {} }, 'body.receipt'],
    [{ envelope: [] }, 'body.envelope'],
  ]
  for (const [body, place] of cases) {
    const { status, json } = await analyse(`${A}/receipts/verify`, body)
    assert.equal(status, 422)
    assert.ok(places(json).includes(place), JSON.stringify([places(json), body]))
  }
  const { verified, integrity } = await verify({ envelope: {} })
  assert.deepEqual([verified, integrity.verdict], [false, 'INVALID'])
})

test('the receipts are listed newest first, page by page, none twice and none left out', async () => {
  const whole = (await get(`${A}/receipts?limit=200`)).json
  assert.deepEqual([whole.canonicalization.slice(0, 8), whole.kinds.length], ['RFC 8785', 2])
  assert.deepEqual([whole.signing.status, whole.signing.key_kind], ['DEMO', 'demo'])
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const { json } = await get(`${A}/receipts?limit=7${cursor === null ? '' : `&cursor=${cursor}`}`)
    seen.push(...json.receipts.map(({ receipt_id }: { receipt_id: string }) => receipt_id))
    cursor = json.next_cursor
  } while (cursor !== null)
  assert.deepEqual(
    seen,
    whole.receipts.map(({ receipt_id }: { receipt_id: string }) => receipt_id),
  )
  assert.equal(new Set(seen).size, seen.length)
  assert.equal(whole.counts.finance, seen.length)
  const places = whole.receipts.map(({ node_index }: { node_index: number }) => node_index)
  assert.deepEqual(
    places,
    places.toSorted((a: number, b: number) => b - a),
  )
})

test('the four flags stand in every reply', async () => {
  const replies = [
    await get(`${A}/signals/BTC-USD`),
    await get(`${A}/quote/BTC-USD?origin=fixture`),
    await get(`${A}/receipts`),
    await get(`${A}/receipts/verify`),
    await analyse(`${A}/receipts/verify`),
    await analyse(`${A}/portfolio`),
    await analyse(`${P}/research/audit`),
  ]
  for (const { json } of replies)
    for (const [name, value] of Object.entries(flags))
      assert.equal(json[name], value, JSON.stringify(json).slice(0, 80))
})

test('the contract publishes the formulas that are computed here, each with a vector that holds', async () => {
  const { json } = await get(`${P}/contract`)
  assert.deepEqual(json.formulas, FORMULAS)
  for (const { vector } of json.formulas) assert.equal(vector.computed, vector.expected)
  assert.deepEqual(
    json.receipt_rules.map(({ kind }: { kind: string }) => kind),
    ['CALLER_HELD', 'LEDGER'],
  )
})
