// Work on a ledger at rest, or on a set of policies, is done by a process of the server package, which owns them. This
// side starts it, draws its progress and passes on its result: same signals, and it never outlives the command.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Invocation } from './command.ts'
import { compileCache } from './compile-cache.ts'
import { CliError, EXIT, type ExitCode } from './exit.ts'
import { CHECKOUT } from './installation.ts'
import { createProgress, type Progress } from './progress.ts'
import type { Setting, Settings } from './settings.ts'

export const DATA_FLAG = {
  data: { type: 'string', value: 'FOLDER', help: 'data folder of the ledger (its service stopped)' },
} as const

type ToolResult = Record<string, unknown>
type Call = Pick<Invocation, 'settings' | 'terminal' | 'interrupted'>

const TOOLS = {
  ledger: 'packages/server/src/ledger/tools/tool.ts',
  policy: 'packages/server/src/governance/policy/tool.ts',
  organ: 'packages/server/src/replay-organ.ts',
  credentials: 'packages/server/src/adapters/credentials-tool.ts',
} as const

/** A tool has ended before WebAssembly that was compiled a second time, and better, has paid for it. */
const SHORT_LIVED = ['--liftoff-only']

export const dataOf = (settings: Settings): string => (settings.get('data') as Setting).value

/** `takeLine` gets the lines of stdout, where the result is not one JSON object. */
export async function runServerTool(
  tool: keyof typeof TOOLS,
  job: string,
  args: readonly string[],
  { settings, terminal, interrupted }: Call,
  takeLine?: (line: string) => Promise<void>,
): Promise<ToolResult> {
  interrupted.throwIfAborted()
  const child = startChild(TOOLS[tool], [job, ...args], settings, ['ignore', 'pipe', 'pipe'], {}, SHORT_LIVED)
  const progress = createProgress(terminal, settings.progress, job)
  const ended = endOf(child, interrupted)
  const heard = listen(child, progress)
  let result = ''
  try {
    for await (const line of createInterface({ input: child.stdout!, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (takeLine) await takeLine(line)
      else result += line
    }
  } catch (error) {
    child.kill('SIGTERM')
    await ended
    throw error
  }
  const end = await ended
  progress.end()
  interrupted.throwIfAborted()
  if (end.code !== 0) throw new CliError(exitOf(end.code), (await heard) ?? `${tool} ${job} ${endText(end)}`)
  return takeLine ? {} : (JSON.parse(result) as ToolResult)
}

/** Progress as it comes; the sentence of its error at the end, or the first line of a crash that names one. What else it
 *  says goes to `other`. */
export async function listen(
  child: ChildProcess,
  progress: Progress,
  other: (line: string) => void = () => undefined,
): Promise<string | null> {
  let sentence: string | null = null
  let crash: string | null = null
  for await (const line of createInterface({ input: child.stderr! })) {
    const said = readLine(line)
    if (typeof said.done === 'number') progress.update(said.done, typeof said.total === 'number' ? said.total : null)
    else if (typeof said.error === 'string') sentence = said.error
    else if (/Error\b/.test(line)) crash ??= line.trim()
    else other(line)
  }
  return sentence ?? crash
}

function readLine(line: string): { done?: unknown; total?: unknown; error?: unknown } {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

const exitOf = (code: number): ExitCode => Object.values(EXIT).find((known) => known === code) ?? EXIT.error

/** The result of a job as lines. */
export const resultText = (result: ToolResult): string =>
  `${Object.entries(result)
    .filter(([name]) => name !== 'ok')
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join('\n')}\n`

/** A file of the checkout. */
export function checkoutPath(name: string): string {
  const path = CHECKOUT && fileURLToPath(new URL(name, CHECKOUT))
  if (!path || !existsSync(path))
    throw new CliError(
      EXIT.error,
      `${name} is not in this installation: use a full checkout, where \`npm start\` works`,
    )
  return path
}

export function startChild(
  script: string,
  args: readonly string[],
  settings: Settings,
  stdio: StdioOptions,
  extra: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): ChildProcess {
  const path = checkoutPath(script)
  // Names of the command line alone stay here: the service refuses settings it does not know.
  const env = { ...compileCache(), ...settings.environment, ...extra } as NodeJS.ProcessEnv
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, path, ...args], { stdio, env })
}

/** `killedBy` is the signal of somebody else; what was stopped from here is interrupted. */
type End = { code: number; killedBy: NodeJS.Signals | null }

export const endText = ({ code, killedBy }: End): string =>
  killedBy === null
    ? `ended with code ${code}`
    : `was ended by ${killedBy}, which orch did not send${killedBy === 'SIGKILL' ? '; the system does so where memory is short' : ''}`

export async function endOf(child: ChildProcess, interrupted: AbortSignal): Promise<End> {
  let isStopped = false
  const stopWith = (signal: NodeJS.Signals) => () => {
    isStopped = true
    child.kill(signal)
  }
  const [stop, terminate] = [stopWith('SIGINT'), stopWith('SIGTERM')]
  interrupted.addEventListener('abort', stop)
  process.on('SIGTERM', terminate)
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    if (code !== null) return { code, killedBy: null }
    // Ctrl-C reaches the processes of a terminal in any order.
    if (isStopped || signal === 'SIGINT') return { code: EXIT.interrupted, killedBy: null }
    return { code: EXIT.error, killedBy: signal }
  } finally {
    interrupted.removeEventListener('abort', stop)
    process.off('SIGTERM', terminate)
  }
}
