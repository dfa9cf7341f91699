// The load of an overload, in a process of its own: reads one job as JSON from the command line, prints one result as JSON.
// Requests are sent when they are due, whether or not those before were answered, each over a connection of its own while it
// waits.
import { setTimeout as pause } from 'node:timers/promises'
import { Connection } from './connection.ts'
import { numbered } from './serial.ts'

export interface OverloadJob {
  url: string
  body: unknown
  /** Requests a second. */
  rate: number
  seconds: number
  /** Which may be open at once. */
  connections: number
}

export interface Answers {
  sent: number
  /** Due while every connection waited for an answer, and so never sent. */
  unsent: number
  statuses: Record<string, number>
  /** Answers other than 200 that do not say when to come back. */
  without_retry_after: number
  /** Requests whose connection was closed without an answer. */
  closed: number
  /** Requests that were still waiting after all of the patience. */
  unanswered: number
  /** Most that waited for their answers at once. */
  waiting: number
  /** Of those that were answered with 200, in milliseconds from when they were due. */
  p50_ms: number
  p99_ms: number
}

/** Under what the service lets one client hold, so several addresses of this machine send. */
const OF_ONE_CLIENT = 900
const AT_A_TIME = 250
const TICK_MS = 1
/** The service answers within a minute or says that it does not. */
const PATIENCE_MS = 75_000

const NOTHING = { closed: 0, unanswered: 0, waiting: 0, p50_ms: 0, p99_ms: 0 }

async function flood({ url, body, rate, seconds, connections }: OverloadJob): Promise<Answers> {
  const text = JSON.stringify(body)
  const found: Answers = { sent: 0, unsent: 0, statuses: {}, without_retry_after: 0, ...NOTHING }
  const waits: number[] = []
  const idle = await openAll(url, connections, () => {
    found.unanswered -= 1
    found.closed += 1
  })
  const send = (due: number) => {
    const [connection] = idle
    if (connection === undefined) {
      found.unsent += 1
      return
    }
    idle.delete(connection)
    found.sent += 1
    found.unanswered += 1
    found.waiting = Math.max(found.waiting, found.unanswered)
    connection.ask(numbered(text), ({ status, saysWhen }) => {
      found.unanswered -= 1
      idle.add(connection)
      found.statuses[status] = (found.statuses[status] ?? 0) + 1
      if (status === 200) waits.push(performance.now() - due)
      else if (!saysWhen) found.without_retry_after += 1
    })
  }
  const began = performance.now()
  const total = Math.floor(rate * seconds)
  for (let due = 0; due < total; ) {
    await pause(TICK_MS)
    const now = Math.min(total, Math.ceil(((performance.now() - began) / 1_000) * rate))
    for (; due < now; due += 1) send(began + (due / rate) * 1_000)
  }
  const end = performance.now() + PATIENCE_MS
  while (found.unanswered > 0 && performance.now() < end) await pause(100)
  waits.sort((a, b) => a - b)
  const share = (of: number) => Math.round(waits[Math.floor(waits.length * of)] ?? 0)
  return { ...found, p50_ms: share(0.5), p99_ms: share(0.99) }
}

/** Opened beforehand and a few at a time: the system itself drops what comes faster than a busy service accepts, and that is not
 *  what is measured. `lost` is called where one is closed while a request waits on it. */
async function openAll(url: string, connections: number, lost: () => void): Promise<Set<Connection>> {
  const idle = new Set<Connection>()
  for (let at = 0; at < connections; at += AT_A_TIME)
    await Promise.all(
      Array.from({ length: Math.min(AT_A_TIME, connections - at) }, async (_, next) => {
        const localAddress = `127.0.0.${Math.floor((at + next) / OF_ONE_CLIENT) + 1}`
        const own: Connection = await Connection.open(url, { localAddress, closed: () => idle.delete(own) || lost() })
        await own.greet()
        idle.add(own)
      }),
    )
  return idle
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await flood(JSON.parse(process.argv[2] ?? '') as OverloadJob)))
  process.exit(0)
}
