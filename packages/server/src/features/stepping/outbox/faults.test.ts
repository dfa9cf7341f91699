// Any mixture of workers, crashes, failing sinks, jumping clocks and recoveries, against what must hold whatever happens.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { effectsIn, listSink, movedClock, outboxOn, recordSteps } from '#testing/stepping-effects.ts'
import { openLedger } from '../../../ledger/ledger.ts'
import type { Ledger } from '../../../ports.ts'
import { recover } from '../rules/recovery.ts'
import { effectChange } from './effect-documents.ts'
import { drain, type OutboxParts } from './outbox.ts'

const SEED = 4
const data = freshFolder('outbox-faults')
const ledger = await openLedger(settingsFor(data, { store: 'memory' }))
after(async () => {
  await ledger.close()
  rmSync(data, { recursive: true, force: true })
})

const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('drain' as const), workers: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('crash' as const), writes: fc.integer({ min: 0, max: 6 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -9_000, max: 400_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recover' as const), limit: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('sink' as const),
      code: fc.constantFrom(null, 'EIO', 'HTTP_5XX', 'EACCES', 'WHAT'),
    }),
  },
)
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

/** A worker that dies after so many writes: what it wrote stands, the rest never happens. */
function dying(parts: OutboxParts, writes: number): OutboxParts {
  let left = writes
  const writeDocuments: Ledger['writeDocuments'] = async (...asked) => {
    left -= 1
    if (left < 0) throw new Error('the process died')
    await ledger.writeDocuments(...asked)
  }
  return { ...parts, ledger: { reader: ledger.reader, writeDocuments } }
}

async function bringBack(namespace: string, limit: number, now: number): Promise<void> {
  const held = await effectsIn(ledger, namespace)
  const rows = held.map((one) => ({ ...one.effect, effect_id: one.effect.effect_id ?? '', held: one }))
  const changed = recover(rows, limit, now).rows.map(({ held, ...next }) => effectChange(held, next, next.effect_id))
  if (changed.length > 0) await ledger.writeDocuments(changed)
}

test('attempts stay bounded, nothing leaves twice under two ids, and all that can leave leaves in the end', async (t) => {
  t.diagnostic(`seed ${SEED}`)
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 30 }), async (events) => {
      runs += 1
      await play(`n${runs}`, events)
    }),
    { seed: SEED, numRuns: 40, endOnFailure: true },
  )
})

async function play(namespace: string, events: readonly Event[]): Promise<void> {
  await recordSteps(ledger, { namespace, count: 2, decision: 'allow' })
  const [clock, sink] = [movedClock(), listSink()]
  const parts = outboxOn(ledger, clock, sink)
  const steps = {
    drain: async ({ workers = 1 }) => {
      await Promise.all(Array.from({ length: workers }, () => drain(parts, namespace, 100)))
      for (const { effect } of await effectsIn(ledger, namespace))
        assert.ok(effect.lease_until === null || effect.lease_until > clock.time)
    },
    crash: async ({ writes = 0 }) => {
      await drain(dying(parts, writes), namespace, 100).catch((error: Error) => assert.match(error.message, /died/))
    },
    wait: async ({ ms = 0 }) => {
      clock.time = Math.max(1_000, clock.time + ms)
    },
    recover: async ({ limit = 1 }) => bringBack(namespace, limit, clock.time),
    sink: async ({ code = null as string | null }) => {
      sink.code = () => code
    },
  }
  for (const one of events) {
    await steps[one.kind](one as never)
    await assertSound(namespace, sink.arrived)
  }
  sink.code = () => null
  for (let n = 0; n < 12; n += 1) {
    clock.time += 400_000
    await drain(parts, namespace, 100)
  }
  const arrived = new Set(sink.arrived)
  for (const { effect } of await effectsIn(ledger, namespace)) {
    assert.ok(effect.state === 'EXPORTED' || effect.state === 'DEAD_LETTER')
    if (effect.state === 'EXPORTED') assert.ok(arrived.has(effect.effect_id!))
  }
}

async function assertSound(namespace: string, arrived: readonly string[]): Promise<void> {
  const effects = await effectsIn(ledger, namespace)
  const ids = new Set(effects.map(({ effect }) => effect.effect_id))
  for (const { effect } of effects) assert.ok(effect.attempts <= 8 && effect.recoveries <= 3)
  for (const id of arrived) assert.ok(ids.has(id))
  assert.equal(effects.length, 4)
}
