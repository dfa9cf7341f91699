// What must survive a restart, what a tampered file must show, what two nodes must share: on every durable store.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { type Service, startApp } from '#testing/layer.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'

const P = '/api/orch/v1'
let server: PostgresDatabases | null = null
after(() => server?.stop())

/** A service that can be stopped and started again on the same ledger. */
async function start(t: TestContext, env: Record<string, string>): Promise<Service & { stop(): Promise<void> }> {
  const cleanups: (() => Promise<void>)[] = []
  const service = await startApp({ after: (end) => cleanups.push(end) }, env)
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    for (const end of cleanups) await end()
  }
  t.after(stop)
  return { ...service, stop }
}

async function environment(store: 'sqlite' | 'postgres', name: string): Promise<Record<string, string>> {
  const data = join(freshFolder('durable'), 'data')
  if (store === 'sqlite') return { ORCH_STORE: store, ORCH_DATA: data }
  server ??= await sharedPostgres()
  return { ORCH_STORE: store, ORCH_DATA: data, ORCH_POSTGRES_URL: await server.createDatabase(name) }
}

const get = async (service: Service, path: string) => (await send(`${service.url}${path}`)).json
const mint = (service: Service, body: object, headers = {}) =>
  post(`${service.url}/api/orch/khipu/sign`, JSON.stringify(body), headers)

for (const store of ['sqlite', 'postgres'] as const)
  test(`${store}: a restart keeps receipts, proofs, keys, answers and the place of a stream`, async (t) => {
    const reason = store === 'postgres' ? postgresUnavailable() : undefined
    if (reason) return t.skip(reason)
    const env = await environment(store, 'restart')
    const first = await start(t, env)
    const once = { 'idempotency-key': 'once' }
    const minted = await mint(first, { once: true }, once)
    for (let at = 0; at < 5; at += 1) await mint(first, { at })
    const paths = [
      `${P}/receipts/${minted.json.digest}`,
      `${P}/keys`,
      '/api/orch/khipu/ledger',
      '/api/orch/khipu/dag?request=latest',
      '/api/lake/v1/receipts',
      '/api/lake/v1/health',
      `${P}/log/proof/consistency?from=1&to=6`,
      `/api/lake/v1/proof/${minted.json.digest}`,
    ]
    // Some of these show the newest checkpoint, which a timer would otherwise renew in between.
    await first.app.ports.ledger.checkpointNow()
    const before = await Promise.all(paths.map((path) => get(first, path)))
    await first.stop()
    const second = await start(t, env)
    for (const [at, path] of paths.entries()) assert.deepEqual(await get(second, path), before[at], path)
    assert.equal((await mint(second, { once: true }, once)).text, minted.text)
    assert.equal((await get(second, '/api/lake/v1/health')).store, store === 'sqlite' ? 'ledger.sqlite' : 'postgres')
    const report = await get(second, `${P}/verify/receipt/${minted.json.digest}`)
    assert.equal(report.verdict, 'PARTIAL', JSON.stringify(report.checks))
    const record = await get(second, `${P}/receipt/export`)
    assert.deepEqual(
      [record.export_state, record.ledger.integrity.state, record.ledger.startup_state],
      ['SIGNED_VERIFIED', 'VERIFIED', 'READY'],
    )
    const next = await mint(second, { after: 'restart' })
    assert.equal(next.json.node_index, 6)
  })

function edit(data: string, statement: string, ...values: (string | number | Uint8Array)[]): void {
  const db = new DatabaseSync(join(data, 'ledger.sqlite'))
  db.exec('DROP TRIGGER receipts_never_change; DROP TRIGGER receipts_never_leave')
  db.prepare(statement).run(...values)
  db.close()
}

const tampering: [what: string, statement: string, faulty: string[]][] = [
  [
    'an altered body',
    `UPDATE receipts SET body = CAST(replace(CAST(body AS TEXT), '"at":3', '"at":4') AS BLOB) WHERE node_index = ?`,
    ['signature', 'payload_digest', 'hash_chain'],
  ],
  ['an altered signature', 'UPDATE receipts SET sig = zeroblob(70) WHERE node_index = ?', ['signature', 'hash_chain']],
  ['an altered lake hash', 'UPDATE receipts SET lake = zeroblob(32) WHERE node_index = ?', ['hash_chain']],
]
for (const [what, statement, faulty] of tampering)
  test(`${what} in the file is found at its index by the organs, the report on the receipt and the export`, async (t) => {
    const env = await environment('sqlite', '')
    const first = await start(t, env)
    const receipts: { digest: string }[] = []
    for (let at = 0; at < 8; at += 1) receipts.push((await mint(first, { at })).json)
    await post(`${first.url}${P}/keys/rotate`)
    await first.stop()
    edit(env.ORCH_DATA!, statement, 3)
    const second = await start(t, env)
    const listing = await get(second, `${P}/khipu/organs`)
    assert.deepEqual([listing.ok, listing.verified_to, listing.broken.node_index], [false, 3, 3])
    const seen = listing.organs.map((one: { organ: string; links_intact: boolean; broken_at: number | null }) => [
      one.organ,
      one.links_intact,
      one.broken_at,
    ])
    assert.deepEqual(seen, [
      ['mint', false, 3],
      ['keys', true, null],
    ])
    const report = await get(second, `${P}/verify/receipt/${receipts[3]!.digest}`)
    assert.equal(report.verdict, 'FAIL')
    const named = report.checks.filter(({ status }: { status: string }) => status === 'MISMATCH')
    const found = named.map(({ check }: { check: string }) => check)
    for (const check of faulty) assert.ok(found.includes(check), `${check} in ${found}`)
    assert.equal((await get(second, `${P}/verify/receipt/${receipts[2]!.digest}`)).verdict, 'PARTIAL')
    assert.equal((await get(second, `${P}/verify/receipt/${receipts[5]!.digest}`)).verdict, 'FAIL')
    const record = await get(second, `${P}/receipt/export?digest=${receipts[3]!.digest}`)
    assert.equal(record.ok, false)
    assert.equal(record.ledger.integrity.state, 'BROKEN')
    if (faulty.includes('signature')) assert.equal(record.export_state, 'SIGNATURE_INVALID')
  })

test('a deleted row is found, its successor fails and the other chain still verifies', async (t) => {
  const env = await environment('sqlite', '')
  const first = await start(t, env)
  const receipts: { digest: string }[] = []
  for (let at = 0; at < 6; at += 1) receipts.push((await mint(first, { at })).json)
  const turned = (await post(`${first.url}${P}/keys/rotate`)).json
  await first.stop()
  edit(env.ORCH_DATA!, 'DELETE FROM receipts WHERE node_index = ?', 2)
  const second = await start(t, env)
  const listing = await get(second, `${P}/khipu/organs`)
  assert.deepEqual([listing.broken.node_index, listing.organs[0].broken_at], [2, 2])
  assert.equal((await send(`${second.url}${P}/verify/receipt/${receipts[2]!.digest}`)).status, 404)
  assert.equal((await get(second, `${P}/verify/receipt/${receipts[3]!.digest}`)).verdict, 'FAIL')
  assert.equal((await get(second, `${P}/verify/receipt/${turned.receipt.digest}`)).verdict, 'PARTIAL')
})

test('postgres: what one node appends comes out of the stream of another, once and in order', async (t) => {
  const reason = postgresUnavailable()
  if (reason) return t.skip(reason)
  const env = await environment('postgres', 'nodes')
  const one = await start(t, env)
  const data = join(freshFolder('durable'), 'data')
  mkdirSync(data, { recursive: true })
  copyFileSync(join(env.ORCH_DATA!, 'log-key.pem'), join(data, 'log-key.pem'))
  const other = await start(t, { ...env, ORCH_DATA: data })
  const leave = new AbortController()
  const reply = await fetch(`${other.url}${P}/events?after=-1`, { signal: leave.signal })
  const appending = (async () => {
    for (let at = 0; at < 20; at += 1) await mint(at % 2 === 0 ? one : other, { at })
  })()
  let text = ''
  for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.split('\nevent: receipt').length > 20) break
  }
  leave.abort()
  await appending
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))
  assert.deepEqual(
    ids,
    Array.from({ length: 20 }, (_, at) => at),
  )
  const [mine, theirs] = [await get(one, `${P}/khipu/organs`), await get(other, `${P}/khipu/organs`)]
  assert.deepEqual(mine.organs, theirs.organs)
  assert.equal(mine.ok, true)
})
