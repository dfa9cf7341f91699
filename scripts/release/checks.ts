// What each declared check of a release executes. A check whose tests were skipped in part is SKIPPED: it is not passed.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DeclaredCheck } from '../../packages/server/src/features/identity/contract.ts'
import { digestOfFiles, shippedFiles } from '../../packages/server/src/features/identity/io/build-record.ts'
import { isTest, readTree } from '../architecture-tree.ts'
import { run as runTool } from '../check.ts'
import type { ReleaseCheck, Result } from './run.ts'

async function run(root: string, file: string, args: readonly string[]) {
  const ended = await runTool(file, args, root)
  // Whoever releases wants to know why: the end of what it said is where a tool says it.
  if (!ended.ok) process.stderr.write(`${ended.output.trimEnd().slice(-4000)}\n`)
  return ended
}

const node = (root: string, script: string, ...args: string[]) =>
  run(root, process.execPath, ['--disable-warning=ExperimentalWarning', join(root, script), ...args])
const tool = (root: string, name: string, ...args: string[]) => run(root, join(root, 'node_modules/.bin', name), args)
const passed = ({ ok }: { ok: boolean }): Result => (ok ? 'PASSED' : 'FAILED')

const suites =
  (...names: string[]): ReleaseCheck =>
  async (root) => {
    const { ok } = await node(root, 'scripts/test.ts', '--only', names.join(','))
    if (!ok) return 'FAILED'
    return skippedIn(names.map((name) => readFileSync(join(root, 'reports', `junit-${name}.xml`), 'utf8')))
  }

/** Of reports in the form of JUnit. A suite without a test has shown nothing. */
export function skippedIn(reports: readonly string[]): Result {
  if (!reports.every((text) => text.includes('<testcase'))) return null
  return reports.some((text) => text.includes('<skipped')) ? 'SKIPPED' : 'PASSED'
}

const types: ReleaseCheck = async (root) => {
  const whole = await tool(root, 'tsc', '--noEmit', '-p', '.')
  return whole.ok ? passed(await tool(root, 'tsc', '--noEmit', '-p', 'packages/core')) : 'FAILED'
}

const vectors: ReleaseCheck = async (root) => {
  const files = [...readTree(root).keys()].filter((file) => isTest(file) && /vectors\.test\.ts$/.test(file))
  if (files.length === 0) return null
  const { ok, stdout } = await run(root, process.execPath, ['--test', '--test-reporter=tap', ...files])
  if (!ok) return 'FAILED'
  return /^# skipped 0$/m.test(stdout) && !/^# pass 0$/m.test(stdout) ? 'PASSED' : 'SKIPPED'
}

/** The registry answers, or there is no result: nobody was asked about the dependencies. */
const audit: ReleaseCheck = async (root) => {
  const { ok, stdout } = await run(root, 'npm', ['audit', '--omit=dev', '--json'])
  return auditResult(ok, stdout)
}

export function auditResult(ok: boolean, stdout: string): Result {
  try {
    const { metadata } = JSON.parse(stdout) as { metadata?: { vulnerabilities?: object } }
    return metadata?.vulnerabilities === undefined ? null : ok ? 'PASSED' : 'FAILED'
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Built twice from nothing: the pages and the digest of what is shipped are the same bytes both times. */
const reproducible: ReleaseCheck = async (root) => {
  const builds: (string | null)[] = []
  for (let attempt = 0; attempt < 2; attempt += 1) {
    for (const folder of BUILT) rmSync(join(root, folder), { recursive: true, force: true })
    const { ok } = await node(root, 'scripts/build.ts')
    builds.push(ok ? builtDigest(root) : null)
  }
  return builds[0] !== null && builds[0] === builds[1] ? 'PASSED' : 'FAILED'
}

/** The pages, and the packages. */
const BUILT = ['packages/console/dist', 'dist']

function builtDigest(root: string): string | null {
  const folders = BUILT.map((folder) => join(root, folder))
  if (!folders.every((folder) => existsSync(folder))) return null
  const files = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
  const built = files.map(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name))
    return [join(parentPath, name).slice(root.length), createHash('sha256').update(bytes).digest('hex')] as const
  })
  return `${digestOfFiles(new Map(built))} ${digestOfFiles(shippedFiles(root))}`
}

export const CHECKS: Record<Exclude<DeclaredCheck, 'sbom'>, ReleaseCheck> = {
  types,
  lint: async (root) => passed(await tool(root, 'biome', 'ci', '--colors=off', '.')),
  unit: suites('unit', 'tooling'),
  'http-contract': suites('http'),
  'both-stores': suites('stores'),
  vectors,
  'adversarial-input': async (root) => passed(await node(root, 'scripts/fuzz.ts')),
  'crash-rounds': async (root) => passed(await node(root, 'scripts/soak.ts', '--only', 'crash-sqlite,crash-postgres')),
  browser: suites('browser'),
  cli: suites('cli'),
  documentation: suites('docs'),
  'dependency-audit': audit,
  'reproducible-build': reproducible,
}
