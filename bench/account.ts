// `npm run bench -- --account`: what a request costs in processor time, by thread and by stage. Threads are read from the
// kernel's clock of each. Stages come from a second service that says at which stage each thread is (account-probe.ts): a
// stage's share of a thread's time is multiplied with what the kernel says the thread took, since the wall alone counts
// whoever else used the machine. What no stage claims of a thread is a row of its own, so that the rows add up to the total of
// that service exactly; beside it stands the total of the first one, and so what the probe costs. Both are loaded in turns.
// What a service does by itself (account-pace.ts) waits for the end of the rounds and is told apart: it
// comes round with the clock and not with requests. Needs /proc, so Linux.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ThreadStages } from './account-probe.ts'
import { endTarget, fire, type HttpTarget, startTarget, stopTarget, WARMING_S, warmUp } from './http-load.ts'
import { backgroundUs, median } from './results.ts'
import { Unavailable } from './scenario.ts'
import { FOREIGN, type PerThread, perItem, threadClocks, untilIdle } from './thread-clocks.ts'

export interface Account {
  unit: 'microseconds of processor time per request'
  requests: number
  /** Of the service as it is. */
  total: number
  threads: PerThread
  /** Of the service that says where it is, all of it. Earlier runs did not keep it, and called no time unclaimed. */
  probed?: { total: number; threads: PerThread; no_stage: PerThread; no_stage_share: number }
  /** Of that service too: stage, then thread. */
  stages: Record<string, PerThread>
  sum_of_stages: number
  /** The sum over the total of the service as it is. */
  sum_to_total: number
  /** Of each thread's time above, what it stood still for the collector. */
  collector_pauses: PerThread
  background: Background
}

/** Milliseconds of processor time, all threads together, for everything that comes round by itself. */
interface Background {
  /** All that the service had answered. */
  requests: number
  /** Two runs, the first of which puts off what can wait until the service is idle; what all of them left is new to it. */
  catching_up_ms: number
  /** One more run, with nothing new. */
  at_rest_ms: number
}

interface Target {
  child: ChildProcess
  job: { url: string; body: unknown; connections: number }
  samples: { requests: number; threads: PerThread; stages: ThreadStages[] | null }[]
  /** All that it ever answered. */
  answered: number
}

const PACE = fileURLToPath(new URL('./account-pace.ts', import.meta.url))
const PROBE = fileURLToPath(new URL('./account-probe.ts', import.meta.url))

export async function accountOf(
  { target, body, env, connections = 256 }: HttpTarget,
  { passes, seconds }: { passes: number; seconds: number },
): Promise<Account> {
  const file = fileURLToPath(new URL(target, import.meta.url))
  const open = async (flags: string[]): Promise<Target> => {
    const { child, url } = await startTarget(file, env, flags)
    const job = { url, body, connections }
    const answered = await warmUp(job)
    await stopTarget(child)
    return { child, job, samples: [], answered }
  }
  const plain = await open(['--import', PACE])
  const probed = await open(['--import', PACE, '--import', PROBE])
  try {
    for (let round = 0; round < passes; round += 1)
      for (const one of [plain, probed]) one.samples.push(await measured(one, seconds, one === probed))
    return summary(plain, probed, await backgroundOf(plain))
  } finally {
    await Promise.all([endTarget(plain.child), endTarget(probed.child)])
  }
}

async function measured(target: Target, seconds: number, isProbed: boolean): Promise<Target['samples'][number]> {
  const { child, job } = target
  child.kill('SIGCONT')
  const warming = await fire({ ...job, seconds: WARMING_S })
  // The service that is not asked has as long for what it puts off while it is busy.
  const before = isProbed ? await stagesOf(child) : await pause(ANSWERING_MS, null)
  const from = threadClocks(child.pid!)
  const { answered, bad } = await fire({ ...job, seconds })
  const to = threadClocks(child.pid!)
  const after = isProbed ? await stagesOf(child) : null
  await stopTarget(child)
  target.answered += warming.answered + answered
  if (bad > 0) throw new Unavailable(`${bad} requests to ${job.url} were not answered with 2xx`)
  return {
    requests: answered,
    threads: perItem(from, to, answered),
    stages: after && before && since(before, after),
  }
}

const MAX_BACKGROUND_MS = 60_000

async function backgroundOf({ child, answered }: Target): Promise<Background> {
  child.kill('SIGCONT')
  const used: number[] = []
  for (let run = 0; run < 3; run += 1) {
    const from = threadClocks(child.pid!)
    child.send('background')
    await untilIdle(child.pid!, MAX_BACKGROUND_MS)
    used.push(sum(Object.values(perItem(from, threadClocks(child.pid!), 1_000))))
  }
  const [busy = 0, idle = 0, rest = 0] = used
  return { requests: answered, catching_up_ms: Math.round(busy + idle), at_rest_ms: Math.round(rest) }
}

/** So long the probe waits for the answers of all threads. */
const ANSWERING_MS = 1_000

async function stagesOf(child: ChildProcess): Promise<ThreadStages[]> {
  child.send('stages')
  const [stages] = await once(child, 'message')
  return stages as ThreadStages[]
}

const minus = (after: PerThread, before: PerThread = {}): PerThread =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]))

const since = (before: readonly ThreadStages[], after: readonly ThreadStages[]): ThreadStages[] =>
  after.map(({ thread, walls, unclaimed, blocking, collecting }) => {
    const then = before.find((one) => one.thread === thread)
    return {
      thread,
      walls: minus(walls, then?.walls),
      unclaimed: unclaimed - (then?.unclaimed ?? 0),
      blocking: minus(blocking, then?.blocking),
      collecting: collecting - (then?.collecting ?? 0),
    }
  })

/** What a thread that says nothing of itself works for. */
const STAGES: Readonly<Record<string, string>> = {
  gates: 'gates',
  'thread pool': 'sign',
  collector: 'collector and compiler',
}

type Samples = Pick<Target, 'samples'>

export function summary(plain: Samples, probed: Samples, background: Background): Account {
  const threads = ownThreads(plain)
  const probedThreads = ownThreads(probed)
  const stages: Record<string, PerThread> = {}
  const collector: PerThread = {}
  for (const [thread, us] of Object.entries(probedThreads)) {
    const said = probed.samples.flatMap(({ stages }) => stages!.filter((one) => one.thread === thread))
    const put = (stage: string, share: number) => {
      stages[stage] = { ...stages[stage], [thread]: rounded(us * share) }
    }
    if (STAGES[thread] !== undefined) put(STAGES[thread], 1)
    else if (us > 0 && said.length > 0) collector[thread] = rounded(shares(said, us, requestsOf(probed), put))
  }
  const claimed = added(Object.values(stages))
  const no_stage = roundedAll(minus(probedThreads, claimed))
  const [total, probedTotal, sumOfStages] = [threads, probedThreads, claimed].map(totalOf) as [number, number, number]
  return {
    unit: 'microseconds of processor time per request',
    requests: requestsOf(plain) + requestsOf(probed),
    total,
    threads,
    probed: {
      total: probedTotal,
      threads: probedThreads,
      no_stage,
      no_stage_share: Number((totalOf(no_stage) / probedTotal).toFixed(3)),
    },
    stages,
    sum_of_stages: sumOfStages,
    sum_to_total: Number((sumOfStages / total).toFixed(3)),
    collector_pauses: collector,
    background,
  }
}

/** Medians of the rounds, without what only answers for a model. */
function ownThreads({ samples }: Samples): PerThread {
  const { [FOREIGN]: _, ...threads } = medians(samples.map((round) => round.threads))
  return roundedAll(threads)
}

/** The processor's time of a thread on its stages; of what blocks it is known, of the rest the walls say the shares. What the
 *  collector took of it. */
function shares(
  said: readonly ThreadStages[],
  us: number,
  requests: number,
  put: (stage: string, share: number) => void,
): number {
  const known = added(said.map(({ blocking }) => blocking))
  const walls = added(said.map((one) => one.walls))
  const knownUs = (sum(Object.values(known)) * 1_000) / requests
  const all = sum([...Object.values(walls), ...said.map(({ unclaimed }) => unclaimed)])
  for (const stage of new Set([...Object.keys(walls), ...Object.keys(known)])) {
    const blocked = ((known[stage] ?? 0) * 1_000) / requests
    put(stage, (blocked + ((walls[stage] ?? 0) / all) * (us - knownUs)) / us)
  }
  return (sum(said.map(({ collecting }) => collecting)) / all) * (us - knownUs)
}

const requestsOf = ({ samples }: Samples): number => sum(samples.map(({ requests }) => requests))
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const totalOf = (row: PerThread): number => rounded(sum(Object.values(row)))
const rounded = (value: number): number => Number(value.toFixed(1))
const roundedAll = (row: PerThread): PerThread =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, rounded(value)]))

function added(rows: readonly PerThread[]): PerThread {
  const total: PerThread = {}
  for (const row of rows) for (const [name, value] of Object.entries(row)) total[name] = (total[name] ?? 0) + value
  return total
}

export const medians = (rows: readonly PerThread[]): PerThread =>
  Object.fromEntries(
    [...new Set(rows.flatMap((row) => Object.keys(row)))].map((name) => [
      name,
      median(rows.map((row) => row[name] ?? 0))!,
    ]),
  )

/** Stages down, threads across, in microseconds. */
export function accountTable(name: string, { total, threads, probed, stages, ...rest }: Account): string {
  const columns = Object.keys(threads)
  const cell = (value: number | undefined) => (value === undefined ? '' : value.toFixed(1)).padStart(12)
  const line = (title: string, row: PerThread) =>
    [title.padEnd(24), ...columns.map((thread) => cell(row[thread])), cell(totalOf(row))].join('')
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  const { total: probedTotal, no_stage_share } = probed!
  return [
    `\n${name}: microseconds of processor time per request`,
    `${' '.repeat(24)}${[...columns, 'all'].map((column) => column.padStart(12)).join('')}`,
    ...Object.entries(stages)
      .sort(([, a], [, b]) => totalOf(b) - totalOf(a))
      .map(([stage, row]) => line(stage, row)),
    line('no stage', probed!.no_stage),
    line('all, with the probe', probed!.threads),
    line('without the probe', threads),
    `of these in collector pauses: ${JSON.stringify(rest.collector_pauses)}`,
    `what comes round by itself, ms at one time: ${JSON.stringify(rest.background)}, ${backgroundUs(rest.background).toFixed(1)} us for each request`,
    `no stage claims ${percent(no_stage_share)} of the ${probedTotal} measured with the probe, which costs ${rounded(probedTotal - total)}`,
    `stages add up to ${rest.sum_of_stages}, which is ${percent(rest.sum_to_total)} of the ${total} measured without it\n`,
  ].join('\n')
}
