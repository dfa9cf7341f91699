import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { BUILD_VERSION } from '@orch/core'
import { ConfigError, gitEnvironment, readConfig } from '../../../config/config.ts'
import { buildInfo } from '../../runtime/health.ts'
import { gatherBuildFacts } from './build-facts.ts'
import { digestOfFiles, shippedFiles } from './build-record.ts'

const CLOCK = { now: () => Date.UTC(2026, 0, 2), monotonic: () => 0 }
const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const NOTHING = { gitSha: null, buildTime: null, gitEnvironment: gitEnvironment() }
const RUNTIME = { node: '1', v8: '2', sqlite: '3', platform: 'linux', arch: 'x64' }

function checkout(t: TestContext, { record, git = false }: { record?: unknown; git?: boolean } = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'orch-build-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'packages'))
  writeFileSync(join(root, 'package.json'), '{"version":"1.1.0"}')
  writeFileSync(join(root, 'packages', 'a.ts'), 'export const a = 1\n')
  if (record !== undefined)
    writeFileSync(join(root, 'build-record.json'), typeof record === 'string' ? record : JSON.stringify(record))
  if (git) {
    const run = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root, stdio: 'pipe' })
    run('init', '-q')
    run('add', '.')
    run('commit', '-q', '-m', 'x')
  }
  return root
}

const headOf = (root: string): string =>
  execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()

test('nothing known is null and says that nobody said it', (t) => {
  const facts = gatherBuildFacts(NOTHING, CLOCK, checkout(t))
  assert.deepEqual(facts.gitSha, { value: null, source: 'none', readAt: '2026-01-02T00:00:00.000Z' })
  assert.equal(facts.workingTree.value, null)
  assert.equal(facts.matchesRecord, null)
  const shown = buildInfo(facts, RUNTIME)
  assert.equal(shown.status, 'UNAVAILABLE')
  assert.equal(shown.build.revision, null)
  assert.equal(shown.build.working_tree, 'UNKNOWN')
  assert.equal(shown.build.field_evidence.revision, 'UNKNOWN')
})

test('the revision comes from git where nothing else knows it, and the tree is read as it stands', (t) => {
  const root = checkout(t, { git: true })
  const clean = gatherBuildFacts(NOTHING, CLOCK, root)
  assert.deepEqual([clean.gitSha.value, clean.gitSha.source], [headOf(root), 'git'])
  assert.deepEqual([clean.workingTree.value, clean.workingTree.source], ['CLEAN', 'git'])
  assert.equal(buildInfo(clean, RUNTIME).status, 'OBSERVED')
  writeFileSync(join(root, 'packages', 'a.ts'), 'export const a = 2\n')
  assert.equal(gatherBuildFacts(NOTHING, CLOCK, root).workingTree.value, 'DIRTY')
})

test('the build record comes before git, and the environment before both', (t) => {
  const root = checkout(t, { record: { git_sha: A, working_tree: 'CLEAN', build_time: '2026-01-01T02:00:00+02:00' } })
  const recorded = gatherBuildFacts(NOTHING, CLOCK, root)
  assert.deepEqual([recorded.gitSha.value, recorded.gitSha.source], [A, 'build-record.json'])
  assert.deepEqual(
    [recorded.buildTime.value, recorded.buildTime.source],
    ['2026-01-01T00:00:00.000Z', 'build-record.json'],
  )
  assert.equal(buildInfo(recorded, RUNTIME).build.field_evidence.revision, 'OBSERVED')
  const configured = gatherBuildFacts({ ...NOTHING, gitSha: A }, CLOCK, root)
  assert.equal(configured.gitSha.source, 'env:ORCH_GIT_SHA')
  assert.equal(buildInfo(configured, RUNTIME).build.field_evidence.revision, 'CONFIGURED')
  assert.deepEqual(configured.conflicts, [])
})

test('sources that disagree are all shown, and the build is known only in part', (t) => {
  const root = checkout(t, {
    git: true,
    record: { git_sha: A, working_tree: 'DIRTY', build_time: '2026-01-01T00:00:00Z' },
  })
  const facts = gatherBuildFacts({ ...NOTHING, gitSha: B, buildTime: '2026-01-01T00:00:01.000Z' }, CLOCK, root)
  assert.equal(facts.gitSha.value, B)
  assert.deepEqual(
    facts.conflicts.map(({ field }) => field),
    ['git_sha', 'working_tree', 'build_time'],
  )
  assert.deepEqual(
    facts.conflicts[0]!.values.map(({ source, value }) => [source, value]),
    [
      ['env:ORCH_GIT_SHA', B],
      ['build-record.json', A],
      ['git', headOf(root)],
    ],
  )
  assert.equal(buildInfo(facts, RUNTIME).status, 'PARTIAL')
})

const damaged: [what: string, record: unknown, names: RegExp][] = [
  ['an all-zero revision', { git_sha: '0'.repeat(40) }, /git_sha must be/],
  ['a short revision', { git_sha: 'abc' }, /git_sha must be/],
  ['a revision that is no text', { git_sha: 7 }, /git_sha must be/],
  ['a tree in another word', { working_tree: 'clean' }, /working_tree must be/],
  ['a time without a zone', { build_time: '2026-01-01T00:00:00' }, /build_time must be/],
  ['a digest of another kind', { build_digest: 'md5:x' }, /build_digest must be/],
  ['another schema', { schema: 'orch.build-record/v2' }, /schema must be/],
  ['a version in words', { version: 'newest' }, /version must be/],
  ['a file without a digest', { build_digest: `sha256:${'0'.repeat(64)}`, files: { 'a.ts': 'x' } }, /a\.ts must be/],
  ['files that do not add up', { build_digest: `sha256:${'0'.repeat(64)}`, files: {} }, /the digest of the files/],
  ['merges in no list', { merges: {} }, /merges must be a list/],
  ['a merge without a subject', { merges: [{ surfaces: ['gates'] }] }, /subject must be/],
  ['a merge of something else', { merges: [{ subject: 'x', surfaces: ['../gates'] }] }, /surfaces\[0\] must be/],
  ['no JSON', '{', /must hold one JSON object/],
  ['a list', [], /must hold one JSON object/],
]
for (const [what, record, names] of damaged)
  test(`a build record with ${what} is refused, not carried along`, (t) => {
    assert.throws(() => gatherBuildFacts(NOTHING, CLOCK, checkout(t, { record })), names)
  })

test('a version that differs from the recorded one is a conflict, and the package is believed', (t) => {
  const facts = gatherBuildFacts(NOTHING, CLOCK, checkout(t, { record: { version: '1.0.9' } }))
  assert.equal(facts.version.value, '1.1.0')
  assert.deepEqual(
    facts.conflicts.map(({ field, state }) => [field, state]),
    [['version', 'CONFLICT']],
  )
})

test('a record whose files add up is compared with the sources as they are now', (t) => {
  const root = checkout(t)
  const files = shippedFiles(root)
  const record = {
    schema: 'orch.build-record/v1',
    build_digest: digestOfFiles(files),
    files: Object.fromEntries(files),
  }
  writeFileSync(join(root, 'build-record.json'), JSON.stringify(record))
  assert.deepEqual([...files.keys()], ['packages/a.ts'])
  assert.equal(gatherBuildFacts(NOTHING, CLOCK, root).matchesRecord, true)
})

test('links among the sources count where they lead to a file, and stop no start', (t) => {
  const root = checkout(t)
  symlinkSync('a.ts', join(root, 'packages', 'b.ts'))
  symlinkSync('.', join(root, 'packages', 'folder'))
  symlinkSync('nowhere', join(root, 'packages', 'broken.ts'))
  assert.deepEqual([...shippedFiles(root).keys()], ['packages/a.ts', 'packages/b.ts'])
})

test('an all-zero revision in the environment is refused at start', () => {
  assert.throws(() => readConfig({ ORCH_GIT_SHA: '0'.repeat(40) }), ConfigError)
})

test('the digest covers every shipped source, and the record is compared with it', (t) => {
  const root = checkout(t)
  const before = gatherBuildFacts(NOTHING, CLOCK, root).buildDigest.value
  assert.match(String(before), /^sha256:[0-9a-f]{64}$/)
  writeFileSync(join(root, 'packages', 'a.test.ts'), 'tests are not shipped')
  assert.equal(gatherBuildFacts(NOTHING, CLOCK, root).buildDigest.value, before)
  writeFileSync(join(root, 'build-record.json'), JSON.stringify({ build_digest: before }))
  assert.equal(gatherBuildFacts(NOTHING, CLOCK, root).matchesRecord, true)
  writeFileSync(join(root, 'packages', 'a.ts'), 'export const a = 3\n')
  assert.equal(gatherBuildFacts(NOTHING, CLOCK, root).matchesRecord, false)
})

test('a folder without a repository of its own does not borrow the one above it', (t) => {
  const outer = checkout(t, { git: true })
  const root = join(outer, 'inner')
  mkdirSync(join(root, 'packages'), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"version":"1.1.0"}')
  assert.equal(gatherBuildFacts(NOTHING, CLOCK, root).gitSha.source, 'none')
})

test('a repository named in the environment does not lend its identity', (t) => {
  const root = checkout(t, { git: true })
  writeFileSync(join(root, 'packages', 'a.ts'), 'export const a = 2\n')
  const other = checkout(t, { git: true, record: { version: '1.1.0' } })
  const names = { GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other, GIT_INDEX_FILE: join(other, '.git', 'index') }
  const head = headOf(root)
  const settings = { ...NOTHING, gitEnvironment: gitEnvironment({ ...process.env, ...names }) }
  const facts = gatherBuildFacts(settings, CLOCK, root)
  assert.deepEqual([facts.gitSha.value, facts.gitSha.source, facts.workingTree.value], [head, 'git', 'DIRTY'])
})

test('a revision that is only configured is known in part', (t) => {
  const configured = gatherBuildFacts({ ...NOTHING, gitSha: A }, CLOCK, checkout(t))
  assert.deepEqual([configured.gitSha.value, configured.observedCommit.value], [A, null])
  assert.equal(buildInfo(configured, RUNTIME).status, 'PARTIAL')
  const seen = gatherBuildFacts({ ...NOTHING, gitSha: A }, CLOCK, checkout(t, { record: { git_sha: A } }))
  assert.deepEqual([seen.observedCommit.value, seen.observedCommit.source], [A, 'build-record.json'])
  assert.equal(buildInfo(seen, RUNTIME).status, 'OBSERVED')
})

test('the version of the package is the version of the doctrine', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../../../../package.json', import.meta.url), 'utf8'))
  assert.equal(version, BUILD_VERSION)
})
