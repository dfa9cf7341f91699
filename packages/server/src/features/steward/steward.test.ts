import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeShards, encodeShards } from '@orch/core'
import fc from 'fast-check'
import { operation, Reply } from '../../operation.ts'
import { type AuditRecord, findingsDigest, inconsistencyOf, runAudit } from './audit.ts'
import { type AuditCheck, CHECK_IDS, type CheckId, type Finding, judged } from './check.ts'
import { selfTestsOf } from './open-self-tests.ts'
import { proposalsFor } from './proposals.ts'
import { RequestWindow } from './request-window.ts'
import { routeInventory } from './routes.ts'
import { StewardStatus } from './schemas.ts'
import { erasureTest, runSelfTests } from './self-tests.ts'
import { type Around, toProposals, toStatus } from './surface.ts'

const START = Date.parse('2026-01-02T03:04:05.000Z')
function movedClock() {
  const clock = { ms: 0, now: () => START + clock.ms, monotonic: () => clock.ms }
  return clock
}

const passing: Finding = { state: 'PASS', observed: {}, expected: 'it holds', subjects: [] }
const checksWith = (changed: Partial<Record<CheckId, AuditCheck['run']>> = {}): AuditCheck[] =>
  CHECK_IDS.map((id) => ({ id, run: changed[id] ?? (async () => passing) }))
const around = (clock: ReturnType<typeof movedClock>, changed: Partial<Around> = {}): Around => ({
  ...{ now: clock.now(), monotonic: clock.monotonic(), productionReady: true, revision: null },
  ...{ latestHash: null, signatureStatus: 'DEMO', ...changed },
})
const observed = (audit: AuditRecord | null, failure: string | null = null, shared = false) => ({
  ...{ audit, failure, shared },
})

test('nothing failing gives no proposal, and the service is ready for production only where readiness says so', async () => {
  const clock = movedClock()
  const audit = await runAudit(checksWith(), clock)
  assert.deepEqual(proposalsFor(audit), [])
  const { status, body } = toStatus(observed(audit), around(clock))
  assert.deepEqual([status, body.state, body.production_ready], [200, 'CURRENT', true])
  assert.equal(toStatus(observed(audit), around(clock, { productionReady: false })).body.production_ready, false)
  assert.deepEqual(body.audit!.checks.map(({ id }) => id).sort(), [...CHECK_IDS].sort())
})

test('every check that fails gives a proposal that names its subjects, and its priority can be recomputed', async () => {
  for (const id of CHECK_IDS)
    for (const [state, confidence] of [
      ['FAIL', 1],
      ['WARN', 0.75],
    ] as const) {
      const run = async () => judged('it holds', {}, ['node_index 17: link'], state)
      const [proposal, ...more] = proposalsFor(await runAudit(checksWith({ [id]: run }), movedClock()))
      assert.deepEqual(more, [])
      assert.match(proposal!.title, /node_index 17/)
      assert.ok(proposal!.evidence_refs.includes('node_index 17: link'))
      assert.equal(proposal!.priority, Math.round(((proposal!.severity * confidence) / proposal!.effort) * 1e6) / 1e6)
    }
})

test('the id of a proposal is that of its finding: figures that move do not change it, another subject does', async () => {
  const idOf = async (subject: string, figure: number) => {
    const run = async () => judged('it holds', { figure }, [subject])
    return proposalsFor(await runAudit(checksWith({ disk_free: run }), movedClock()))[0]!.id
  }
  assert.equal(await idOf('free space', 1), await idOf('free space', 2))
  assert.notEqual(await idOf('free space', 1), await idOf('other', 1))
})

test('proposals come by priority and at most twenty', async () => {
  const many = async () =>
    judged(
      'none',
      {},
      Array.from({ length: 30 }, (_, i) => `GHSA-${i} p@1`),
    )
  const broken = async () => judged('holds', {}, ['F18'])
  const found = proposalsFor(await runAudit(checksWith({ lockfile: many, locked_set: broken }), movedClock()))
  assert.equal(found.length, 20)
  assert.equal(found[0]!.rule, 'steward.locked_set/v1')
  assert.deepEqual(
    found,
    found.toSorted((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1)),
  )
})

test('a check that throws, or goes on beyond the budget, is an ERROR that tells nothing of what it threw', async () => {
  const late = movedClock()
  const audit = await runAudit(
    checksWith({
      artifacts: () => Promise.reject(new Error('/secret/path')),
      disk_free: () => new Promise(() => undefined),
    }),
    late,
    5,
  )
  const of = (id: CheckId) => audit.checks.find((one) => one.id === id)!
  assert.deepEqual([of('artifacts').state, of('artifacts').label], ['ERROR', 'UNAVAILABLE'])
  assert.deepEqual(of('disk_free').observed, { code: 'CHECK_TIMEOUT' })
  assert.ok(!JSON.stringify(audit).includes('secret'))
  assert.equal(toStatus(observed(audit), around(late)).body.production_ready, false)
})

test('a check that did not come to an end gives a proposal about the check and says nothing of its subject', async () => {
  for (const id of CHECK_IDS) {
    const unfinished = await runAudit(checksWith({ [id]: () => Promise.reject(new Error('slow')) }), movedClock())
    const failing = await runAudit(checksWith({ [id]: async () => judged('it holds', {}, ['x']) }), movedClock())
    const [proposal, ...more] = proposalsFor(unfinished)
    const [failed] = proposalsFor(failing)
    assert.deepEqual(more, [])
    assert.match(proposal!.title, /did not come to an end/)
    for (const field of ['rule', 'title', 'objective', 'hypothesis', 'tests', 'stop_conditions'] as const)
      assert.notDeepEqual(proposal![field], failed![field], `${id} ${field}`)
    assert.ok(proposal!.severity <= Math.min(3, failed!.severity), id)
    assert.ok(proposal!.priority < failed!.priority, id)
  }
})

test('chains that no audit had time for are not called broken', async () => {
  const run = async () => judged('it holds', {}, ['chains that ended before the walked part'], 'WARN')
  const [proposal] = proposalsFor(await runAudit(checksWith({ chain_rewalk: run }), movedClock()))
  assert.doesNotMatch(`${proposal!.title} ${proposal!.hypothesis}`, /Restore|damaged|does not hold:/)
  assert.ok(proposal!.severity <= 3)
})

test('a reading from before the audit, and a sample, do not say MEASURED; nor does an audit that is shared', async () => {
  const clock = movedClock()
  const readAt = new Date(START - 1).toISOString()
  const audit = await runAudit(
    checksWith({
      chain_rewalk: async () => ({ ...passing, readAt }),
      lockfile: async () => ({ ...passing, sample: true }),
    }),
    clock,
  )
  const labels = (shared: boolean) =>
    Map.groupBy(toStatus(observed(audit, null, shared), around(clock)).body.audit!.checks, ({ label }) => label)
  assert.deepEqual(
    labels(false)
      .get('SAMPLE')!
      .map(({ id }) => id),
    ['chain_rewalk', 'lockfile'],
  )
  assert.equal(labels(true).get('SAMPLE')!.length, CHECK_IDS.length)
})

test('an audit is current for 60 s, stale for two hours after a failure, and then 503 without proposals', async () => {
  const clock = movedClock()
  const run = async () => judged('holds', {}, ['x'])
  const audit = await runAudit(checksWith({ disk_free: run }), clock)
  const at = (ms: number, failure: string | null) => {
    clock.ms = ms
    const { status, body } = toProposals(observed(audit, failure), around(clock))
    return [status, body.state, body.count]
  }
  assert.deepEqual(at(60_000, null), [200, 'CURRENT', 1])
  assert.deepEqual(at(60_001, null), [200, 'STALE', 1])
  assert.deepEqual(at(1, 'it failed'), [200, 'STALE', 1])
  assert.deepEqual(at(7_200_000, 'it failed'), [200, 'STALE', 1])
  assert.deepEqual(at(7_200_001, 'it failed'), [503, 'STALE', 0])
  assert.equal(toStatus(observed(null, 'it failed'), around(clock)).body.state, 'UNAVAILABLE')
})

test('a record that contradicts itself is INVALID, and one from the future too', async () => {
  const clock = movedClock()
  const audit = await runAudit(checksWith(), clock)
  const [first, ...rest] = audit.checks
  const damaged: AuditRecord[] = [
    { ...audit, digest: '0'.repeat(64) },
    { ...audit, checks: rest },
    { ...audit, checks: [first!, ...audit.checks] },
    { ...audit, checks: [{ ...first!, subjects: ['x'] }, ...rest] },
    { ...audit, observed_at: new Date(START + 60_000).toISOString() },
  ]
  for (const record of damaged) {
    assert.notEqual(inconsistencyOf(record, clock.now()), null)
    const { status, body } = toProposals(observed(record), around(clock))
    assert.deepEqual([status, body.state, body.proposals], [503, 'INVALID', []])
  }
})

test('an audit of which no check ended is no audit', async () => {
  const all = Object.fromEntries(CHECK_IDS.map((id) => [id, () => Promise.reject(new Error('down'))]))
  await assert.rejects(runAudit(checksWith(all), movedClock()), /no check of the audit came to an end/)
})

test('the digest of findings does not depend on their order', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...CHECK_IDS]),
      fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 }),
      (ids, names) => {
        const row = (id: CheckId, subjects: string[]) =>
          ({
            id,
            state: 'FAIL',
            observed: {},
            expected: '',
            subjects,
            duration_ms: 0,
            checked_at: '',
            label: 'MEASURED',
          }) as const
        const [one, other] = [ids.map((id) => row(id, names)), ids.toReversed().map((id) => row(id, names.toSorted()))]
        assert.equal(findingsDigest(one), findingsDigest(other))
      },
    ),
    { seed: 20261116 },
  )
})

test('a route that is not served is named, whatever its parameters are called, and further ones are allowed', () => {
  const specified = {
    ...{ interface_version: '2.0.0', note: '' },
    routes: [
      { section: '4.1', method: 'GET' as const, path: '/api/orch/v1/a/{id}', alias: true },
      { section: '4.1', method: 'POST' as const, path: '/api/orch/v1/a/{id}', alias: false },
    ],
  }
  const served = [
    { method: 'GET', path: '/api/orch/v1/a/{name}' },
    { method: 'HEAD', path: '/api/orch/v1/a/{name}' },
    { method: 'GET', path: '/extra' },
  ]
  const { state, subjects, observed: found } = routeInventory(specified, served)
  assert.deepEqual([state, subjects], ['FAIL', ['GET /v1/a/{id}', 'POST /api/orch/v1/a/{id}']])
  assert.deepEqual(found.extra, ['GET /extra'])
  const whole = [...served, { method: 'GET', path: '/v1/a/{x}' }, { method: 'POST', path: '/api/orch/v1/a/{x}' }]
  assert.equal(routeInventory(specified, whole).state, 'PASS')
})

test('the self test of the erasure code passes, and finds a code that is wrong', async () => {
  assert.equal((await runSelfTests([erasureTest()])).state, 'PASS')
  const brokenCode = erasureTest((data) =>
    encodeShards(data).map((shard, i) => (i === 7 ? shard.map((b) => b ^ 1) : shard)),
  )
  const brokenDecoder = erasureTest(encodeShards, (shards, bytes) => {
    const found = decodeShards(shards, bytes)
    return found.ok ? found : { ok: true, data: new Uint8Array(bytes) }
  })
  for (const wrong of [brokenCode, brokenDecoder]) assert.deepEqual((await runSelfTests([wrong])).subjects, ['erasure'])
})

test('a surface that tests itself joins by its path, and one that is not part of this build is absent', async () => {
  const table = [{ surface: 'trial', path: '/api/orch/v1/trial/healthz' }]
  const trial = (answer: object) =>
    operation({
      ...{ id: 'trial.healthz', group: 'Operations', method: 'GET', path: '/trial/healthz', scope: null },
      ...{ summary: 'A trial', reply: StewardStatus },
      run: () => answer as never,
    })
  assert.deepEqual(selfTestsOf([], table), [])
  for (const [answer, passed] of [
    [{ ok: true, self_checks: [{ passed: true }] }, true],
    [{ ok: true, self_checks: [{ passed: false }] }, false],
    [new Reply({ ok: true }, { status: 503 }), false],
    [{ ok: 'true' }, false],
    [{}, false],
  ] as const)
    assert.equal((await runSelfTests(selfTestsOf([trial(answer)], table))).state, passed ? 'PASS' : 'FAIL')
})

test('the window of requests counts five minutes, and from the start while it is younger', () => {
  const window = new RequestWindow(0)
  for (let at = 10_000; at <= 600_000; at += 10_000) window.sample(at, { count: at / 1000, errors: at / 10_000 })
  assert.deepEqual(window.read(600_000, { count: 600, errors: 60 }), { count: 300, errors: 30, seconds: 300 })
  assert.deepEqual(new RequestWindow(0).read(7_000, { count: 3, errors: 1 }), { count: 3, errors: 1, seconds: 7 })
})
