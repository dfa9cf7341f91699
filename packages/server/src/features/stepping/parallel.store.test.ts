import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { startApp } from '#testing/layer.ts'

import { settingsFor } from '#testing/ledger/crashes.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'

import { freshFolder } from '#testing/private-folder.ts'
import { type Answer, post, send } from '#testing/raw-http.ts'
import { type Service, startService } from '#testing/service.ts'
import { openLedger } from '../../ledger/ledger.ts'

let running: PostgresDatabases | null = null
after(() => running?.stop())
const database = async (name: string): Promise<string> => {
  running ??= await sharedPostgres()
  return running.createDatabase(name)
}

const url = (base: string, path: string) => `${base}/api/orch/v1/gdw/${path}`
const step = (base: string, body: object, headers = {}) => post(url(base, 'step'), JSON.stringify(body), headers)
const MAX_TRIES = 50

/** As a client does: where too many want the session at once, nothing was recorded and the same is asked again. */
async function stepUntilTaken(base: string, body: object): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await step(base, body)
    if (answer.json?.error?.code !== 'session_busy' || tries === MAX_TRIES) return answer
  }
}
const read = async (base: string, path: string) => (await send(url(base, path))).json

/** Each costs 0.01198 and must leave 0.02: a budget of 0.14 is good for ten. */
const report = (n: number) => ({
  session_id: 'contested',
  request: `read report number ${n} of this year`,
  risk_budget: 0.14,
  novelty: 1,
})

async function expectTwoHundred(bases: readonly string[]): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => stepUntilTaken(bases[n % bases.length]!, report(n))),
  )
  assert.deepEqual([...new Set(answers.map(({ status, text }) => (status === 200 ? 200 : text)))], [200])
  const steps = answers.map(({ json }) => json.step).sort((a, b) => a - b)
  assert.deepEqual(
    steps,
    Array.from({ length: 200 }, (_, at) => at + 1),
  )
  const allowed = answers.filter(({ json }) => json.decision === 'allow')
  assert.equal(allowed.length, 10)
  assert.equal(new Set(answers.map(({ json }) => json.receipt.digest)).size, 200)
  const session = await read(bases[0]!, 'sessions/contested')
  const spent = allowed.reduce((sum, { json }) => sum + Math.round(json.risk.charged * 1e6), 0)
  assert.deepEqual([session.step, Math.round(session.spent * 1e6)], [200, spent])
  assert.ok(session.spent <= session.budget)
  for (const base of bases) {
    const { ok, first_broken, records_total } = await read(base, 'integrity/global')
    assert.deepEqual([ok, first_broken, records_total], [true, null, 200])
  }
}

async function expectOneOfFiveHundred(bases: readonly string[]): Promise<void> {
  const body = { session_id: 'equal', request: 'read the audit log' }
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, n) => step(bases[n % bases.length]!, body, { 'x-request-id': 'the-same' })),
  )
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal(answers.filter(({ headers }) => headers['idempotent-replay'] === undefined).length, 1)
  const { step: recorded, effects } = await read(bases[0]!, 'sessions/equal')
  assert.equal(recorded, 1)
  assert.equal(effects.pending + effects.claimed + effects.exported, 2)
}

for (const store of ['sqlite', 'postgres'] as const)
  test(`${store}: 200 steps at once are dense, spend no more than there is and leave 200 receipts; 500 equal ones are one`, async (t) => {
    const unavailable = store === 'postgres' ? postgresUnavailable() : undefined
    if (unavailable) return t.skip(unavailable)
    const env: Record<string, string> = store === 'postgres' ? { ORCH_POSTGRES_URL: await database('parallel') } : {}
    const service = await startApp(t as never, { ORCH_STORE: store, ...env }, [])
    await expectTwoHundred([service.url])
    await expectOneOfFiveHundred([service.url])
  })

/** Two nodes share the key of the log, as an operator sets them up. */
async function twoNodes(t: TestContext, postgresUrl: string): Promise<[Service, Service]> {
  const folders = ['a', 'b'].map(() => freshFolder('stepping-node'))
  for (const folder of folders) t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [first, second] = folders.map((folder) => join(folder, 'data')) as [string, string]
  for (const folder of [first, second]) mkdirSync(folder, { mode: 0o700 })
  await (await openLedger(settingsFor(first, { store: 'postgres', postgresUrl }))).close()
  copyFileSync(join(first, 'log-key.pem'), join(second, 'log-key.pem'))
  const env = { ORCH_STORE: 'postgres', ORCH_POSTGRES_URL: postgresUrl, ORCH_LOG_LEVEL: 'fatal' }
  const nodes = await Promise.all([first, second].map((data) => startService({ data, env })))
  for (const node of nodes) t.after(() => node.close())
  return nodes as [Service, Service]
}

test('two processes on one database: the same holds, whichever node is asked', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const nodes = await twoNodes(t, await database('two_nodes'))
  const bases = nodes.map((node) => node.url)
  await expectTwoHundred(bases)
  await expectOneOfFiveHundred(bases)
})

for (const store of ['sqlite', 'postgres'] as const)
  test(`${store}: killed while it steps, nothing acknowledged is lost and a retried key spends nothing twice`, async (t) => {
    const unavailable = store === 'postgres' ? postgresUnavailable() : undefined
    if (unavailable) return t.skip(unavailable)
    const folder = freshFolder('stepping-crash')
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const postgres: Record<string, string> = store === 'postgres' ? { ORCH_POSTGRES_URL: await database('crash') } : {}
    const start = () =>
      startService({ data: join(folder, 'data'), env: { ORCH_STORE: store, ORCH_LOG_LEVEL: 'fatal', ...postgres } })
    const ask = (base: string, n: number) =>
      step(
        base,
        { session_id: 'crash', request: `read report number ${n}`, risk_budget: 1 },
        { 'x-request-id': `k${n}` },
      )
    let service = await start()
    const acknowledged = new Map<number, string>()
    const asked = Array.from({ length: 60 }, (_, n) => n)
    for (const round of [0, 1]) {
      const half = asked.slice(round * 30, round * 30 + 30).map((n) =>
        ask(service.url, n).then(
          ({ status, text }) => {
            if (status === 200) acknowledged.set(n, text)
            return acknowledged.size
          },
          // The connection broke with the process; whether it was recorded is what the retry finds out.
          () => 0,
        ),
      )
      await Promise.any(half.map((one) => one.then((size) => (size >= 5 ? size : Promise.reject(new Error('few'))))))
      await service.kill9()
      await Promise.all(half)
      service = await start()
    }
    t.after(() => service.close())
    t.diagnostic(`${acknowledged.size} of ${asked.length} were acknowledged before the kill`)
    assert.ok(acknowledged.size > 0)
    for (const [n, text] of acknowledged) assert.equal((await ask(service.url, n)).text, text)
    const answers = await Promise.all(asked.map((n) => ask(service.url, n)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const charged = answers.reduce((sum, { json }) => sum + Math.round(json.risk.charged * 1e6), 0)
    const session = await read(service.url, 'sessions/crash')
    assert.deepEqual([session.step, Math.round(session.spent * 1e6)], [60, charged])
    const { ok, first_broken } = await read(service.url, 'integrity/global')
    assert.deepEqual([ok, first_broken], [true, null])
  })
