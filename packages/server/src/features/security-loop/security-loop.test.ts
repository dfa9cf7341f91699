import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { canonicalize, sha256Hex } from '@orch/core'
import fc from 'fast-check'
import { satisfies } from 'semver'
import { readSealed } from '../../platform/sealed-file.ts'
import { advance } from './advance.ts'
import { ADVISORIES_SCHEMA, type Advisory, AdvisorySample, affectedBy } from './advisories.ts'
import { findAll } from './findings.ts'
import { readLockfile } from './lockfile.ts'
import { buildManifest } from './manifest.ts'
import { openSecurityLoop } from './open.ts'
import { BOUNDS, buildRun } from './run.ts'
import { GATE_IDS, type Gates, move, STATES, TRANSITIONS } from './state-machine.ts'

const ROOT = new URL('../../../../../', import.meta.url)
const TEXT = readFileSync(new URL('packages/server/data/advisories.sample.json', ROOT), 'utf8')
const read = (text: string) => readSealed({ present: true, text }, ADVISORIES_SCHEMA, AdvisorySample)
const committed = read(TEXT)
assert.ok(committed.ok)
const sample = committed.value

const PINNED = `sha512-${'A'.repeat(86)}==`
const lock = (packages: Record<string, object>) => JSON.stringify({ lockfileVersion: 3, packages })
const planted = (name: string, version: string, more: object = {}) =>
  readLockfile(lock({ '': { name: 'root' }, [`node_modules/${name}`]: { version, integrity: PINNED, ...more } }))!
const found = (name: string, version: string, more: object = {}) => findAll(planted(name, version, more), sample)
const gates = (state: 'PASS' | 'FAIL' | 'UNKNOWN', changed: Partial<Gates> = {}): Gates =>
  ({ ...Object.fromEntries(GATE_IDS.map((id) => [id, state])), ...changed }) as Gates

test('a planted lockfile with one vulnerable version gives one finding at REMEDIATION_PROPOSED', () => {
  const [finding, ...more] = found('fast-json-patch', '3.1.0')
  assert.deepEqual(more, [])
  assert.deepEqual(
    [finding!.advisory_id, finding!.state, finding!.fixed_in, finding!.range, finding!.path],
    ['GHSA-8gh8-hqwg-xf34', 'REMEDIATION_PROPOSED', '3.1.1', '>=0.0.0-0 <3.1.1', 'node_modules/fast-json-patch'],
  )
  assert.deepEqual(finding!.blocked_by, ['ROLLBACK_ADMITTED', 'GRAPH_TRUST'])
})

for (const [name, version, affected] of [
  ['fast-json-patch', '3.1.1', false],
  ['fast-json-patch', '3.1.1-beta.1', true],
  ['fast-json-patch', '3.1.0', true],
  ['fastify', '4.0.0', true],
  ['fastify', '4.0.0-rc.1', false],
  ['fastify', '3.29.4', false],
  ['fastify', '4.10.2', false],
  ['fastify', '4.10.2-0', true],
  ['fastify', '5.12.8', false],
  ['semver', '7.5.1', true],
  ['semver', '7.5.2', false],
  ['semver', '6.3.1', false],
  ['semver', '5.7.2', false],
  ['qs', '6.2.4', false],
  ['qs', '6.3.0', true],
  ['not-in-the-sample', '1.0.0', false],
] as const)
  test(`${name} ${version} is ${affected ? 'a finding' : 'no finding'}`, () => {
    assert.equal(found(name, version).length > 0, affected)
  })

test('an unpinned package stays validated, and one without a known fix is not proposed for remediation', () => {
  const [unpinned] = findAll(readLockfile(lock({ 'node_modules/ajv': { version: '6.12.2' } }))!, sample)
  assert.deepEqual([unpinned!.state, unpinned!.gates.PROVENANCE_VERIFIED], ['VALIDATED', 'FAIL'])
  const [first] = sample.advisories
  const endless: Advisory = {
    ...first!,
    affected: [
      {
        package: { ecosystem: 'npm', name: 'ajv' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { last_affected: '6.12.2' }] }],
      },
    ],
  }
  const only = { ...sample, advisories: [endless] }
  assert.deepEqual(
    ['6.12.2', '6.12.3-0', '6.12.3'].map((version) => findAll(planted('ajv', version), only)[0]?.state ?? null),
    ['VALIDATED', null, null],
  )
})

test('two entries about one vulnerability that disagree are a contradiction, and a withdrawn one says nothing', () => {
  const one = sample.advisories.find(({ id }) => id === 'GHSA-8gh8-hqwg-xf34')!
  const other: Advisory = {
    ...one,
    id: 'GHSA-other',
    affected: [
      { ...one.affected[0]!, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }] },
    ],
  }
  const [finding] = findAll(planted('fast-json-patch', '3.1.0'), { ...sample, advisories: [one, other] })
  assert.deepEqual([finding!.state, finding!.gates.NO_UNRESOLVED_CONTRADICTION], ['VALIDATED', 'FAIL'])
  const withdrawn = { ...one, withdrawn: '2025-01-01T00:00:00Z' }
  assert.deepEqual(findAll(planted('fast-json-patch', '3.1.0'), { ...sample, advisories: [withdrawn] }), [])
})

test('ranges agree with those of the semver package on random versions', () => {
  const number = fc.nat({ max: 12 })
  const version = fc
    .tuple(number, number, number, fc.option(fc.constantFrom('0', 'alpha', 'beta.2', 'rc.1')))
    .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre === null ? '' : `-${pre}`}`)
  fc.assert(
    fc.property(version, fc.constantFrom(...sample.advisories), (given, advisory) => {
      for (const name of new Set(advisory.affected.map((one) => one.package.name))) {
        const expected = advisory.affected
          .filter((one) => one.package.name === name)
          .flatMap(({ ranges }) => ranges)
          .some(({ events }) => {
            const [start, end] = events as [{ introduced: string }, { fixed: string }]
            const from = start.introduced === '0' ? '>=0.0.0-0' : `>=${start.introduced}`
            return satisfies(given, `${from} <${end.fixed}`, { includePrerelease: true })
          })
        assert.equal(affectedBy(advisory, name, given) !== null, expected, `${name} ${given}`)
      }
    }),
    { seed: 20260901, numRuns: 500 },
  )
})

test('what is no version is never a match, and a lockfile reads aliases, links and nested copies', () => {
  for (const version of ['latest', '', '1.2', 'git+ssh://x', '١.٠.٠']) assert.deepEqual(found('ajv', version), [])
  const components = readLockfile(
    lock({
      '': {},
      'packages/core': { name: '@orch/core', version: '1.0.0' },
      'node_modules/@orch/core': { link: true },
      'node_modules/renamed': { name: 'ajv', version: '6.0.0', dev: true },
      'node_modules/a/node_modules/@b/c': { version: '2.0.0', integrity: PINNED, optional: true },
    }),
  )!
  assert.deepEqual(
    components.map(({ name, version, dev, optional, pinned }) => [name, version, dev, optional, pinned]),
    [
      ['ajv', '6.0.0', true, false, false],
      ['@b/c', '2.0.0', false, true, true],
    ],
  )
  for (const text of ['', '[]', '{}', lock({ x: 1 } as never), '{"lockfileVersion":1,"dependencies":{}}'])
    assert.equal(readLockfile(text), null)
})

test('every edge that is listed needs all its gates, and no other edge exists', () => {
  for (const from of STATES)
    for (const to of STATES) {
      const edge = TRANSITIONS.find((one) => one.from === from && one.to === to)
      const all = move(from, to, gates('PASS'), 'a reason')
      assert.equal(all.moved, edge !== undefined, `${from} ${to}`)
      for (const id of edge?.gates_required ?? [])
        for (const state of ['UNKNOWN', 'FAIL'] as const)
          assert.deepEqual(move(from, to, gates('PASS', { [id]: state })), {
            moved: false,
            code: 'GATE_NOT_PASSED',
            blocked_by: [id],
          })
      if (edge?.reason_required) assert.equal(move(from, to, gates('PASS'), '  ').moved, false)
    }
})

test('without a human no finding passes the approval, whatever else passes', () => {
  assert.equal(advance(gates('PASS', { HUMAN_APPROVAL_VERIFIED: 'UNKNOWN' })).state, 'APPROVAL_REQUIRED')
  assert.equal(advance(gates('PASS')).state, 'CLOSED')
  assert.equal(advance(gates('UNKNOWN')).state, 'DETECTED')
})

test('more findings than the bound are counted and left out', () => {
  const many = Object.fromEntries(
    Array.from({ length: BOUNDS.max_findings + 1 }, (_, i) => [
      `node_modules/p${i}/node_modules/ajv`,
      { version: '6.0.0', integrity: PINNED },
    ]),
  )
  const input = { sample, lockfile_sha256: '0'.repeat(64), advisories_sha256: '0'.repeat(64) }
  const run = buildRun({ ...input, components: readLockfile(lock(many))! })
  assert.deepEqual([run.findings.length, run.counts!.findings, run.counts!.findings_left_out], [128, 129, 1])
})

test('the digest is of the manifest without the run, and the run over our own lockfile is deterministic', async () => {
  const texts: Record<string, string> = {
    advisories: TEXT,
    lockfile: readFileSync(new URL('package-lock.json', ROOT), 'utf8'),
  }
  const artifacts = {
    text: async (name: string) => ({
      ...{ path: name, present: true as const, bytes: texts[name]!.length },
      ...{ sha256: sha256Hex(texts[name]!), text: texts[name]! },
    }),
    digest: async () => ({ path: '', present: false as const, reason: 'not asked' }),
  }
  const loop = openSecurityLoop({ artifacts })
  const manifest = buildManifest(await loop.run())
  const { run, manifest_digest, ...rest } = manifest
  assert.equal(manifest_digest, sha256Hex(canonicalize(rest)))
  assert.equal(JSON.stringify(manifest), JSON.stringify(buildManifest(await loop.run())))
  assert.ok(run.components! > 200)
  assert.equal(run.components, run.counts!.production + run.counts!.dev)
  texts.advisories = TEXT.replace('3.1.1', '9.9.9')
  await assert.rejects(loop.run(), { code: 'data_file_invalid' })
  texts.advisories = TEXT
  texts.lockfile = '{}'
  assert.deepEqual([(await loop.run()).label, (await loop.run()).components], ['UNAVAILABLE', null])
})

test('every advisory of the sample has its source, and the digest of the file is that of its payload', () => {
  for (const { id, source, modified } of sample.advisories) {
    assert.equal(source.url, `https://github.com/advisories/${id}`)
    assert.ok(source.path.endsWith(`/${id}.json`))
    assert.ok(modified.slice(0, 10) <= sample.snapshot_date)
  }
  assert.equal(new Set(sample.advisories.map(({ id }) => id)).size, sample.advisories.length)
  for (const damage of [TEXT.slice(0, -40), TEXT.replace('"complete": false', '"complete": true'), '{}', ''])
    assert.equal(read(damage).ok, false)
})
