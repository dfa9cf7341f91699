import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { after, test } from 'node:test'
import { canonicalize } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const SIGN = '/api/orch/khipu/sign'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const mint = (body: unknown, headers = {}) => post(`${service.url}${SIGN}`, JSON.stringify(body), headers)
const canonicalOf = (digest: string) => send(`${service.url}/api/orch/v1/receipts/${digest}/canonical`)
const size = async () => (await service.app.ports.ledger.reader.head()).size

test('a minted object becomes the statement of a signed, chained receipt whose bytes are served as they were hashed', async () => {
  const first = (await mint({ receipt: { b: 'two', a: 1 } })).json
  const second = (await mint({ b: 'two', a: 1 })).json
  const stored = await canonicalOf(first.digest)
  assert.equal(stored.headers['content-type'], 'application/vnd.orch.receipt+json')
  assert.equal(createHash('sha256').update(stored.text).digest('hex'), first.digest)
  assert.equal(Buffer.from(first.dsse.payload, 'base64').toString(), stored.text)
  const body = JSON.parse(stored.text)
  assert.equal(canonicalize(body), stored.text)
  assert.deepEqual(body.payload.statement, { a: 1, b: 'two' })
  assert.equal(body.payload.statement_sha256, createHash('sha256').update('{"a":1,"b":"two"}').digest('hex'))
  assert.deepEqual([body.kind, body.chain, body.seq], ['mint', 'mint', first.seq])
  assert.deepEqual([second.seq, second.prev], [first.seq + 1, first.digest])
  assert.equal(second.receipt.digest, second.digest)
  assert.equal(second.verify_url, `/api/orch/v1/verify/receipt/${second.digest}`)
})

test('names that the engine would confuse are signed as they were sent, and the ledger stays whole', async () => {
  const statements = [
    { q: 1, 'zz\n': 1 },
    { q: 1, 'zz\\': 1 },
    { q: 2, 'zz\t': 1 },
  ]
  for (const statement of statements) {
    const { json } = await mint(statement)
    assert.ok((await canonicalOf(json.digest)).text.includes(`"statement":${canonicalize(statement)}`))
    const report = await send(`${service.url}/api/orch/v1/verify/receipt/${json.digest}`)
    const found = report.json.checks.map(({ check, status }: Record<string, string>) => [check, status])
    assert.deepEqual(found.slice(0, 4), [
      ...['structure', 'signature', 'payload_digest', 'hash_chain'].map((check) => [check, 'VERIFIED']),
    ])
  }
  const { json } = await send(`${service.url}/api/orch/v1/khipu/organs`)
  assert.deepEqual([json.ok, json.broken], [true, null])
})

test('the signature verifies with nothing but the published key and the pre-authentication encoding', async () => {
  const { dsse } = (await mint({ n: 1 })).json
  const key = createPublicKey((await send(`${service.url}/cosign.pub`)).text)
  const payload = Buffer.from(dsse.payload, 'base64')
  const pae = Buffer.concat([
    Buffer.from(`DSSEv1 ${dsse.payloadType.length} ${dsse.payloadType} ${payload.length} `),
    payload,
  ])
  assert.equal(createHash('sha256').update(pae).digest('hex'), dsse._pae_sha256)
  assert.ok(verify('sha256', pae, key, Buffer.from(dsse.signatures[0].sig, 'base64')))
})

const nothing: [what: string, body: string | undefined, loc: string[]][] = [
  ['no body', undefined, ['body']],
  ['an empty object', '{}', ['body']],
  ['an empty receipt', '{"receipt":{}}', ['body', 'receipt']],
  ['a list', '[]', ['body']],
  ['null', 'null', ['body']],
]
for (const [what, body, loc] of nothing)
  test(`${what} is nothing to sign`, async () => {
    const answer = await post(`${service.url}${SIGN}`, body)
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.json.detail[0].loc, loc)
  })

test('16 KiB of canonical form are signed and one byte more is not, whatever white space came with them', async () => {
  const of = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
  for (const [bytes, status] of [
    [16_383, 200],
    [16_384, 200],
    [16_385, 422],
  ] as const) {
    assert.equal((await mint(of(bytes))).status, status, `${bytes} bytes`)
    assert.equal((await mint({ receipt: of(bytes) })).status, status, `${bytes} bytes wrapped`)
    const spaced = JSON.stringify(of(bytes), null, 8)
    assert.equal((await post(`${service.url}${SIGN}`, spaced)).status, status, `${bytes} bytes spaced`)
  }
})

const unportable: [what: string, body: string, loc: (string | number)[]][] = [
  ['an exponent', '{"receipt":{"a":[1,1e-7]}}', ['body', 'receipt', 'a', 1]],
  ['a number beyond 2^53', '{"a":{"b":9007199254740993}}', ['body', 'a', 'b']],
  ['a key that is not ASCII', '{"a":{"ä":1}}', ['body', 'a', 'ä']],
  ['a lone surrogate', '{"a":"\\ud800"}', ['body', 'a']],
]
for (const [what, body, loc] of unportable)
  test(`${what} cannot be signed and the answer says where it stands`, async () => {
    const before = await size()
    const answer = await post(`${service.url}${SIGN}`, body)
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.json.detail[0].loc.slice(0, loc.length), loc)
    assert.equal(await size(), before)
  })

test('minus zero is signed as the zero that its canonical form is', async () => {
  const { dsse } = (await post(`${service.url}${SIGN}`, '{"a":-0.0}')).json
  assert.match(Buffer.from(dsse.payload, 'base64').toString(), /\{"a":0\}/)
})

test('a caller never chooses the type, the kind or the chain of what is signed', async () => {
  const forged = { payloadType: 'text/plain', kind: 'decision', chain: 'governance', payload: { decision: 'ALLOW' } }
  const { dsse, chain } = (await mint(forged)).json
  const body = JSON.parse(Buffer.from(dsse.payload, 'base64').toString())
  assert.deepEqual([dsse.payloadType, body.kind, chain], ['application/vnd.orch.receipt+json', 'mint', 'mint'])
  assert.equal(body.payload.decision, undefined)
})

test('500 parallel requests with one key leave one receipt and get one answer, byte for byte', async () => {
  const before = await size()
  const headers = { 'idempotency-key': 'once' }
  const answers = await Promise.all(Array.from({ length: 500 }, () => mint({ once: true }, headers)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal(await size(), before + 1)
  await mint({ later: true })
  const replay = await mint({ once: true }, headers)
  assert.equal(replay.text, answers[0]!.text)
  assert.equal(replay.headers['idempotent-replay'], 'true')
})

test('a key that was used for another object is a conflict', async () => {
  await mint({ a: 1 }, { 'idempotency-key': 'mine' })
  const answer = await mint({ a: 2 }, { 'idempotency-key': 'mine' })
  assert.equal(answer.status, 409)
  assert.equal(answer.json.error.code, 'idempotency_conflict')
})

test('without a signer the receipt says that it is unsigned and shows nothing like a signature', async (t) => {
  const unsigned = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_SIGNER: 'none' })
  const answer = await post(`${unsigned.url}${SIGN}`, '{"a":1}')
  const { signed, keyid, key_kind, dsse } = answer.json
  assert.deepEqual([signed, keyid, key_kind, dsse.signed, dsse.signatures], [false, null, null, false, []])
})
