// `npm run bench -- --overload`: more requests a second than are answered, sent when they are due whether or not those before
// were answered (overload-load.ts), until the service refuses some or every connection waits. Told are the answers, whether each
// refusal says when to come back, how long the accepted ones waited, the highest memory, and whether it answers as before
// afterwards. Arguments: --only decision,mint  --connections 9000  --seconds 10  --rounds 3
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endTarget, fire, type HttpTarget, startTarget, warmUp } from './http-load.ts'
import { residentMiB } from './memory.ts'
import type { Answers, OverloadJob } from './overload-load.ts'
import { Unavailable } from './scenario.ts'
import { untilIdle } from './thread-clocks.ts'

export interface OverloadRound extends Answers {
  /** What was answered right before with 256 connections, and what was then asked. */
  answered_per_second: number
  asked_per_second: number
  highest_mib: number
  /** Whether all is answered with 200 once the others are through. */
  recovered: boolean
}

export interface Overload {
  connections: number
  seconds: number
  rounds: OverloadRound[]
}

const LOAD = fileURLToPath(new URL('./overload-load.ts', import.meta.url))
/** So many times what is answered, which fills the connections within ten seconds on a slow machine too. */
const TIMES = 6
const SAMPLE_MS = 250
/** That of the service where nobody set one. */
const DEFAULT_LEVEL = 'info'
const MAX_CATCHING_UP_MS = 60_000

export async function overloadOf(
  { target, body, env }: HttpTarget,
  plan: { connections: number; seconds: number; passes: number },
): Promise<Overload> {
  const { connections, seconds } = plan
  // Each refusal is a line of the log, which belongs to what it costs.
  const logging = { ...env, BENCH_LOG_LEVEL: DEFAULT_LEVEL }
  const { child, url } = await startTarget(fileURLToPath(new URL(target, import.meta.url)), logging, [], 'ignore')
  const few = { url, body, connections: 256 }
  try {
    await warmUp(few)
    const samples: OverloadRound[] = []
    while (samples.length < plan.passes) {
      const { perSecond, bad } = await fire({ ...few, seconds: 4 })
      if (bad > 0) throw new Unavailable(`${bad} requests to ${url} were refused before there were too many`)
      const rate = Math.ceil(perSecond * TIMES)
      const { highest, found } = await watched(child.pid!, { url, body, rate, seconds, connections })
      const after = await fire({ ...few, connections: 1, seconds: 1 })
      const figures = { answered_per_second: Math.round(perSecond), asked_per_second: rate, highest_mib: highest }
      samples.push({ ...figures, ...found, recovered: after.answered > 0 && after.bad === 0 })
      await untilIdle(child.pid!, MAX_CATCHING_UP_MS)
    }
    return { connections, seconds, rounds: samples }
  } finally {
    await endTarget(child)
  }
}

async function watched(pid: number, job: OverloadJob): Promise<{ highest: number; found: Answers }> {
  let highest = 0
  const watch = setInterval(() => {
    highest = Math.max(highest, residentMiB(pid))
  }, SAMPLE_MS)
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(job)])
    return { highest, found: JSON.parse(stdout) as Answers }
  } finally {
    clearInterval(watch)
  }
}

export const overloadTable = (name: string, { connections, seconds, rounds: samples }: Overload): string =>
  `\n${name}, ${connections} connections for ${seconds} s\n${samples.map((round) => JSON.stringify(round)).join('\n')}\n`
