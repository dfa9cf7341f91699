import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach } from 'node:test'
import { calmly, inTime } from '#testing/late-gates.ts'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'

/** A model that says what it was told to say, line by line; the last line again and again. */
let script: string[] = []
let asked: string[] = []
const model = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  asked.push(Buffer.concat(chunks).toString())
  const content = script.length > 1 ? script.shift() : script[0]
  if (content === undefined) return
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ id: 'x', choices: [{ index: 0, message: { role: 'assistant', content } }] }))
})
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
after(() => {
  model.closeAllConnections()
  model.close()
})
const { port } = model.address() as AddressInfo
const target = (zone: string) =>
  JSON.stringify([
    {
      id: 'planner',
      base_url: `http://127.0.0.1:${port}/v1`,
      model: 'm',
      zone,
      tier: 1,
      context_tokens: 8192,
      timeout_ms: 5000,
    },
  ])
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_UPSTREAMS: target('local') })
const outside = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_UPSTREAMS: target('external') })
const run = async (body: object, { url } = service) =>
  inTime(await post(`${url}/api/orch/v1/agent/loop`, JSON.stringify({ planner: 'upstream', ...body })))

beforeEach(() => {
  asked = []
})

calmly('a model proposes one call at a time and sees what came of it', async () => {
  script = ['{"tool":"calc","args":{"expression":"6*7"}}', '{"done":true}']
  asked = []
  const { json } = await run({ goal: 'what is six times seven' })
  assert.deepEqual([json.status, json.halt.code, json.planner.target], ['completed', 'DONE', 'planner'])
  assert.equal(json.observations[0].output.value, '42')
  assert.equal(asked.length, 2)
  assert.ok(JSON.parse(asked[1]!).messages[1].content.includes('"value":"42"'))
})

calmly('two answers that are no tool call end the run', async () => {
  script = ['Sure, I will hash that for you!']
  asked = []
  const { json } = await run({ goal: 'hash it' })
  assert.deepEqual([json.status, json.halt.code, asked.length], ['halted', 'PLANNER_ERROR', 2])
})

calmly('a destructive call of a model goes to a person like any other', async () => {
  script = ['{"tool":"session_clear","args":{}}']
  const { json } = await run({ goal: 'tidy up' })
  assert.deepEqual([json.status, json.steps[1].executed, json.steps[1].reasons], ['review', false, ['POLICY_REVIEW']])
})

calmly('a model that copies an observation into a note goes to a person', async () => {
  const copied = '{"tool":"note_put","args":{"name":"n","text":"2cf24dba5fb0a30e26e83b2ac5b9e29e"}}'
  script = ['{"tool":"hash","args":{"text":"hello"}}', copied]
  const { json } = await run({ goal: 'hash it and keep it' })
  assert.deepEqual([json.status, json.steps[2].tainted, json.steps[2].executed], ['review', true, false])
})

calmly('a model outside the list of tools is not followed', async () => {
  script = ['{"tool":"hash","args":{"text":"x"}}']
  const { json } = await run({ goal: 'x', tools: ['time'] })
  assert.equal(json.halt.code, 'PLANNER_ERROR')
})

calmly('a model that does not answer ends the run at its deadline', async () => {
  script = []
  const { json } = await run({ goal: 'x', deadline_ms: 300 })
  assert.deepEqual([json.status, json.halt.code], ['halted', 'DEADLINE'])
})

calmly('what is restricted is not sent to a model outside', async () => {
  script = ['{"done":true}']
  asked = []
  const context = 'the medical record of the patient in the sealed case'
  const { json } = await run({ goal: 'plan the day', context }, outside)
  assert.deepEqual([json.halt.code, json.decision], ['PLANNER_ERROR', 'review'])
  assert.deepEqual(asked, [])
  const open = await run({ goal: 'plan the day' }, outside)
  assert.equal(open.json.halt.code, 'PLAN_EMPTY')
  assert.equal(asked.length, 1)
})

calmly('a dry run asks no model', async () => {
  asked = []
  const { json } = await run({ goal: 'x', dry_run: true })
  assert.deepEqual([json.halt.code, json.halt.reason, asked], ['PLAN_EMPTY', 'a dry run asks no model', []])
})
