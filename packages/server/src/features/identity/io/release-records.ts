/** The two records of a release. Both are written by whoever releases, after the fact, and name the commit they speak of:
 *  what they say of another commit says nothing of this one. */
import {
  DECLARED_CHECKS,
  type DeclaredCheck,
  type ReleaseAsset,
  type ReleaseChecks,
  type ReleaseReadback,
} from '../contract.ts'
import {
  COMMIT,
  DIGEST,
  DOI,
  HTTPS_URL,
  INSTANT_TEXT,
  LINE,
  type RecordFields,
  readRecordFile,
  TAG,
  utc,
  VERSION,
} from './record-file.ts'

const READBACK = 'release-readback.json'
const CHECKS = 'release-checks.json'
const MAX_ASSETS = 256

export function readReleaseReadback(root: string): ReleaseReadback | null {
  const record = readRecordFile(root, READBACK)
  if (record === null) return null
  record.word('schema', ['orch.release-readback/v1'])
  const doi = record.object('doi')
  return {
    version: record.text('version', VERSION),
    tag: record.text('tag', TAG),
    commit: record.text('commit', COMMIT),
    readAt: utc(record.text('read_at', INSTANT_TEXT)),
    assets: record.objects('assets', MAX_ASSETS).map(assetOf),
    doi: doi === null ? null : { value: doi.text('value', DOI), readAt: utc(doi.text('read_at', INSTANT_TEXT)) },
  }
}

const assetOf = (row: RecordFields): ReleaseAsset => ({
  name: row.text('name', LINE),
  kind: row.word('kind', ['archive', 'signature', 'sbom', 'other']),
  url: row.text('url', HTTPS_URL),
  sha256: row.text('sha256', DIGEST),
})

/** `checks` holds PASSED, FAILED or SKIPPED by name. A name that was not declared refuses the start: it would be a check
 *  that nobody counts. */
export function readReleaseChecks(root: string): ReleaseChecks | null {
  const record = readRecordFile(root, CHECKS)
  if (record === null) return null
  record.word('schema', ['orch.release-checks/v1'])
  const checks = record.object('checks')
  if (checks === null) throw record.validationExtras('checks', 'an object')
  for (const [name] of checks.entries())
    if (!isDeclared(name)) throw checks.validationExtras(name, `one of ${DECLARED_CHECKS.join(', ')}`)
  const passed = DECLARED_CHECKS.filter((name) => checks.optional(name, RESULT) === 'PASSED')
  return {
    gitSha: record.text('git_sha', COMMIT),
    workingTree: record.word('working_tree', ['CLEAN', 'DIRTY']),
    completedAt: utc(record.text('completed_at', INSTANT_TEXT)),
    passed: new Set(passed),
  }
}

const RESULT = {
  rule: 'PASSED, FAILED or SKIPPED',
  fits: (value: string) => ['PASSED', 'FAILED', 'SKIPPED'].includes(value),
}

const isDeclared = (name: string): name is DeclaredCheck => (DECLARED_CHECKS as readonly string[]).includes(name)
