import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttledChecks } from './checks.ts'
import type { ClaimId } from './claims.ts'

function counted() {
  let [now, runs] = [0, 0]
  const run = async () => {
    runs += 1
    await Promise.resolve()
    return { name: 'n', state: 'OK', checked_at: String(now), latency_ms: 0, detail: {} } as const
  }
  const clock = { monotonic: () => now }
  const checks = throttledChecks(run, (id: ClaimId) => id === 'energy-accounting', clock)
  return { checks, runs: () => runs, forward: (ms: number) => (now += ms) }
}

test('a check that goes outside runs once for all who ask at once, and is live for each of them', async () => {
  const { checks, runs } = counted()
  const all = await Promise.all(Array.from({ length: 60 }, () => checks.run('energy-accounting')))
  assert.equal(runs(), 1)
  assert.deepEqual(new Set(all.map(({ mode }) => mode)), new Set(['live']))
})

test('inside 10 s it is not run again: what it found is told as kept, with its own time and the wait', async () => {
  const { checks, runs, forward } = counted()
  await checks.run('energy-accounting')
  forward(4_000)
  const { check, mode, retry_after_seconds } = await checks.run('energy-accounting')
  assert.deepEqual([runs(), mode, retry_after_seconds, check.checked_at], [1, 'cached', 6, '0'])
  forward(6_000)
  assert.deepEqual([(await checks.run('energy-accounting')).mode, runs()], ['live', 2])
})

test('a check that stays in the process runs for whoever asks', async () => {
  const { checks, runs } = counted()
  for (let n = 0; n < 3; n += 1) assert.equal((await checks.run('hash-chain')).mode, 'live')
  assert.deepEqual([runs(), checks.newest('hash-chain')], [3, null])
})
