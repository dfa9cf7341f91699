// A process of this checkout started from a command: same signals, and it never outlives the command.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CliError, EXIT } from './exit.ts'
import type { Settings } from './settings.ts'

const ROOT = new URL('../../../', import.meta.url)

export function startChild(
  script: string,
  args: readonly string[],
  settings: Settings,
  stdio: StdioOptions,
  extra: Readonly<Record<string, string>> = {},
): ChildProcess {
  const path = fileURLToPath(new URL(script, ROOT))
  if (!existsSync(path)) throw new CliError(EXIT.error, `${script} is not in this installation: use a full checkout`)
  // Names of the command line alone stay here: the service refuses settings it does not know.
  const env = { ...settings.environment, ...extra } as NodeJS.ProcessEnv
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, ...args], { stdio, env })
}

/** The exit code; a signal ends in 128 and its number, as in a shell. */
export async function endOf(child: ChildProcess, interrupted: AbortSignal): Promise<number> {
  const stop = () => child.kill('SIGINT')
  const terminate = () => child.kill('SIGTERM')
  interrupted.addEventListener('abort', stop)
  process.on('SIGTERM', terminate)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return code ?? EXIT.interrupted
  } finally {
    interrupted.removeEventListener('abort', stop)
    process.off('SIGTERM', terminate)
  }
}
