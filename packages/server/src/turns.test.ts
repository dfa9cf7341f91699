import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

test('work under one name happens one at a time, in the order it came', async () => {
  const turns = new Turns()
  const events: string[] = []
  const work = (n: number) => async () => {
    events.push(`begin ${n}`)
    await pause()
    events.push(`end ${n}`)
    return n
  }
  assert.deepEqual(await Promise.all([1, 2, 3].map((n) => turns.take('a', work(n)))), [1, 2, 3])
  assert.deepEqual(events, ['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
})

test('another name does not wait', async () => {
  const turns = new Turns()
  const held = Promise.withResolvers<void>()
  const first = turns.take('a', () => held.promise)
  assert.equal(await turns.take('b', async () => 'done'), 'done')
  held.resolve()
  await first
})

test('work that fails is its own affair, and a name nobody waits for is forgotten', async () => {
  const turns = new Turns()
  const failing = turns.take('a', () => Promise.reject(new Error('mine')))
  const next = turns.take('a', async () => turns.taken('a'))
  await assert.rejects(failing, /mine/)
  assert.equal(await next, true)
  assert.equal(turns.taken('a'), false)
})
