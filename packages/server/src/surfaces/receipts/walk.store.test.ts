// One changed byte of an old receipt, behind a running service: whichever surface is asked first finds it, and from then
// on all of them know.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { ReceiptDraft } from '@orch/core'
import { type Service, startApp } from '../../../../../scripts/testing/layer.ts'
import { outsidePostgres, outsideSqlite } from '../../../../../scripts/testing/outside-store.ts'
import { type PostgresServer, postgresUnavailable, startPostgres } from '../../../../../scripts/testing/postgres.ts'
import { freshFolder } from '../../../../../scripts/testing/private-folder.ts'
import { post, send } from '../../../../../scripts/testing/raw-http.ts'

const SIZE = 1_000
const P = '/api/orch/v1'

const draft = (at: number): ReceiptDraft => ({
  ns: 'public',
  chain: at % 3 === 0 ? 'mint' : 'governance',
  kind: 'mint',
  ts_utc: '2027-01-15T08:00:00.000Z',
  request_id: `r${at}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { n: at },
})
const fill = ({ app }: Service) =>
  Promise.all(Array.from({ length: SIZE }, (_, at) => app.ports.ledger.append(draft(at))))

type Reply = Awaited<ReturnType<typeof send>>['json']
type Walk = Record<'walked_now' | 'from_index' | 'to_index' | 'size' | 'signatures_checked_now', number> & {
  walked_at: string
  full_walk_ended_at: string | null
}
const row = (json: Reply) => json.requirements.find(({ req_id }: { req_id: string }) => req_id === 'SI7-1')

/** Each surface: where it is, whether it says that the ledger holds, and the walk it speaks of. */
const SURFACES: Record<string, { path: string; holds(json: Reply): boolean; walk(json: Reply): Walk | null }> = {
  organs: { path: `${P}/khipu/organs`, holds: ({ ok }) => ok, walk: ({ walk }) => walk },
  matrix: {
    path: `${P}/assurance/matrix`,
    holds: (json) => row(json).status === 'LIVE',
    walk: (json) => row(json).evidence.walk,
  },
  pack: {
    path: `${P}/assurance/evidence-pack`,
    holds: ({ pack }) => pack.khipu_organs.doctrine.khipu_integrity.startsWith('VERIFIED') || pack.khipu_organs.ok,
    walk: ({ pack }) => pack.khipu_organs.walk,
  },
  fit: {
    path: `${P}/assurance/fit`,
    holds: ({ fitting }) => fitting.length > 0,
    walk: ({ walk }) => walk,
  },
  'hash-chain': {
    path: `${P}/evidence/research/hash-chain/live`,
    holds: (json) => /"state":"OK"/.test(JSON.stringify(json)),
    walk: (json) => JSON.parse(/"walk":(\{[^}]*\})/.exec(JSON.stringify(json))![1]!),
  },
  export: {
    path: `${P}/receipt/export`,
    holds: ({ ok, ledger }) => ok || ledger.integrity.verified || ledger.integrity.state === 'VERIFIED',
    walk: ({ ledger }) => ledger.integrity.walk,
  },
}
const FOLLOWING = { readiness: '/api/readyz', rollup: '/api/orch/healthz', topology: '/operator-organ/topology.json' }

const ask = async ({ url }: Service, path: string) => send(`${url}${path}`)

/** Deterministic: the seed is in the name of the test. */
function numbers(seed: number, count: number): number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state % (SIZE - 10)
  })
}

async function assertBroken(service: Service, first: string): Promise<void> {
  for (const name of [first, ...Object.keys(SURFACES)]) {
    const { json, text } = await ask(service, SURFACES[name]!.path)
    assert.equal(SURFACES[name]!.holds(json), false, `${name} after ${first}: ${text.slice(0, 2_000)}`)
  }
  const { state } = service.app.ports.ledger
  assert.notEqual(state.call(service.app.ports.ledger).readOnly, null)
  assert.equal((await post(`${service.url}/api/orch/khipu/sign`, '{"n":1}')).status, 503)
  assert.equal((await ask(service, FOLLOWING.readiness)).status, 503)
  const { json: rollup } = await ask(service, FOLLOWING.rollup)
  assert.deepEqual([rollup.status, rollup.rollup.ledger.integrity], ['degraded', 'BROKEN'])
  assert.equal((await ask(service, FOLLOWING.topology)).json.core.healthy, false)
  const { text: metrics } = await ask(service, '/metrics')
  assert.match(metrics, /^orch_ledger_readonly 1$/m)
  const { json: pack, text } = await ask(service, SURFACES.pack!.path)
  assert.equal(pack.signature.signed, true)
  assert.doesNotMatch(text, /VERIFIED: /)
}

async function assertWhole(service: Service): Promise<void> {
  for (const [name, { path, holds, walk }] of Object.entries(SURFACES)) {
    const { json, text } = await ask(service, path)
    assert.equal(holds(json), true, `${name}: ${text.slice(0, 2_000)}`)
    const figures = walk(json)!
    assert.equal(figures.to_index - figures.from_index + 1, figures.walked_now, name)
    assert.deepEqual([figures.from_index, figures.size, figures.walked_now], [0, SIZE, SIZE], name)
    assert.equal(figures.signatures_checked_now, SIZE, name)
    assert.ok(figures.full_walk_ended_at !== null && figures.walked_at <= figures.full_walk_ended_at, name)
  }
}

let running: PostgresServer | null = null
after(() => running?.stop())

const seeded = freshFolder('walk')
const sqlite = (data: string) => ({ ORCH_STORE: 'sqlite', ORCH_DATA: data })

test('sqlite: a ledger that nobody touched is verified by every surface, with figures that add up', async (t) => {
  const service = await startApp(t, sqlite(join(seeded, 'data')), [])
  await fill(service)
  await assertWhole(service)
  await service.stop()
})

for (const [at, first] of Object.keys(SURFACES).entries()) {
  const index = numbers(20_270_115, 6)[at]!
  test(`sqlite: a byte changed at index ${index} is found by ${first} and known to all`, async (t) => {
    const data = join(freshFolder('walk'), 'data')
    cpSync(join(seeded, 'data'), data, { recursive: true })
    const service = await startApp(t, sqlite(data), [])
    const outside = await outsideSqlite(data)
    t.after(() => outside.close())
    // Behind the walk of the start, so that none but a new one can find it.
    while ((await service.app.ports.ledger.newestWalk()).full_walk_at === null) await new Promise(setImmediate)
    await outside.run('UPDATE receipts SET body = $1 WHERE node_index = $2', await changed(service, index), index)
    await assertBroken(service, first)
  })
}

async function changed({ app }: Service, index: number): Promise<Uint8Array> {
  const { body } = (await app.ports.ledger.reader.byIndex(index))!
  const bytes = new Uint8Array(body)
  bytes[bytes.length - 5]! ^= 1
  return bytes
}

test('postgres: a changed byte is found and known to all', { skip: postgresUnavailable() ?? false }, async (t) => {
  running = await startPostgres()
  const url = await running.createDatabase('walk')
  const env = { ORCH_STORE: 'postgres', ORCH_POSTGRES_URL: url, ORCH_DATA: join(freshFolder('walk'), 'data') }
  const whole = await startApp(t, env, [])
  await fill(whole)
  await assertWhole(whole)
  await whole.stop()
  const service = await startApp(t, env, [])
  const outside = await outsidePostgres(url)
  t.after(() => outside.close())
  await outside.run('UPDATE receipts SET body = $1 WHERE node_index = $2', await changed(service, 421), 421)
  await assertBroken(service, 'organs')
})
