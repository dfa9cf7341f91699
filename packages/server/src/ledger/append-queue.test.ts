import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { appendQueue } from './append-queue.ts'
import type { Entry } from './types.ts'

test('appends of one turn travel together, and a full batch of them at once instead of at the end of the turn', async () => {
  const posted: number[] = []
  const queue = appendQueue((entries) => posted.push(entries.length))
  const send = (count: number) => {
    for (let n = 0; n < count; n += 1) void queue.send({} as Entry)
  }
  send(255)
  assert.deepEqual(posted, [])
  send(1 + 256 + 3)
  assert.deepEqual(posted, [256, 256])
  await nextTurn()
  assert.deepEqual(posted, [256, 256, 3])
  await nextTurn()
  assert.deepEqual(posted, [256, 256, 3], 'nothing is posted twice, and no empty message')
  assert.equal(queue.size(), 515)
})
