import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../errors.ts'
import { systemClock } from '../platform/clock.ts'
import type { PendingWrites } from '../ports.ts'
import { optimisticRetry, RETRY_BUDGET_MS } from './optimistic-retry.ts'

const conflict = () => new ServiceError('state_conflict', 'changed')
const claim = (name: string, more: Partial<PendingWrites> = {}): PendingWrites => ({
  documents: [{ space: 's', key: name, expect: 0, owner: 'o', state: '', rank: 0, value: '{}' }],
  ...more,
})

/** A clock that only pauses move. */
function pausedTime() {
  const pauses: number[] = []
  const now = () => pauses.reduce((sum, ms) => sum + ms, 0)
  const pause = async (ms: number) => void pauses.push(ms)
  return { pauses, retryOnConflict: optimisticRetry({ monotonic: now }, pause) }
}

test('pauses begin with none, grow and stay short', async () => {
  const { pauses, retryOnConflict } = pausedTime()
  let tries = 0
  const settle = async () => {
    tries += 1
    if (tries <= 9) throw conflict()
    return tries
  }
  const [, result] = await retryOnConflict(() => claim('a'), settle)
  assert.equal(result, 10)
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 16, 16])
})

test('what claims no document is settled once and never tried again', async () => {
  const { retryOnConflict } = pausedTime()
  let tries = 0
  const settle = async () => {
    tries += 1
    throw conflict()
  }
  await assert.rejects(
    retryOnConflict(() => ({}), settle),
    { code: 'state_conflict' },
  )
  assert.equal(tries, 1)
})

test('after five seconds the refusal is the one the decision asked for', async () => {
  const { pauses, retryOnConflict } = pausedTime()
  const settle = () => Promise.reject(conflict())
  await assert.rejects(
    retryOnConflict(() => claim('a'), settle),
    { code: 'state_conflict' },
  )
  assert.ok(pauses.reduce((sum, ms) => sum + ms, 0) >= RETRY_BUDGET_MS)
  await assert.rejects(
    retryOnConflict(() => claim('a', { busy: 'session_busy' }), settle),
    { code: 'session_busy' },
  )
  const gone = () => Promise.reject(new ServiceError('store_unavailable', 'gone'))
  await assert.rejects(
    retryOnConflict(() => claim('a', { busy: 'session_busy' }), gone),
    { code: 'store_unavailable' },
  )
})

test('a decision that refuses with the same word is believed at once', async () => {
  const { pauses, retryOnConflict } = pausedTime()
  let decisions = 0
  const decide = () => {
    decisions += 1
    if (decisions > 1) throw new ServiceError('state_conflict', 'mine')
    return claim('a', { busy: 'session_busy' })
  }
  await assert.rejects(
    retryOnConflict(decide, () => Promise.reject(conflict())),
    { code: 'state_conflict', message: 'mine' },
  )
  assert.deepEqual([decisions, pauses], [2, []])
})

/** One at the front that holds its turn until told, and two behind it. */
async function line(retryOnConflict: ReturnType<typeof optimisticRetry>) {
  const front = Promise.withResolvers<void>()
  const settled: string[] = []
  let first = true
  const holding = retryOnConflict(
    () => claim('a'),
    async () => {
      if (first) {
        first = false
        throw conflict()
      }
      await front.promise
      settled.push('front')
    },
  )
  await new Promise(setImmediate)
  const behind = ['second', 'third'].map((name) =>
    retryOnConflict(
      () => claim('a', { busy: 'session_busy' }),
      async () => void settled.push(name),
    ),
  )
  await new Promise(setImmediate)
  return { front, settled, holding, behind }
}

test('a line that stands still for five seconds is left, and whoever left does nothing when the turn comes', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { front, settled, holding, behind } = await line(optimisticRetry(systemClock))
  t.mock.timers.tick(RETRY_BUDGET_MS)
  for (const waiting of behind) await assert.rejects(waiting, { code: 'session_busy' })
  front.resolve()
  await holding
  await new Promise(setImmediate)
  assert.deepEqual(settled, ['front'])
})

test('a line that moves is waited for, in the order they came', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { front, settled, holding, behind } = await line(optimisticRetry(systemClock))
  t.mock.timers.tick(RETRY_BUDGET_MS - 1)
  front.resolve()
  await Promise.all([holding, ...behind])
  t.mock.timers.tick(RETRY_BUDGET_MS)
  assert.deepEqual(settled, ['front', 'second', 'third'])
})
