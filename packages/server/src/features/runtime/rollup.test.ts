import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRollup, countSources, type RollupFacts } from './rollup.ts'

const ROOM = { free_bytes: 1_000, min_free_bytes: 100 }
const START = '2026-01-01T00:00:00.000Z'
const LATER = '2026-01-02T00:00:00.000Z'
const works = (detail: Record<string, unknown> = {}) => ({ state: 'OK', since: START, detail })
const components = () => ({
  store: works(),
  ledger: works({ integrity: 'VERIFIED' }),
  guard: works(),
  signer: works(),
  policy: works(),
  gates: works(),
  disk: works(ROOM),
  background: works({ tasks: [{ task: 'sweep' }] }),
  outbound: works(),
  claims: works(),
  credentials: works(),
})
const facts = (over: Partial<RollupFacts> = {}): RollupFacts => ({
  report: { drainingSince: null, components: components() },
  ledger: { durability: 'DURABLE', size: 3, waiting: 0 },
  signer: { status: 'DEMO', signing_available: true, scheme: 's', key_kind: 'demo', tested_at: null },
  targets: [],
  readings: [],
  gates: [
    { evaluated: 4, fired: 1 },
    { evaluated: 4, fired: 2 },
  ],
  since: (name, state) => `${name} ${state}`,
  organs: [],
  basePath: '/base',
  uptimeSeconds: 1,
  ts: '2026-01-01T00:00:00.000Z',
  ...over,
})
const breaking = (name: string, detail: Record<string, unknown> = {}) =>
  facts({
    report: { drainingSince: null, components: { ...components(), [name]: { state: 'FAILED', since: LATER, detail } } },
  })

test('nothing failed is ok, with the counts of what runs here', () => {
  const { status, degraded_reasons, rollup } = buildRollup(facts())
  assert.deepEqual([status, degraded_reasons], ['ok', []])
  assert.deepEqual(rollup.storage, { status: 'ok', backend: 'sqlite', durable: true, free_bytes: 1_000 })
  assert.deepEqual(rollup.ledger, { size: 3, integrity: 'VERIFIED', backlog: 0 })
  assert.deepEqual(rollup.gates, { count: 2, evaluated: 8, fired: 3, reload_failed: null })
  assert.deepEqual(rollup.background, [{ task: 'sweep' }])
})

for (const name of Object.keys(components()))
  test(`${name} failing is the one reason that is named`, () => {
    const { status, degraded_reasons } = buildRollup(breaking(name))
    assert.deepEqual([status, degraded_reasons], ['degraded', [name === 'guard' ? 'ledger' : name]])
  })

test('every reason says since when, the oldest of those that are spoken of as one', () => {
  const both = { ...components(), guard: { state: 'FAILED', since: LATER, detail: {} } }
  const failing = { ...both, ledger: { state: 'UNKNOWN', since: START, detail: {} } }
  const report = { drainingSince: LATER, components: failing }
  const { degraded_since } = buildRollup(facts({ report, readings: [{ end: 'failed' }] }))
  assert.deepEqual(degraded_since, { ledger: START, providers: 'providers failed', drain: LATER })
})

test('rules or policies that were not taken over are told beside the gates that decide without them', () => {
  for (const name of ['gates', 'policy']) {
    const { rollup } = buildRollup(breaking(name, { reload_failed: 'gates.json is not JSON in UTF-8' }))
    assert.equal(rollup.gates.reload_failed, 'gates.json is not JSON in UTF-8')
  }
})

test('organs are counted in their registry by class, and those that this build lacks are told', () => {
  assert.deepEqual(buildRollup(facts()).rollup.organs, { total: 0, by_class: {}, reason: null })
  const [measured, simulated] = ['MEASURED', 'SIMULATED'].map((evidenceClass) => ({ evidenceClass, built: true }))
  const three = buildRollup(facts({ organs: [measured!, measured!, { ...simulated!, built: false }] })).rollup.organs
  const reason = '1 of them are not part of this build and answer UNAVAILABLE'
  assert.deepEqual(three, { total: 3, by_class: { MEASURED: 2, SIMULATED: 1 }, reason })
})

test('a ledger check that ended in a timeout says nothing of integrity', () => {
  assert.equal(buildRollup(breaking('ledger', { code: 'CHECK_TIMEOUT' })).rollup.ledger.integrity, 'UNKNOWN')
})

test('storage under pressure, and storage that does not record', () => {
  const tight = facts()
  tight.report.components.disk = works({ ...ROOM, free_bytes: 199 })
  assert.equal(buildRollup(tight).rollup.storage.status, 'pressure')
  assert.equal(buildRollup(breaking('store')).rollup.storage.status, 'unavailable')
  assert.equal(buildRollup(breaking('disk', { code: 'ENOENT' })).rollup.storage.free_bytes, null)
})

test('a draining service is degraded for that reason', () => {
  const draining = facts({ report: { drainingSince: LATER, components: components() } })
  assert.deepEqual(buildRollup(draining).degraded_reasons, ['drain'])
})

const target = (calls: number, lastSuccessAt: string | null, lastErrorAt: string | null, embedded = false) => ({
  embedded,
  calls,
  lastSuccessAt,
  lastErrorAt,
})
test('sources are counted by how their newest attempts ended, and one that failed is a reason', () => {
  const counted = countSources(
    [
      target(0, null, null),
      target(2, '2', '1'),
      target(2, '1', '2'),
      target(1, null, '1'),
      target(0, null, null, true),
    ],
    [{ end: 'never' }, { end: 'ok' }, { end: 'failed' }],
  )
  assert.deepEqual(counted, { total: 7, last_ok: 2, last_failed: 3, never_asked: 2 })
  const { degraded_reasons } = buildRollup(facts({ targets: [target(1, null, '1')] }))
  assert.deepEqual(degraded_reasons, ['providers'])
  assert.deepEqual(buildRollup(facts({ readings: [{ end: 'failed' }] })).degraded_reasons, ['providers'])
})
