// Nodes of one store whose own clocks are far apart.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectsIn, listSink, movedClock, outboxOn, recordSteps, steppingStores } from '#testing/stepping-effects.ts'
import type { Clock, Ledger } from '../../../ports.ts'
import type { EffectSink } from '../contract.ts'
import { drain } from '../outbox/outbox.ts'
import { storeTime } from './store-reader.ts'

// The processes of an SQLite store share the clock of one machine.
const onPostgres = steppingStores('store_time', ['postgres'])
const MINUTES = 60_000

const nodeOn = (ledger: Ledger, clock: Clock, sink: EffectSink) => ({
  ...outboxOn(ledger, clock, sink),
  storeNow: storeTime(ledger.reader, clock),
})

onPostgres('a node whose clock is ten minutes ahead does not end the lease of another one', async (ledger) => {
  const now = Date.now()
  await recordSteps(ledger, { count: 1, at: now - MINUTES })
  const [claimed, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = listSink()
  const holding: EffectSink = {
    ...slow,
    async deliver(artifact) {
      claimed.resolve()
      await goOn.promise
      slow.arrived.push(artifact.effect_id)
    },
  }
  const first = drain(nodeOn(ledger, movedClock(now), holding), 'public', 10)
  await claimed.promise
  const hasty = listSink()
  const second = await drain(nodeOn(ledger, movedClock(now + 10 * MINUTES), hasty), 'public', 10)
  goOn.resolve()
  assert.deepEqual([second.attempted, second.claimed, hasty.arrived], [0, 1, []])
  assert.deepEqual([(await first).exported, slow.arrived.length], [1, 1])
  const [effect] = await effectsIn(ledger)
  assert.deepEqual([effect?.effect.state, effect?.effect.attempts], ['EXPORTED', 1])
})

onPostgres('a retry is due by the clock of the store, whatever the node that failed believes', async (ledger) => {
  await recordSteps(ledger, { count: 1, at: Date.now() - MINUTES })
  const ahead = movedClock(Date.now() + 10 * MINUTES)
  assert.equal(
    (
      await drain(
        nodeOn(
          ledger,
          ahead,
          listSink(() => 'HTTP_5XX'),
        ),
        'public',
        10,
      )
    ).failed,
    1,
  )
  const [effect] = await effectsIn(ledger)
  assert.ok(effect!.effect.due_at <= Date.now() + MINUTES)
})

test('without a clock of its own the store goes by that of the machine', async () => {
  const own = async (time: number | null) => storeTime({ time: async () => time }, movedClock(5))()
  assert.deepEqual([await own(null), await own(7)], [5, 7])
})
