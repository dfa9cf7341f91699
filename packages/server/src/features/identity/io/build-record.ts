/** What `npm run build` writes about the build, and how it is read again at start. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Merge } from '../contract.ts'
import { COMMIT, DIGEST, INSTANT_TEXT, LINE, type RecordFields, readRecordFile, utc, VERSION } from './record-file.ts'

export const BUILD_RECORD = 'build-record.json'
export const BUILD_RECORD_SCHEMA = 'orch.build-record/v1'
const MAX_MERGES = 10_000
const MAX_SURFACES = 256

interface BuildRecord {
  gitSha: string | null
  workingTree: 'CLEAN' | 'DIRTY' | null
  version: string | null
  buildTime: string | null
  buildDigest: string | null
  merges: readonly Merge[]
}

const NO_RECORD: BuildRecord = {
  gitSha: null,
  workingTree: null,
  version: null,
  buildTime: null,
  buildDigest: null,
  merges: [],
}

/** A field may be missing; one that is wrong refuses the start. */
export function readBuildRecord(root: string): BuildRecord {
  const record = readRecordFile(root, BUILD_RECORD)
  if (record === null) return NO_RECORD
  record.optional('schema', { rule: BUILD_RECORD_SCHEMA, fits: (value) => value === BUILD_RECORD_SCHEMA })
  const tree = record.optional('working_tree', TREE)
  const time = record.optional('build_time', INSTANT_TEXT)
  return {
    gitSha: record.optional('git_sha', COMMIT),
    workingTree: tree === 'CLEAN' || tree === 'DIRTY' ? tree : null,
    version: record.optional('version', VERSION),
    buildTime: time === null ? null : utc(time),
    buildDigest: digestIn(record),
    merges: record.objects('merges', MAX_MERGES).map(mergeOf),
  }
}

const TREE = {
  rule: 'CLEAN, DIRTY or UNKNOWN',
  fits: (value: string) => ['CLEAN', 'DIRTY', 'UNKNOWN'].includes(value),
}

/** A list of files that does not add up to the digest given with it is no record of either. */
function digestIn(record: RecordFields): string | null {
  const digest = record.optional('build_digest', DIGEST)
  const files = record.object('files')
  if (files === null || digest === null) return digest
  const lines = files.entries().map(([path, sha256]) => {
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
      throw files.validationExtras(path, '64 hex characters')
    return [path, sha256] as const
  })
  if (digestOfFiles(new Map(lines)) !== digest)
    throw record.validationExtras('build_digest', 'the digest of the files it lists')
  return digest
}

function mergeOf(row: RecordFields): Merge {
  const surfaces = (row.list('surfaces', MAX_SURFACES) ?? []).map((name) => {
    if (typeof name !== 'string' || !/^[a-z]{1,64}$/.test(name))
      throw row.validationExtras('surfaces', 'names of surfaces')
    return name
  })
  return { subject: row.text('subject', LINE), surfaces }
}

/** SHA-256 of every shipped source and of the lockfile, by path from the root. */
export function shippedFiles(root: string): Map<string, string> {
  const files = [join(root, 'package-lock.json'), ...sources(join(root, 'packages'))].filter((file) => existsSync(file))
  return new Map(
    files.map((file) => [
      relative(root, file).replaceAll('\\', '/'),
      createHash('sha256').update(readFileSync(file)).digest('hex'),
    ]),
  )
}

/** SHA-256 over the sorted lines `<sha256> <path>`. */
export function digestOfFiles(files: ReadonlyMap<string, string>): string {
  const lines = [...files].map(([path, sha256]) => `${sha256} ${path}\n`).sort()
  return `sha256:${createHash('sha256').update(lines.join('')).digest('hex')}`
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : sources(path)
    return entry.name.includes('.test.') ? [] : [path]
  })
}
