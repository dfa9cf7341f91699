/** What `npm run build` writes about the build, and how it is read again at start. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import Type, { type Static } from 'typebox'
import { Commit, Digest, Instant, Line, maybe, readRecordFile, utc, Version, words } from './record-file.ts'

export const BUILD_RECORD = 'build-record.json'
export const BUILD_RECORD_SCHEMA = 'orch.build-record/v1'
const MAX_MERGES = 10_000
const MAX_SURFACES = 256

const Record = Type.Object({
  schema: maybe(Type.Literal(BUILD_RECORD_SCHEMA)),
  git_sha: maybe(Commit),
  working_tree: maybe(words('CLEAN', 'DIRTY', 'UNKNOWN')),
  version: maybe(Version),
  build_time: maybe(Instant),
  build_digest: maybe(Digest),
  files: maybe(
    Type.Record(Type.String(), Type.String({ pattern: '^[0-9a-f]{64}$', description: '64 hex characters' })),
  ),
  merges: maybe(
    Type.Array(
      Type.Object({
        subject: Line,
        surfaces: maybe(Type.Array(Type.String({ pattern: '^[a-z]{1,64}$' }), { maxItems: MAX_SURFACES })),
      }),
      { maxItems: MAX_MERGES },
    ),
  ),
})

/** A field may be missing; one that is wrong refuses the start. */
export function readBuildRecord(root: string) {
  const record = readRecordFile(root, BUILD_RECORD, Record) ?? {}
  const { git_sha, working_tree: tree, version, build_time: time, merges } = record
  return {
    gitSha: git_sha ?? null,
    workingTree: tree === 'CLEAN' || tree === 'DIRTY' ? tree : null,
    version: version ?? null,
    buildTime: time ? utc(time) : null,
    buildDigest: checkedDigest(record),
    merges: (merges ?? []).map(({ subject, surfaces }) => ({ subject, surfaces: surfaces ?? [] })),
  }
}

/** A list of files that does not add up to the digest next to it is no record of either. */
function checkedDigest({ build_digest: digest = null, files = null }: Static<typeof Record>): string | null {
  if (files !== null && digest !== null && digestOfFiles(new Map(Object.entries(files))) !== digest)
    throw new Error(`${BUILD_RECORD}: build_digest must be the digest of the files it lists`)
  return digest
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
    return !entry.name.includes('.test.') && statSync(path, { throwIfNoEntry: false })?.isFile() ? [path] : []
  })
}
