// One changed byte of an old receipt, behind a running service: whichever surface is asked first finds it, and from then
// on all of them know.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { ReceiptDraft } from '@orch/core'
import { type Service, startApp } from '#testing/layer.ts'
import { outsidePostgres, outsideSqlite } from '#testing/outside-store.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'

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
/** What speaks of one chain, asked once the break is known: whether it still says that the chain holds to its end. */
const OF_CHAIN: Record<
  string,
  { path(digest: string, organ: string): string; holds(json: Reply, organ: string): boolean }
> = {
  'verify/receipt': {
    path: (digest) => `${P}/verify/receipt/${digest}`,
    holds: (json) => chainCheck(json) === 'VERIFIED',
  },
  'khipu/verify': { path: (digest) => `${P}/khipu/verify/${digest}`, holds: (json) => chainCheck(json) === 'VERIFIED' },
  attest: { path: (digest) => `${P}/attest/${digest}`, holds: (json) => /CHAIN-VERIFIED/.test(JSON.stringify(json)) },
  'khipu/chain': { path: (_, organ) => `${P}/khipu/chain/${organ}`, holds: ({ links_intact }) => links_intact },
  'lake head': {
    path: (_, organ) => `/api/lake/v1/chain/head?organ=${organ}`,
    holds: ({ heads }) => heads[0].verified_to === heads[0].chain_index,
  },
  'lake heads': {
    path: () => '/api/lake/v1/chain/head',
    holds: ({ heads }, organ) => {
      const head = heads.find((one: { organ: string }) => one.organ === organ)
      return head.verified_to === head.chain_index
    },
  },
  readiness: {
    path: () => '/api/readyz',
    holds: ({ components }) =>
      components.ledger.detail.verified_to === SIZE || components.ledger.detail.broken_at === null,
  },
}
const chainCheck = ({ checks }: Reply) => checks.find(({ check }: { check: string }) => check === 'hash_chain').status
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

/** Of the newest receipt of the chain that was changed, long after the change. */
async function assertChainBroken(service: Service, index: number): Promise<void> {
  const organ = draft(index).chain
  const { digest } = (await service.app.ports.ledger.reader.byIndex(organ === 'mint' ? SIZE - 1 : SIZE - 2))!
  for (const [name, { path, holds }] of Object.entries(OF_CHAIN)) {
    const { json, text } = await ask(service, path(digest, organ))
    assert.equal(holds(json, organ), false, `${name}: ${text.slice(0, 2_000)}`)
  }
  const { ledger } = (await ask(service, FOLLOWING.readiness)).json.components
  const { verified_to, broken_at } = ledger.detail
  assert.deepEqual([verified_to, broken_at], [index, index])
}

async function assertBroken(service: Service, first: string, index: number): Promise<void> {
  await ask(service, SURFACES[first]!.path)
  await assertChainBroken(service, index)
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
  const { ledger } = service.app.ports
  while ((await ledger.audit()).walked_to < SIZE);
  const { digest } = (await ledger.reader.byIndex(SIZE - 1))!
  for (const [name, { path, holds }] of Object.entries(OF_CHAIN)) {
    const { json, text } = await ask(service, path(digest, 'mint'))
    assert.equal(holds(json, 'mint'), true, `${name}: ${text.slice(0, 2_000)}`)
  }
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

let running: PostgresDatabases | null = null
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
    await assertBroken(service, first, index)
  })
}

test('sqlite: a break that the verification of one receipt finds is known to every surface, with its index', async (t) => {
  const data = join(freshFolder('walk'), 'data')
  cpSync(join(seeded, 'data'), data, { recursive: true })
  const service = await startApp(t, sqlite(data), [])
  const outside = await outsideSqlite(data)
  t.after(() => outside.close())
  while ((await service.app.ports.ledger.newestWalk()).full_walk_at === null) await new Promise(setImmediate)
  const { detail } = (await ask(service, FOLLOWING.readiness)).json.components.ledger
  const { from_index, to_index, size } = detail.walk
  assert.deepEqual([detail.integrity, from_index, to_index, size], ['VERIFIED', 0, SIZE - 1, SIZE])
  const index = 200
  const { digest, body } = (await service.app.ports.ledger.reader.byIndex(index))!
  await outside.run('UPDATE receipts SET body = $1 WHERE node_index = $2', await changed(service, index), index)
  await ask(service, `${P}/verify/receipt/${digest}`)
  await assertChainBroken(service, index)
  // Whoever puts the old bytes back has still changed them once.
  await outside.run('UPDATE receipts SET body = $1 WHERE node_index = $2', body, index)
  await assertBroken(service, 'organs', index)
})

/** Reads that walk nothing: what each answers where it meets the changed bytes. */
const READS: Record<string, { path(digest: string): string; status: number | 'cut short' }> = {
  receipt: { path: (digest) => `${P}/receipts/${digest}`, status: 503 },
  canonical: { path: (digest) => `${P}/receipts/${digest}/canonical`, status: 503 },
  inclusion: { path: (digest) => `${P}/log/proof/inclusion?digest=${digest}`, status: 503 },
  'ledger/export': { path: () => `${P}/ledger/export`, status: 'cut short' },
  'khipu/ledger': { path: () => '/api/orch/khipu/ledger?limit=100', status: 200 },
}

for (const [name, { path, status }] of Object.entries(READS))
  test(`sqlite: changed bytes that ${name} reads are a break that all know`, async (t) => {
    const data = join(freshFolder('walk'), 'data')
    cpSync(join(seeded, 'data'), data, { recursive: true })
    const service = await startApp(t, sqlite(data), [])
    const outside = await outsideSqlite(data)
    t.after(() => outside.close())
    while ((await service.app.ports.ledger.newestWalk()).full_walk_at === null) await new Promise(setImmediate)
    const index = SIZE - 20
    const { digest } = (await service.app.ports.ledger.reader.byIndex(index))!
    await outside.run('UPDATE receipts SET body = $1 WHERE node_index = $2', await changed(service, index), index)
    const answered = await ask(service, path(digest)).catch(() => null)
    assert.equal(answered?.status ?? 'cut short', status, String(answered?.text.slice(0, 2_000)))
    if (status === 503) assert.match(answered!.text, /"ledger_unavailable"/)
    await assertChainBroken(service, index)
  })

async function changed({ app }: Service, index: number): Promise<Uint8Array> {
  const { body } = (await app.ports.ledger.reader.byIndex(index))!
  const bytes = new Uint8Array(body)
  bytes[bytes.length - 5]! ^= 1
  return bytes
}

test('postgres: a changed byte is found and known to all', { skip: postgresUnavailable() ?? false }, async (t) => {
  running = await sharedPostgres()
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
  await assertBroken(service, 'organs', 421)
})
