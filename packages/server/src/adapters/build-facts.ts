import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { BuildFacts, Clock, Fact, FactSource } from '../ports.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const COMMIT = /^(?!0{40})[0-9a-f]{40}$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

interface Settings {
  gitSha: string | null
  buildTime: string | null
}

/** What this build is, asked of every source once. The first source that knows is served; the others are compared. */
export function gatherBuildFacts(settings: Settings, clock: Clock, root: string = ROOT): BuildFacts {
  const readAt = new Date(clock.now()).toISOString()
  const fact = <T extends string>(...found: Found<T>[]): Fact<T> => {
    const [source, value] = found.find(([, known]) => known !== null) ?? ['none' as const, null]
    return { value, source, readAt }
  }
  const record = readRecord(root)
  const head = git(root, 'rev-parse', 'HEAD')
  const porcelain = head === null ? null : git(root, 'status', '--porcelain')
  const commits: Found<string>[] = [
    ['env:ORCH_GIT_SHA', settings.gitSha],
    ['build-record.json', record.gitSha],
    ['git', head !== null && COMMIT.test(head) ? head : null],
  ]
  const trees: Found<'CLEAN' | 'DIRTY'>[] = [
    ['build-record.json', record.workingTree],
    ['git', porcelain === null ? null : porcelain === '' ? 'CLEAN' : 'DIRTY'],
  ]
  const times: Found<string>[] = [
    ['env:ORCH_BUILD_TIME', settings.buildTime],
    ['build-record.json', record.buildTime],
  ]
  const digest = sourceDigest(root)
  return {
    gitSha: fact(...commits),
    workingTree: fact(...trees),
    version: fact(['package.json', packageVersion(root)]),
    buildTime: fact(...times),
    buildDigest: fact(['computed', digest]),
    matchesRecord: record.buildDigest === null ? null : record.buildDigest === digest,
    conflicts: [
      ...conflictsOf('git_sha', commits),
      ...conflictsOf('working_tree', trees),
      ...conflictsOf('build_time', times),
    ],
  }
}

type Found<T extends string> = [FactSource, T | null]

function conflictsOf(field: string, found: Found<string>[]): BuildFacts['conflicts'] {
  const known = found.filter((entry): entry is [FactSource, string] => entry[1] !== null)
  const differ = new Set(known.map(([, value]) => value)).size > 1
  return differ ? [{ field, values: known.map(([source, value]) => ({ source, value })) }] : []
}

interface BuildRecord {
  gitSha: string | null
  workingTree: 'CLEAN' | 'DIRTY' | null
  buildTime: string | null
  buildDigest: string | null
}

const NO_RECORD: BuildRecord = { gitSha: null, workingTree: null, buildTime: null, buildDigest: null }

/** What the build wrote about itself. A field may be missing; one that is wrong refuses the start, so that a damaged
 *  record is never carried along as half a truth. */
function readRecord(root: string): BuildRecord {
  const file = join(root, 'build-record.json')
  if (!existsSync(file)) return NO_RECORD
  const record = parseRecord(readFileSync(file, 'utf8'))
  const field = (name: string, rule: string, fits: (value: string) => boolean): string | null => {
    const value = record[name] ?? null
    if (value === null || (name === 'working_tree' && value === 'UNKNOWN')) return null
    if (typeof value === 'string' && fits(value)) return value
    throw new Error(`build-record.json: ${name} must be ${rule}`)
  }
  const time = field('build_time', 'an ISO 8601 time with a zone', isInstant)
  return {
    gitSha: field('git_sha', '40 lower-case hex characters, not all zero', (value) => COMMIT.test(value)),
    workingTree: field('working_tree', 'CLEAN, DIRTY or UNKNOWN', (value) => value === 'CLEAN' || value === 'DIRTY') as
      | 'CLEAN'
      | 'DIRTY'
      | null,
    buildTime: time === null ? null : new Date(time).toISOString(),
    buildDigest: field('build_digest', 'sha256: and 64 hex characters', (value) => /^sha256:[0-9a-f]{64}$/.test(value)),
  }
}

const isInstant = (value: string): boolean => INSTANT.test(value) && !Number.isNaN(Date.parse(value))

function parseRecord(source: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(source)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Error('build-record.json must hold one JSON object; build again or remove it')
}

const text = (value: unknown, shape: RegExp): string | null =>
  typeof value === 'string' && shape.test(value) ? value : null

const packageVersion = (root: string): string | null =>
  text(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version, /^\d+\.\d+\.\d+/)

/** Null where there is no git, no checkout or no answer within two seconds: unknown, never guessed. */
function git(root: string, ...args: string[]): string | null {
  // Without a repository of its own the folder must not borrow the identity of one above it.
  if (!existsSync(join(root, '.git'))) return null
  try {
    return execFileSync('git', args, {
      cwd: root,
      timeout: 2_000,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

/** SHA-256 over the sorted lines `<sha256> <path>` of every shipped source and the lockfile. */
function sourceDigest(root: string): string {
  const files = [join(root, 'package-lock.json'), ...sources(join(root, 'packages'))]
  const lines = files
    .filter((file) => existsSync(file))
    .map(
      (file) =>
        `${createHash('sha256').update(readFileSync(file)).digest('hex')} ${relative(root, file).replaceAll('\\', '/')}\n`,
    )
    .sort()
  return `sha256:${createHash('sha256').update(lines.join('')).digest('hex')}`
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : sources(path)
    return entry.name.includes('.test.') ? [] : [path]
  })
}
