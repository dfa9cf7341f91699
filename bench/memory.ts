// `npm run bench -- --memory`: resident memory of the service as requests come in, over --connections of them at once.
// Arguments: --only decision,step,chat  --requests 100000  --connections 32,256  --rounds 3
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endTarget, fire, type HttpTarget, startTarget } from './http-load.ts'
import { Unavailable } from './scenario.ts'

export interface MemoryRow {
  requests: number
  rss_mib: number
}

/** Each round is a service of its own, from its start on. */
export interface Memory {
  runs: { connections: number; rounds: MemoryRow[][] }[]
}

/** Between two readings. */
const SECONDS = 10

export async function memoryOf(
  target: HttpTarget,
  plan: { requests: number; connections: readonly number[]; passes: number },
): Promise<Memory> {
  const runs = plan.connections.map((connections) => ({ connections, rounds: [] as MemoryRow[][] }))
  for (let round = 0; round < plan.passes; round += 1)
    for (const { connections, rounds: samples } of runs)
      samples.push(await oneRound(target, plan.requests, connections))
  return { runs }
}

async function oneRound(
  { target, body, env }: HttpTarget,
  requests: number,
  connections: number,
): Promise<MemoryRow[]> {
  const { child, url } = await startTarget(fileURLToPath(new URL(target, import.meta.url)), env)
  try {
    const rows = [{ requests: 0, rss_mib: residentMiB(child.pid!) }]
    for (let sent = 0; sent < requests; ) {
      const { answered, bad } = await fire({ url, body, connections, seconds: SECONDS })
      if (bad > 0) throw new Unavailable(`${bad} requests to ${url} were not answered with 2xx`)
      sent += answered
      rows.push({ requests: sent, rss_mib: residentMiB(child.pid!) })
    }
    return rows
  } finally {
    await endTarget(child)
  }
}

export const residentMiB = (pid: number): number =>
  Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)

export const memoryTable = (name: string, { runs }: Memory): string =>
  runs
    .flatMap(({ connections, rounds: samples }) =>
      samples.map(
        (rows, at) => `\n${name}, ${connections} connections, round ${at + 1}\n${rows.map(line).join('\n')}\n`,
      ),
    )
    .join('')

const line = ({ requests, rss_mib }: MemoryRow): string =>
  `${String(requests).padStart(9)} requests${`${rss_mib} MiB`.padStart(10)}`
