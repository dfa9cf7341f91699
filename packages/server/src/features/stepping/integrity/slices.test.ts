import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movedClock } from '#testing/stepping-effects.ts'
import { sliced } from './chain-pages.ts'

test('checks begun together leave the process to others after every slice', async () => {
  const clock = movedClock(0)
  const order: string[] = []
  const check = sliced(
    async (n: number) => {
      clock.time += 1
      order.push(`check ${n}`)
    },
    clock,
    async () => void order.push('others'),
  )
  await Promise.all(Array.from({ length: 10 }, (_, n) => check(n)))
  const stretches = order
    .join(' ')
    .split('others')
    .map((part) => part.match(/check/g)?.length ?? 0)
  assert.deepEqual(stretches, [4, 4, 2])
})
