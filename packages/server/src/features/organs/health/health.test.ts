import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Job } from '../../../platform/compute/job.ts'
import { runWaitingApart } from '../../../platform/compute/wait-apart.ts'
import { type HealthCheck, ROLES, type Role } from './checks.ts'
import { createHealth, toIndex } from './health.ts'

function clockAt() {
  const clock = { ms: 0, now: () => clock.ms, monotonic: () => clock.ms }
  return clock
}
const passing: HealthCheck = { name: 'one', subsystem: 's', run: async () => ({ passed: true, detail: 'fine' }) }
const everyRole = (replaced: Partial<Record<Role, HealthCheck[]>>) =>
  ({ ...Object.fromEntries(ROLES.map((role) => [role, [passing]])), ...replaced }) as Record<Role, HealthCheck[]>

test('a part that fails takes its own role down and no other, and restores', async () => {
  const clock = clockAt()
  let works = false
  const failing = { ...passing, run: async () => ({ passed: works, detail: 'broken on purpose' }) }
  const { readAll } = createHealth(everyRole({ policy: [passing, failing] }), clock)
  const down = toIndex(await readAll(), '')
  assert.deepEqual(
    down.roles.filter(({ state }) => state === 'DOWN').map(({ role }) => role),
    ['policy'],
  )
  assert.deepEqual([down.ok, down.aggregate.state], [false, 'DOWN'])
  assert.match(down.roles.find(({ role }) => role === 'policy')!.reason!, /broken on purpose/)
  works = true
  clock.ms = 5_001
  const up = toIndex(await readAll(), '')
  assert.deepEqual([up.ok, up.aggregate.up], [true, 12])
})

test('a check that throws is failed, and tells nothing of what it threw', async () => {
  const throwing = { ...passing, run: () => Promise.reject(new Error('/secret/path')) }
  const { read } = createHealth(everyRole({ care: [throwing] }), clockAt())
  const row = await read('care')
  assert.deepEqual([row.state, row.up], ['DOWN', false])
  assert.ok(!JSON.stringify(row).includes('secret'))
})

test('many readers share one run; nothing to check is unknown and unavailable', async () => {
  let runs = 0
  const counted = {
    ...passing,
    async run() {
      runs += 1
      return { passed: null, detail: 'nothing here' }
    },
  }
  const clock = clockAt()
  const { read } = createHealth(everyRole({ vessels: [counted] }), clock)
  const rows = await Promise.all(Array.from({ length: 200 }, () => read('vessels')))
  assert.equal(runs, 1)
  assert.deepEqual([rows[0]!.mode, rows[199]!.mode], ['live', 'cached'])
  assert.deepEqual([rows[0]!.up, rows[0]!.state, rows[0]!.label], [null, 'UNKNOWN', 'UNAVAILABLE'])
  clock.ms = 5_000
  assert.equal((await read('vessels')).age_seconds, 5)
  clock.ms = 5_001
  assert.deepEqual([(await read('vessels')).mode, runs], ['live', 2])
})

for (const [says, up, state, mode] of [
  ['up', true, 'UP', 'live'],
  ['down', false, 'DOWN', 'live'],
  ['unclear', null, 'UNKNOWN', 'live'],
  ['silent', null, 'UNKNOWN', 'unreachable'],
] as const)
  test(`a configured service that is ${says} speaks for its role, and the own checks stay listed`, async () => {
    const { read } = createHealth(everyRole({}), clockAt(), { remotes: { drones: async () => says } })
    const row = await read('drones')
    assert.deepEqual([row.target, row.up, row.state, row.mode], ['remote', up, state, mode])
    assert.equal(row.checks.length, 1)
  })

test('a check may take longer when it first runs in a process, for it loads what it uses; afterwards it may not', async () => {
  let runs = 0
  const run = async () => {
    runs += 1
    await (runs === 1 ? pause(100) : new Promise(() => undefined))
    return { passed: true, detail: 'loaded' }
  }
  const clock = clockAt()
  const { read } = createHealth(everyRole({ brain: [{ ...passing, run }] }), clock, { limitMs: 20 })
  assert.equal((await read('brain')).state, 'UP')
  clock.ms = 5_001
  const late = await read('brain')
  assert.deepEqual([late.state, late.checks[0]!.detail], ['DOWN', 'deadline'])
})

test('a check whose job waits for a thread to start is not failed for it, however often threads have ended', async () => {
  const slowThread: Job<object, number> = async (_params, { onBegun } = {}) => {
    await pause(60)
    onBegun?.()
    return { value: 2, origin: 'run', timing: null }
  }
  const started: HealthCheck = {
    ...passing,
    async run(signal, apart) {
      const { value } = await runWaitingApart(apart!, slowThread, {}, { signal })
      return { passed: value === 2, detail: 'ran' }
    },
  }
  const clock = clockAt()
  const { read } = createHealth(everyRole({ drones: [started] }), clock, { limitMs: 20 })
  for (let n = 0; n < 3; n += 1) {
    assert.equal((await read('drones')).state, 'UP')
    clock.ms += 5_001
  }
})

test('a check whose job has begun and does not end is failed at its deadline', async () => {
  const hanging: Job<object, number> = (_params, { onBegun } = {}) => {
    onBegun?.()
    return new Promise(() => undefined)
  }
  let runs = 0
  const hung: HealthCheck = {
    ...passing,
    async run(signal, apart) {
      runs += 1
      if (runs > 1) await runWaitingApart(apart!, hanging, {}, { signal })
      return { passed: true, detail: 'ran' }
    },
  }
  const clock = clockAt()
  const { read } = createHealth(everyRole({ drones: [hung] }), clock, { limitMs: 20 })
  assert.equal((await read('drones')).state, 'UP')
  clock.ms += 5_001
  assert.equal((await read('drones')).checks[0]!.detail, 'deadline')
})
