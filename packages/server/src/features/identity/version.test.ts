import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import {
  A,
  AT,
  B,
  type Changes,
  checked,
  contested,
  fact,
  identity,
  LINKS,
  oneMissing,
  pick,
  readback,
  spaces,
  version,
} from '#testing/identity-facts.ts'
import type { SpaceReading } from '../readings/contract.ts'
import { DECLARED_CHECKS, type ReleaseChecks, type ReleaseReadback } from './contract.ts'
import { VersionRecord } from './schemas.ts'

const schema = Compile(VersionRecord)

test('with nothing known every string says unknown and nothing else is made up', () => {
  const nothing = Object.fromEntries(Object.keys(identity).map((name) => [name, fact(null)]))
  const record = version({
    build: { gitSha: fact(null), workingTree: fact<'CLEAN'>(null), buildTime: fact(null) },
    identity: {
      ...nothing,
      ...pick(identity, 'doi', 'checks', 'outbound'),
      readback: null,
      merges: [],
      canonical: () => fact(null),
    },
  })
  assert.deepEqual([record.git_sha, record.build_time, record.hosted_space_sha], ['unknown', 'unknown', 'unknown'])
  const { legacy_alias_policy: policy, ...surfaces } = record.surfaces
  assert.equal(policy, 'SEPARATE_REGISTRY_ORIGIN')
  assert.deepEqual(new Set(Object.values(surfaces)), new Set(['unknown']))
  assert.deepEqual([record.release_state, record.release_tag, record.release_url], ['CANDIDATE', null, 'unknown'])
  assert.deepEqual([record.p6_status, record.p6_grader_score], ['NOT_SIGNED_OFF', '0/14'])
  assert.deepEqual([record.verify.honest, record.changelog], [LINKS.honest, LINKS.changelog])
  assert.equal(record.sources.git_sha, 'none')
  assert.ok(schema.Check(record))
})

const releases: [what: string, changes: Changes, state: string, tag: string | null, assets: string][] = [
  ['no record and no setting', {}, 'CANDIDATE', null, 'PENDING_RELEASE'],
  [
    'the expected tag configured',
    { identity: { releaseTag: fact('v1.1.0') } },
    'CONFIGURED_UNVERIFIED',
    'v1.1.0',
    'CONFIGURED_UNVERIFIED',
  ],
  ['another tag configured', { identity: { releaseTag: fact('v1.0.9') } }, 'CANDIDATE', null, 'PENDING_RELEASE'],
  ['the release read back', { identity: { readback } }, 'VERIFIED', 'v1.1.0', 'VERIFIED'],
  [
    'another version read back',
    { identity: { readback: { ...readback, version: '1.0.9' } } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'another tag read back',
    { identity: { readback: { ...readback, tag: 'v1.0.9' } } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'another commit read back',
    { identity: { readback: { ...readback, commit: B } } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'a release without assets',
    { identity: { readback: { ...readback, assets: [] } } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'no commit of our own',
    { identity: { readback }, build: { gitSha: fact(null) } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'a dirty tree',
    { identity: { readback }, build: { workingTree: fact('DIRTY', 'git') } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'a contested commit',
    { identity: { readback }, build: { conflicts: contested } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'a commit that is only configured',
    { identity: { readback }, build: { gitSha: fact(A, 'env:ORCH_GIT_SHA'), observedCommit: fact(null) } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'a configured commit that the checkout bears out',
    { identity: { readback }, build: { gitSha: fact(A, 'env:ORCH_GIT_SHA') } },
    'VERIFIED',
    'v1.1.0',
    'VERIFIED',
  ],
  [
    'a tree nobody looked at',
    { identity: { readback }, build: { workingTree: fact<'CLEAN'>(null) } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
  [
    'sources changed after the build',
    { identity: { readback }, build: { matchesRecord: false } },
    'CANDIDATE',
    null,
    'PENDING_RELEASE',
  ],
]
for (const [what, changes, state, tag, status] of releases)
  test(`${what} makes the release ${state}`, () => {
    const record = version(changes)
    assert.deepEqual([record.release_state, record.release_tag], [state, tag])
    const releasesAt = 'https://git.example/orch/releases'
    assert.equal(record.release_url, tag === null ? releasesAt : `${releasesAt}/tag/${tag}`)
    assert.equal(record.verify.release_assets_status, status)
    const isVerified = state === 'VERIFIED'
    assert.equal(record.verify.cosign, isVerified ? 'https://git.example/signature' : null)
    assert.equal(record.verify.sbom, isVerified ? 'https://git.example/sbom' : null)
  })

const record = (changes: Partial<ReleaseChecks> = {}) => ({
  checks: { declared: DECLARED_CHECKS, record: { ...checked, ...changes } },
})
const grades: [what: string, changes: Changes, status: string, score: string][] = [
  ['all checks of this commit passed', { identity: record() }, 'SIGNED_OFF', '14/14'],
  ['no record', {}, 'NOT_SIGNED_OFF', '0/14'],
  ['one check missing', { identity: record({ passed: oneMissing }) }, 'NOT_SIGNED_OFF', '13/14'],
  ['a record of another commit', { identity: record({ gitSha: B }) }, 'NOT_SIGNED_OFF', '0/14'],
  ['a record of a dirty tree', { identity: record({ workingTree: 'DIRTY' }) }, 'NOT_SIGNED_OFF', '14/14'],
  ['a dirty tree now', { identity: record(), build: { workingTree: fact('DIRTY', 'git') } }, 'NOT_SIGNED_OFF', '14/14'],
  [
    'a tree nobody knows',
    { identity: record(), build: { workingTree: fact<'CLEAN'>(null) } },
    'NOT_SIGNED_OFF',
    '14/14',
  ],
  ['no commit of our own', { identity: record(), build: { gitSha: fact(null) } }, 'NOT_SIGNED_OFF', '0/14'],
  ['a contested commit', { identity: record(), build: { conflicts: contested } }, 'NOT_SIGNED_OFF', '0/14'],
  [
    'a commit that is only configured',
    { identity: record(), build: { gitSha: fact(A, 'env:ORCH_GIT_SHA'), observedCommit: fact(null) } },
    'NOT_SIGNED_OFF',
    '14/14',
  ],
  [
    'sources that differ from the build',
    { identity: record(), build: { matchesRecord: false } },
    'NOT_SIGNED_OFF',
    '14/14',
  ],
]
for (const [what, changes, status, score] of grades)
  test(`${what}: ${status} at ${score}`, () => {
    const graded = version(changes)
    assert.deepEqual([graded.p6_status, graded.p6_grader_score], [status, score])
  })

test('a commit that sources disagree about stands beside all of them', () => {
  const values = (['env:ORCH_GIT_SHA', 'git'] as const).map((source, at) => ({ source, value: at === 0 ? A : B }))
  const { git_sha, sources } = version({ build: { conflicts: [{ field: 'git_sha', state: 'CONFLICT', values }] } })
  assert.equal(git_sha, A)
  assert.equal(sources['git_sha.CONFLICT'], 'env:ORCH_GIT_SHA, git')
  assert.equal('git_sha.CONFLICT' in version().sources, false)
})

test('a configured commit of the space never repairs a reading that failed', () => {
  const unread = version({ space: spaces.unread as SpaceReading, identity: { spaceSha: fact(A) } })
  assert.equal(unread.hosted_space_sha, 'unknown')
  assert.deepEqual(
    pick(unread.hosted_space_sha_readback, 'sha', 'status', 'configured_env', 'env_matches_live', 'mode'),
    {
      sha: null,
      status: 'UNREACHABLE',
      configured_env: A,
      env_matches_live: false,
      mode: 'unreachable',
    },
  )
  const read = version({ space: spaces.read as SpaceReading, identity: { spaceSha: fact(A) } })
  assert.deepEqual([read.hosted_space_sha, read.hosted_space_sha_readback.env_matches_live], [A, true])
  const elsewhere = version({ space: spaces.elsewhere as SpaceReading, identity: { spaceSha: fact(A) } })
  assert.deepEqual([elsewhere.hosted_space_sha, elsewhere.hosted_space_sha_readback.env_matches_live], [B, false])
  const absent = version({ identity: { spaceSha: fact(A) } })
  assert.equal(absent.hosted_space_sha_readback.status, 'NOT_CONFIGURED')
  assert.deepEqual(read.readings.hosted_space, { mode: 'cached', fetched_at: AT, age_seconds: 7 })
})

test('the DOI of the software is verified by the archive’s record of the same DOI alone', () => {
  const software = (value: string | null, back: ReleaseReadback | null) =>
    version({ identity: { doi: { ...identity.doi, software: fact(value) }, readback: back } }).doi.software_version
  assert.equal(software(null, readback).status, 'PENDING_ARCHIVE_READBACK')
  assert.equal(software(null, readback).value, null)
  assert.equal(software('10.1234/c', null).status, 'CONFIGURED_UNVERIFIED')
  assert.equal(software('10.1234/d', readback).status, 'CONFIGURED_UNVERIFIED')
  assert.deepEqual(software('10.1234/c', readback), {
    value: '10.1234/c',
    url: 'https://doi.org/10.1234/c',
    status: 'VERIFIED',
    readback: { doi: '10.1234/c', read_at: AT },
  })
})

test('the changelog is the one of the commit, of main where the commit is not known, or our own asset', () => {
  assert.equal(version().changelog, `https://git.example/orch/blob/${A}/CHANGELOG.md`)
  const unknown = version({ build: { gitSha: fact(null) } })
  assert.equal(unknown.changelog, 'https://git.example/orch/blob/main/CHANGELOG.md')
  const own = version({ identity: { repositoryUrl: fact(null) } })
  assert.equal(own.changelog, 'https://orch.example/api/orch/v1/assets/changelog')
})
