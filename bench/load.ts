// The load, in a process of its own: reads one job as JSON from the command line, prints one result as JSON.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { median } from './results.ts'
import { numbered } from './serial.ts'

export interface LoadJob {
  url: string
  body: unknown
  headers?: Record<string, string>
  connections: number
  seconds: number
  /** Requests a second over all connections; as many as are answered where it is not said. */
  rate?: number
}

export interface LoadResult {
  perSecond: number
  answered: number
  /** Milliseconds from the request to its answer. */
  p50: number
  p99: number
  /** Requests that got no 2xx: a run with any of these measures nothing. */
  bad: number
}

async function fire({ url, body, headers, connections, seconds }: LoadJob): Promise<LoadResult> {
  const waits: number[] = []
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
        connections,
        duration: seconds,
        requests: [{ setupRequest: (request) => ({ ...request, body: numbered(String(request.body)) }) }],
      },
      (error, done) => (error ? reject(error) : resolve(done)),
    )
    // Finer than the whole milliseconds of its own summary.
    run.on('response', (_client, _status, _bytes, waited) => waits.push(waited))
  })
  const bad = result.non2xx + result.errors + result.timeouts
  const answered = result['2xx']
  const p99 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? result.latency.p99
  return { perSecond: answered / result.duration, answered, p50: median(waits) ?? result.latency.p50, p99, bad }
}

const TICK_MS = 1
/** In its first seconds this program itself is slow: their waits are not counted, what they cost the service is. */
const SENDER_WARMING_S = 2

/** So many a second, evenly: each waits from the moment at which it was due, so that a service that falls behind is seen to.
 *  The other load sends the share of a second of all its connections at once. */
async function fireEvenly({
  url,
  body,
  headers,
  connections,
  seconds,
  rate,
}: LoadJob & { rate: number }): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const text = JSON.stringify(body)
  const waits: number[] = []
  let [answered, bad] = [0, 0]
  const ask = (due: number) =>
    new Promise<void>((resolve) => {
      const fail = () => {
        bad += 1
        resolve()
      }
      const options = { agent, method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
      const out = request(url, options, (reply) => {
        reply.on('error', fail).resume()
        reply.on('end', () => {
          if (reply.statusCode !== 200) return fail()
          answered += 1
          if (due - began >= SENDER_WARMING_S * 1_000) waits.push(performance.now() - due)
          resolve()
        })
      })
      out.on('error', fail).end(numbered(text))
    })
  const began = performance.now()
  const asked: Promise<void>[] = []
  const total = (SENDER_WARMING_S + seconds) * rate
  while (asked.length < total) {
    await pause(TICK_MS)
    const dueNow = Math.min(total, ((performance.now() - began) / 1_000) * rate)
    while (asked.length < dueNow) asked.push(ask(began + (asked.length / rate) * 1_000))
  }
  await Promise.all(asked)
  const took = (performance.now() - began) / 1_000 - SENDER_WARMING_S
  agent.destroy()
  const p99 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0
  return { perSecond: waits.length / took, answered, p50: median(waits) ?? 0, p99, bad }
}

if (import.meta.main) {
  const job = JSON.parse(process.argv[2] ?? '') as LoadJob
  const done = job.rate === undefined ? fire(job) : fireEvenly({ ...job, rate: job.rate })
  process.stdout.write(JSON.stringify(await done))
}
