// The load, in a process of its own: reads one job as JSON from the command line, prints one result as JSON.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
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
  const text = JSON.stringify(body)
  const waits: number[] = []
  let [answered, bad] = [0, 0]
  const total = Math.floor((SENDER_WARMING_S + seconds) * rate)
  const done = Promise.withResolvers<void>()
  const open = () =>
    Connection.open(url, headers, () => done.reject(new Error('a connection was closed by the service')))
  const idle = await Promise.all(Array.from({ length: connections }, open))
  const all = [...idle]
  const waiting: number[] = []
  const began = performance.now()
  const ask = (connection: Connection, due: number) =>
    connection.ask(numbered(text), (status) => {
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

const END_OF_HEAD = '\r\n\r\n'

/** One request after the other over one socket. Exists for speed alone: Node's own client takes 0.55 ms of a processor for a
 *  request, a third of what the service takes for it on the same two cores (`/usr/bin/time node bench/load.ts JOB`). */
class Connection {
  private readonly socket: Socket
  private readonly head: string
  private received = ''
  private answer: (status: number) => void = () => undefined

  private constructor(socket: Socket, head: string) {
    this.socket = socket
    this.head = head
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('data', (chunk: string) => this.take(chunk))
  }

  /** `closed` is told when it ends by itself. */
  static async open(
    address: string,
    headers: Record<string, string> | undefined,
    closed: () => void,
  ): Promise<Connection> {
    const { hostname, port, host, pathname, search } = new URL(address)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const fields = Object.entries({ host, 'content-type': 'application/json', ...headers })
    const lines = [`POST ${pathname}${search} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
    // An error is followed by the end.
    socket.on('error', () => undefined).on('close', closed)
    return new Connection(socket, lines.join('\r\n'))
  }

  /** The status of the reply, once all of it has come. */
  ask(body: string, answer: (status: number) => void): void {
    this.answer = answer
    this.socket.write(`${this.head}\r\ncontent-length: ${Buffer.byteLength(body)}${END_OF_HEAD}${body}`)
  }

  private take(chunk: string): void {
    this.received += chunk
    const end = this.received.indexOf(END_OF_HEAD)
    if (end < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.received)?.[1])
    // One byte is one character here. A reply that does not tell its length is none that this load is for.
    if (this.received.length < end + END_OF_HEAD.length + length) return
    const status = Number.isNaN(length) ? 0 : Number(this.received.slice(9, 12))
    this.received = ''
    this.answer(status)
  }

  close(): void {
    this.socket.removeAllListeners('close').destroy()
  }
}

if (import.meta.main) {
  const job = JSON.parse(process.argv[2] ?? '') as LoadJob
  const done = job.rate === undefined ? fire(job) : fireEvenly({ ...job, rate: job.rate })
  process.stdout.write(JSON.stringify(await done))
}
