// `npm run bench -- --spread`: how a request fares as the ledger grows and as callers become more: requests a second, what
// one waits at the median and at worst but one in a hundred, processor time and resident memory. Ledgers are filled past
// HTTP, with signed receipts of the size of a decision (programs/grow.ts), and a service runs on each. A round of as many
// requests as are answered asks all sizes one after the other, forwards and backwards in turn, and sizes are compared within
// a round: a machine that is slower for some minutes is slower for all of them. For the rounds of half of the load each service is asked alone and for as much as it answers first, in every
// round, and then for half of that or of the median of the rows above, whichever is more: a machine that is slower for a
// while must not make the load light.
// Arguments: --sizes 10000,100000,1000000  --connections 1,32,256  --only decision,step,chat  --seconds 5 --rounds 5
import { type ChildProcess, execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { benchFolder } from './folder.ts'
import {
  endTarget,
  fire,
  type HttpTarget,
  resumeTarget,
  startTarget,
  stopTarget,
  WARMING_S,
  warmUp,
} from './http-load.ts'
import type { LoadJob } from './load.ts'
import { residentMiB } from './memory.ts'
import { median } from './results.ts'
import { Unavailable } from './scenario.ts'
import { FOREIGN, threadClocks, untilIdle } from './thread-clocks.ts'

interface Reading {
  /** Where fewer were sent than could be answered: half of the most that was answered, over as many connections. */
  asked_per_second?: number
  per_second: number
  p50_ms: number
  p99_ms: number
  /** Of a request, without the reading thread, which walks the ledger again whatever is asked meanwhile. */
  processor_us: number
  reading_us: number
  rss_mib: number
}

/** Medians, and the rounds they are of. */
export interface SpreadRow extends Reading {
  /** Receipts in the ledger when the service was started, and in the newest checkpoint before and after these rounds. */
  receipts: number
  held: LedgerSizes
  connections: number
  rounds: Reading[]
}

type LedgerSizes = [before: number, after: number]

interface Plan {
  sizes: readonly number[]
  connections: readonly number[]
  passes: number
  seconds: number
}

interface Running {
  receipts: number
  child: ChildProcess
  url: string
}

const GROW = fileURLToPath(new URL('./programs/grow.ts', import.meta.url))
const WARMING_CONNECTIONS = 256
/** After a start the service walks all that it finds, which a busy one puts off. The walk of a large ledger takes longer, and
 *  goes on between the rounds: what it takes is the time of the reading thread. */
const MAX_FIRST_WALK_MS = 60_000

export async function spreadOf(target: HttpTarget, plan: Plan): Promise<SpreadRow[]> {
  const services: Running[] = []
  try {
    for (const size of plan.sizes) services.push(await startAt(size, benchFolder(), target))
    const saturated: SpreadRow[] = []
    for (const connections of plan.connections) {
      const before = await sizesOf(services)
      const taken = await inTurns(services, plan, ({ url }) => ({ url, body: target.body, connections }))
      saturated.push(...rowsOf(services, taken, connections, before, await sizesOf(services)))
    }
    const halved: SpreadRow[] = []
    for (const service of services) {
      const { connections, per_second } = saturated
        .filter(({ receipts }) => receipts === service.receipts)
        .reduce((one, other) => (other.per_second > one.per_second ? other : one))
      const before = await sizesOf([service])
      const taken = await atHalf(service, { url: service.url, body: target.body, connections }, per_second, plan)
      halved.push(...rowsOf([service], [taken], connections, before, await sizesOf([service])))
    }
    return [...saturated, ...halved].sort((one, other) => one.receipts - other.receipts)
  } finally {
    await Promise.all(services.map(({ child }) => endTarget(child)))
  }
}

async function startAt(receipts: number, data: string, { target, body, env }: HttpTarget): Promise<Running> {
  const began = performance.now()
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', GROW, data, String(receipts)])
  process.stderr.write(`${receipts} receipts after ${((performance.now() - began) / 1_000).toFixed(0)} s\n`)
  const file = fileURLToPath(new URL(target, import.meta.url))
  const { child, url } = await startTarget(file, { ...env, BENCH_DATA: data })
  await untilIdle(child.pid!, MAX_FIRST_WALK_MS)
  await warmUp({ url, body, connections: WARMING_CONNECTIONS })
  await stopTarget(child)
  return { receipts, child, url }
}

async function sizesOf(services: readonly Running[]): Promise<number[]> {
  const sizes: number[] = []
  for (const { child, url } of services) {
    await resumeTarget(child)
    const checkpoint = await (await fetch(new URL('/log/checkpoint', url))).text()
    sizes.push(Number(checkpoint.split('\n')[1]))
    await stopTarget(child)
  }
  return sizes
}

/** The readings of each service, all of them once in every round, which begins with the one that the last round ended with.
 *  The first round is not kept: a service that was warmed by many callers compiles anew for a few. */
async function inTurns(
  services: readonly Running[],
  { passes, seconds }: Plan,
  jobOf: (service: Running) => Omit<LoadJob, 'seconds'>,
): Promise<Reading[][]> {
  const taken = services.map((): Reading[] => [])
  const order = [...services.entries()]
  for (let round = 0; round <= passes; round += 1, order.reverse())
    for (const [at, service] of order) {
      await resumeTarget(service.child)
      const found = await reading(service.child.pid!, { ...jobOf(service), seconds })
      if (round > 0) taken[at]!.push(found)
      await stopTarget(service.child)
    }
  return taken
}

/** What was put off under the full load is caught up with before the half of it is measured. */
async function atHalf(
  { child }: Running,
  job: Omit<LoadJob, 'seconds' | 'rate'>,
  saturation: number,
  { passes, seconds }: Plan,
): Promise<Reading[]> {
  await resumeTarget(child)
  const taken: Reading[] = []
  for (let round = 0; round < passes; round += 1) {
    const { perSecond, bad } = await fire({ ...job, seconds })
    if (bad > 0) throw new Unavailable(`${bad} requests to ${job.url} were not answered with 2xx`)
    const rate = Math.round(Math.max(perSecond, saturation) / 2)
    await fire({ ...job, rate, seconds: WARMING_S })
    taken.push({ asked_per_second: rate, ...(await reading(child.pid!, { ...job, rate, seconds })) })
  }
  await stopTarget(child)
  return taken
}

/** One row for each service, with the medians of its readings. */
function rowsOf(
  services: readonly Running[],
  taken: readonly Reading[][],
  connections: number,
  before: readonly number[],
  after: readonly number[],
): SpreadRow[] {
  const rows = services.map(({ receipts }, at): SpreadRow => {
    const samples = taken[at]!
    const names = Object.keys(samples[0]!) as (keyof Reading)[]
    const medians = names.map((name) => [name, rounded(median(samples.map((round) => round[name]!))!)])
    const sizes: LedgerSizes = [before[at]!, after[at]!]
    return { receipts, held: sizes, connections, ...(Object.fromEntries(medians) as Reading), rounds: samples }
  })
  process.stderr.write(spreadTable('measured', rows))
  return rows
}

const rounded = (value: number): number => Number(value.toFixed(2))

async function reading(pid: number, job: LoadJob): Promise<Reading> {
  const from = threadClocks(pid)
  const { perSecond, answered, p50, p99, bad } = await fire(job)
  if (bad > 0) throw new Unavailable(`${bad} requests to ${job.url} were not answered with 2xx`)
  const used = { processor_us: 0, reading_us: 0 }
  for (const [id, { thread, us }] of threadClocks(pid))
    if (thread !== FOREIGN)
      used[thread === 'reader' ? 'reading_us' : 'processor_us'] += (us - (from.get(id)?.us ?? 0)) / answered
  const found = { per_second: perSecond, p50_ms: p50, p99_ms: p99, ...used, rss_mib: residentMiB(pid) }
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, rounded(value)])) as typeof found
}

export const spreadTable = (name: string, rows: readonly SpreadRow[]): string =>
  `\n${name}\n${rows
    .map(({ receipts, connections, asked_per_second, per_second, p50_ms, p99_ms, processor_us, reading_us, rss_mib }) =>
      [
        `${receipts} receipts`.padStart(17),
        `${connections} connections`.padStart(17),
        `${per_second}/s${asked_per_second === undefined ? '' : ' (half)'}`.padStart(18),
        `p50 ${p50_ms} ms`.padStart(16),
        `p99 ${p99_ms} ms`.padStart(16),
        `${processor_us} us of processor`.padStart(26),
        `${reading_us} us reading`.padStart(22),
        `${rss_mib} MiB`.padStart(10),
      ].join(''),
    )
    .join('\n')}\n`
