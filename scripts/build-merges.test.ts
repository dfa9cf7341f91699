import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { mergesOf } from './build-merges.ts'

const SURFACES = 'packages/server/src/features'

function project(t: TestContext): {
  root: string
  git(...args: string[]): void
  write(file: string, text: string): void
} {
  const root = mkdtempSync(join(tmpdir(), 'orch-merges-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const git = (...args: string[]) => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root, stdio: 'pipe' })
  }
  const write = (file: string, text: string) => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const paths = { '/a': { get: { operationId: 'khipu.sign' } }, '/b': { get: { operationId: 'gates.list' } } }
  write('openapi.json', JSON.stringify({ paths }))
  write(`${SURFACES}/index.ts`, 'export {}')
  write(`${SURFACES}/receipts/operations.ts`, `const op = { id: 'khipu.sign' }`)
  write(`${SURFACES}/gates/operations.ts`, `const op = { id: 'gates.list' }`)
  return { root, git, write }
}

test('a merge is recorded with the surfaces it changed, under the names their operations have', (t) => {
  const { root, git, write } = project(t)
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'Begin')
  git('checkout', '-q', '-b', 'work')
  write(`${SURFACES}/receipts/mint.ts`, 'export const a = 1')
  git('add', '.')
  git('commit', '-q', '-m', 'Fixes #99 on a branch')
  git('checkout', '-q', 'main')
  git('merge', '-q', '--no-ff', 'work', '-m', 'Merge pull request #12 from somebody/work')
  write(`${SURFACES}/gates/trial.ts`, 'export const b = 1')
  git('add', '.')
  git('commit', '-q', '-m', 'Try a gate (#13)')
  write('README.md', 'no surface')
  git('add', '.')
  git('commit', '-q', '-m', 'Write it down (#14)')
  assert.deepEqual(mergesOf(root), [
    { subject: 'Try a gate (#13)', surfaces: ['gates'] },
    { subject: 'Merge pull request #12 from somebody/work', surfaces: ['khipu'] },
  ])
})

test('the merges of this checkout can be read', (t) => {
  const root = join(import.meta.dirname, '..')
  if (!existsSync(join(root, '.git'))) return t.skip('SKIPPED: this is no checkout of git')
  for (const { subject, surfaces } of mergesOf(root)) assert.ok(surfaces.length > 0, subject)
})
