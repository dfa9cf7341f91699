// The load, in a process of its own: reads one job as JSON from the command line, prints one result as JSON.
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { Connection } from './connection.ts'
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
  const text = JSON.stringify(body)
  const waits: number[] = []
  let [answered, bad] = [0, 0]
  const total = Math.floor((SENDER_WARMING_S + seconds) * rate)
  const done = Promise.withResolvers<void>()
  const open = () =>
    Connection.open(url, { headers, closed: () => done.reject(new Error('a connection was closed by the service')) })
  const idle = await Promise.all(Array.from({ length: connections }, open))
  const all = [...idle]
  const waiting: number[] = []
  const began = performance.now()
  const ask = (connection: Connection, due: number) =>
    connection.ask(numbered(text), ({ status }) => {
      if (status !== 200) bad += 1
      else {
        answered += 1
        if (due - began >= SENDER_WARMING_S * 1_000) waits.push(performance.now() - due)
      }
      const next = waiting.shift()
      if (next !== undefined) ask(connection, next)
      else idle.push(connection)
      if (answered + bad === total) done.resolve()
    })
  for (let sent = 0; sent < total; ) {
    await pause(TICK_MS)
    const dueNow = Math.min(total, Math.ceil(((performance.now() - began) / 1_000) * rate))
    for (; sent < dueNow; sent += 1) {
      const due = began + (sent / rate) * 1_000
      const connection = idle.shift()
      if (connection === undefined) waiting.push(due)
      else ask(connection, due)
    }
  }
  await done.promise
  const took = (performance.now() - began) / 1_000 - SENDER_WARMING_S
  for (const connection of all) connection.close()
  const p99 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0
  return { perSecond: waits.length / took, answered, p50: median(waits) ?? 0, p99, bad }
}

if (import.meta.main) {
  const job = JSON.parse(process.argv[2] ?? '') as LoadJob
  const done = job.rate === undefined ? fire(job) : fireEvenly({ ...job, rate: job.rate })
  process.stdout.write(JSON.stringify(await done))
}
