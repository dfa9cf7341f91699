// The median time of each organ's example over HTTP, beside the raw primitive under it in the same process. Prints JSON:
// milliseconds by name, `organ-n25` and `raw-n25`.
import { DatabaseSync } from 'node:sqlite'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { getQuickJS } from 'quickjs-emscripten'
import { buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { governRequest } from '../../packages/server/src/domain/policy/requests.ts'
import { benchFolder } from '../folder.ts'
import { median } from '../results.ts'
import { QUIET } from '../targets/serve.ts'

const RUNS = 40
const WARM_UPS = 10

const app = await buildApp(readConfig({ ORCH_PORT: '0', ORCH_DATA: benchFolder(), ...QUIET }))
const url = await app.http.listen({ host: '127.0.0.1', port: 0 })

async function medianMs(work: () => unknown): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < WARM_UPS + RUNS; at += 1) {
    const started = performance.now()
    await work()
    if (at >= WARM_UPS) times.push(performance.now() - started)
  }
  return median(times)!
}

async function post(path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await response.text()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
}

const facts = {
  owner: 'local',
  namespace: 'local',
  effect: 'write',
  tool: 'note_put',
  registered: { effect: 'write' },
} as const
const question = governRequest({ ...facts, rank: 0, tainted: false, approved: false })
const engine = await getQuickJS()
const texts = new DatabaseSync(':memory:')
texts.exec('CREATE VIRTUAL TABLE texts USING fts5(body)')
const add = texts.prepare('INSERT INTO texts (body) VALUES (?)')
for (let at = 0; at < 1000; at += 1) add.run(`document ${at} about keys, receipts and the log of number ${at % 17}`)
const find = texts.prepare('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10')
const validate = new Ajv2020().compile({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] })
const gateRequest = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const

/** What an organ leans on most; a receipt by itself where that is nothing but arithmetic. */
const PRIMITIVES: Readonly<Record<string, () => unknown>> = {
  N3: () => app.ports.gates.examine({ ...gateRequest, text: 'What is the capital of France?' }),
  N9: () => find.all('keys OR receipts'),
  N12: () => validate({ a: 1 }),
  N15: () => find.all('keys OR receipts'),
  N21: () => engine.evalCode('2*(3+4)'),
  N25: () => app.ports.policies.authorize(question),
}

const figures: Record<string, number> = {}
for (const { item, organ } of app.ports.organs.all.values()) {
  if (!app.ports.organs.isBuilt(organ.id)) continue
  const name = organ.id.toLowerCase()
  figures[`raw-${name}`] = await medianMs(
    PRIMITIVES[item.id] ?? (() => post('/api/orch/khipu/sign', { note: 'bench' })),
  )
  figures[`organ-${name}`] = await medianMs(() => post(`/api/orch/v1/organs/${organ.id}`, {}))
}
process.stdout.write(`${JSON.stringify(figures)}\n`)
await app.close()
