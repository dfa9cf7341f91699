// Single checks over the parts of a running service, each with one part replaced by a broken one.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'
import type { CheckId, Finding } from './check.ts'
import { type AuditNeeds, checksOf } from './checks.ts'
import { RequestWindow } from './request-window.ts'
import { erasureTest } from './self-tests.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
for (const text of ['one', 'two', 'three'])
  await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify({ payload: { text } }))
const { ports } = service.app
const { ledger } = ports

const needs: AuditNeeds = {
  ...ports,
  servedRoutes: () => [],
  selfTests: () => [erasureTest()],
  freeBytes: async () => ({ free: 10, least: 4 }),
  requests: new RequestWindow(0),
}
const never = new AbortController().signal
const run = (id: CheckId, changed: object = {}, signal = never): Promise<Finding> =>
  checksOf({ ...needs, ...changed } as AuditNeeds)
    .find((check) => check.id === id)!
    .run(signal)
const stateOf = async (id: CheckId, changed: object) => (await run(id, changed)).state

/** As if the ledger were longer than a walk: every chain ended before the walked part. */
const reported: unknown[] = []
const longLedger = (reader = ledger.reader) => ({
  reader,
  reportBreak: (...said: unknown[]) => void reported.push(said),
  async walk() {
    const report = await ledger.walk()
    return { ...report, walk: { ...report.walk, from_index: 1_000_000 } }
  },
})

test('chains that ended before the walked part are walked by themselves', async () => {
  const { state, observed } = await run('chain_rewalk', { ledger: longLedger() })
  const ended = observed.ended_before_the_walk as { chains: number; walked: number; broken: number[] }
  assert.deepEqual([state, ended.walked, ended.broken], ['PASS', ended.chains, []])
  assert.ok(ended.chains > 0)
})

test('a changed byte in such a chain is a break with its index, and chains that were not walked are a warning', async () => {
  const chainRange: typeof ledger.reader.chainRange = async (...place) =>
    (await ledger.reader.chainRange(...place)).map((row) =>
      row.nodeIndex === 1 ? { ...row, body: row.body.map((byte, at) => (at === 9 ? byte ^ 1 : byte)) } : row,
    )
  const chains = () => ledger.reader.chains()
  const broken = await run('chain_rewalk', { ledger: longLedger({ chainRange, chains } as never) })
  assert.deepEqual([broken.state, broken.subjects], ['FAIL', ['node_index 1: link']])
  assert.equal(reported.length, 1, 'the ledger is told')
  const aborted = AbortSignal.abort()
  const late = await run('chain_rewalk', { ledger: longLedger() }, aborted)
  assert.deepEqual([late.state, late.subjects], ['WARN', ['chains that ended before the walked part']])
})

test('durability: in memory is a warning, a ledger that takes nothing or was rolled back fails', async () => {
  const state = (changed: object) => ({ ledger: { state: () => ({ ...ledger.state(), ...changed }) } })
  const durable = { durability: 'DURABLE' }
  assert.equal(await stateOf('ledger_durability', state(durable)), 'PASS')
  assert.equal(await stateOf('ledger_durability', state({})), 'WARN')
  assert.equal(await stateOf('ledger_durability', state({ ...durable, readOnly: 'full' })), 'FAIL')
  assert.equal(await stateOf('ledger_durability', state({ ...durable, rolledBack: true })), 'FAIL')
  const guard = { kind: 'file', fault: 'gone', blocking: false }
  assert.deepEqual((await run('ledger_durability', state({ ...durable, guard }))).subjects, ['guard unavailable'])
})

test('free space: at the bound it warns, below it fails, and at twice the bound it passes', async () => {
  for (const [free, expected] of [
    [8, 'PASS'],
    [7, 'WARN'],
    [4, 'WARN'],
    [3, 'FAIL'],
  ] as const)
    assert.equal(await stateOf('disk_free', { freeBytes: async () => ({ free, least: 4 }) }), expected, String(free))
})

test('event loop: 200 ms pass, more is a warning, half a minute late fails', async () => {
  const runtime = (p99: number, late: number) => ({
    runtime: { eventLoopDelayP99: () => p99, eventLoopLateMs: () => late },
  })
  assert.equal(await stateOf('event_loop', runtime(200, 0)), 'PASS')
  assert.equal(await stateOf('event_loop', runtime(200.001, 29_999)), 'WARN')
  assert.equal(await stateOf('event_loop', runtime(0, 30_000)), 'FAIL')
})

test('error rate: one in a hundred passes, more warns, over five fails, and few requests say nothing', async () => {
  const served = (count: number, errors: number) => ({
    calls: { series: () => [{ count, errors }] },
    clock: { now: () => 0, monotonic: () => 1_000 },
  })
  assert.equal(await stateOf('error_rate', served(100, 1)), 'PASS')
  assert.equal(await stateOf('error_rate', served(100, 2)), 'WARN')
  assert.equal(await stateOf('error_rate', served(100, 5)), 'WARN')
  assert.equal(await stateOf('error_rate', served(100, 6)), 'FAIL')
  assert.equal(await stateOf('error_rate', served(19, 19)), 'PASS')
  assert.equal(await stateOf('error_rate', served(20, 20)), 'FAIL')
  assert.equal((await run('error_rate', served(0, 0))).observed.share, null)
})

test('readings: none configured pass, a failing or an old one is a warning that names it', async () => {
  const readings = (sources: object[], stale: boolean) => ({
    readings: { sources: () => sources, snapshot: () => ({ age_seconds: 1, stale, served_from: 'warming' }) },
  })
  assert.equal(await stateOf('caches', readings([], true)), 'PASS')
  const good = { provider: 'space', end: 'ok', resting: false }
  assert.equal(await stateOf('caches', readings([good], false)), 'PASS')
  const { state, subjects } = await run('caches', readings([good, { ...good, provider: 'spine', end: 'failed' }], true))
  assert.deepEqual([state, subjects], ['WARN', ['spine', 'stale readings']])
})

test('lockfile: a finding in what is shipped fails, one for development alone warns, and none passes as a sample', async () => {
  const loop = (...findings: object[]) => ({
    securityLoop: { run: async () => ({ label: 'SAMPLE', components: 1, advisories: 1, findings, note: '' }) },
  })
  const finding = { advisory_id: 'GHSA-x', package: 'p', version: '1.0.0', dev: false, state: 'VALIDATED' }
  const clean = await run('lockfile', loop())
  assert.deepEqual([clean.state, clean.sample], ['PASS', true])
  assert.equal(await stateOf('lockfile', loop({ ...finding, dev: true })), 'WARN')
  const found = await run('lockfile', loop(finding, finding))
  assert.deepEqual([found.state, found.subjects], ['FAIL', ['GHSA-x p@1.0.0']])
  const absent = { securityLoop: { run: async () => ({ label: 'UNAVAILABLE', reason: 'no lockfile', findings: [] }) } }
  await assert.rejects(run('lockfile', absent), /no lockfile/)
})

test('a formula that fails its check, and a data file that was changed, are named', async () => {
  const formulas = await ports.formulaRun()
  const checks = formulas.checks.map((one) => (one.formula_id === 'F18' ? { ...one, passed: false } : one))
  const formulaRun = async () => ({ ...formulas, checks })
  assert.deepEqual((await run('formula_checks', { formulaRun })).subjects, ['F18'])
  assert.equal(await stateOf('locked_set', { formulaRun }), 'FAIL')
  for (const name of ['advisories', 'frontier-projects', 'specified-routes', 'formula-registry']) {
    const text: typeof ports.artifacts.text = async (asked) => {
      const file = await ports.artifacts.text(asked)
      return file.present && asked === name ? { ...file, text: file.text.replace('2', '3') } : file
    }
    const found = await run('artifacts', { artifacts: { ...ports.artifacts, text } })
    assert.deepEqual([found.state, found.subjects], ['FAIL', [name]], name)
  }
  const files = async () => (await ports.m1.files()).map((file) => ({ ...file, state: 'BLOCKED' as const })).slice(0, 2)
  const found = await run('artifacts', { m1: { files } })
  assert.deepEqual([found.state, found.subjects], ['FAIL', ['m1 manifest', 'm1 weights']])
  const { model } = (await run('artifacts')).observed as { model: { state: string; sha256: string }[] }
  assert.ok(model.length >= 8 && model.every(({ state, sha256 }) => state === 'PASS' && sha256.length === 64))
})
