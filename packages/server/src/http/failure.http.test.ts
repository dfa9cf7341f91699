import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { type Service, startApp } from '#testing/layer.ts'
import { LAYER_OPERATIONS, slow, stream, throwing, unsendable } from '#testing/layer-operations.ts'
import { type Answer, dial, everything, send, statuses } from '#testing/raw-http.ts'

const service = await startApp({ after })
const url = `${service.url}/api/orch/v1`

for (const path of ['/layer/throwing', '/layer/throwing?late=true', '/layer/unsendable'])
  test(`${path} fails as nobody foresaw: 500 with the id, without the words of the exception`, async () => {
    const answer = await send(url + path, { headers: { 'x-request-id': 'trouble-1' } })
    assert.equal(answer.status, 500)
    assert.deepEqual(answer.json, {
      error: {
        code: 'internal_error',
        message: 'the service failed to answer; report the request id',
        request_id: 'trouble-1',
      },
    })
    assert.doesNotMatch(answer.text, /planted|ENOENT|\.ts|node_modules/)
  })

const LEAKS = /node_modules|\.ts\b|\.js\b|\bat \w+ \(|\/srv\/|\/work\/|Error:|ECONN|planted/

// Those made to fail or to take their time would drown what is looked for here.
const tried = LAYER_OPERATIONS.filter((op) => ![throwing, unsendable, slow, stream].includes(op))
let fuzzed: Service

const odd = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('..', '%2e%2e', '%00', '%zz', '__proto__', ';', '*', '{id}'),
)
const known = fc.constantFrom(
  ...tried.map((op) => `/api/orch/v1${op.path}`),
  '/v1/layer/echo',
  '/api/livez',
  '/api/readyz',
  '/api/build-info',
  '/api/orch/v1/health',
  '/healthz',
  '/metrics',
  '/openapi.json',
)
const path = fc.oneof(
  { weight: 3, arbitrary: known },
  { weight: 1, arbitrary: fc.tuple(known, odd).map(([base, tail]) => `${base}/${encodeURI(tail.toWellFormed())}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(known, odd, odd)
      .map(
        ([base, name, value]) =>
          `${base}?${encodeURI(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
      ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii' }).map((text) => `/${text.replace(/[\s#]/g, '')}`) },
)
const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'accept-encoding',
    'authorization',
    'content-type',
    'content-encoding',
    'expect',
    'idempotency-key',
    'if-none-match',
    'origin',
    'range',
    'sec-fetch-site',
    'te',
    'traceparent',
    'tracestate',
    'upgrade',
    'x-forwarded-for',
    'x-request-id',
    'x-http-method-override',
  ),
  fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
    fc.constantFrom(
      'application/json',
      '*/*',
      'Bearer x',
      'null',
      'gzip',
      'h2c',
      'websocket',
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ),
  ),
  { maxKeys: 4 },
)
const body = fc.oneof(
  fc.constant(undefined),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .dictionary(fc.constantFrom('claims', 'note', 'amount', 'deep', 'text', '__proto__', 'x'), fc.jsonValue())
    .map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 200 }),
)
const EXPECTED = new Set([200, 400, 403, 404, 405, 413, 414, 415, 422])

function judge(answer: Answer, what: string): void {
  // Not ready is what a check found just now, not a failure to answer.
  if (answer.status === 503 && /^\w+ \/api\/readyz/.test(what)) return
  assert.ok(EXPECTED.has(answer.status), `${answer.status} for ${what}: ${answer.text}`)
  assert.ok(answer.headers['x-request-id'], what)
  if (answer.status === 200 || answer.text === '') return
  assert.doesNotMatch(answer.text, LEAKS, what)
  if (answer.status === 422) assert.ok(Array.isArray(answer.json.detail), what)
  else assert.deepEqual(Object.keys(answer.json.error).slice(0, 3), ['code', 'message', 'request_id'], what)
}

test('nothing a caller sends makes a 500, hangs or leaks (3000 requests, seed 11)', async (t) => {
  fuzzed = await startApp(t, {}, tried)
  const method = fc.oneof(
    fc.constantFrom('GET', 'POST', 'HEAD'),
    fc.constantFrom(...METHODS.filter((name) => name !== 'CONNECT')),
  )
  await fc.assert(
    fc.asyncProperty(method, path, headers, body, async (verb, where, extra, bytes) => {
      const sending = {
        method: verb,
        headers: { 'content-type': 'application/json', ...extra },
        ...(bytes ? { body: bytes } : {}),
      }
      judge(await send(fuzzed.url + where, sending), `${verb} ${where} ${JSON.stringify(extra)}`)
    }),
    { seed: 11, numRuns: 3000 },
  )
})

test('bytes that are almost a request get one refusal of ours or silence, never a 500 (500 tries, seed 12)', async () => {
  const request =
    'POST /api/orch/v1/layer/echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'
  const change = fc.record({ at: fc.nat(request.length - 1), cut: fc.nat(3), put: fc.uint8Array({ maxLength: 3 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      let bytes = Buffer.from(request)
      for (const { at, cut, put } of changes)
        bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)])
      const socket = await dial(service.port)
      socket.write(bytes)
      // What was cut short never ends by itself.
      setTimeout(() => socket.end(), 30)
      const raw = await everything(socket)
      socket.destroy()
      assert.ok(
        statuses(raw).every((status) => EXPECTED.has(status) || status === 431),
        raw,
      )
      assert.doesNotMatch(raw, LEAKS)
    }),
    { seed: 12, numRuns: 500 },
  )
})
