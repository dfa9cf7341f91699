import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const scan = (text: string) => post(`${service.url}/api/orch/v1/organs/N3`, JSON.stringify({ text }))

test('a hundred long scans at once are read or refused, none is held because nobody read it, and liveness is answered', async () => {
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
  // On a machine that has no time a gate may run late on a text; one that was read has been normalised.
  const isRead = ({ limits }: { limits: { detail: string }[] }) =>
    !limits.some(({ detail }) => /^normalise/.test(detail))
  const read = answers.filter(({ status, json }) => status === 200 && isRead(json))
  const refused = answers.filter(({ status, json }) => status === 503 && json.error.code === 'organ_pool_busy')
  assert.ok(read.length > 0 && refused.length > 0)
  assert.equal(read.length + refused.length, 100)
  for (const { headers } of refused) assert.equal(headers['retry-after'], '1')
  console.log(
    `${read.length} read, ${refused.length} refused; liveness answered ${health} times; event-loop delay p99 ${delay.percentile(99) / 1e6} ms, max ${delay.max / 1e6} ms`,
  )
})
