// The outbox over both stores: workers at once, leases, fences, and what a crash at each point leaves behind.
import assert from 'node:assert/strict'
import { sha256Hex } from '@orch/core'
import { effectsIn, listSink, movedClock, outboxOn, recordSteps, steppingStores } from '#testing/stepping-effects.ts'
import type { Ledger } from '../../../ports.ts'
import type { StoredState } from '../contract.ts'
import { usedByAll } from '../quotas.ts'
import { stateHash } from '../rules/state.ts'
import { drain } from './outbox.ts'
import { effectTotals } from './stats.ts'

const bothStores = steppingStores('outbox')
const LEASE = 300_000
const states = async (ledger: Ledger) => (await effectsIn(ledger)).map(({ effect }) => effect.state)

bothStores('eight workers at once deliver each effect once', async (ledger) => {
  await recordSteps(ledger, { count: 60, decision: 'allow' })
  const [clock, sink] = [movedClock(), listSink()]
  const reports = await Promise.all(
    Array.from({ length: 8 }, () => drain(outboxOn(ledger, clock, sink), 'public', 1000)),
  )
  const sum = (name: 'attempted' | 'exported' | 'failed' | 'fenced_out') =>
    reports.reduce((all, one) => all + one[name], 0)
  assert.deepEqual([sum('attempted'), sum('exported'), sum('failed'), sum('fenced_out')], [120, 120, 0, 0])
  assert.equal(sink.arrived.length, 120)
  assert.equal(new Set(sink.arrived).size, 120)
  const effects = await effectsIn(ledger)
  assert.ok(effects.every(({ effect }) => effect.state === 'EXPORTED' && effect.attempts === 1))
  assert.deepEqual(new Set(effects.map(({ effect }) => effect.effect_id)), new Set(sink.arrived))
})

bothStores('a drain takes the oldest first, no more than its limit, and says what is left', async (ledger) => {
  await recordSteps(ledger, { count: 25 })
  const [clock, sink] = [movedClock(), listSink()]
  const first = await drain(outboxOn(ledger, clock, sink), 'public', 20)
  assert.deepEqual(first, {
    limit: 20,
    attempted: 20,
    exported: 20,
    failed: 0,
    fenced_out: 0,
    dead_lettered: 0,
    pending: 5,
    claimed: 0,
    dead_letter: 0,
    due_remaining: 5,
    errors: [],
  })
  const left = (await effectsIn(ledger)).filter(({ effect }) => effect.state === 'PENDING')
  assert.deepEqual(
    left.map(({ effect }) => effect.step),
    [21, 22, 23, 24, 25],
  )
  assert.equal((await drain(outboxOn(ledger, clock, sink), 'another', 20)).attempted, 0)
})

bothStores('a lease that ran out is taken over, and the first worker then changes nothing', async (ledger) => {
  await recordSteps(ledger, { count: 1 })
  const [clock, gate] = [movedClock(), Promise.withResolvers<void>()]
  const claimed = Promise.withResolvers<void>()
  const slow = listSink()
  const sleeping = drain(
    outboxOn(ledger, clock, {
      ...slow,
      async deliver() {
        claimed.resolve()
        await gate.promise
      },
    }),
    'public',
    10,
  )
  await claimed.promise
  const sink = listSink()
  const early = await drain(outboxOn(ledger, movedClock(clock.time + LEASE - 1), sink), 'public', 10)
  assert.deepEqual([early.attempted, early.claimed], [0, 1])
  const ended = await drain(outboxOn(ledger, movedClock(clock.time + LEASE), sink), 'public', 10)
  assert.deepEqual([ended.attempted, ended.pending, ended.claimed, ended.due_remaining], [0, 1, 0, 0])
  const second = await drain(outboxOn(ledger, movedClock(clock.time + LEASE + 5_000), sink), 'public', 10)
  assert.equal(second.exported, 1)
  const before = await effectsIn(ledger)
  gate.resolve()
  const woken = await sleeping
  assert.deepEqual([woken.attempted, woken.exported, woken.fenced_out], [1, 0, 1])
  assert.deepEqual(await effectsIn(ledger), before)
  assert.deepEqual([before[0]?.effect.attempts, before[0]?.effect.claim_generation], [2, 2])
})

bothStores('a worker that fails too late is fenced out as well, and takes nothing more', async (ledger) => {
  await recordSteps(ledger, { count: 20 })
  const clock = movedClock()
  const sink = listSink()
  let calls = 0
  const woken = await drain(
    outboxOn(ledger, clock, {
      ...sink,
      async deliver() {
        calls += 1
        if (calls > 1) return
        await drain(outboxOn(ledger, movedClock(clock.time + LEASE), sink), 'public', 100)
        await drain(outboxOn(ledger, movedClock(clock.time + LEASE + 5_000), sink), 'public', 100)
        throw Object.assign(new Error('late'), { code: 'EACCES' })
      },
    }),
    'public',
    100,
  )
  assert.ok(woken.fenced_out > 0)
  assert.equal(woken.dead_lettered, 0)
  assert.ok(woken.attempted <= 16)
  assert.ok((await states(ledger)).every((state) => state === 'EXPORTED'))
})

bothStores(
  'a failing sink is met with longer and longer pauses, and the eighth failure is the last',
  async (ledger) => {
    await recordSteps(ledger, { count: 1 })
    const clock = movedClock()
    const outbox = outboxOn(
      ledger,
      clock,
      listSink(() => 'ECONNREFUSED'),
    )
    const waits: number[] = []
    for (let n = 1; n <= 8; n += 1) {
      const report = await drain(outbox, 'public', 10)
      assert.deepEqual([report.attempted, report.failed, report.dead_lettered], [1, 1, n === 8 ? 1 : 0])
      assert.deepEqual(report.errors[0] && [report.errors[0].class, report.errors[0].code], [
        'TRANSIENT',
        'ECONNREFUSED',
      ])
      const [{ effect } = assert.fail()] = await effectsIn(ledger)
      if (n < 8) waits.push((effect.due_at - clock.time) / 1000)
      clock.time = Math.max(clock.time, effect.due_at - 1)
      assert.equal((await drain(outbox, 'public', 10)).attempted, 0)
      clock.time += 1
    }
    assert.deepEqual(waits, [5, 10, 20, 40, 80, 160, 320])
    assert.deepEqual(await states(ledger), ['DEAD_LETTER'])
    clock.time += 10 * LEASE
    assert.equal((await drain(outbox, 'public', 10)).attempted, 0)
  },
)

bothStores('the eighth lease that ends is a dead letter with a code of its own', async (ledger) => {
  await recordSteps(ledger, { count: 1 })
  const clock = movedClock()
  for (let n = 1; n <= 8; n += 1) {
    await crashed(ledger, clock, 'before the sink')
    clock.time += LEASE
    const { dead_lettered } = await drain(outboxOn(ledger, clock, listSink()), 'public', 10)
    assert.equal(dead_lettered, n === 8 ? 1 : 0)
    const [{ effect } = assert.fail()] = await effectsIn(ledger)
    assert.equal(effect.last_error?.code, n === 8 ? 'LEASE_EXPIRED_FINAL_ATTEMPT' : 'LEASE_EXPIRED')
    clock.time = Math.max(clock.time, effect.due_at)
  }
})

/** A worker that is gone in the middle: the sink never answers, or the store never hears of the mark. */
async function crashed(
  ledger: Ledger,
  clock: ReturnType<typeof movedClock>,
  at: 'before the sink' | 'before the mark',
) {
  const gone = Object.assign(new Error('the process died'), { gone: true })
  let writes = 0
  const dying = {
    reader: ledger.reader,
    async writeDocuments(...asked: Parameters<Ledger['writeDocuments']>) {
      writes += 1
      if (writes > 1) throw gone
      await ledger.writeDocuments(...asked)
    },
  }
  const sink = listSink()
  const parts = outboxOn(
    ledger,
    clock,
    at === 'before the sink' ? { ...sink, deliver: () => Promise.reject(gone) } : sink,
  )
  await assert.rejects(drain({ ...parts, ledger: dying }, 'public', 1), /the process died/)
  return sink.arrived
}

for (const point of ['before the sink', 'before the mark'] as const)
  bothStores(`a crash ${point} is a counted attempt, and the same id goes out again`, async (ledger) => {
    await recordSteps(ledger, { count: 1 })
    const [clock, sink] = [movedClock(), listSink()]
    const first = await crashed(ledger, clock, point)
    assert.deepEqual(await states(ledger), ['CLAIMED'])
    clock.time += LEASE
    await drain(outboxOn(ledger, clock, sink), 'public', 10)
    clock.time += 5_000
    await drain(outboxOn(ledger, clock, sink), 'public', 10)
    const [{ effect } = assert.fail()] = await effectsIn(ledger)
    assert.deepEqual([effect.state, effect.attempts], ['EXPORTED', 2])
    assert.deepEqual([...new Set([...first, ...sink.arrived])], [effect.effect_id])
  })

bothStores('what was marked is never sent again', async (ledger) => {
  await recordSteps(ledger, { count: 3 })
  const [clock, sink] = [movedClock(), listSink()]
  await drain(outboxOn(ledger, clock, sink), 'public', 10)
  for (const later of [LEASE, 10 * LEASE, -LEASE]) {
    clock.time += later
    assert.equal((await drain(outboxOn(ledger, clock, sink), 'public', 10)).attempted, 0)
  }
  assert.equal(sink.arrived.length, 3)
})

bothStores('rows that are no effects keep nobody from leaving, and are left as they are', async (ledger) => {
  await recordSteps(ledger, { count: 2, at: 10 })
  const [first = assert.fail()] = await effectsIn(ledger)
  const garbage = ['{}', 'null', '[]', '"x"', '0', '{not json', first.row.value].map((value, n) => {
    const { space, owner, state } = first.row
    return { space, owner, state, key: sha256Hex(`garbage ${n}`), expect: 0, rank: n, value }
  })
  await ledger.writeDocuments(garbage)
  const sink = listSink()
  const report = await drain(outboxOn(ledger, movedClock(), sink), 'public', 100)
  assert.deepEqual([report.attempted, report.exported, report.pending], [2, 2, garbage.length])
  for (const { space, key, value } of garbage) assert.equal((await ledger.reader.document(space, key))?.value, value)
})

bothStores(
  'an effect whose step is gone or altered is given up at once and sends nothing',
  async (ledger, _t, unguard) => {
    await unguard()
    for (const session of ['gone', 'altered', 'whole']) await recordSteps(ledger, { count: 1, session })
    const states = await ledger.reader.documents({ space: 'gdw.state', order: 'asc', limit: 10 })
    for (const { nodeIndex: _, version, ...row } of states) {
      const stored = JSON.parse(row.value) as StoredState
      const { session_id } = stored.record
      if (session_id === 'whole') continue
      const altered = JSON.stringify({ ...stored, record: { ...stored.record, decision: 'allow' } })
      await ledger.writeDocuments([{ ...row, expect: version, value: session_id === 'gone' ? null : altered }])
    }
    const sink = listSink()
    const report = await drain(outboxOn(ledger, movedClock(), sink), 'public', 100)
    assert.deepEqual([report.exported, report.failed, report.dead_lettered, sink.arrived.length], [1, 2, 2, 1])
    for (const { effect_id, class: kind, code } of report.errors)
      assert.deepEqual([effect_id, kind, code], [null, 'PERMANENT', 'PAYLOAD_INVALID'])
  },
)

bothStores('a step altered after a first attempt does not leave under another id', async (ledger, _t, unguard) => {
  await unguard()
  await recordSteps(ledger, { count: 1 })
  const [clock, sink] = [movedClock(), listSink(() => 'EIO')]
  await drain(outboxOn(ledger, clock, sink), 'public', 1)
  const [row = assert.fail()] = await ledger.reader.documents({ space: 'gdw.state', order: 'asc', limit: 1 })
  const stored = JSON.parse(row.value) as StoredState
  const record = { ...stored.record, request_digest: 'f'.repeat(64) }
  const value = JSON.stringify({ ...stored, record, state_hash: stateHash(record) })
  const { nodeIndex: _, version, ...place } = row
  await ledger.writeDocuments([{ ...place, expect: version, value }])
  clock.time += 5_000
  sink.code = () => null
  const report = await drain(outboxOn(ledger, clock, sink), 'public', 1)
  assert.deepEqual([report.dead_lettered, report.errors[0]?.code, sink.arrived], [1, 'PAYLOAD_INVALID', []])
})

bothStores('what leaves gives its place in the quota back, once', async (ledger) => {
  await recordSteps(ledger, { count: 5, decision: 'allow' })
  assert.equal(await usedByAll(ledger.reader, 'effects'), 10)
  const [clock, sink] = [movedClock(), listSink()]
  await Promise.all([1, 2, 3].map(() => drain(outboxOn(ledger, clock, sink), 'public', 3)))
  assert.equal(await usedByAll(ledger.reader, 'effects'), 10 - sink.arrived.length)
  await drain(outboxOn(ledger, clock, sink), 'public', 100)
  assert.equal(await usedByAll(ledger.reader, 'effects'), 0)
  assert.deepEqual(await effectTotals(ledger.reader, clock.time), {
    PENDING: 0,
    CLAIMED: 0,
    DEAD_LETTER: 0,
    EXPORTED: 10,
  })
})
