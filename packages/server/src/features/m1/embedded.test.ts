import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EmbeddedTarget } from '../../adapters/models/embedded.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Answer, M1 } from './contract.ts'
import { embeddedModel } from './embedded.ts'

const CALL = { body: { messages: [{ role: 'user', content: 'A receipt is' }] }, deadlineMs: 5_000 }
const never = new AbortController().signal

const targetOf = (infer: M1['infer']) => new EmbeddedTarget(embeddedModel({ infer } as M1), systemClock)

test('a client that leaves ends its call as aborted, whatever reason it leaves for', async () => {
  const client = new AbortController()
  const target = targetOf((_, { signal }) => {
    client.abort(new Error('the client left'))
    return Promise.reject(signal.reason)
  })
  const { ok, code } = (await target.complete(CALL, client.signal)) as { ok: boolean; code: string }
  assert.deepEqual([ok, code], [false, 'ABORTED'])
  const { inFlight, calls, lastErrorCode } = target.state()
  assert.deepEqual([inFlight, calls, lastErrorCode], [0, 1, 'ABORTED'])
})

test('a fault of our own is not hidden, and the call it ended is not counted as one in flight', async () => {
  const target = targetOf(() => Promise.reject(new TypeError('our own')))
  await assert.rejects(target.complete(CALL, never), /our own/)
  assert.deepEqual([target.state().inFlight, target.state().lastErrorCode], [0, 'INTERNAL'])
})

const ANSWER: Answer = {
  tokens: [],
  weightsSha256: 'ab'.repeat(32),
  timing: { wallMs: 1, cpuMs: 1, queueMs: 0 },
  inference: {
    text: 'one two',
    tokens: [],
    finish_reason: 'length',
    prompt_tokens: 3,
    prompt_truncated: false,
    completion_tokens: 2,
    prompt_bits_per_byte: 2,
    seed: 0,
  },
}

test('tokens that are parts of a character have their bytes, and a stop string drops those behind it alone', async () => {
  const token = (bytes: number[]) => ({ id: 1, text: '\ufffd', bytes, logprob: -1, top: [] })
  const tokens = [[0xe6, 0x8c], [0x87], [0xe4, 0xbb], [0xa4], [0x2e]].map(token)
  const inference = { ...ANSWER.inference, text: '指令', finish_reason: 'stop' } as const
  const target = targetOf(async () => ({ ...ANSWER, tokens, inference }))
  const given = await target.complete({ ...CALL, body: { ...CALL.body, logprobs: true } }, never)
  assert.ok(given.ok)
  const rows = given.value.choices[0].logprobs!.content as { bytes: number[] }[]
  assert.equal(Buffer.from(rows.flatMap(({ bytes }) => bytes)).toString(), '指令')
})

test('a stream begins with the first of the text, while the rest is still being made', async () => {
  const rest = Promise.withResolvers<void>()
  const target = targetOf(async (_, { tell }) => {
    tell?.('one')
    await rest.promise
    tell?.(' two')
    return ANSWER
  })
  const opened = await target.stream(CALL, never)
  assert.ok(opened.ok)
  const chunks = opened.chunks[Symbol.asyncIterator]()
  assert.deepEqual((await chunks.next()).value, { model: 'm1', choices: [{ index: 0, delta: { content: 'one' } }] })
  rest.resolve()
  const left = await Array.fromAsync({ [Symbol.asyncIterator]: () => chunks })
  assert.deepEqual(left, [
    { model: 'm1', choices: [{ index: 0, delta: { content: ' two' } }] },
    { model: 'm1', choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
    { model: 'm1', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
  ])
})

test('a reader who stops reading stops the text, and a text that breaks off is no whole answer', async () => {
  const stopped = Promise.withResolvers<void>()
  const endless: M1['infer'] = (_, { tell, signal }) => {
    tell?.('one')
    signal.addEventListener('abort', () => stopped.resolve())
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const opened = await targetOf(endless).stream(CALL, never)
  assert.ok(opened.ok)
  for await (const _ of opened.chunks) break
  await stopped.promise
  const broken = await targetOf(async (_, { tell }) => {
    tell?.('one')
    throw Object.assign(new Error(), { name: 'ComputeError', code: 'deadline_exceeded' })
  }).stream(CALL, never)
  assert.ok(broken.ok)
  await assert.rejects(Array.fromAsync(broken.chunks), { name: 'ChatStreamBroken', code: 'RESPONSE_DEADLINE' })
})
