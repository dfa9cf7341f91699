import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { movedClock } from '#testing/readings/reader.ts'
import { Presence } from './presence.ts'

test('nodes on one store see each other, and one that falls silent is forgotten', async (t) => {
  const { app } = await startApp(t, { ORCH_STORE: 'memory' })
  const { ledger } = app.ports
  const clock = movedClock()
  const [one, two] = [new Presence(ledger, clock), new Presence(ledger, clock)]
  assert.equal((await one.seen()).count, 0)
  await one.beat()
  await two.beat()
  assert.deepEqual([(await one.seen()).count, (await two.seen()).count], [2, 2])
  clock.forward(60)
  await one.beat()
  clock.forward(60)
  assert.equal((await one.seen()).count, 1)
  clock.forward(4000)
  await one.beat()
  const left = await ledger.reader.documents({ space: 'node', order: 'asc', limit: 10 })
  assert.equal(left.length, 1)
})
