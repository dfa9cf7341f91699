import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { VARIABLES } from '../../../config/config.ts'
import { DECLARED_CHECKS } from '../contract.ts'
import { gatherIdentity, IDENTITY_SETTINGS, type IdentitySettings } from './facts-files.ts'

const CLOCK = { now: () => Date.UTC(2026, 0, 2), monotonic: () => 0 }
const READ_AT = '2026-01-02T00:00:00.000Z'
const A = 'a'.repeat(40)
const DIGEST = `sha256:${'d'.repeat(64)}`
const NOTHING = {
  ...(Object.fromEntries(Object.keys(IDENTITY_SETTINGS).map((name) => [name, null])) as Record<
    keyof typeof IDENTITY_SETTINGS,
    null
  >),
  outbound: { enabled: true, configured: [], overridden: [] },
}

interface Alongside {
  package?: object
  files?: Record<string, unknown>
  settings?: Partial<IdentitySettings>
}

function gathered(t: TestContext, { package: own = {}, files = {}, settings = {} }: Alongside = {}) {
  const root = mkdtempSync(join(tmpdir(), 'orch-identity-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'packages'))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ version: '1.1.0', ...own }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), JSON.stringify(content))
  return gatherIdentity({ ...NOTHING, ...settings }, CLOCK, () => null, root)
}

test('every setting that speaks of identity is called by the name the configuration knows', () => {
  for (const [name, variable] of Object.entries(IDENTITY_SETTINGS))
    assert.equal(VARIABLES[name as keyof typeof IDENTITY_SETTINGS].name, variable)
})

test('with no setting and no record nothing is known, and nobody said it', (t) => {
  const { readback, checks, merges, canonical, doi, outbound, ...facts } = gathered(t)
  assert.deepEqual([readback, checks.record, merges, outbound.configured], [null, null, [], []])
  for (const fact of [...Object.values(facts), ...Object.values(doi), canonical()])
    assert.deepEqual(fact, { value: null, source: 'none', readAt: READ_AT })
})

test('what is configured names the variable it comes from', (t) => {
  const settings = { deployTarget: 'eu-west', doiConcept: '10.1234/a', baseUrl: 'https://orch.example' }
  const found = gathered(t, { settings })
  assert.deepEqual(found.deployTarget, { value: 'eu-west', source: 'env:ORCH_DEPLOY_TARGET', readAt: READ_AT })
  assert.equal(found.doi.concept.source, 'env:ORCH_DOI_CONCEPT')
  assert.deepEqual(found.canonical(), { value: 'https://orch.example', source: 'env:ORCH_BASE_URL', readAt: READ_AT })
})

test('without a base URL the address is the bound one, known as soon as there is one', () => {
  let bound: { address: string; family: string; port: number } | null = null
  const found = gatherIdentity(NOTHING, CLOCK, () => bound)
  assert.equal(found.canonical().value, null)
  bound = { address: '127.0.0.1', family: 'IPv4', port: 8080 }
  assert.deepEqual([found.canonical().value, found.canonical().source], ['http://127.0.0.1:8080', 'computed'])
  bound = { address: '::1', family: 'IPv6', port: 81 }
  assert.equal(found.canonical().value, 'http://[::1]:81')
  bound = { address: '0.0.0.0', family: 'IPv4', port: 82 }
  assert.equal(found.canonical().value, 'http://127.0.0.1:82', 'everywhere is no place to lead anybody to')
  bound = { address: '::', family: 'IPv6', port: 83 }
  assert.equal(found.canonical().value, 'http://[::1]:83')
})

const repositories: [what: string, repository: unknown, url: string | null][] = [
  ['an https URL', 'https://git.example/orch', 'https://git.example/orch'],
  ['npm’s own spelling', { type: 'git', url: 'git+https://git.example/orch.git' }, 'https://git.example/orch'],
  ['a short form', 'github:somebody/orch', null],
  ['plain http', 'http://git.example/orch', null],
  ['a URL with a password', 'https://me:secret@git.example/orch', null],
  ['no text', 7, null],
]
for (const [what, repository, url] of repositories)
  test(`the package’s repository as ${what} is ${url ?? 'unknown'}`, (t) => {
    const { repositoryUrl } = gathered(t, { package: { repository } })
    assert.deepEqual([repositoryUrl.value, repositoryUrl.source], [url, url === null ? 'none' : 'package.json'])
  })

test('the operator’s repository comes before the package’s', (t) => {
  const settings = { repoUrl: 'https://mine.example/orch' }
  const { repositoryUrl } = gathered(t, { settings, package: { repository: 'https://git.example/orch' } })
  assert.deepEqual([repositoryUrl.value, repositoryUrl.source], ['https://mine.example/orch', 'env:ORCH_REPO_URL'])
})

const READBACK = {
  schema: 'orch.release-readback/v1',
  version: '1.1.0',
  tag: 'v1.1.0',
  commit: A,
  read_at: '2026-01-01T02:00:00+02:00',
  assets: [{ name: 'orch.tgz', kind: 'archive', url: 'https://git.example/orch.tgz', sha256: DIGEST }],
  doi: { value: '10.1234/b', read_at: '2026-01-01T00:00:00Z' },
}
const CHECKS = {
  schema: 'orch.release-checks/v1',
  git_sha: A,
  working_tree: 'CLEAN',
  completed_at: '2026-01-01T00:00:00Z',
  checks: { types: 'PASSED', lint: 'FAILED', browser: 'SKIPPED' },
}

test('both records of a release are read, with their times in UTC', (t) => {
  const files = { 'release-readback.json': READBACK, 'release-checks.json': CHECKS }
  const { readback, checks } = gathered(t, { files })
  assert.equal(readback?.readAt, '2026-01-01T00:00:00.000Z')
  assert.equal(readback?.assets[0]?.sha256, DIGEST)
  assert.deepEqual(readback?.doi, { value: '10.1234/b', readAt: '2026-01-01T00:00:00.000Z' })
  assert.equal(checks.record?.gitSha, A)
  assert.deepEqual([...(checks.record?.passed ?? [])], ['types'], 'neither failed nor skipped is passed')
  assert.equal(checks.declared.length, 14)
  assert.equal(new Set(DECLARED_CHECKS).size, 14)
})

test('the merges of the build record are read', (t) => {
  const merges = [{ subject: 'Try it (#3)', surfaces: ['gates'] }]
  assert.deepEqual(gathered(t, { files: { 'build-record.json': { merges } } }).merges, merges)
})

const [asset] = READBACK.assets
const damaged: [
  what: string,
  file: 'release-readback.json' | 'release-checks.json',
  content: unknown,
  names: RegExp,
][] = [
  ['a list', 'release-readback.json', [], /must hold one JSON object/],
  ['another schema', 'release-readback.json', { ...READBACK, schema: 'x' }, /schema must be/],
  ['no commit', 'release-readback.json', { ...READBACK, commit: undefined }, /commit must be/],
  ['a short commit', 'release-readback.json', { ...READBACK, commit: 'abc' }, /commit must be/],
  ['an all-zero commit', 'release-readback.json', { ...READBACK, commit: '0'.repeat(40) }, /commit must be/],
  ['a tag without v', 'release-readback.json', { ...READBACK, tag: '1.1.0' }, /tag must be/],
  [
    'a time without a zone',
    'release-readback.json',
    { ...READBACK, read_at: '2026-01-01T00:00:00' },
    /read_at must be/,
  ],
  ['an asset in text', 'release-readback.json', { ...READBACK, assets: ['x'] }, /assets\[0\] must be an object/],
  [
    'an asset by http',
    'release-readback.json',
    { ...READBACK, assets: [{ ...asset, url: 'http://x' }] },
    /url must be/,
  ],
  [
    'an asset without digest',
    'release-readback.json',
    { ...READBACK, assets: [{ ...asset, sha256: '' }] },
    /sha256 must/,
  ],
  ['an asset of no kind', 'release-readback.json', { ...READBACK, assets: [{ ...asset, kind: 'x' }] }, /kind must be/],
  ['an archive without DOI', 'release-readback.json', { ...READBACK, doi: { value: 'x' } }, /doi\.value must be/],
  ['no checks', 'release-checks.json', { ...CHECKS, checks: undefined }, /checks must be/],
  [
    'an undeclared check',
    'release-checks.json',
    { ...CHECKS, checks: { luck: 'PASSED' } },
    /luck must be one of types/,
  ],
  ['a result in another word', 'release-checks.json', { ...CHECKS, checks: { types: 'passed' } }, /types must be/],
  ['a result that is true', 'release-checks.json', { ...CHECKS, checks: { types: true } }, /types must be/],
  ['an unknown tree', 'release-checks.json', { ...CHECKS, working_tree: 'UNKNOWN' }, /working_tree must be/],
  ['no commit', 'release-checks.json', { ...CHECKS, git_sha: null }, /git_sha must be/],
]
for (const [what, file, content, names] of damaged)
  test(`${file} with ${what} is refused, not carried along`, (t) => {
    assert.throws(() => gathered(t, { files: { [file]: content } }), names)
  })
