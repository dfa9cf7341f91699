import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isoNow } from '../../../platform/clock.ts'
import { read } from '../../../platform/shape.ts'
import type { BuildFacts, Clock, Fact, FactSource } from '../../../ports.ts'
import { digestOfFiles, readBuildRecord, shippedFiles } from './build-record.ts'
import { Commit } from './record-file.ts'

/** Of the checkout or of what was shipped: the folder of package.json and of the record files. */
export const ROOT = join(import.meta.dirname, '..', '..', '..', '..', '..', '..')

/** In a bundle a constant: the digest of the sources it was made of. */
declare const BUNDLE_MADE_OF: string | undefined

interface Settings {
  gitSha: string | null
  buildTime: string | null
  /** MUST hold nothing that names a repository: git would answer for that one. */
  gitEnvironment: NodeJS.ProcessEnv
}

/** What this build is, asked of every source once. The first source that knows is served; the others are compared. */
export function gatherBuildFacts(settings: Settings, clock: Clock, root: string = ROOT): BuildFacts {
  const readAt = isoNow(clock)
  const fact = <T extends string>(...found: Found<T>[]): Fact<T> => {
    const [source, value] = found.find(([, known]) => known !== null) ?? ['none' as const, null]
    return { value, source, readAt }
  }
  const record = readBuildRecord(root)
  const head = askGit(root, settings.gitEnvironment, 'rev-parse', 'HEAD')
  const porcelain = head === null ? null : askGit(root, settings.gitEnvironment, 'status', '--porcelain')
  const commits: Found<string>[] = [
    ['env:ORCH_GIT_SHA', settings.gitSha],
    ['build-record.json', record.gitSha],
    ['git', head !== null && read(Commit, head).ok ? head : null],
  ]
  const trees: Found<'CLEAN' | 'DIRTY'>[] = [
    ['build-record.json', record.workingTree],
    ['git', porcelain === null ? null : porcelain === '' ? 'CLEAN' : 'DIRTY'],
  ]
  const times: Found<string>[] = [
    ['env:ORCH_BUILD_TIME', settings.buildTime],
    ['build-record.json', record.buildTime],
  ]
  const versions: Found<string>[] = [
    ['package.json', packageVersion(root)],
    ['build-record.json', record.version],
  ]
  const digest = digestOfFiles(shippedFiles(root))
  if (typeof BUNDLE_MADE_OF === 'string' && BUNDLE_MADE_OF !== digest)
    throw new Error('packages/server/dist was made of other sources: run `node packages/server/build.ts`')
  return {
    gitSha: fact(...commits),
    observedCommit: fact(...commits.filter(([source]) => !source.startsWith('env:'))),
    workingTree: fact(...trees),
    version: fact(versions[0]!),
    buildTime: fact(...times),
    buildDigest: fact(['computed', digest]),
    matchesRecord: record.buildDigest === null ? null : record.buildDigest === digest,
    conflicts: [
      ...conflictsOf('git_sha', commits),
      ...conflictsOf('working_tree', trees),
      ...conflictsOf('version', versions),
      ...conflictsOf('build_time', times),
    ],
  }
}

type Found<T extends string> = [FactSource, T | null]

function conflictsOf(field: string, found: Found<string>[]): BuildFacts['conflicts'] {
  const known = found.filter((entry): entry is [FactSource, string] => entry[1] !== null)
  const differ = new Set(known.map(([, value]) => value)).size > 1
  return differ ? [{ field, state: 'CONFLICT', values: known.map(([source, value]) => ({ source, value })) }] : []
}

const text = (value: unknown, shape: RegExp): string | null =>
  typeof value === 'string' && shape.test(value) ? value : null

const packageVersion = (root: string): string | null =>
  text(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version, /^\d+\.\d+\.\d+/)

/** Null where there is no git, no checkout or no answer within two seconds: unknown, never guessed. */
export function askGit(root: string, environment: NodeJS.ProcessEnv, ...args: string[]): string | null {
  // Without a repository of its own the folder must not borrow the identity of one above it.
  if (!existsSync(join(root, '.git'))) return null
  try {
    return execFileSync('git', args, {
      cwd: root,
      // A look at the checkout must not stand in the way of whoever works in it.
      env: { ...environment, GIT_OPTIONAL_LOCKS: '0' },
      timeout: 2_000,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}
