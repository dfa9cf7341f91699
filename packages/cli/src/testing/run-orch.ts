// The command line as users have it: a process of its own, a home of its own, nothing of the developer's settings.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../compile-cache.ts'

export const ORCH = fileURLToPath(new URL('../../orch.mjs', import.meta.url))

export type RunOptions = {
  /** Home, settings and caches of this run, and its working folder unless `cwd` says another. */
  home: string
  cwd?: string
  env?: Record<string, string>
  input?: string
  nodeArgs?: readonly string[]
}
export type RunResult = { code: number | null; stdout: string; stderr: string }

/** With the compiled code of the tests: a home of its own would compile everything again. */
export function startOrch(args: readonly string[], options: RunOptions): ChildProcess {
  const { home, env = {}, nodeArgs = [] } = options
  return spawn(process.execPath, [...nodeArgs, ORCH, ...args], {
    cwd: options.cwd ?? home,
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: home,
      XDG_CONFIG_HOME: `${home}/config`,
      ...compileCache(),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export async function runOrch(args: readonly string[], options: RunOptions): Promise<RunResult> {
  const child = startOrch(args, options)
  const result = collect(child)
  // A command that does not read stdin may be gone before it is written.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input ?? '')
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...result() }
}

export function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  return () => text
}
