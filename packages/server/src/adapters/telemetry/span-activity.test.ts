import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SpanStats, WINDOW_SECONDS } from './span-activity.ts'

const seen = (book: SpanStats, name: string) => book.activity().find((row) => row.name === name)!

test('every kind of span is listed, called or not, and one that began has not been called yet', () => {
  const book = new SpanStats(() => 0)
  const end = book.begin('gate')
  assert.deepEqual([book.started, book.ended, seen(book, 'gate').calls], [1, 0, 0])
  end()
  assert.deepEqual([book.started, book.ended, seen(book, 'gate').calls], [1, 1, 1])
  assert.deepEqual(seen(book, 'store'), { name: 'store', calls: 0, durationsMs: [] })
})

test('what ended before the window is counted no more', () => {
  let now = 0
  const book = new SpanStats(() => now)
  const end = book.begin('policy')
  now = 40
  end()
  assert.deepEqual(seen(book, 'policy'), { name: 'policy', calls: 1, durationsMs: [40] })
  now = WINDOW_SECONDS * 1000 + 40
  assert.deepEqual(seen(book, 'policy'), { name: 'policy', calls: 0, durationsMs: [] })
})

test('calls are all calls of the window, of which the newest 1024 durations are kept in order', () => {
  const book = new SpanStats(() => 5_000)
  for (let n = 0; n < 3_000; n += 1) book.past('upstream', n)
  const { calls, durationsMs } = seen(book, 'upstream')
  assert.deepEqual([calls, durationsMs.length, durationsMs[0], durationsMs.at(-1)], [3_000, 1024, 1976, 2999])
})

test('whatever the pace, the count is of the seconds in the window', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 60 }), (steps) => {
      let now = 0
      const book = new SpanStats(() => now)
      const endTimes = steps.map((step) => {
        now += step
        book.past('store', 1)
        return now
      })
      const oldest = Math.floor(now / 1000) - WINDOW_SECONDS
      assert.equal(seen(book, 'store').calls, endTimes.filter((at) => Math.floor(at / 1000) > oldest).length)
    }),
    { seed: 3 },
  )
})
