// `npm run bench -- --overload`: far more requests at once than are answered in a second: what the service answers, whether
// each refusal says when to come back, and whether it answers as before afterwards. Several addresses of this machine send, since one client may
// hold so many connections and no more. Arguments: --only decision,step,chat  --connections 6000  --seconds 10
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { endTarget, type HttpTarget, startTarget, warmUp } from './http-load.ts'
import { Unavailable } from './scenario.ts'
import { numbered } from './serial.ts'

export interface Overload {
  connections: number
  seconds: number
  statuses: Record<string, number>
  /** Refusals with 429 or 503 that do not say when to come back. */
  without_retry_after: number
  /** Requests that got no answer at all. */
  lost: number
  /** What a request gets once the others are through. */
  afterwards: number
}

/** Under what the service lets one client hold. */
const OF_ONE_CLIENT = 900

export async function overloadOf(
  { target, body, env }: HttpTarget,
  { connections, seconds }: Pick<Overload, 'connections' | 'seconds'>,
): Promise<Overload> {
  const { child, url } = await startTarget(fileURLToPath(new URL(target, import.meta.url)), env)
  try {
    await warmUp({ url, body, connections: 256 })
    const found: Overload = { connections, seconds, statuses: {}, without_retry_after: 0, lost: 0, afterwards: 0 }
    const until = performance.now() + seconds * 1_000
    const text = JSON.stringify(body)
    const clients = Math.ceil(connections / OF_ONE_CLIENT)
    const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true }))
    const send = async (at: number) => {
      const client = at % clients
      while (performance.now() < until) {
        const answer = await answerTo(url, text, agents[client]!, `127.0.0.${client + 1}`)
        if (answer === null) found.lost += 1
        else {
          found.statuses[answer.status] = (found.statuses[answer.status] ?? 0) + 1
          if (answer.status !== 200 && !answer.saysWhen) found.without_retry_after += 1
        }
      }
    }
    await Promise.all(Array.from({ length: connections }, (_, at) => send(at)))
    for (const agent of agents) agent.destroy()
    const after = await answerTo(url, text, new Agent(), '127.0.0.1')
    if (after === null) throw new Unavailable(`${url} answers nothing after ${connections} connections`)
    return { ...found, afterwards: after.status }
  } finally {
    await endTarget(child)
  }
}

interface Answer {
  status: number
  saysWhen: boolean
}

function answerTo(url: string, text: string, agent: Agent, localAddress: string): Promise<Answer | null> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const out = request(url, { agent, method: 'POST', headers, localAddress }, (reply) => {
      reply.on('error', () => resolve(null)).resume()
      const saysWhen = Number(reply.headers['retry-after']) > 0
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, saysWhen }))
    })
    out.on('error', () => resolve(null)).end(numbered(text))
  })
}

export const overloadTable = (name: string, { connections, seconds, ...found }: Overload): string =>
  `\n${name}, ${connections} connections for ${seconds} s\n${JSON.stringify(found)}\n`
