// A scenario over HTTP: the target server in one process, the load in another, so that neither measures the other's
// event loop. On two cores each has about one for itself; on one core the numbers mean little.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundleService } from '../packages/server/build.ts'
import { digestOfFiles, shippedFiles } from '../packages/server/src/features/identity/io/build-record.ts'
import type { LoadJob, LoadResult } from './load.ts'
import { type Runner, Unavailable } from './scenario.ts'
import { processorMeter } from './thread-clocks.ts'

const LOAD = fileURLToPath(new URL('./load.ts', import.meta.url))

export interface HttpTarget {
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

/** Microseconds of processor time that the target takes for a request, whatever else the machine does. Needs /proc. */
export const httpCost = (target: HttpTarget): Promise<Runner> =>
  loaded(target, ({ answered }, used) => {
    if (Number.isNaN(used)) throw new Unavailable('this system has no /proc, where the clocks of threads are')
    return used / answered
  })

/** Milliseconds that one client waits, at the median. */
export const httpWait = (target: HttpTarget): Promise<Runner> => loaded({ ...target, connections: 1 }, ({ p50 }) => p50)

async function loaded(
  { target, body, headers, connections = 1, env }: HttpTarget,
  reading: (result: LoadResult, usedUs: number) => number,
): Promise<Runner> {
  const file = fileURLToPath(new URL(target, import.meta.url))
  if (!existsSync(file)) throw new Unavailable(`bench/${target.replace('./', '')} is not in this checkout`)
  const { child, url } = await startTarget(file, env)
  const job = { url, body, connections, ...(headers ? { headers } : {}) }
  await warmUp(job)
  await stopTarget(child)
  return {
    async measure(seconds) {
      await resumeTarget(child)
      await fire({ ...job, seconds: WARMING_S })
      const usedUs = processorMeter(child.pid!)
      const result = await fire({ ...job, seconds })
      const used = usedUs()
      await stopTarget(child)
      if (result.answered === 0) throw new Unavailable(`${target} answered nothing in ${seconds} s`)
      if (result.bad > 0) throw new Unavailable(`${result.bad} requests to ${target} were not answered with 2xx`)
      return reading(result, used)
    },
    close: () => endTarget(child),
  }
}

/** A target that is not measured stands still: what a service does in the background is not another one's to pay. What is under
 *  way ends first: a call to an upstream that is interrupted is out of time when the target goes on. */
export async function stopTarget(child: ChildProcess): Promise<void> {
  await pause(ENDING_MS)
  child.kill('SIGSTOP')
}

const ENDING_MS = 500

export async function resumeTarget(child: ChildProcess): Promise<void> {
  child.kill('SIGCONT')
  await pause(CATCHING_UP_MS)
}

export async function endTarget(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGCONT')
  child.kill('SIGTERM')
  const overdue = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await once(child, 'exit')
  clearTimeout(overdue)
}

/** For what was due while it stood still. */
const CATCHING_UP_MS = 2_000
export const WARMING_S = 4
const MIN_WARMINGS = 4
const MAX_WARMINGS = 8
/** More than noise. */
const STILL_RISING = 1.03

/** Programs are compiled while they run, a large one for a while: what counts begins when it gets no faster any more. How many
 *  it answered. */
export async function warmUp(job: Omit<LoadJob, 'seconds'>): Promise<number> {
  let [best, requests] = [0, 0]
  for (let warmings = 1; warmings <= MAX_WARMINGS; warmings += 1) {
    const { answered, perSecond } = await fire({ ...job, seconds: WARMING_S })
    requests += answered
    if (warmings >= MIN_WARMINGS && perSecond < best * STILL_RISING) break
    best = Math.max(best, perSecond)
  }
  return requests
}

/** On a machine that others use as well. */
const STARTING_MS = 180_000

/** The service is measured as `npm start` starts it; what it is held against, as anybody starts Node. */
const SERVICE_RUNTIME = JSON.parse(readFileSync(new URL('../deploy/runtime.json', import.meta.url), 'utf8')) as {
  flags: string[]
  env: Record<string, string>
}
const isService = (file: string) => basename(dirname(file)) === 'targets'
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BUNDLES = join(ROOT, 'node_modules', '.cache', 'orch-bench')
const bundles = new Map<string, Promise<string>>()

/** The account looks into the modules of the service and so runs its sources: it has flags of its own. */
function programOf(file: string, flags: readonly string[]): Promise<string> {
  if (!isService(file) || flags.length > 0) return Promise.resolve(file)
  const bundle = bundles.get(file) ?? bundleTarget(file)
  bundles.set(file, bundle)
  return bundle
}

async function bundleTarget(file: string): Promise<string> {
  const name = basename(file, '.ts')
  const folder = join(BUNDLES, name)
  rmSync(folder, { recursive: true, force: true })
  await bundleService(file, { folder, place: folder, digest: digestOfFiles(shippedFiles(ROOT)) })
  return join(folder, `${name}.mjs`)
}

export async function startTarget(
  file: string,
  env: Record<string, string> = {},
  flags: readonly string[] = [],
  /** `ignore`: written to /dev/null, so that a log of many lines waits for no reader. */
  log: 'inherit' | 'ignore' = 'inherit',
): Promise<{ child: ChildProcess; url: string }> {
  const runtime = isService(file) ? SERVICE_RUNTIME : { flags: [], env: {} }
  const program = await programOf(file, flags)
  const { NODE_COMPILE_CACHE: _, ...own } = process.env
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...runtime.flags, ...flags, program],
    {
      env: { ...runtime.env, ...own, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', log, 'ipc'],
    },
  )
  process.on('exit', () => child.kill('SIGKILL'))
  const [printed] = await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line'),
    once(child, 'exit').then(() => ['']),
    pause(STARTING_MS, [''], { ref: false }),
  ])
  if (!URL.canParse(String(printed))) {
    child.kill('SIGKILL')
    throw new Unavailable(`${file} printed no address`)
  }
  return { child, url: String(printed) }
}

export async function fire(job: LoadJob): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(job)])
  return JSON.parse(stdout) as LoadResult
}
