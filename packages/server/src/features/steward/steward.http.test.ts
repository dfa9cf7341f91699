import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { outsideSqlite } from '#testing/outside-store.ts'
import { post, send } from '#testing/raw-http.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { CHECK_IDS } from './check.ts'
import { recordChange } from './record-change.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [], { resultKeepMs: 0 })
const STEWARD = '/api/orch/v1/steward'
/** On a machine that has no time a check may run over its budget, which is not what is asked here. */
const patiently = async (url: string, method = 'GET', tries = 20): ReturnType<typeof send> => {
  const answer = await send(url, { method })
  return tries > 1 && answer.text.includes('CHECK_TIMEOUT') ? patiently(url, method, tries - 1) : answer
}
const get = (path: string, method = 'GET') => patiently(`${service.url}${path}`, method)
const sign = (url: string, text: string) =>
  post(`${url}/api/orch/khipu/sign`, JSON.stringify({ payload: { text } })).then(({ status }) =>
    assert.equal(status, 200),
  )
type Row = { id: string; state: string; label: string; subjects: string[]; observed: Record<string, unknown> }
const checkOf = (json: { audit: { checks: Row[] } }, id: string): Row => json.audit.checks.find((one) => one.id === id)!

test('the audit runs every check once, reads what it says and appends nothing', async () => {
  await sign(service.url, 'one')
  const { size, root } = service.app.ports.ledger.state()
  const { status, json } = await get(`${STEWARD}/status`)
  assert.deepEqual([status, json.schema, json.state], [200, 'orch.steward.surface/v1', 'CURRENT'])
  assert.deepEqual(json.audit.checks.map(({ id }: Row) => id).sort(), [...CHECK_IDS].sort())
  const errors = json.audit.checks.filter(({ state }: Row) => state === 'ERROR')
  assert.deepEqual(errors, [])
  for (const id of ['chain_rewalk', 'locked_set', 'formula_checks', 'self_tests', 'artifacts'])
    assert.equal(checkOf(json, id).state, 'PASS', JSON.stringify(checkOf(json, id)))
  assert.deepEqual(json.integrity, { chain_valid: true, latest_hash: root, signature_status: 'DEMO' })
  assert.equal(checkOf(json, 'ledger_durability').state, 'WARN', 'a ledger in memory is not durable')
  assert.equal(json.production_ready, false)
  assert.equal(service.app.ports.ledger.state().size, size)
})

test('the inventory is that of the router: what is served is not missing, and steward itself is there', async () => {
  const { json } = await get(`${STEWARD}/status`)
  const { missing, extra } = checkOf(json, 'route_inventory').observed as { missing: string[]; extra: string[] }
  assert.ok(!missing.includes(`GET ${STEWARD}/status`))
  assert.ok(!missing.includes('GET /api/orch/v1/formula-tiers'))
  assert.ok(extra.includes('GET /api/orch/v1/keys'), extra.join())
  for (const route of missing) {
    const [method, path] = route.split(' ') as [string, string]
    const { status } = await get(path.replaceAll(/\{[^}]*\}/g, 'x'), method)
    assert.equal(status, 404, route)
  }
})

test('an operation that is not mounted is named as missing, in the check and in a proposal', async (t) => {
  const { url } = await startApp(t, { ORCH_STORE: 'memory' }, [], { omit: ['formulas.tiers'] })
  const { json: status } = await patiently(`${url}${STEWARD}/status`)
  const { state, observed } = checkOf(status, 'route_inventory')
  assert.equal(state, 'FAIL')
  assert.ok((observed.missing as string[]).includes('GET /api/orch/v1/formula-tiers'))
  const { json } = await patiently(`${url}${STEWARD}/proposals`)
  const proposal = json.proposals.find(({ rule }: { rule: string }) => rule === 'steward.route_inventory/v1')
  assert.ok(proposal.evidence_refs.includes('GET /api/orch/v1/formula-tiers'))
  assert.deepEqual([json.label, proposal.label], ['MODELED', 'MODELED'])
})

test('a link that was tampered with fails the re-walk, and a proposal names its index', async (t) => {
  const { url, data } = await startApp(t, {}, [])
  for (const text of ['one', 'two', 'three', 'four']) await sign(url, text)
  const store = await outsideSqlite(data)
  const [row] = await store.run('SELECT body FROM receipts WHERE node_index = $1', 1)
  const body = Buffer.from(row!.body as Uint8Array)
  body[body.length - 3]! ^= 1
  await store.run('UPDATE receipts SET body = $1 WHERE node_index = $2', body, 1)
  await store.close()
  const { status, json } = await patiently(`${url}${STEWARD}/status`)
  const walk = checkOf(json, 'chain_rewalk')
  assert.deepEqual([status, walk.state, walk.observed.broken_at], [200, 'FAIL', 1])
  assert.equal(json.integrity.chain_valid, false)
  const { json: found } = await patiently(`${url}${STEWARD}/proposals`)
  const [first] = found.proposals
  const restore = found.proposals.find(({ rule }: { rule: string }) => rule === 'steward.chain_rewalk/v1')
  assert.match(restore.title, /node_index 1:/)
  assert.ok(found.proposals.every(({ priority }: { priority: number }) => priority <= first.priority))
})

test('other methods are 405 with Allow, an unknown suffix is 404, and both say that nothing is changed here', async () => {
  for (const path of ['status', 'proposals'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers, json } = await get(`${STEWARD}/${path}`, method)
      assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], `${method} ${path}`)
      assert.deepEqual([json.error.code, json.mutation_policy], ['method_not_allowed', 'PROPOSAL_ONLY'])
    }
  for (const path of [`${STEWARD}/apply`, `${STEWARD}/status/x`, STEWARD, `${STEWARD}/`]) {
    const { status, json } = await get(path)
    assert.deepEqual([status, json.mutation_policy], [404, 'PROPOSAL_ONLY'], path)
  }
  for (const path of ['/api/orch/v1/stewards', '/api/orch/v1/nothing'])
    assert.equal((await get(path)).json.mutation_policy, undefined, path)
  assert.equal((await get(`${STEWARD}/status`, 'HEAD')).status, 200)
})

test('many who ask at once share one audit, and those who came later are told so', async (t) => {
  const { url } = await startApp(t, { ORCH_STORE: 'memory' }, [])
  const all = await Promise.all(Array.from({ length: 20 }, () => send(`${url}${STEWARD}/status`)))
  const ids = new Set(all.map(({ json }) => json.audit.id))
  assert.equal(ids.size, 1)
  const { json } = await patiently(`${url}${STEWARD}/status`)
  assert.ok(ids.has(json.audit.id))
  assert.ok(json.audit.checks.every(({ label }: Row) => label !== 'MEASURED'))
  const [one, other] = [await patiently(`${url}${STEWARD}/proposals`), await patiently(`${url}${STEWARD}/proposals`)]
  assert.deepEqual(one.json.proposals, other.json.proposals)
})

test('one receipt is appended when the findings change, and none while they are the same', async () => {
  const { ledger, clock, steward } = service.app.ports
  const { observed } = await steward.observe()
  const before = ledger.state().size
  await recordChange({ ledger, clock }, observed.audit!)
  await recordChange({ ledger, clock }, observed.audit!)
  assert.equal(ledger.state().size, before + 1)
  const row = await ledger.reader.byIndex(before)
  const { kind, chain, payload } = bodyOf(row!)!
  assert.deepEqual([kind, chain, payload.findings_sha256], ['analysis', 'steward', observed.audit!.digest])
  await recordChange({ ledger, clock }, { ...observed.audit!, digest: 'f'.repeat(64) })
  assert.equal(ledger.state().size, before + 2)
})
