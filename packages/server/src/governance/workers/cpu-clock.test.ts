import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { workClock } from './cpu-clock.ts'

/** A machine on which work and waiting are said instead of done. */
function machine() {
  const at = { wall: 1000, processor: 70 }
  return {
    work(ms: number) {
      at.wall += ms
      at.processor += ms
    },
    wait(ms: number) {
      at.wall += ms
    },
    clock: () => workClock({ wall: () => at.wall, processor: () => at.processor }),
  }
}

test('work counts as it is, in small steps and in large ones', () => {
  const { work, clock } = machine()
  const now = clock()
  for (let step = 0; step < 30; step++) {
    work(1)
    now()
  }
  work(60)
  assert.equal(now(), 90)
})

test('a machine that is busy elsewhere does not make a gate late, unless it is for very long', () => {
  const { work, wait, clock } = machine()
  const now = clock()
  work(10)
  now()
  wait(120)
  assert.ok(now() < 50)
  work(1)
  wait(100)
  assert.ok(now() >= 50)
})

test('the clock never goes back and never runs ahead of the wall', () => {
  const step = fc.record({ kind: fc.constantFrom('work', 'wait'), ms: fc.double({ min: 0, max: 80, noNaN: true }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { clock, ...does } = machine()
      const now = clock()
      let [last, wall] = [now(), 0]
      for (const { kind, ms } of steps) {
        does[kind as 'work' | 'wait'](ms)
        wall += ms
        const read = now()
        assert.ok(read >= last && read <= wall + 1e-6)
        last = read
      }
    }),
    { seed: 6 },
  )
})

test('on this machine work that fills 60 ms of processor is seen', () => {
  const now = workClock()
  const processor = () => process.threadCpuUsage().user + process.threadCpuUsage().system
  for (const until = processor() + 70_000; processor() < until; );
  assert.ok(now() >= 50)
})
