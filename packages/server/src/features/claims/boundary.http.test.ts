import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { type Answer, exchange, post, type Sending, send, statuses } from '#testing/raw-http.ts'
import { isJson } from './boundary.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const PATH = '/api/orch/v1/claim-integrity'
const at = (name: string) => `${service.url}${PATH}/${name}`
const size = async () => (await service.app.ports.ledger.reader.head()).size
const OPERATIONS = ['atomize', 'evaluate'] as const
const GOOD = { atomize: '{"text":"It rose."}', evaluate: '{"claims":[]}' }

/** Every refusal of these operations has the same flat fields, and nothing was recorded for it. */
async function refusal(name: string, sending: Sending, status: number, code: string): Promise<Answer> {
  const before = await size()
  const answer = await send(at(name), { method: 'POST', ...sending })
  assert.equal(answer.status, status, answer.text)
  const { error, detail, ...flat } = answer.json
  assert.deepEqual(flat, {
    ready: true,
    accepted: false,
    label: 'STRUCTURAL-ONLY',
    module: 'orch.claim-integrity',
    contract_version: '1.0.0',
    decision_state: 'PROPOSAL_ONLY',
    effectors_enabled: 0,
  })
  assert.equal(error.code, code)
  assert.equal(error.request_id, answer.headers['x-request-id'])
  assert.ok(detail.length > 0)
  assert.equal(await size(), before)
  return answer
}

const json = { 'content-type': 'application/json' }
for (const name of OPERATIONS) {
  test(`${name}: a type that is not JSON is 422 and comes before compression, size and syntax`, async () => {
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
    const { json: body } = await refusal(name, { headers, body: 'x'.repeat(70_000) }, 422, 'invalid_claim_request')
    assert.deepEqual(body.detail[0].loc, ['header', 'content-type'])
    assert.equal(body.detail[0].type, 'content_type')
  })

  test(`${name}: no body and no type is a missing type`, async () => {
    const { json: body } = await refusal(name, {}, 422, 'invalid_claim_request')
    assert.equal(body.detail[0].type, 'content_type')
  })

  test(`${name}: a body that is not JSON is told with line and column, and an empty one is called absent`, async () => {
    const broken = await refusal(name, { headers: json, body: '{\n  oops' }, 422, 'invalid_claim_request')
    assert.match(broken.json.detail[0].msg, /at line 2, column 3/)
    const empty = await refusal(name, { headers: json, body: '' }, 422, 'invalid_claim_request')
    assert.equal(
      empty.json.detail[0].msg,
      'this operation needs a JSON body, and none was sent; send one such as {"text":"It rose."} or {"claims":[]}',
    )
    assert.equal(empty.json.detail[0].type, 'json_invalid')
  })

  test(`${name}: a compressed body is 415 and comes before its size`, async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    await refusal(name, { headers, body: 'x'.repeat(70_000) }, 415, 'unsupported_media_type')
    const identity = await post(at(name), GOOD[name], { 'content-encoding': 'Identity' })
    assert.equal(identity.status, 200)
  })

  for (const chunked of [false, true])
    test(`${name}: 65536 bytes are read and 65537 are not, ${chunked ? 'in chunks' : 'with a length'}`, async () => {
      for (const bytes of [65_535, 65_536])
        assert.equal(
          (await send(at(name), { method: 'POST', headers: json, body: GOOD[name].padEnd(bytes), chunked })).status,
          200,
        )
      const sending = { headers: json, body: GOOD[name].padEnd(65_537), chunked }
      const { json: body, headers } = await refusal(name, sending, 413, 'request_body_too_large')
      assert.deepEqual(body.detail[0].loc, ['body'])
      assert.equal(headers.connection, 'close')
    })

  test(`${name}: a length above the limit is answered before a byte of the body was sent`, async () => {
    const head = `POST ${PATH}/${name} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
    const raw = await exchange(service.port, `${head}content-length: 65537\r\n\r\n`, (text) =>
      text.includes('"detail"'),
    )
    assert.deepEqual(statuses(raw), [413])
  })

  test(`${name}: an endless body is answered at its 65537th byte and its connection is closed`, async () => {
    const head = `POST ${PATH}/${name} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
    const raw = await exchange(service.port, `${head}${chunk}${chunk}${chunk}`, (text) => text.includes('"detail"'))
    assert.deepEqual(statuses(raw), [413])
    assert.match(raw, /\r\nconnection: close\r\n/i)
  })

  test(`${name}: one Idempotency-Key is bound to the bytes that came with it`, async () => {
    const headers = { 'idempotency-key': `mine-${name}` }
    const first = await post(at(name), GOOD[name], headers)
    const again = await post(at(name), GOOD[name], headers)
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotent-replay'], 'true')
    const sending = { headers: { ...json, ...headers }, body: `${GOOD[name]} ` }
    const { json: body } = await refusal(name, sending, 409, 'idempotency_conflict')
    assert.deepEqual(body.detail[0].loc, ['header', 'idempotency-key'])
  })

  test(`${name}: a contract that is broken is told before the key is looked at`, async () => {
    const headers = { ...json, 'idempotency-key': 'x'.repeat(300) }
    const { json: body } = await refusal(name, { headers, body: '{}' }, 422, 'invalid_claim_request')
    assert.equal(body.detail[0].type, 'missing')
    await refusal(name, { headers, body: GOOD[name] }, 422, 'invalid_claim_request')
  })

  test(`${name}: input_sha256 is that of the bytes, white space included`, async () => {
    const sent = ` \n${GOOD[name]}\t`
    const { json: body } = await post(at(name), sent)
    assert.equal(body.input_sha256, createHash('sha256').update(sent).digest('hex'))
  })
}

test('the message repeats the first problem with its path', async () => {
  const body = '{"claims":[{"claim_id":1,"extra":2}]}'
  const { json: answer } = await refusal('evaluate', { headers: json, body }, 422, 'invalid_claim_request')
  assert.equal(answer.error.message, '$.claims[0].claim_id must be text such as "c1"')
  assert.deepEqual(answer.detail, [
    { loc: ['body', 'claims', 0, 'claim_id'], msg: 'must be text such as "c1"', type: 'string_type' },
    {
      loc: ['body', 'claims', 0, 'extra'],
      msg: 'this property is not part of the contract; allowed: claim_id, statement, atomic, evidence_refs, consequence_owner',
      type: 'extra_forbidden',
    },
  ])
})

test('too many candidates are refused with the exact count', async () => {
  const body = JSON.stringify({ text: 'a. '.repeat(5000) })
  const { json: answer } = await refusal('atomize', { headers: json, body }, 422, 'too_many_candidates')
  assert.deepEqual([answer.error.observed, answer.error.limit], [5000, 32])
  assert.deepEqual(answer.detail[0].loc, ['body', 'text'])
  assert.equal((await post(at('atomize'), JSON.stringify({ text: 'a. '.repeat(32) }))).json.candidate_count, 32)
})

test('the operations are not served under the alias', async () => {
  for (const name of ['info', ...OPERATIONS])
    assert.equal((await send(`${service.url}/v1/claim-integrity/${name}`)).status, 404)
})

test('a type is application/json in any case, with any parameters save a foreign charset', () => {
  const good = ['application/json', 'Application/JSON', ' application/json ;', 'application/json; charset=UTF-8']
  for (const type of [...good, 'application/json;charset="utf-8"', 'application/json; v=1; charset=utf-8'])
    assert.ok(isJson(type), type)
  const bad = ['', 'text/json', 'application/jsonx', 'application/vnd.api+json', 'application/json, text/plain']
  for (const type of [...bad, 'application/json; charset=latin1', 'application/json; charset=utf-8; charset=utf-16'])
    assert.ok(!isJson(type), type)
})

for (const type of ['Application/JSON ; v=1', 'application/json;', 'application/json; charset="UTF-8"'])
  test(`a body of the type ${type} is read`, async () => {
    assert.equal((await post(at('evaluate'), GOOD.evaluate, { 'content-type': type })).status, 200)
  })
