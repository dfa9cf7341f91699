import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackgroundTask } from '../../ports.ts'
import { backgroundCheck, outboundCheck } from './readiness.ts'

const NOW = 1_000_000
const task = (over: Partial<BackgroundTask>): BackgroundTask => ({
  name: 'sweep',
  intervalMs: 1_000,
  startedAt: NOW - 60_000,
  lastTick: NOW,
  lastError: null,
  ...over,
})
const run = (tasks: BackgroundTask[], lateMs = 0) =>
  backgroundCheck(
    { tasks: () => tasks },
    { eventLoopLateMs: () => lateMs, eventLoopDelayP99: () => 1 },
    { now: () => NOW, monotonic: () => 0 },
  ).run()

const rows: [what: string, task: Partial<BackgroundTask>, state: 'OK' | 'FAILED'][] = [
  ['ticked just now', {}, 'OK'],
  ['ticked three intervals ago', { lastTick: NOW - 3_000 }, 'OK'],
  ['missed more than three', { lastTick: NOW - 3_001 }, 'FAILED'],
  ['has just started and not ticked', { lastTick: null, startedAt: NOW - 10 }, 'OK'],
  ['never came to a good end', { lastTick: null }, 'FAILED'],
]
for (const [what, over, state] of rows)
  test(`a task that ${what} leaves the check ${state}`, async () => {
    const found = await run([task({ name: 'other' }), task(over)])
    assert.equal(found.state, state)
    assert.deepEqual(found.detail.late, state === 'OK' ? undefined : ['sweep'])
  })

test('an event loop that has been late for half a minute fails the check though every timer ticked', async () => {
  assert.equal((await run([task({})], 29_999)).state, 'OK')
  const found = await run([task({})], 30_000)
  assert.deepEqual([found.state, found.detail.code], ['FAILED', 'EVENT_LOOP_LATE'])
})

test('the outbound switch is shown as it stands and fails nothing', async () => {
  assert.deepEqual(await outboundCheck(false).run(), { state: 'OK', detail: { switch: 'off' } })
  assert.deepEqual(await outboundCheck(true).run(), { state: 'OK', detail: { switch: 'on' } })
  assert.equal(outboundCheck(false).blocking(), false)
})
