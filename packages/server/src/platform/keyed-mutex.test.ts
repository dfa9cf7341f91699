import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedMutex } from './keyed-mutex.ts'

const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

test('work under one key happens one at a time, in the order it came', async () => {
  const mutex = new KeyedMutex()
  const events: string[] = []
  const work = (n: number) => async () => {
    events.push(`begin ${n}`)
    await pause()
    events.push(`end ${n}`)
    return n
  }
  assert.deepEqual(await Promise.all([1, 2, 3].map((n) => mutex.run('a', work(n)))), [1, 2, 3])
  assert.deepEqual(events, ['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
})

test('another key does not wait', async () => {
  const mutex = new KeyedMutex()
  const gate = Promise.withResolvers<void>()
  const first = mutex.run('a', () => gate.promise)
  assert.equal(await mutex.run('b', async () => 'done'), 'done')
  gate.resolve()
  await first
})

test('work that fails is its own affair, and a key nobody waits for is forgotten', async () => {
  const mutex = new KeyedMutex()
  const failing = mutex.run('a', () => Promise.reject(new Error('mine')))
  const next = mutex.run('a', async () => mutex.isLocked('a'))
  await assert.rejects(failing, /mine/)
  assert.equal(await next, true)
  assert.equal(mutex.isLocked('a'), false)
})
