import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { exchange, statuses } from '#testing/raw-http.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const BODY = '{"text":"Hello world."}'
const asking = (length: number, more = '') =>
  `POST /api/orch/v1/claim-integrity/atomize HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
  `expect: 100-continue\r\ncontent-length: ${length}\r\n${more}\r\n`

test('who asks before sending more than the limit is refused and never told to go on', async () => {
  const answer = await exchange(service.port, asking(99_999_999))
  assert.deepEqual(statuses(answer), [413])
  assert.match(answer, /connection: close/i)
})

test('who asks before sending what is taken is told to go on, and is answered', async () => {
  const answer = await exchange(service.port, `${asking(BODY.length, 'connection: close\r\n')}${BODY}`)
  assert.deepEqual(statuses(answer), [100, 200])
})

test('who asks and is refused for another reason loses the connection, for nobody knows what follows', async () => {
  const answer = await exchange(service.port, asking(BODY.length).replace('application/json', 'text/plain'))
  assert.deepEqual(statuses(answer), [422])
  assert.match(answer, /connection: close/i)
})
