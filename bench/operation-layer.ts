/** What the operation layer costs: requests a second through it, over those of the bare framework on the same machine.
 *  The two run in processes of their own and take turns, so that a busy moment of the machine meets both. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import autocannon from 'autocannon'

const CONNECTIONS = 50
const SECONDS = Number(process.argv[2] ?? 5)
const ROUNDS = Number(process.argv[3] ?? 3)
const BODY = JSON.stringify({
  session_id: 'bench-0001',
  text: 'summarise the quarterly report and send it to the finance channel',
  budget: 1200,
  tools: ['search', 'mail.send'],
})

async function start(target: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'targets', target)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { url, stop: () => child.kill('SIGTERM') }
}

async function rate(url: string, seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
    connections: CONNECTIONS,
    duration: seconds,
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} broken`)
  return result.requests.total / result.duration
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

const bare = await start('bare-fastify.ts')
const layer = await start('operation-layer.ts')
const rates = { bare: [] as number[], layer: [] as number[] }
for (const side of [bare, layer]) await rate(side.url, 2)
for (let round = 0; round < ROUNDS; round += 1) {
  rates.bare.push(await rate(bare.url, SECONDS))
  rates.layer.push(await rate(layer.url, SECONDS))
}
bare.stop()
layer.stop()
const measured = { bare_rps: Math.round(median(rates.bare)), layer_rps: Math.round(median(rates.layer)) }
process.stdout.write(
  `${JSON.stringify({
    ...measured,
    ratio: Math.round((measured.layer_rps / measured.bare_rps) * 1000) / 1000,
    connections: CONNECTIONS,
    seconds: SECONDS,
    rounds: rates,
  })}\n`,
)
