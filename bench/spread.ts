// `npm run bench -- --spread`: how a request fares as the ledger grows and as callers become more: requests a second, what
// one waits at the median and at worst but one in a hundred, processor time and resident memory. The ledger is filled past
// HTTP, with signed receipts of the size of a decision (programs/grow.ts), and the service is started on it anew for each
// size. Arguments: --sizes 10000,100000,1000000  --connections 1,32,256  --only decision,step,chat  --seconds 3 --rounds 1
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { benchFolder } from './folder.ts'
import { endTarget, FOREIGN, fire, type HttpTarget, startTarget, threadClocks, warmUp } from './http-load.ts'
import type { LoadJob } from './load.ts'
import { residentMiB } from './memory.ts'
import { median } from './results.ts'
import { Unavailable } from './scenario.ts'

export interface SpreadRow {
  /** Receipts in the ledger when the service was started. */
  receipts: number
  connections: number
  /** Where fewer were sent than could be answered: half of what the row with the highest rate answered. */
  asked_per_second?: number
  per_second: number
  p50_ms: number
  p99_ms: number
  /** Of a request, without the reading thread: after a start it walks the whole ledger anew, whatever is asked meanwhile. */
  processor_us: number
  reading_us: number
  rss_mib: number
}

interface Plan {
  sizes: readonly number[]
  connections: readonly number[]
  rounds: number
  seconds: number
}

const GROW = fileURLToPath(new URL('./programs/grow.ts', import.meta.url))
const WARMING_CONNECTIONS = 256

export async function spreadOf(target: HttpTarget, plan: Plan): Promise<SpreadRow[]> {
  const data = benchFolder()
  const rows: SpreadRow[] = []
  for (const size of plan.sizes) {
    const began = performance.now()
    await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', GROW, data, String(size)])
    process.stderr.write(`${size} receipts after ${((performance.now() - began) / 1_000).toFixed(0)} s\n`)
    const found = await rowsAt(size, { ...target, env: { ...target.env, BENCH_DATA: data } }, plan)
    process.stderr.write(spreadTable(`at ${size} receipts`, found))
    rows.push(...found)
  }
  return rows
}

async function rowsAt(receipts: number, { target, body, env }: HttpTarget, plan: Plan): Promise<SpreadRow[]> {
  const { child, url } = await startTarget(fileURLToPath(new URL(target, import.meta.url)), env)
  try {
    await warmUp({ url, body, connections: WARMING_CONNECTIONS })
    const rows: SpreadRow[] = []
    const add = async (connections: number, asked?: number) => {
      const job = { url, body, connections, seconds: plan.seconds, ...(asked === undefined ? {} : { rate: asked }) }
      const taken: Omit<SpreadRow, 'receipts' | 'connections' | 'asked_per_second' | 'rss_mib'>[] = []
      for (let round = 0; round < plan.rounds; round += 1) taken.push(await reading(child.pid!, job))
      const of = (name: keyof (typeof taken)[number]) => Number(median(taken.map((row) => row[name]))!.toFixed(2))
      const waits = { per_second: of('per_second'), p50_ms: of('p50_ms'), p99_ms: of('p99_ms') }
      const used = { processor_us: of('processor_us'), reading_us: of('reading_us') }
      const place = { receipts, connections, ...(asked === undefined ? {} : { asked_per_second: asked }) }
      rows.push({ ...place, ...waits, ...used, rss_mib: residentMiB(child.pid!) })
    }
    for (const connections of plan.connections) await add(connections)
    const saturated = rows.reduce((best, row) => (row.per_second > best.per_second ? row : best))
    await add(saturated.connections, Math.round(saturated.per_second / 2))
    return rows
  } finally {
    await endTarget(child)
  }
}

async function reading(pid: number, job: LoadJob) {
  const from = threadClocks(pid)
  const { perSecond, answered, p50, p99, bad } = await fire(job)
  if (bad > 0) throw new Unavailable(`${bad} requests to ${job.url} were not answered with 2xx`)
  const used = { processor_us: 0, reading_us: 0 }
  for (const [id, { thread, us }] of threadClocks(pid))
    if (thread !== FOREIGN)
      used[thread === 'reader' ? 'reading_us' : 'processor_us'] += (us - (from.get(id)?.us ?? 0)) / answered
  return { per_second: perSecond, p50_ms: p50, p99_ms: p99, ...used }
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
