import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CallLog } from './request-metrics.ts'

const at = (now: number) => ({ now: () => now, monotonic: () => now })

test('an operation that is known and was never called has no durations and no time', () => {
  const log = new CallLog(at(0))
  log.of('a')
  assert.deepEqual(
    log.series().map(({ id, count, errors, lastAt, durationsMs }) => [id, count, errors, lastAt, durationsMs]),
    [['a', 0, 0, null, []]],
  )
})

test('an operation has one series, whichever of its paths was called', () => {
  const log = new CallLog(at(1_000))
  log.of('a').ended(200, 0.25)
  log.of('a').ended(404, 0.5)
  const [series, ...others] = log.series()
  assert.deepEqual(others, [])
  assert.deepEqual([series?.count, series?.durationsMs], [2, [250, 500]])
  assert.equal(series?.lastAt, '1970-01-01T00:00:01.000Z')
})

test('errors are the calls that ended in a 5xx, and no others', () => {
  const calls = new CallLog(at(0)).of('a')
  for (const status of [200, 304, 401, 404, 422, 499, 500, 503]) calls.ended(status, 0)
  assert.deepEqual([calls.count, calls.errors], [8, 2])
})

test('the newest 1024 durations are remembered, oldest first, however many calls there were', () => {
  const window = new CallLog(at(0)).window
  assert.equal(window, 1024)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 * window }), (count) => {
      const calls = new CallLog(at(0)).of('a')
      for (let n = 0; n < count; n += 1) calls.ended(200, n / 1000)
      const remembered = Math.min(count, window)
      assert.equal(calls.count, count)
      assert.deepEqual(
        calls.durationsMs.map(Math.round),
        Array.from({ length: remembered }, (_, n) => count - remembered + n),
      )
    }),
    { seed: 1, numRuns: 60 },
  )
})

test('calls of the last five minutes are counted by a clock that never goes back', () => {
  let monotonic = 10_000
  const log = new CallLog({ now: () => 0, monotonic: () => monotonic })
  assert.equal(log.recentSeconds, 300)
  const calls = log.of('a')
  calls.ended(200, 1)
  monotonic += 299_000
  calls.ended(500, 1)
  assert.equal(calls.recent, 2)
  monotonic += 1_000
  assert.equal(calls.recent, 1)
  monotonic += 299_000
  assert.deepEqual([calls.recent, calls.count], [0, 2])
})
