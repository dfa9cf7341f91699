// What an operation may ask of the layer for itself: a look at its path before all else, less patience, its own words in
// a 422 and its own headers on every answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { startLimited } from '#testing/layer.ts'
import { dial, everything, exchange, post, send, statuses } from '#testing/raw-http.ts'
import { ServiceError } from '../errors.ts'
import { operation } from '../operation.ts'

const AnyObject = Type.Record(Type.String(), Type.Unknown())
const picky = operation({
  id: 'layer.picky',
  group: 'Operations',
  method: 'POST',
  path: '/layer/picky/:name',
  scope: null,
  summary: 'Has terms of its own',
  params: Type.Object({ name: Type.String() }),
  body: AnyObject,
  bodyLimit: 64,
  bodyTimeoutMs: 150,
  validationExtras: { nothing_done: true },
  headers: { 'x-frame-options': 'DENY' },
  precheck({ name }) {
    if (name !== 'known') throw new ServiceError('not_found', 'only one name is known')
  },
  reply: AnyObject,
  run: ({ params }) => ({ ...params }),
})
const PATH = '/api/orch/v1/layer/picky'
const LIMITS = { bodyTimeoutMs: 20_000, requestMs: 20_000 }

test('a name that is not known is told before type and origin, and the type before the origin', async (t) => {
  const { url } = await startLimited(t, LIMITS, [picky])
  const headers = { 'content-type': 'text/plain', origin: 'https://evil.example' }
  const long = 'x'.repeat(65)
  const unknown = await send(`${url}${PATH}/unknown`, { method: 'POST', headers, body: long })
  assert.deepEqual([unknown.status, unknown.headers['x-frame-options']], [404, 'DENY'])
  assert.equal((await send(`${url}${PATH}/known`, { method: 'POST', headers, body: long })).status, 415)
  assert.equal((await post(`${url}${PATH}/known`, long, { origin: headers.origin })).status, 403)
  assert.equal((await post(`${url}${PATH}/known`, long)).status, 413)
})

test('a name that cannot be read is a misfit, whatever names are known', async (t) => {
  const { url } = await startLimited(t, LIMITS, [picky])
  for (const raw of ['%', '%zz', '%ED%A0%80', '%ED%A0%80%ED%A0%80']) {
    const answer = await post(`${url}${PATH}/${raw}`, '{}')
    assert.deepEqual(
      [answer.status, answer.json.nothing_done, answer.json.detail[0].loc],
      [422, true, ['path', 'name']],
    )
  }
})

test('a misfit carries the operation’s own words, malformed or missing', async (t) => {
  const { url } = await startLimited(t, LIMITS, [picky])
  for (const body of [undefined, '', '[]', '{"a"']) {
    const answer = await post(`${url}${PATH}/known`, body)
    assert.equal(answer.status, 422)
    assert.equal(answer.json.nothing_done, true)
    assert.ok(answer.json.detail.length > 0)
  }
  const answer = await post(`${url}${PATH}/known`, '{}')
  assert.deepEqual([answer.status, answer.headers['x-frame-options']], [200, 'DENY'])
})

for (const framing of ['content-length: 20', 'transfer-encoding: chunked'])
  test(`a body slower than the operation waits gets one 408 and loses its connection (${framing})`, async (t) => {
    const { port, url } = await startLimited(t, LIMITS, [picky])
    const head = `POST ${PATH}/known HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`
    const raw = await exchange(port, head)
    assert.deepEqual(statuses(raw), [408])
    assert.match(raw, /"code":"request_timeout"/)
    assert.match(raw, /x-frame-options: DENY/)
    const socket = await dial(port)
    const answered = everything(socket)
    socket.write(head)
    const trickle = setInterval(() => socket.write(framing.startsWith('content') ? ' ' : '1\r\n \r\n'), 40)
    assert.deepEqual(statuses(await answered), [408])
    clearInterval(trickle)
    assert.equal((await post(`${url}${PATH}/known`, '{}')).status, 200)
  })
