import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const scan = (text: string) => post(`${service.url}/api/orch/v1/organs/N3`, JSON.stringify({ text }))

test('a hundred long scans at once are read or refused, what was not read is held and says so, and liveness is answered', async () => {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const scans = Array.from({ length: 100 }, (_, at) => scan(`${at} ${'lorem ipsum dolor sit amet '.repeat(1200)}`))
  const waiting = { done: false }
  const all = Promise.all(scans).finally(() => {
    waiting.done = true
  })
  let health = 0
  while (!waiting.done) {
    assert.equal((await send(`${service.url}/healthz`)).status, 200)
    health += 1
  }
  delay.disable()
  const answers = await all
  // On a machine that has no time a gate may run late on a text.
  const isRead = ({ limits }: { limits: { code: string }[] }) => !limits.some(({ code }) => code === 'SCANNER_FAILED')
  const read = answers.filter(({ status, json }) => status === 200 && isRead(json))
  const held = answers.filter(({ status, json }) => status === 200 && !isRead(json))
  for (const { json } of held) assert.equal(json.status, 'AWAITING_APPROVAL', JSON.stringify(json.limits))
  const refused = answers.filter(({ status, json }) => status === 503 && json.error.code === 'organ_pool_busy')
  assert.ok(refused.length > 0)
  assert.equal(read.length + held.length + refused.length, 100)
  for (const { headers } of refused) assert.equal(headers['retry-after'], '1')
  console.log(
    `${read.length} read, ${held.length} held, ${refused.length} refused; liveness answered ${health} times; event-loop delay p99 ${delay.percentile(99) / 1e6} ms, max ${delay.max / 1e6} ms`,
  )
})
