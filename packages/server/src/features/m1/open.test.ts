import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import { Compute } from '../../platform/compute/compute.ts'
import { MODEL_FOLDER, openM1 } from './open.ts'

const REQUEST = {
  prompt: 'A receipt is',
  maxNewTokens: 1,
  temperature: 0,
  topK: 0,
  topP: 1,
  topLogprobs: 0,
  stop: [],
  seed: 0,
}

test('whoever leaves while the model is loaded does not undo the loading for the next one', async (t) => {
  const settings = { threads: 1, memoryMb: 256, waitMs: 60_000, startMs: 60_000, idleMs: 1 }
  const compute = new Compute(settings)
  const m1 = openM1({ clock: systemClock, folder: MODEL_FOLDER, compute })
  t.after(() => m1.close(AbortSignal.abort()))
  assert.equal((await m1.gate()).operational_state, 'READY_EXPERIMENTAL')
  while (compute.stats().threads > 0) await new Promise((resolve) => setImmediate(resolve))
  const client = new AbortController()
  const left = m1.infer(REQUEST, { signal: client.signal, waits: true, mayCut: false })
  while (compute.stats().running === 0) await new Promise((resolve) => setImmediate(resolve))
  client.abort(new Error('the client left'))
  await assert.rejects(left, /the client left/)
  const { signal } = new AbortController()
  const { inference } = await m1.infer(REQUEST, { signal, waits: true, mayCut: false })
  assert.deepEqual([inference.completion_tokens, compute.stats().killed], [1, 0])
})
