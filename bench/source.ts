// Which source a figure was measured on. A figure says something of a commit whose sources have the same digest, and of no other.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestOfFiles, shippedFiles } from '../packages/server/src/features/identity/io/build-record.ts'

export interface Source {
  /** Null outside a repository. */
  commit: string | null
  /** Whether what was measured, or what measured it, differs from the commit. */
  dirty: boolean
  /** Of what runs and of what measures it: sources, rules, policies, models, the lockfile, the flags of the service, the bench. */
  digest: string
}

/** What an entry of the file says of itself; those of earlier runs have no source. */
export interface Stamp {
  run_at: string
  source?: Source
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RUNS = /^(?:package-lock\.json|packages\/(?:core|cli|server)\/(?:src|rules|models|data|vendor)\/.*)$/
const MEASURES = ['bench', 'policies', 'deploy/runtime.json']
/** Written by every run, or beside the point. */
const IS_LEFT_OUT = /^bench\/results\.json$|\.test\.ts$|\bnode_modules\//

export function readSource(): Source {
  const files = new Map([...shippedFiles(ROOT)].filter(([path]) => RUNS.test(path)))
  for (const path of MEASURES.flatMap(filesAt).filter((path) => !IS_LEFT_OUT.test(path)))
    files.set(
      path,
      createHash('sha256')
        .update(readFileSync(join(ROOT, path)))
        .digest('hex'),
    )
  const changed = git('status', '--porcelain', '--', 'packages', 'policies', 'deploy', 'bench', ':!bench/results.json')
  return { commit: git('rev-parse', 'HEAD'), dirty: Boolean(changed), digest: digestOfFiles(files) }
}

function filesAt(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path]
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
}

function git(...words: string[]): string | null {
  try {
    return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    // An installation has no repository, and perhaps no git.
    return null
  }
}
