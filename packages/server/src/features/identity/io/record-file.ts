/** The record files that lie next to package.json. Whoever can write there can write the program as well, so they are
 *  not defended against; they are checked so that a damaged one refuses the start instead of being half believed. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Type, { type Static, type TSchema } from 'typebox'
import { faultText, readJson } from '../../../platform/shape.ts'
import { DECLARED_CHECKS, type ReleaseChecks, type ReleaseReadback } from '../contract.ts'

/** Null where there is no such file. Every fault is named with the file and the field. */
export function readRecordFile<S extends TSchema>(root: string, file: string, schema: S): Static<S> | null {
  const path = join(root, file)
  if (!existsSync(path)) return null
  const record = readJson(schema, readFileSync(path, 'utf8'), file)
  if (record.ok) return record.value
  if (record.faults[0].place.length === 0)
    throw new Error(`${file} must hold one JSON object; write it again or remove it`)
  throw new Error(faultText(record.faults))
}

const text = (description: string, pattern: string) => Type.String({ pattern, description })
const SEMVER = '\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}(?:-[0-9A-Za-z.-]{1,64})?$'
const INSTANT = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$'

export const Commit = text('40 lower-case hex characters, not all zero', '^(?!0{40})[0-9a-f]{40}$')
export const Digest = text('sha256: and 64 hex characters', '^sha256:[0-9a-f]{64}$')
export const Version = text('a semantic version', `^${SEMVER}`)
const Tag = text('v and a semantic version', `^v${SEMVER}`)
const Doi = text('a DOI', '^10\\.\\d{4,9}\\/[-._;()/:A-Za-z0-9]{1,200}$')
export const Line = text('one line of 1 to 256 characters', '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,256}$')
export const Instant = Type.Refine(
  text('an ISO 8601 time with a zone', INSTANT),
  (value) => !Number.isNaN(Date.parse(value)),
)
const HttpsUrl = Type.Refine(
  Type.String({ description: 'an https URL without a user, a query or a fragment', pattern: '^https:' }),
  (value) => httpsUrl(value) !== null,
)

export const words = <T extends string>(...values: T[]) => Type.Enum(values)

/** A field that may be missing or null. */
export const maybe = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

/** As it is shown: no slash at the end. Null where it is not one. */
export function httpsUrl(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url?.protocol !== 'https:' || `${url.username}${url.password}${url.search}${url.hash}` !== '') return null
  return url.href.replace(/\/+$/, '')
}

export const utc = (instant: string): string => new Date(instant).toISOString()

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

/** The two records of a release. Both are written by whoever releases, after the fact, and name the commit they speak of:
 *  what they say of another commit says nothing of this one. */
export function readReleaseReadback(root: string): ReleaseReadback | null {
  const record = readRecordFile(root, READBACK, Readback)
  if (record === null) return null
  const { version, tag, commit, read_at, assets, doi } = record
  const archived = doi ? { value: doi.value, readAt: utc(doi.read_at) } : null
  return { version, tag, commit, readAt: utc(read_at), assets: assets ?? [], doi: archived }
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
