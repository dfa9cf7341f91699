import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import type { Check } from '../../ports.ts'
import { createReadiness, diskCheck } from './readiness.ts'

const check = (name: string, run: Check['run'], blocking = true): Check => ({ name, blocking: () => blocking, run })
const ok: Check['run'] = async () => ({ state: 'OK', detail: {} })
const readiness = (checks: Check[], state = { draining: false }) =>
  createReadiness(
    () => checks,
    state,
    systemClock,
    () => true,
  )

test('exactly the component that fails is named, and only a blocking one makes the service not ready', async () => {
  const failing: Check['run'] = async () => ({ state: 'FAILED', detail: { code: 'X' } })
  const report = await readiness([check('a', ok), check('b', failing), check('c', failing, false)]).report()
  assert.deepEqual(report.blocking, ['b'])
  assert.deepEqual([report.ready, report.productionReady], [false, false])
  const mild = await readiness([check('a', ok), check('c', failing, false)]).report()
  assert.deepEqual([mild.ready, mild.productionReady, mild.blocking], [true, true, []])
  assert.equal(mild.components.c?.state, 'FAILED')
})

test('a blocking check that finds the service able to work is told as failed and blocks nothing', async () => {
  const mild: Check['run'] = async () => ({ state: 'FAILED', detail: { code: 'X' }, blocking: false })
  const report = await readiness([check('a', mild)]).report()
  assert.deepEqual([report.ready, report.blocking, report.components.a?.state], [true, [], 'FAILED'])
  assert.equal(report.components.a?.blocking, false)
})

test('a state is as old as the first check that found it, and a draining service says since when it is', async () => {
  let now = 0
  let state: 'OK' | 'FAILED' = 'OK'
  const clock = { now: () => now, monotonic: () => now }
  const draining = { draining: false }
  const checks = [check('a', async () => ({ state, detail: { now } })), check('b', ok)]
  const { report } = createReadiness(
    () => checks,
    draining,
    clock,
    () => true,
  )
  const seen: unknown[] = []
  for (const [at, found] of [
    [1000, 'OK'],
    [2000, 'FAILED'],
    [3000, 'FAILED'],
    [4000, 'OK'],
  ] as const) {
    ;[now, state] = [at, found]
    const { components, drainingSince } = await report()
    seen.push([Date.parse(components.a!.since), Date.parse(components.b!.since), drainingSince])
  }
  assert.deepEqual(seen, [
    [1000, 1000, null],
    [2000, 1000, null],
    [2000, 1000, null],
    [4000, 1000, null],
  ])
  draining.draining = true
  now = 5000
  await report()
  now = 6000
  assert.equal((await report()).drainingSince, new Date(5000).toISOString())
})

test('what is unknown is not ready', async () => {
  const report = await readiness([check('a', async () => ({ state: 'UNKNOWN', detail: {} }))]).report()
  assert.deepEqual([report.ready, report.blocking], [false, ['a']])
})

for (const thrown of [new Error('secret words'), null, 'secret words', Object.assign(new Error('x'), { code: 'EIO' })])
  test(`a check that throws ${String(thrown)} has failed, with a code and without its words`, async () => {
    const report = await readiness([
      check('a', async () => {
        throw thrown
      }),
    ]).report()
    const expected = (thrown as { code?: string } | null)?.code ?? 'CHECK_THREW'
    assert.equal(report.components.a?.state, 'FAILED')
    assert.deepEqual(report.components.a?.detail, { code: expected })
  })

test('a check that never ends has failed, and the others are reported all the same', async () => {
  const report = await readiness([check('stuck', () => new Promise(() => undefined)), check('a', ok)]).report()
  assert.deepEqual(report.components.stuck?.detail, { code: 'CHECK_TIMEOUT' })
  assert.equal(report.components.a?.state, 'OK')
})

test('callers that come together share one run, and the next one runs anew', async () => {
  let runs = 0
  const { report } = readiness([
    check('a', async () => {
      runs += 1
      return { state: 'OK', detail: {} }
    }),
  ])
  await Promise.all([report(), report(), report()])
  assert.equal(runs, 1)
  await report()
  assert.equal(runs, 2)
})

test('a draining service is not ready whatever works', async () => {
  const report = await readiness([check('a', ok)], { draining: true }).report()
  assert.deepEqual([report.ready, report.draining, report.blocking], [false, true, []])
})

test('a disk with less room than asked for fails, and so does a folder that is gone', async () => {
  const room = await diskCheck('/', 1).run()
  assert.equal(room.state, 'OK')
  assert.equal((await diskCheck('/', Number.MAX_SAFE_INTEGER).run()).state, 'FAILED')
  const report = await readiness([diskCheck('/absent/folder', 1)]).report()
  assert.deepEqual(report.components.disk?.detail, { code: 'ENOENT' })
})
