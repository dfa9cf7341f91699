import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LATE_P99_MS, LoopWatch } from './loop-watch.ts'

test('one late window is counted from where it began, and a good one after it ends the count', () => {
  const watch = new LoopWatch(0)
  watch.sample(LATE_P99_MS + 1, 5_000)
  assert.equal(watch.lateMs(5_000), 5_000)
  watch.sample(LATE_P99_MS, 10_000)
  assert.equal(watch.lateMs(10_000), 0)
})

test('a loop that stood still for a whole window was late for all of it', () => {
  const watch = new LoopWatch(0)
  watch.sample(40_000, 41_000)
  assert.equal(watch.lateMs(41_000), 41_000)
})

test('lateness is the time since the last good window, whatever came before it', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), (late) => {
      const watch = new LoopWatch(0)
      for (const [at, isLate] of late.entries()) watch.sample(isLate ? 1_000 : 0, (at + 1) * 5_000)
      const lastGood = late.lastIndexOf(false)
      assert.equal(watch.lateMs(late.length * 5_000), (late.length - 1 - lastGood) * 5_000)
    }),
    { seed: 1 },
  )
})
