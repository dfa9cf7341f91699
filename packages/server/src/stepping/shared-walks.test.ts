import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movedClock } from '../../../../scripts/testing/stepping-effects.ts'
import { SharedWalks, sliced } from './shared-walks.ts'

test('of many readers at once one walks, and the next one after it walks again', async () => {
  const walks = new SharedWalks()
  let begun = 0
  const walk = async () => {
    begun += 1
    await Promise.resolve()
    return begun
  }
  const found = await Promise.all(Array.from({ length: 16 }, () => walks.take('team/ann', walk)))
  assert.deepEqual([begun, new Set(found)], [1, new Set([1])])
  assert.equal(await walks.take('team/ann', walk), 2)
  await Promise.all([walks.take('team/ann', walk), walks.take('team/bob', walk)])
  assert.equal(begun, 4)
})

test('a walk that fails fails for those who shared it and for nobody after them', async () => {
  const walks = new SharedWalks()
  const failing = () => Promise.reject(new Error('away'))
  await Promise.all([1, 2].map(() => assert.rejects(walks.take('x', failing), /away/)))
  assert.equal(await walks.take('x', async () => 'back'), 'back')
})

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
