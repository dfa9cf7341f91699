// The load, in a process of its own: reads one job as JSON from the command line, prints one result as JSON.
import autocannon from 'autocannon'
import { median } from './results.ts'
import { numbered } from './serial.ts'

export interface LoadJob {
  url: string
  body: unknown
  headers?: Record<string, string>
  connections: number
  seconds: number
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

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await fire(JSON.parse(process.argv[2] ?? '') as LoadJob)))
}
