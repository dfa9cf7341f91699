// Which source a figure was measured on. A figure says something of a commit whose sources have the same digest, and of no other.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestOfFiles, shippedFiles } from '../packages/server/src/features/identity/io/build-record.ts'

export interface Source {
  /** Null outside a repository. */
  commit: string | null
  /** Whether what was measured, or what measured it, differs from the commit. */
  dirty: boolean
  /** Of what runs: sources, rules, the lockfile and the flags of the service. */
  digest: string
}

/** What an entry of the file says of itself; those of earlier runs have no source. */
export interface Stamp {
  run_at: string
  source?: Source
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RUNS = /^(?:package-lock\.json|packages\/(?:core|cli|server)\/src\/.*|packages\/server\/rules\/.*)$/
const FLAGS = 'deploy/runtime.json'

export function readSource(): Source {
  const files = new Map([...shippedFiles(ROOT)].filter(([path]) => RUNS.test(path)))
  files.set(
    FLAGS,
    createHash('sha256')
      .update(readFileSync(join(ROOT, FLAGS)))
      .digest('hex'),
  )
  // The results themselves are written by every run.
  const changed = git('status', '--porcelain', '--', 'packages', 'deploy', 'bench', ':!bench/results.json')
  return { commit: git('rev-parse', 'HEAD'), dirty: Boolean(changed), digest: digestOfFiles(files) }
}

function git(...words: string[]): string | null {
  try {
    return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    // An installation has no repository, and perhaps no git.
    return null
  }
}
