// The real server process for tests: its own port, its own data folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { guardProcess } from './guard.ts'
import { freshFolder } from './private-folder.ts'

export interface Service {
  readonly url: string
  readonly child: ChildProcess
  readonly data: string
  /** SIGTERM, as an operator stops it; resolves to the exit code, null when a signal ended it. */
  stop(): Promise<number | null>
  /** The crash no handler sees. The data folder stays for the next start. */
  kill9(): Promise<void>
  /** Everything printed so far, stdout and stderr in the order of arrival. */
  output(): string
  /** Stops the process and removes a data folder this harness made. */
  close(): Promise<void>
}

interface ServiceOptions {
  env?: Record<string, string>
  /** A data folder to start on, kept by close(); without it a private one is made and removed. */
  data?: string
  /** For Node, in place of those that tests run with. */
  flags?: readonly string[]
  /** Another program to start in the server's place. */
  main?: string
  startMs?: number
  /** Writing any file beyond this many blocks of 512 bytes fails, as on a disk that is full. */
  fileBlocks?: number
}

const LIMITED = 'trap "" XFSZ; limit=$1; shift; ulimit -f "$limit"; exec "$@"'

/** No work of the service's own accord but what a test asks for. */
const QUIET = { ORCH_RESEARCH_WARM: 'off' }

/** They end before WebAssembly that was compiled a second time, or a heap that is kept small, has paid for it. */
const AS_TESTS_RUN = ['--liftoff-only', '--initial-old-space-size=400', '--min-semi-space-size=16']

const MAIN = fileURLToPath(new URL('./patient-service.ts', import.meta.url))

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const folder = freshFolder('service')
  const data = options.data ?? join(folder, 'data')
  const flags = ['--disable-warning=ExperimentalWarning', ...(options.flags ?? AS_TESTS_RUN)]
  const command = [process.execPath, ...flags, options.main ?? MAIN]
  const limited = ['sh', '-c', LIMITED, 'sh', String(options.fileBlocks), ...command]
  const [program, ...args] = options.fileBlocks === undefined ? command : limited
  const child = spawn(program as string, args, {
    env: { ...ownEnvironment(), ORCH_HOST: '127.0.0.1', ORCH_PORT: '0', ORCH_DATA: data, ...QUIET, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collect(child)
  await once(child, 'spawn')
  const release = guardProcess(child.pid as number, 'TERM', folder)
  const end = async (signal: NodeJS.Signals) => {
    await endChild(child, signal)
    release()
  }
  const close = async () => {
    await end('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const url = await untilHealthy(child, output, options.startMs ?? 150_000)
    const stop = async () => {
      await end('SIGTERM')
      return child.exitCode
    }
    return { url, child, data, stop, kill9: () => end('SIGKILL'), output, close }
  } catch (error) {
    await close()
    throw error
  }
}

// A developer's own ORCH_ settings must not leak into a test.
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ORCH_|NODE_TEST_CONTEXT$)/.test(name)))
}

function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  return () => text
}

async function untilHealthy(child: ChildProcess, output: () => string, limitMs: number): Promise<string> {
  const deadline = performance.now() + limitMs
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the server ended with ${child.exitCode ?? child.signalCode} before it answered:\n${output()}`)
    }
    const url = /http:\/\/127\.0\.0\.1:\d+(?=\D)/.exec(output())?.[0]
    if (url && (await isHealthy(url))) return url
    await pause(50)
  }
  throw new Error(`the server was not healthy after ${limitMs} ms:\n${output()}`)
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5000) })
    await reply.arrayBuffer()
    return reply.status === 200
  } catch (error) {
    // Refused or reset while it starts; whoever asks decides how long that may last.
    if (error instanceof TypeError || (error as Error).name === 'TimeoutError') return false
    throw error
  }
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'close')
  child.kill(signal)
  const overdue = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await gone
  clearTimeout(overdue)
}
