import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const run = (body: unknown) => post(`${service.url}/api/orch/v1/organs/N21`, JSON.stringify(body))

test('fifty endless loops at once: some are timed out, the rest is refused, and the service goes on answering', async () => {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const runs = Array.from({ length: 50 }, () => run({ code: 'while (true) {}', timeout_ms: 200 }))
  const waiting = { done: false }
  const all = Promise.all(runs).finally(() => (waiting.done = true))
  let health = 0
  while (!waiting.done) {
    assert.equal((await send(`${service.url}/healthz`)).status, 200)
    health += 1
  }
  delay.disable()
  const answers = await all
  const isStopped = (exit: string) => exit === 'timeout' || exit === 'killed'
  const timedOut = answers.filter(({ status, json }) => status === 200 && isStopped(json.result.exit))
  const refused = answers.filter(({ status, json }) => status === 503 && json.error.code === 'organ_pool_busy')
  assert.ok(timedOut.length >= 2 && refused.length > 0)
  assert.equal(timedOut.length + refused.length, 50)
  for (const { headers } of refused) assert.equal(headers['retry-after'], '1')
  for (const { json } of timedOut) assert.match(json.receipt.receipt_id, /^[0-9a-f]{64}$/)
  const wall = timedOut.map(
    ({ json }) => json.evidence.readings.find(({ name }: { name: string }) => name === 'run').value,
  )
  console.log(
    `health answered ${health} times; event-loop delay p50 ${delay.percentile(50) / 1e6} ms, p99 ${delay.percentile(99) / 1e6} ms, max ${delay.max / 1e6} ms; wall of the timeouts ${wall} us`,
  )
})

test('a run that has to be killed from outside leaves a service that answers', async () => {
  const { json } = await run({ code: 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', timeout_ms: 50 })
  assert.deepEqual([json.result.exit, json.status, json.deterministic], ['killed', 'EXECUTED', false])
  assert.equal((await run({ prompt: '2*(3+4)' })).json.result.value, 14)
})

test('an input that is nested too deep and a value with odd names are answered like anything else', async () => {
  const deep = `{"code":"1","input":${'['.repeat(70)}${']'.repeat(70)}}`
  assert.equal((await post(`${service.url}/api/orch/v1/organs/N21`, deep)).status, 422)
  const { status, json } = await run({ code: `JSON.parse('{"__proto__":{"a":1},"constructor":2,"":"\\\\ud800"}')` })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(json.result.value).sort(), ['', '__proto__', 'constructor'])
})
