import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCheck } from './run-check.ts'

const AT = '2026-01-02T03:04:05.678Z'
const clockAt = (...ticks: number[]) => ({ now: () => Date.parse(AT), monotonic: () => ticks.shift() ?? 0 })
const failed = (code: string, error: unknown) => ({ code, error })

test('a check that ends says what it found, when and how long it took', async () => {
  const run = await runCheck(async () => 'fine', { clock: clockAt(10, 12.3456), ms: 1_000, failed })
  assert.deepEqual(run, { found: 'fine', checked_at: AT, latency_ms: 2.346 })
})

test('a check that throws has failed with what it threw, with a limit and without one', async () => {
  const fault = new Error('no')
  for (const ms of [1_000, null]) {
    const { found } = await runCheck(() => Promise.reject(fault), { clock: clockAt(), ms, failed })
    assert.deepEqual(found, { code: 'CHECK_FAILED', error: fault })
  }
})

test('a check that runs over its time has failed and is called off', async () => {
  let signal: AbortSignal | undefined
  const endless = (given: AbortSignal) => {
    signal = given
    return new Promise<never>(() => undefined)
  }
  const { found } = await runCheck(endless, { clock: clockAt(), ms: 1, failed })
  assert.deepEqual([found.code, signal?.aborted], ['CHECK_TIMEOUT', true])
})

test('a check whose caller has left has failed', async () => {
  const left = AbortSignal.abort(new Error('gone'))
  const { found } = await runCheck(() => Promise.resolve('late'), { clock: clockAt(), ms: 1_000, failed, signal: left })
  assert.equal((found as { code: string }).code, 'CHECK_FAILED')
})
