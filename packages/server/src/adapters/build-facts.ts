import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { BuildFacts, Clock, Fact, FactSource } from '../ports.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const COMMIT = /^(?!0{40})[0-9a-f]{40}$/

interface Settings {
  gitSha: string | null
  buildTime: string | null
}

/** What this build is, asked of every source once. The first source that knows is served; the others are compared. */
export function gatherBuildFacts(settings: Settings, clock: Clock, root: string = ROOT): BuildFacts {
  const readAt = new Date(clock.now()).toISOString()
  const fact = <T extends string>(...found: [FactSource, T | null][]): Fact<T> => {
    const [source, value] = found.find(([, known]) => known !== null) ?? ['none' as const, null]
    return { value, source, readAt }
  }
  const record = readRecord(root)
  const head = git(root, 'rev-parse', 'HEAD')
  const porcelain = head === null ? null : git(root, 'status', '--porcelain')
  const commits: [FactSource, string | null][] = [
    ['env:ORCH_GIT_SHA', settings.gitSha],
    ['build-record.json', text(record?.git_sha, COMMIT)],
    ['git', head !== null && COMMIT.test(head) ? head : null],
  ]
  const digest = sourceDigest(root)
  return {
    gitSha: fact(...commits),
    workingTree: fact<'CLEAN' | 'DIRTY'>(
      [
        'build-record.json',
        record?.working_tree === 'CLEAN' || record?.working_tree === 'DIRTY' ? record.working_tree : null,
      ],
      ['git', porcelain === null ? null : porcelain === '' ? 'CLEAN' : 'DIRTY'],
    ),
    version: fact(['package.json', packageVersion(root)]),
    buildTime: fact(
      ['env:ORCH_BUILD_TIME', settings.buildTime],
      ['build-record.json', text(record?.build_time, /^\d{4}-\d\d-\d\dT/)],
    ),
    buildDigest: fact(['computed', digest]),
    matchesRecord: record === null ? null : record.build_digest === digest,
    conflicts: conflictsOf('git_sha', commits),
  }
}

function conflictsOf(field: string, found: [FactSource, string | null][]): BuildFacts['conflicts'] {
  const known = found.filter((entry): entry is [FactSource, string] => entry[1] !== null)
  const differ = new Set(known.map(([, value]) => value)).size > 1
  return differ ? [{ field, values: known.map(([source, value]) => ({ source, value })) }] : []
}

const text = (value: unknown, shape: RegExp): string | null =>
  typeof value === 'string' && shape.test(value) ? value : null

function readRecord(root: string): Record<string, unknown> | null {
  const file = join(root, 'build-record.json')
  if (!existsSync(file)) return null
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (value === null || typeof value !== 'object') throw new Error('build-record.json must hold an object')
  return value as Record<string, unknown>
}

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
