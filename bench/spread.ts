// `npm run bench -- --spread`: how a request fares as the ledger grows and as callers become more: requests a second, what
// one waits at the median and at worst but one in a hundred, and processor time, of one service that is loaded until it
// holds so many receipts. Arguments: --sizes 10000,100000  --connections 1,32,256  --only decision,step,chat
import { fileURLToPath } from 'node:url'
import { endTarget, fire, type HttpTarget, processorMeter, startTarget, warmUp } from './http-load.ts'
import { median } from './results.ts'
import { Unavailable } from './scenario.ts'

export interface SpreadRow {
  /** Requests answered before the first of these: a decision and a step leave a receipt each, a chat two. */
  after: number
  connections: number
  per_second: number
  p50_ms: number
  p99_ms: number
  processor_us: number
}

interface Plan {
  sizes: readonly number[]
  connections: readonly number[]
  rounds: number
  seconds: number
}

const GROWING_CONNECTIONS = 256
const GROWING_S = 10

export async function spreadOf({ target, body, env }: HttpTarget, plan: Plan): Promise<SpreadRow[]> {
  const { child, url } = await startTarget(fileURLToPath(new URL(target, import.meta.url)), env)
  const load = async (connections: number, seconds: number) => {
    const result = await fire({ url, body, connections, seconds })
    if (result.bad > 0) throw new Unavailable(`${result.bad} requests to ${url} were not answered with 2xx`)
    return result
  }
  const rows: SpreadRow[] = []
  let after = 0
  try {
    await warmUp({ url, body, connections: GROWING_CONNECTIONS })
    for (const size of plan.sizes) {
      while (after < size) after += (await load(GROWING_CONNECTIONS, GROWING_S)).answered
      for (const connections of plan.connections) {
        const taken: Omit<SpreadRow, 'after' | 'connections'>[] = []
        const begun = after
        for (let round = 0; round < plan.rounds; round += 1) {
          const usedUs = processorMeter(child.pid!)
          const { perSecond, answered, p50, p99 } = await load(connections, plan.seconds)
          const processor_us = usedUs() / answered
          taken.push({ per_second: perSecond, p50_ms: p50, p99_ms: p99, processor_us })
          after += answered
        }
        const of = (name: keyof (typeof taken)[number]) => Number(median(taken.map((row) => row[name]))!.toFixed(2))
        const figures = { per_second: of('per_second'), p50_ms: of('p50_ms'), p99_ms: of('p99_ms') }
        rows.push({ after: begun, connections, ...figures, processor_us: of('processor_us') })
      }
    }
  } finally {
    await endTarget(child)
  }
  return rows
}

export const spreadTable = (name: string, rows: readonly SpreadRow[]): string =>
  `\n${name}\n${rows
    .map(({ after, connections, per_second, p50_ms, p99_ms, processor_us }) =>
      [
        `${after} before`.padStart(16),
        `${connections} connections`.padStart(17),
        `${per_second}/s`.padStart(12),
        `p50 ${p50_ms} ms`.padStart(16),
        `p99 ${p99_ms} ms`.padStart(16),
        `${processor_us} us of processor`.padStart(24),
      ].join(''),
    )
    .join('\n')}\n`
