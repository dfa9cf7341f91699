/** The two records of a release. Both are written by whoever releases, after the fact, and name the commit they speak of:
 *  what they say of another commit says nothing of this one. */
import Type from 'typebox'
import { DECLARED_CHECKS, type ReleaseChecks, type ReleaseReadback } from '../contract.ts'
import {
  Commit,
  Digest,
  Doi,
  HttpsUrl,
  Instant,
  Line,
  maybe,
  readRecordFile,
  Tag,
  utc,
  Version,
  words,
} from './record-file.ts'

const READBACK = 'release-readback.json'
const CHECKS = 'release-checks.json'
const MAX_ASSETS = 256

const Asset = Type.Object({
  name: Line,
  kind: words('archive', 'signature', 'sbom', 'other'),
  url: HttpsUrl,
  sha256: Digest,
})
const Readback = Type.Object({
  schema: Type.Literal('orch.release-readback/v1'),
  version: Version,
  tag: Tag,
  commit: Commit,
  read_at: Instant,
  assets: maybe(Type.Array(Asset, { maxItems: MAX_ASSETS })),
  doi: maybe(Type.Object({ value: Doi, read_at: Instant })),
})

export function readReleaseReadback(root: string): ReleaseReadback | null {
  const record = readRecordFile(root, READBACK, Readback)
  if (record === null) return null
  const { version, tag, commit, read_at, assets, doi } = record
  return {
    version,
    tag,
    commit,
    readAt: utc(read_at),
    assets: (assets ?? []).map(({ name, kind, url, sha256 }) => ({ name, kind, url, sha256 })),
    doi: doi ? { value: doi.value, readAt: utc(doi.read_at) } : null,
  }
}

const Checks = Type.Object({
  schema: Type.Literal('orch.release-checks/v1'),
  checks: Type.Record(Type.String(), Type.Union([words('PASSED', 'FAILED', 'SKIPPED'), Type.Null()])),
  git_sha: Commit,
  working_tree: words('CLEAN', 'DIRTY'),
  completed_at: Instant,
})

/** `checks` holds PASSED, FAILED or SKIPPED by name. A name that was not declared refuses the start: it would be a check
 *  that counts for nothing. */
export function readReleaseChecks(root: string): ReleaseChecks | null {
  const record = readRecordFile(root, CHECKS, Checks)
  if (record === null) return null
  const { checks, git_sha, working_tree, completed_at } = record
  const undeclared = Object.keys(checks).find((name) => !(DECLARED_CHECKS as readonly string[]).includes(name))
  if (undeclared !== undefined)
    throw new Error(`${CHECKS}: checks.${undeclared} must be one of ${DECLARED_CHECKS.join(', ')}`)
  const passed = DECLARED_CHECKS.filter((name) => checks[name] === 'PASSED')
  return { gitSha: git_sha, workingTree: working_tree, completedAt: utc(completed_at), passed: new Set(passed) }
}
