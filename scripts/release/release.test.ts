import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DECLARED_CHECKS } from '../../packages/server/src/features/identity/contract.ts'
import { readReleaseChecks } from '../../packages/server/src/features/identity/io/record-file.ts'
import { billOfMaterials, installedOf, type Lockfile } from './bill-of-materials.ts'
import { auditResult, CHECKS, skippedIn } from './checks.ts'
import { CHECKS_FILE, ReleaseRefused, type ReleaseRun, runRelease, SBOM_FILE } from './run.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const LOCK = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile
const SMALL = {
  name: 'orch',
  version: '1.1.0',
  packages: {
    '': { name: 'orch', version: '1.1.0' },
    'packages/a': { version: '1.0.0' },
    'node_modules/@orch/a': { link: true },
    'node_modules/@s/b': { version: '2.0.0', integrity: 'sha512-AAEC', license: 'MIT' },
    'node_modules/@s/b/node_modules/c': { version: '3.0.0', integrity: 'sha1-/w==', dev: true },
  },
}
const git = (root: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root, encoding: 'utf8' }).trim()

function checkout(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'orch-release-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(SMALL))
  writeFileSync(join(root, '.gitignore'), `${CHECKS_FILE}\n${SBOM_FILE}\n`)
  git(root, 'init', '-q')
  git(root, 'add', '.')
  git(root, 'commit', '-q', '-m', 'x')
  return root
}

const NOW = Date.UTC(2026, 0, 2)
const run = (root: string, checks: ReleaseRun['checks']) =>
  runRelease({ root, checks, now: () => NOW, report: () => undefined })

test('the record holds what was executed in the run and nothing else, as the service reads it', async (t) => {
  const root = checkout(t)
  const results = await run(root, {
    types: async () => 'PASSED',
    lint: async () => 'FAILED',
    browser: async () => 'SKIPPED',
    'dependency-audit': async () => null,
  })
  assert.deepEqual(results, { types: 'PASSED', lint: 'FAILED', browser: 'SKIPPED', sbom: 'PASSED' })
  assert.deepEqual(JSON.parse(readFileSync(join(root, CHECKS_FILE), 'utf8')), {
    schema: 'orch.release-checks/v1',
    git_sha: git(root, 'rev-parse', 'HEAD'),
    working_tree: 'CLEAN',
    completed_at: '2026-01-02T00:00:00.000Z',
    checks: results,
  })
  assert.deepEqual([...(readReleaseChecks(root)?.passed ?? [])].sort(), ['sbom', 'types'])
})

test('what an earlier run passed is not carried over', async (t) => {
  const root = checkout(t)
  await run(root, { types: async () => 'PASSED' })
  await run(root, { lint: async () => 'PASSED' })
  assert.deepEqual([...(readReleaseChecks(root)?.passed ?? [])].sort(), ['lint', 'sbom'])
})

test('a run that breaks off leaves no record', async (t) => {
  const root = checkout(t)
  await run(root, { types: async () => 'PASSED' })
  const broken = run(root, { types: () => Promise.reject(new Error('broken off')) })
  await assert.rejects(broken, /broken off/)
  assert.equal(existsSync(join(root, CHECKS_FILE)), false)
})

test('a checkout that changes while it is checked is not recorded, and no checkout is refused', async (t) => {
  const root = checkout(t)
  const change = async () => {
    writeFileSync(join(root, 'new.ts'), '')
    return 'PASSED' as const
  }
  await assert.rejects(run(root, { types: change }), ReleaseRefused)
  assert.equal(existsSync(join(root, CHECKS_FILE)), false)
  await run(root, { types: async () => 'PASSED' })
  assert.equal(readReleaseChecks(root)?.workingTree, 'DIRTY')
  rmSync(join(root, '.git'), { recursive: true })
  await assert.rejects(run(root, {}), ReleaseRefused)
})

test('every declared check has something to execute', () => {
  assert.deepEqual([...Object.keys(CHECKS), 'sbom'].sort(), [...DECLARED_CHECKS].sort())
})

test('the bill of materials lists each installed package by its digest, and our own folders not', () => {
  const { components, metadata, ...head } = billOfMaterials(SMALL)
  assert.deepEqual([head.bomFormat, head.specVersion, metadata.component.version], ['CycloneDX', '1.6', '1.1.0'])
  assert.match(head.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(
    components.map(({ purl, scope, hashes }) => [purl, scope, hashes]),
    [
      ['pkg:npm/%40s/b@2.0.0', 'required', [{ alg: 'SHA-512', content: '000102' }]],
      ['pkg:npm/c@3.0.0', 'excluded', [{ alg: 'SHA-1', content: 'ff' }]],
    ],
  )
  assert.deepEqual(billOfMaterials(SMALL), billOfMaterials(structuredClone(SMALL)))
})

test('the bill of this very lockfile misses nothing', () => {
  const { components } = billOfMaterials(LOCK)
  assert.ok(components.length > 100)
  assert.equal(components.length, installedOf(LOCK).length)
  for (const { hashes, purl } of components) assert.match(hashes[0]!.content, /^[0-9a-f]{40,128}$/, purl)
})

test('a package that is held to no digest is refused', () => {
  const loose = { ...SMALL, packages: { 'node_modules/x': { version: '1.0.0' } } }
  assert.throws(() => billOfMaterials(loose), /node_modules\/x is held to no digest/)
})

test('a suite with skipped tests is skipped, and one without tests has no result', () => {
  assert.equal(skippedIn(['<testcase name="a"/>']), 'PASSED')
  assert.equal(skippedIn(['<testcase name="a"/>', '<testcase name="b"><skipped message=""/></testcase>']), 'SKIPPED')
  assert.equal(skippedIn(['<testsuite></testsuite>']), null)
})

test('an audit that reached nobody has no result', () => {
  assert.equal(auditResult(true, '{"metadata":{"vulnerabilities":{"total":0}}}'), 'PASSED')
  assert.equal(auditResult(false, '{"metadata":{"vulnerabilities":{"total":1}}}'), 'FAILED')
  assert.equal(auditResult(false, '{"error":{"code":"ENOTFOUND"}}'), null)
  assert.equal(auditResult(false, ''), null)
})
