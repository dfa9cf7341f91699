// A scenario over HTTP: the target server in one process, the load in another, so that neither measures the other's
// event loop. On two cores each has about one for itself; on one core the numbers mean little.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { LoadJob, LoadResult } from './load.ts'
import { type Runner, Unavailable } from './scenario.ts'

const LOAD = fileURLToPath(new URL('./load.ts', import.meta.url))

interface HttpTarget {
  /** A program, relative to this folder, whose first line on stdout is the address to load. */
  target: string
  body: unknown
  headers?: Record<string, string>
  connections?: number
  env?: Record<string, string>
}

/** Requests a second. */
export const httpLoad = ({ connections = 256, ...target }: HttpTarget): Promise<Runner> =>
  loaded({ ...target, connections }, ({ perSecond }) => perSecond)

/** Milliseconds that one client waits, at the median. */
export const httpWait = (target: HttpTarget): Promise<Runner> => loaded({ ...target, connections: 1 }, ({ p50 }) => p50)

async function loaded(
  { target, body, headers, connections = 1, env }: HttpTarget,
  reading: (result: LoadResult) => number,
): Promise<Runner> {
  const file = fileURLToPath(new URL(target, import.meta.url))
  if (!existsSync(file)) throw new Unavailable(`bench/${target.replace('./', '')} is not in this checkout`)
  const { child, url } = await startTarget(file, env)
  const job = { url, body, connections, ...(headers ? { headers } : {}) }
  await warmUp(job)
  // A target that is not measured stands still: what a service does in the background is not another one's to pay.
  child.kill('SIGSTOP')
  return {
    async measure(seconds) {
      child.kill('SIGCONT')
      await pause(CATCHING_UP_MS)
      await fire({ ...job, seconds: WARMING_S })
      const result = await fire({ ...job, seconds })
      child.kill('SIGSTOP')
      if (result.bad > 0) throw new Unavailable(`${result.bad} requests to ${target} were not answered with 2xx`)
      return reading(result)
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      const overdue = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await once(child, 'exit')
      clearTimeout(overdue)
    },
  }
}

/** For what was due while it stood still. */
const CATCHING_UP_MS = 2_000
const WARMING_S = 4
const MIN_WARMINGS = 4
const MAX_WARMINGS = 8
/** More than noise. */
const STILL_RISING = 1.03

/** Programs are compiled while they run, a large one for a while: what counts begins when it gets no faster any more. */
async function warmUp(job: Omit<LoadJob, 'seconds'>): Promise<void> {
  let best = 0
  for (let warmings = 1; warmings <= MAX_WARMINGS; warmings += 1) {
    const { perSecond } = await fire({ ...job, seconds: WARMING_S })
    if (warmings >= MIN_WARMINGS && perSecond < best * STILL_RISING) return
    best = Math.max(best, perSecond)
  }
}

async function startTarget(
  file: string,
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.on('exit', () => child.kill('SIGKILL'))
  const [printed] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => ['']),
    pause(60_000, [''], { ref: false }),
  ])
  if (!URL.canParse(String(printed))) {
    child.kill('SIGKILL')
    throw new Unavailable(`${file} printed no address`)
  }
  return { child, url: String(printed) }
}

async function fire(job: LoadJob): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(job)])
  return JSON.parse(stdout) as LoadResult
}
