import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnQueue } from './turn-queue.ts'

test('three hundred of one kind that wait keep one of another kind waiting for a single turn', async () => {
  const turn = turnQueue<'replay' | 'walk'>()
  const given: string[] = []
  const take = (kind: 'replay' | 'walk') => turn(kind).then(() => given.push(kind))
  const replays = Promise.all(Array.from({ length: 300 }, () => take('replay')))
  for (let piece = 0; piece < 5; piece += 1) await take('walk')
  const before = given.filter((kind) => kind === 'replay').length
  assert.ok(before <= 10, `${before} replays had their turn before the fifth piece of the walk`)
  await replays
  assert.equal(given.length, 305)
})

test('within a kind the first to come is the first to have its turn', async () => {
  const turn = turnQueue<'walk'>()
  const given: number[] = []
  await Promise.all(Array.from({ length: 50 }, (_, at) => turn('walk').then(() => given.push(at))))
  assert.deepEqual(
    given,
    Array.from({ length: 50 }, (_, at) => at),
  )
})

test('one turn is given in each round of the event loop', async () => {
  const turn = turnQueue<'walk'>()
  let iterations = 0
  const count = () => {
    iterations += 1
    if (iterations < 1_000) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(Array.from({ length: 100 }, () => turn('walk')))
  assert.ok(iterations >= 99, `${iterations} rounds for 100 turns`)
  iterations = 1_000
})

test('a queue that ran empty gives turns again', async () => {
  const turn = turnQueue<'walk'>()
  for (let at = 0; at < 3; at += 1) await turn('walk')
})
