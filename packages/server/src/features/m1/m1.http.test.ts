import assert from 'node:assert/strict'
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { EXAMPLE } from './infer.ts'
import { MODEL_FOLDER } from './open.ts'

const modelFolder = `${freshFolder('m1-http')}/`
cpSync(MODEL_FOLDER, modelFolder, { recursive: true })
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_M1: 'on' }, [], { modelFolder })
after(() => rmSync(modelFolder, { recursive: true, force: true }))
const P = `${service.url}/api/orch/v1`
const infer = (body: unknown, headers = {}) => post(`${P}/models/m1/infer`, JSON.stringify(body), headers)
const small = { ...EXAMPLE, max_new_tokens: 6 }
const receiptOf = async (digest: string) => JSON.parse((await send(`${P}/receipts/${digest}/canonical`)).text)

test('the gate is the same as JSON under both paths, and the page shows it without a foreign request', async () => {
  const gate = (await send(`${P}/models/m1`)).json
  assert.equal(gate.operational_state, 'READY_EXPERIMENTAL', JSON.stringify(gate.checks))
  const page = await send(`${service.url}/models/m1`)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.equal(page.headers.vary, 'Accept')
  for (const { sha256 } of Object.values(gate.checks) as { sha256?: string }[])
    if (sha256 !== undefined) assert.ok(page.text.includes(sha256))
  for (const figure of [1.1177, 1.5709, 3.009]) assert.ok(page.text.includes(String(figure)), `${figure}`)
  assert.doesNotMatch(page.text, /(src|href)="(https?:)?\/\//)
  const asked = await send(`${service.url}/models/m1`, { headers: { accept: 'application/json' } })
  assert.deepEqual({ ...asked.json, checked_at: '' }, { ...gate, checked_at: '' })
  assert.equal((await send(`${service.url}/models/m1`, { method: 'HEAD' })).status, 200)
  assert.equal((await send(`${service.url}/models/m1/app.js`)).status, 200)
})

test('nothing sent runs the documented example, which is kept as an example', async () => {
  const { status, json } = await infer({})
  assert.equal(status, 200, JSON.stringify(json))
  assert.deepEqual([json.state, json.label, json.input_source], ['RESULT', 'MODELED', 'DEFAULT_EXAMPLE'])
  assert.deepEqual([json.production_eligible, json.inference.completion_tokens], [false, json.inference.tokens.length])
  const { kind, payload } = await receiptOf(json.receipt.digest)
  assert.deepEqual([kind, payload.example_of], ['example', 'inference'])
  const sent = await infer(EXAMPLE)
  assert.deepEqual(sent.json.inference, json.inference)
  assert.deepEqual([sent.json.output_sha256, sent.json.input_source], [json.output_sha256, 'CALLER'])
})

test('the receipt holds digests and parameters, and neither the prompt nor the text', async () => {
  const { json } = await infer({ ...small, prompt: 'An unmistakable prompt', stop: ['qq'] })
  const { kind, chain, payload } = await receiptOf(json.receipt.digest)
  assert.deepEqual([kind, chain, payload.label], ['inference', 'm1', 'MODELED'])
  assert.equal(payload.weights_sha256, json.weights_sha256)
  assert.equal(payload.parameters.maxNewTokens, 6)
  assert.doesNotMatch(JSON.stringify(payload), /unmistakable|qq/)
})

test('the same seed gives the same text, another one another, and the prompt is part of the draws', async () => {
  const draw = async (more: object) => {
    const { status, json } = await infer({ ...small, max_new_tokens: 12, temperature: 1, top_logprobs: 0, ...more })
    assert.equal(status, 200, JSON.stringify(json))
    return json.inference
  }
  const one = await draw({ seed: 7 })
  assert.deepEqual(await draw({ seed: 7 }), one)
  assert.notEqual((await draw({ seed: 8 })).text, one.text)
  assert.ok(one.tokens.every(({ top, logprob }: { top: []; logprob: number }) => top.length === 0 && logprob <= 0))
})

test('what does not fit the contract is refused with the field named, and nothing else is looked at', async () => {
  const { schema: _, ...without } = small
  const bad: [object, string][] = [
    [without, 'schema'],
    [{ prompt: 'a' }, 'schema'],
    [{ ...small, requested_tier: 'PRODUCTION' }, 'requested_tier'],
    [{ ...small, provider_id: 'other' }, 'provider_id'],
    [{ ...small, extra: 1 }, 'extra'],
    [{ ...small, prompt: ' \n\t' }, 'prompt'],
    [{ ...small, prompt: 'a\u0000b' }, 'prompt'],
    [{ ...small, prompt: '' }, 'prompt'],
    [{ ...small, prompt: '😀'.repeat(2049) }, 'prompt'],
    [{ ...small, max_new_tokens: 0 }, 'max_new_tokens'],
    [{ ...small, max_new_tokens: 129 }, 'max_new_tokens'],
    [{ ...small, temperature: 1.1 }, 'temperature'],
    [{ ...small, temperature: -0.1 }, 'temperature'],
    [{ ...small, top_k: 101 }, 'top_k'],
    [{ ...small, top_logprobs: 11 }, 'top_logprobs'],
    [{ ...small, seed: 2 ** 31 }, 'seed'],
    [{ ...small, stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ ...small, stop: ['x'.repeat(33)] }, 'stop'],
  ]
  for (const [body, field] of bad) {
    const { status, json } = await infer(body)
    assert.equal(status, 422, JSON.stringify(body).slice(0, 80))
    assert.ok(
      json.detail.some(({ loc }: { loc: unknown[] }) => loc.includes(field)),
      JSON.stringify(json),
    )
    assert.equal(json.gate, undefined)
  }
  const long = await infer({ ...small, prompt: 'x'.repeat(33 * 1024) })
  assert.equal(long.status, 413)
  assert.equal(long.json.gate.schema, 'orch.m1-operational-gate/v1')
})

test('of two calls at once one is answered and one is told to come again', async () => {
  const both = await Promise.all([infer({ ...small, seed: 1 }), infer({ ...small, seed: 1 })])
  const [answered, refused] = both.sort((one, other) => one.status - other.status)
  assert.deepEqual([answered?.status, refused?.status], [200, 429])
  assert.equal(refused?.json.error.code, 'inference_slot_busy')
  assert.deepEqual([refused?.headers['retry-after'], refused?.json.gate.operational_state], ['1', 'READY_EXPERIMENTAL'])
})

test('without a configured target the embedded model answers, and is listed with its label', async () => {
  const { data } = (await send(`${service.url}/v1/models`)).json
  assert.deepEqual([data[0].id, data[0].owned_by, data[0].orch.zone], ['m1', 'orch', 'local'])
  const body = { model: 'm1', messages: [{ role: 'user', content: 'A receipt is' }], max_tokens: 6, temperature: 0 }
  const direct = (await infer(small)).json.inference
  const chat = await post(`${service.url}/v1/chat/completions`, JSON.stringify(body))
  assert.equal(chat.status, 200, chat.text)
  assert.deepEqual([chat.json.choices[0].message.content, chat.json.choices[0].finish_reason], [direct.text, 'length'])
  assert.deepEqual(chat.json.usage, {
    prompt_tokens: direct.prompt_tokens,
    completion_tokens: 6,
    total_tokens: direct.prompt_tokens + 6,
  })
  const reply = (await post(`${P}/govern/infer`, JSON.stringify({ prompt: 'A receipt is', max_tokens: 6 }))).json
  assert.deepEqual([reply.decision, reply.answer, reply.served_by], ['allow', direct.text, 'm1'])
  assert.deepEqual([reply.generation.label, reply.route.chosen], ['MEASURED', 'm1'])
  const streamed = await post(`${service.url}/v1/chat/completions`, JSON.stringify({ ...body, stream: true }))
  const deltas = [...streamed.text.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, text]) => JSON.parse(text!).choices[0]?.delta?.content ?? '',
  )
  assert.equal(deltas.join(''), direct.text)
  assert.match(streamed.text, /data: \[DONE\]/)
})

test('chats wait for the slot, an answer is as long as the model gives, and a prompt that does not fit goes nowhere', async () => {
  const ask = (more: object) =>
    post(`${P}/govern/infer`, JSON.stringify({ prompt: 'A ledger is', max_tokens: 2, ...more })).then(
      ({ json }) => json,
    )
  const all = await Promise.all([ask({}), ask({ max_tokens: 3 }), ask({ seed: 4 })])
  assert.deepEqual(
    all.map(({ served_by, answer }) => [served_by, typeof answer]),
    all.map(() => ['m1', 'string']),
  )
  const long = await ask({ prompt: Array.from({ length: 130 }, (_, at) => `Room ${at} is open.`).join(' ') })
  assert.deepEqual(long.route.rejected, [{ id: 'm1', why: ['PROMPT_TOO_LONG'] }])
  assert.deepEqual([long.answer, long.generation.reason], [null, 'NO_TARGET'])
})

const chat = (more: object, content = 'A receipt is') =>
  post(
    `${service.url}/v1/chat/completions`,
    JSON.stringify({ model: 'm1', messages: [{ role: 'user', content }], max_tokens: 2, ...more }),
  )

test('a chat that asks for what the model cannot do is refused with the field named', async () => {
  for (const [field, value] of [
    ['response_format', { type: 'json_object' }],
    ['tool_choice', 'required'],
    ['n', 2],
    ['top_logprobs', 3],
    ['temperature', 3],
  ] as const) {
    const { status, json } = await chat({ [field]: value })
    assert.deepEqual([status, json.error.param, json.error.type], [422, field, 'invalid_request_error'])
  }
  assert.equal((await chat({}, '  ')).status, 422)
  assert.equal((await chat({ tools: [], tool_choice: 'auto', user: 'someone' })).status, 200)
})

test('the log-probabilities of a chat are those that the model gives where it is asked directly', async () => {
  const { tokens, text } = (await infer(small)).json.inference
  const { status, json } = await chat({ max_tokens: 6, temperature: 0, logprobs: true, top_logprobs: 5 })
  assert.equal(status, 200, JSON.stringify(json))
  type Chance = { token: string; logprob: number; bytes: number[] | null }
  const rows = json.choices[0].logprobs.content as (Chance & { top_logprobs: Chance[] })[]
  assert.equal(rows.map(({ token }) => token).join(''), text)
  assert.equal(Buffer.from(rows.flatMap(({ bytes }) => bytes!)).toString(), text)
  for (const [at, { token, logprob, top_logprobs }] of rows.entries()) {
    assert.deepEqual([token, top_logprobs.length], [tokens[at].text, 5])
    assert.ok(Math.abs(logprob - tokens[at].logprob) < 1e-6)
    assert.deepEqual(
      top_logprobs.map((each) => each.token),
      tokens[at].top.map((each: { text: string }) => each.text),
    )
  }
  const stopped = await chat({ max_tokens: 6, temperature: 0, logprobs: true, stop: [tokens[2].text] })
  const answerText = stopped.json.choices[0].logprobs.content.map(({ token }: Chance) => token).join('')
  assert.equal(answerText, stopped.json.choices[0].message.content)
  assert.equal((await chat({})).json.choices[0].logprobs, null)
})

test('a prompt of more tokens than the model reads is refused whole, however few another tokenizer counts', async () => {
  const long = '\u{1f917}'.repeat(140)
  const refused = await chat({}, long)
  assert.deepEqual([refused.status, refused.json.error.code], [400, 'context_length_exceeded'], refused.text)
  assert.equal(refused.json.error.upstream.code, 'PROMPT_TOO_LONG')
  assert.ok(refused.headers['x-orch-receipt'])
  const reply = (await post(`${P}/govern/infer`, JSON.stringify({ prompt: long, max_tokens: 2 }))).json
  assert.deepEqual(
    [reply.answer, reply.generation.reason, reply.generation.code],
    [null, 'NO_TARGET', 'PROMPT_TOO_LONG'],
  )
  const signs = Array.from({ length: 240 }, (_, at) => String.fromCodePoint(0x13000 + at)).join('')
  const counted = await chat({}, signs)
  assert.deepEqual([counted.status, counted.json.error.code], [400, 'context_length_exceeded'])
})

test('more chats at once than may wait are told to come again, and none is taken for a failure', async () => {
  const all = await Promise.all(Array.from({ length: 14 }, (_, seed) => chat({ seed })))
  const refused = all.filter(({ status }) => status !== 200)
  assert.ok(refused.length > 0 && refused.length < all.length)
  for (const { status, headers, json } of refused)
    assert.deepEqual(
      [status, headers['retry-after'], json.error.code, json.error.type],
      [429, '1', 'inference_slot_busy', 'rate_limit_error'],
    )
})

test('the text of a stream leaves while it is made, as far as it was examined', async () => {
  const body = { prompt: 'The committee shall', max_tokens: 128, temperature: 0.8, seed: 3, stream: true }
  const streamed = await post(`${P}/govern/infer`, JSON.stringify(body))
  const parts = [...streamed.text.matchAll(/^event: token\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!).delta)
  assert.ok(parts.length > 2, `${parts.length} parts`)
  const { answer, generation } = JSON.parse(/^event: done\ndata: (.*)$/m.exec(streamed.text)![1]!)
  assert.equal(parts.join(''), answer)
  assert.ok(generation.ttft_ms < generation.latency_ms)
})

test('a client that leaves frees the model, and the receipt says that it left', async () => {
  const client = new AbortController()
  const left = fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm1', messages: [{ role: 'user', content: 'A long text' }], max_tokens: 128 }),
    signal: client.signal,
  })
  const target = async () => (await send(`${P}/govern/health`)).json.targets[0]
  while ((await target()).in_flight === 0);
  client.abort()
  await assert.rejects(left)
  while ((await target()).in_flight > 0);
  assert.equal((await target()).last_error_code, 'ABORTED')
  const newest = async () => {
    const { json } = await send(`${service.url}/api/orch/khipu/ledger?kind=inference&limit=1`)
    return (await receiptOf((json.receipts ?? json.items)[0].digest)).payload
  }
  while (!(await newest()).aborted);
  assert.deepEqual([(await newest()).shortfall, (await newest()).target], ['CLIENT_LEFT', 'm1'])
  assert.equal((await chat({})).status, 200)
})

test('where m1 answers in the place of a target that failed, reply and receipt name that target and its failure', async (t) => {
  const own = { id: 'own', base_url: 'http://127.0.0.1:1/v1', model: 'big', zone: 'local', timeout_ms: 2_000 }
  const settings = { ORCH_STORE: 'memory', ORCH_M1: 'on', ORCH_UPSTREAMS: JSON.stringify([own]) }
  const { url } = await startApp(t as never, settings, [], { modelFolder })
  const ask = JSON.stringify({ prompt: 'A receipt is', max_tokens: 2 })
  const { json } = await post(`${url}/api/orch/v1/govern/infer`, ask)
  assert.deepEqual([json.served_by, json.route.chosen, json.generation.model.resolved], ['m1', 'own', 'm1'])
  const [failed] = json.generation.instead_of
  assert.deepEqual([failed.target, failed.status, typeof failed.code], ['own', null, 'string'])
  const receipt = await send(`${url}/api/orch/v1/receipts/${json.receipt.digest}/canonical`)
  const { payload } = JSON.parse(receipt.text)
  assert.deepEqual([payload.target, payload.instead_of], ['m1', json.generation.instead_of])
  const named = await post(
    `${url}/v1/chat/completions`,
    JSON.stringify({ model: 'big', messages: [{ role: 'user', content: 'hi' }] }),
  )
  assert.deepEqual([named.status, named.json.error.upstream.target], [502, 'own'])
})

test('the statement about this build names the weights, the corpus and the training', async () => {
  const { json } = await send(`${P}/attest/manifest`)
  const { provenance } = json.statement.predicate
  const { checks } = (await send(`${P}/models/m1`)).json
  assert.deepEqual(
    [provenance.sovereign_weights.sha256, provenance.sovereign_weights.present, provenance.sovereign_weights.bytes],
    [checks.weights.sha256, true, checks.weights.bytes],
  )
  assert.equal(provenance.corpus_sha, checks.corpus_manifest.sha256)
  assert.match(provenance.training.method, /from scratch/)
  assert.deepEqual([provenance.training.config.seed, provenance.training.config.max_seq_len], [1, 512])
})

test('sovereign compute and the operator’s topology know a model that answers now', async () => {
  const { json } = await send(`${P}/sovereign-compute`)
  const row = json.capabilities.find(({ id }: { id: string }) => id === 'local_model')
  assert.deepEqual([row.tier, row.label, json.sovereign_any], ['LIVE-SOVEREIGN', 'MEASURED', true])
  assert.equal(row.facts.operational_state, 'READY_EXPERIMENTAL')
  const { nodes } = (await send(`${service.url}/operator-organ/topology.json`)).json
  const reasoning = nodes.find(({ id }: { id: string }) => id === 'reasoning')
  assert.deepEqual([reasoning.healthy, reasoning.evidence.offline_reload], [true, 'PASS'])
})

test('a flipped byte is 409, weights that are away are 503, each with the gate, and both heal', async () => {
  const weights = join(modelFolder, 'weights.safetensors')
  const bytes = readFileSync(weights)
  const flipped = Buffer.from(bytes)
  flipped[9_000_000]! ^= 1
  writeFileSync(weights, flipped)
  const blocked = await infer(small)
  assert.deepEqual([blocked.status, blocked.json.error.code], [409, 'model_gate_blocked'])
  assert.deepEqual(
    [blocked.json.gate.operational_state, blocked.json.gate.checks.weights.state],
    ['BLOCKED', 'BLOCKED'],
  )
  const reply = (await post(`${P}/govern/infer`, JSON.stringify({ prompt: 'A receipt is', max_tokens: 2 }))).json
  assert.deepEqual([reply.answer, reply.generation.code], [null, 'MODEL_GATE_BLOCKED'])
  const refused = await chat({})
  assert.deepEqual([refused.status, refused.json.error.code], [409, 'model_gate_blocked'])
  assert.deepEqual((await send(`${service.url}/v1/models`)).json.data, [])
  writeFileSync(weights, bytes)
  renameSync(weights, `${weights}.away`)
  const away = await infer(small)
  assert.deepEqual([away.status, away.json.error.code], [503, 'model_unavailable'])
  assert.equal(away.json.gate.checks.weights.state, 'UNAVAILABLE')
  renameSync(`${weights}.away`, weights)
  assert.equal((await infer(small)).status, 200)
  assert.equal((await send(`${service.url}/v1/models`)).json.data[0].id, 'm1')
})
