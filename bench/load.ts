// The load, in a process of its own: reads one job as JSON from the command line, prints one result as JSON.
import autocannon from 'autocannon'
import { median } from './results.ts'

export interface LoadJob {
  url: string
  body: unknown
  headers?: Record<string, string>
  connections: number
  seconds: number
  /** Every `SERIAL` in the body becomes a word that no request before it had, every `SESSION` one that eight share. */
  distinct?: boolean
}

export const SERIAL = '{serial}'
/** One word for eight requests of a `distinct` job, no two of which are under way at once. */
export const SESSION = '{session}'

export interface LoadResult {
  perSecond: number
  /** Milliseconds from the request to its answer. */
  p50: number
  /** Requests that got no 2xx: a run with any of these measures nothing. */
  bad: number
}

async function fire({ url, body, headers, connections, seconds, distinct = false }: LoadJob): Promise<LoadResult> {
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
        ...(distinct && { requests: [{ setupRequest: numbered }] }),
      },
      (error, done) => (error ? reject(error) : resolve(done)),
    )
    // Finer than the whole milliseconds of its own summary.
    if (connections === 1) run.on('response', (_client, _status, _bytes, waited) => waits.push(waited))
  })
  const bad = result.non2xx + result.errors + result.timeouts
  return { perSecond: result['2xx'] / result.duration, p50: median(waits) ?? result.latency.p50, bad }
}

// Starts at the clock, so that a later round does not repeat an earlier one.
let next = Date.now() * 1000

function numbered(request: autocannon.Request): autocannon.Request {
  next += 1
  const body = String(request.body).replaceAll(SERIAL, next.toString(36)).replaceAll(SESSION, sessionOf(next))
  return { ...request, body }
}

const AT_A_TIME = 2_048
const REQUESTS_EACH = 8

/** So many sessions have their first request, then each its second, and so on. */
const sessionOf = (serial: number): string =>
  `${Math.floor(serial / (AT_A_TIME * REQUESTS_EACH)).toString(36)}-${(serial % AT_A_TIME).toString(36)}`

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await fire(JSON.parse(process.argv[2] ?? '') as LoadJob)))
}
