import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CompareFacts, ReadingMode, RepositoryReadings, SpaceReading, Stored } from '../readings/contract.ts'
import { compareAll, type Deployed, readDeployed, weakest } from './parity.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const C = 'c'.repeat(40)
const AT = '2026-01-02T03:04:05.000Z'

const read = <T>(value: T, mode: ReadingMode = 'cached'): Stored<T> => ({
  value,
  mode,
  fetched_at: AT,
  age_seconds: 35,
  bytes_sha256: null,
  last_error: null,
  reason: null,
})
const unread: Stored<never> = {
  ...read(null as never, 'unreachable'),
  fetched_at: null,
  age_seconds: null,
  reason: 'NOT_READ',
}

interface Given {
  deployed?: string | null
  head?: string | null
  compare?: CompareFacts | null
  tag?: string | null
  anchor?: boolean | null
  configuredSpace?: string | null
  space?: string | null
  mode?: ReadingMode
  version?: string
  contested?: boolean
}

function readings(given: Given): { deployed: Deployed; repository: RepositoryReadings; space: SpaceReading } {
  const { deployed = A, head = A, compare = null, tag, anchor = null, configuredSpace = null, space = null } = given
  const repository = {
    full_name: 'acme/orch',
    html_url: 'https://github.com/acme/orch',
    default_branch: 'main',
    pushed_at: null,
    license: null,
    archived: false,
    open_issues: 0,
  }
  const record = {
    version: given.version ?? '1.1.0',
    git_sha: deployed ?? 'unknown',
    sources: given.contested === true ? { 'git_sha.CONFLICT': 'env:ORCH_GIT_SHA, git' } : {},
    kernel_commit: 'c7c0ba17',
    hosted_space_sha_readback: { configured_env: configuredSpace },
  }
  const url = ''
  const release = tag === null ? { release: null } : { release: { tag: tag ?? '', url: '', published_at: null } }
  const facts = {
    id: 'acme/console',
    sha: space ?? '',
    stage: 'RUNNING',
    sdk: null,
    last_modified: null,
    private: null,
  }
  return {
    deployed: readDeployed({
      healthz: { ...read({ commit: 'c7c0ba17', doctrine: 'v11', lock: '749/14/163' }, 'live'), url },
      version: { ...read(record, 'live'), url },
    }),
    repository: {
      name: 'acme/orch',
      repository: read(repository),
      head: head === null ? unread : read({ sha: head, date: null }, given.mode),
      ci: unread,
      release: tag === undefined ? unread : read(release, given.mode),
      compare: compare === null ? unread : read(compare),
      anchor: anchor === null ? unread : read({ commit: 'c7c0ba17', found: anchor }),
    },
    space: { ...(space === null ? unread : read(facts)), name: 'acme/console', sha: space, source: null },
  }
}

const compared = (status: CompareFacts['status'], ahead_by: number, behind_by: number, base = B, head = A) => ({
  base,
  head,
  status,
  ahead_by,
  behind_by,
})

const builds: [what: string, given: Given, status: string, behind: number | null, ahead: number | null][] = [
  ['the same commit', {}, 'current', 0, 0],
  ['a comparison that finds no difference', { deployed: B, compare: compared('identical', 0, 0) }, 'current', 0, 0],
  ['a head with five more commits', { deployed: B, compare: compared('ahead', 5, 0) }, 'behind', 5, 0],
  ['commits the head lacks', { deployed: B, compare: compared('behind', 0, 2) }, 'ahead', 0, 2],
  ['commits on both sides', { deployed: B, compare: compared('diverged', 4, 3) }, 'diverged', 4, 3],
  ['no deployed commit', { deployed: null }, 'unknown', null, null],
  ['no head', { head: null }, 'unknown', null, null],
  ['different commits that were not compared', { deployed: B }, 'unknown', null, null],
  ['a comparison of a head that moved', { deployed: B, compare: compared('ahead', 5, 0, B, C) }, 'unknown', null, null],
  [
    'a comparison of another deployment',
    { deployed: B, compare: compared('ahead', 5, 0, C, A) },
    'unknown',
    null,
    null,
  ],
  ['a deployed commit that is none', { deployed: 'main' }, 'unknown', null, null],
]
for (const [what, given, status, behind, ahead] of builds)
  test(`build parity: ${what} is ${status}`, () => {
    const { build } = compareAll(readings(given))
    assert.deepEqual([build.status, build.behind_by, build.ahead_by], [status, behind, ahead])
  })

const releases: [what: string, given: Given, status: string][] = [
  ['the tag of the deployed version', { tag: 'v1.1.0' }, 'match'],
  ['the same tag without its letter', { tag: '1.1.0' }, 'match'],
  ['another tag', { tag: 'v1.2.0' }, 'drift'],
  ['a tag with two letters', { tag: 'vv1.1.0' }, 'drift'],
  ['no release', { tag: null }, 'unknown'],
  ['a release that was not read', {}, 'unknown'],
  ['a version that is not known', { tag: 'v1.1.0', version: 'unknown' }, 'unknown'],
]
for (const [what, given, status] of releases)
  test(`release parity: ${what} is ${status}`, () => {
    assert.equal(compareAll(readings(given)).release.status, status)
  })

for (const anchor of [true, false, null])
  test(`the kernel commit is resolvable: ${anchor}, and never compared with the head`, () => {
    const { doctrine_anchor, build } = compareAll(readings({ anchor }))
    assert.equal(doctrine_anchor.resolvable_in_repo, anchor)
    assert.equal(doctrine_anchor.deployed_kernel_commit, 'c7c0ba17')
    assert.equal(doctrine_anchor.mode, anchor === null ? 'unreachable' : 'cached')
    assert.equal(build.status, 'current')
  })

const spaces: [what: string, given: Given, status: string][] = [
  ['the configured commit', { configuredSpace: A, space: A }, 'match'],
  ['another commit', { configuredSpace: B, space: A }, 'drift'],
  ['nothing configured', { space: A }, 'unknown'],
  ['nothing read', { configuredSpace: A }, 'unknown'],
  ['a configured commit that is none', { configuredSpace: 'main', space: A }, 'unknown'],
]
for (const [what, given, status] of spaces)
  test(`space parity: ${what} is ${status}`, () => {
    assert.equal(compareAll(readings(given)).hosted_space.status, status)
  })

test('the mode of a part is the weakest of its readings', () => {
  assert.equal(weakest('live', 'cached'), 'cached')
  assert.equal(weakest('live', 'live'), 'live')
  assert.equal(weakest('cached', 'unreachable', 'live'), 'unreachable')
  assert.equal(compareAll(readings({ mode: 'live', tag: 'v1.1.0' })).release.mode, 'live')
  const { mode } = compareAll(readings({ mode: 'live', deployed: B, compare: compared('ahead', 1, 0) })).build
  assert.equal(mode, 'cached', 'an older comparison makes the whole part old')
})

test('the detail names the readings and their ages', () => {
  const { detail } = compareAll(readings({ deployed: B, compare: compared('ahead', 5, 0) })).build
  assert.equal(
    detail,
    'deployed bbbbbbbbbbbb (live); head aaaaaaaaaaaa (cached, 35 s old); compared (cached, 35 s old)',
  )
  assert.match(compareAll(readings({ head: null })).build.detail, /the head is not known \(NOT_READ\)/)
})

test('whatever the records of a deployment hold, nothing unknown becomes current, a match or a count', () => {
  const records = fc.dictionary(
    fc.constantFrom('git_sha', 'version', 'hosted_space_sha_readback', 'kernel_commit', '__proto__'),
    fc.anything(),
  )
  fc.assert(
    fc.property(records, records, (healthz, version) => {
      const deployed = readDeployed({
        healthz: { ...read(healthz), url: '' },
        version: { ...read(version), url: '' },
      })
      const parity = compareAll({ ...readings({ tag: 'v1.1.0', space: A }), deployed })
      if (deployed.sha.value === null)
        assert.deepEqual([parity.build.status, parity.build.behind_by], ['unknown', null])
      if (deployed.spaceSha.value === null) assert.equal(parity.hosted_space.status, 'unknown')
      for (const { value } of Object.values(deployed)) assert.ok(value === null || value.length <= 256)
    }),
    { seed: 1 },
  )
})

test('a deployed commit that its own sources disagree about is compared with nothing', () => {
  const { build } = compareAll(readings({ contested: true }))
  assert.deepEqual([build.status, build.behind_by, build.deployed_git_sha], ['unknown', null, A])
  assert.match(build.detail, /^CONFLICT: /)
  assert.equal(compareAll(readings({})).build.status, 'current')
})
