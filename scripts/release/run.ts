// One run of the release checks over one commit. A check has a result only if it was executed in this very run; what the
// run did not execute is absent from the record, whatever an earlier run came to.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnvironment } from '../../packages/server/src/config/config.ts'
import { DECLARED_CHECKS, type DeclaredCheck } from '../../packages/server/src/features/identity/contract.ts'
import { askGit } from '../../packages/server/src/features/identity/io/build-facts.ts'
import { Commit, readReleaseChecks } from '../../packages/server/src/features/identity/io/record-file.ts'
import { read } from '../../packages/server/src/platform/shape.ts'
import { billOfMaterials, installedOf, type Lockfile } from './bill-of-materials.ts'

export const CHECKS_FILE = 'release-checks.json'
export const SBOM_FILE = 'sbom.json'

/** `null`: it could not be executed here, and so has no result. SKIPPED: it ran, and parts of it did not. */
export type Result = 'PASSED' | 'FAILED' | 'SKIPPED' | null
export type ReleaseCheck = (root: string) => Promise<Result>

export interface ReleaseRun {
  root: string
  /** Whatever is not here is not executed. The bill of materials is made and checked by the run itself. */
  checks: Partial<Record<DeclaredCheck, ReleaseCheck>>
  now: () => number
  report: (line: string) => void
}

export class ReleaseRefused extends Error {}

export async function runRelease({ root, checks, now, report }: ReleaseRun): Promise<Record<string, string>> {
  // A run that does not come to its end must not leave the record of another.
  rmSync(join(root, CHECKS_FILE), { force: true })
  const before = checkout(root)
  const results: Record<string, string> = {}
  for (const name of DECLARED_CHECKS) {
    const check = name === 'sbom' ? writeBill : checks[name]
    if (check === undefined) continue
    const result = await check(root)
    report(`${(result ?? 'NOT EXECUTED').padEnd(12)} ${name}`)
    if (result !== null) results[name] = result
  }
  const after = checkout(root)
  if (after.commit !== before.commit || after.tree !== before.tree)
    throw new ReleaseRefused('the checkout changed while it was checked, so nothing is recorded of it')
  writeRecord(root, before, results, now())
  return results
}

interface Checkout {
  commit: string
  tree: 'CLEAN' | 'DIRTY'
}

function checkout(root: string): Checkout {
  const commit = askGit(root, gitEnvironment(), 'rev-parse', 'HEAD')
  const porcelain = askGit(root, gitEnvironment(), 'status', '--porcelain')
  if (commit === null || porcelain === null || !read(Commit, commit).ok)
    throw new ReleaseRefused('the record is of one commit: run this in a checkout')
  return { commit, tree: porcelain === '' ? 'CLEAN' : 'DIRTY' }
}

function writeRecord(root: string, { commit, tree }: Checkout, checks: Record<string, string>, now: number): void {
  const completed_at = new Date(now).toISOString()
  const record = { schema: 'orch.release-checks/v1', git_sha: commit, working_tree: tree, completed_at, checks }
  writeFileSync(join(root, CHECKS_FILE), `${JSON.stringify(record, null, 2)}\n`)
  // As the service will read it at its start.
  const read = readReleaseChecks(root)
  const passed = Object.keys(checks).filter((name) => checks[name] === 'PASSED')
  const isSame = read?.gitSha === commit && read.workingTree === tree && read.completedAt === completed_at
  if (!isSame || read.passed.size !== passed.length || !passed.every((name) => read.passed.has(name as DeclaredCheck)))
    throw new ReleaseRefused(`${CHECKS_FILE} does not read back as it was written`)
}

/** Written, read back from the disk, and counted against the lockfile once more. */
async function writeBill(root: string): Promise<Result> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile
  const text = `${JSON.stringify(billOfMaterials(lock), null, 2)}\n`
  writeFileSync(join(root, SBOM_FILE), text)
  const back = readFileSync(join(root, SBOM_FILE), 'utf8')
  const { components } = JSON.parse(back) as { components: { 'bom-ref': string }[] }
  const listed = new Set(components.map((one) => one['bom-ref']))
  return back === text && installedOf(lock).every(([place]) => listed.has(place)) ? 'PASSED' : 'FAILED'
}
