import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { send } from '#testing/raw-http.ts'
import { tokenDigest } from '../../adapters/credentials.ts'

const folder = freshFolder('stepping-access')
after(() => rmSync(folder, { recursive: true, force: true }))
const registry = join(folder, 'registry.json')
const entry = (id: string, owner: string, more: object) => ({
  key_id: id,
  namespace: id === 'elsewhere' ? 'others' : 'team',
  owner_id: owner,
  token_sha256: Buffer.from(tokenDigest(`token-${id}`)).toString('hex'),
  ...more,
})
writeFileSync(
  registry,
  JSON.stringify({
    credentials: [
      entry('user', 'ann', { role: 'user' }),
      entry('rotated', 'ann', { role: 'user' }),
      entry('second', 'ben', { role: 'user' }),
      entry('elsewhere', 'ann', { role: 'user' }),
      entry('operator', 'olga', { role: 'operator' }),
      entry('admin', 'ada', { role: 'admin' }),
      entry('nothing', 'nil', { scopes: ['receipts:read'] }),
      entry('drainer', 'dan', { scopes: ['effects:recover'] }),
      entry('gone', 'gus', { role: 'admin', revoked: true }),
    ],
  }),
  { mode: 0o600 },
)
const quotas = 'sessions=3/50,steps=1000/1000,effects=1000/1000,reviews=2/50,bytes=100000000/100000000'
const service = await startApp({ after }, { ORCH_CREDENTIALS: registry, ORCH_GDW_QUOTAS: quotas }, [])
const BASES = ['/api/orch/v1/gdw', '/v1/gdw']

const ask = (who: string | null, method: string, path: string, body?: object, base = BASES[0]) =>
  send(`${service.url}${base}/${path}`, {
    method,
    headers: who === null ? {} : { authorization: `Bearer token-${who}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const step = (who: string, body: object) => ask(who, 'POST', 'step', { request: 'read the audit log', ...body })

const DRY = { session_id: 'matrix', request: 'read the audit log', dry_run: true }
type Line = [method: string, path: string, body: object | undefined, allowed: string[], status?: number]
const ALL = ['user', 'rotated', 'second', 'elsewhere', 'operator', 'admin']
const lines: Line[] = [
  ['POST', 'step', DRY, ALL],
  ['GET', 'sessions/nobody', undefined, ALL, 404],
  ['GET', 'integrity', undefined, ALL],
  ['GET', 'integrity/global', undefined, ['operator', 'admin']],
  ['GET', 'bench/meta', undefined, ['operator', 'admin']],
  ['GET', 'metrics', undefined, ['operator', 'admin']],
  ['POST', 'drain', {}, ['operator', 'admin']],
  ['POST', 'recovery/transient-effects', {}, ['admin']],
]
for (const [method, path, body, allowed, status = 200] of lines)
  test(`${method} ${path} is for those who hold its scopes, on both paths`, async () => {
    for (const base of BASES) {
      const of = async (who: string | null) => {
        const { status: got, json } = await ask(who, method, path, body, base)
        return [got, json?.error?.code]
      }
      assert.deepEqual(await of(null), [401, 'missing_authorization'])
      assert.deepEqual(await of('nobody'), [401, 'invalid_bearer_token'])
      assert.deepEqual(await of('gone'), [403, 'credential_revoked'])
      for (const who of [...ALL, 'nothing', 'drainer'])
        assert.deepEqual((await of(who))[0], allowed.includes(who) ? status : 403, `${who} ${base}`)
    }
  })

test('healthz is open to everyone', async () => {
  for (const base of BASES)
    for (const who of [null, 'nobody', 'gone', 'user']) {
      const { status, json } = await ask(who, 'GET', 'healthz', undefined, base)
      assert.deepEqual([status, json.auth_mode], [200, 'registry'])
    }
})

test('a session is its owner’s, by whichever key he comes, and nobody else’s', async () => {
  const first = (await step('user', { session_id: 'mine' })).json
  assert.deepEqual(first.principal, { namespace: 'team', owner_id: 'ann', key_id: 'user' })
  const rotated = (await step('rotated', { session_id: 'mine' })).json
  assert.equal(rotated.step, 2)
  assert.equal((await ask('second', 'GET', 'sessions/mine')).status, 404)
  assert.equal((await ask('elsewhere', 'GET', 'sessions/mine')).status, 404)
  const foreign = (await step('second', { session_id: 'mine' })).json
  assert.deepEqual([foreign.step, foreign.state_before_hash], [1, '0'.repeat(64)])
  assert.equal((await ask('user', 'GET', 'sessions/mine')).json.step, 2)
})

test('a key of one owner is not a key of another', async () => {
  const body = JSON.stringify({ session_id: 'keys', request: 'read the audit log', dry_run: false })
  const by = (who: string) =>
    send(`${service.url}${BASES[0]}/step`, {
      method: 'POST',
      headers: { authorization: `Bearer token-${who}`, 'x-request-id': 'shared-id' },
      body,
    })
  const [own, other] = [await by('operator'), await by('admin')]
  assert.deepEqual([own.json.step, other.json.step], [1, 1])
  assert.equal(other.headers['idempotent-replay'], undefined)
})

test('an owner walks his own records, by name; the global walk shows digests alone', async () => {
  const own = (await ask('user', 'GET', 'integrity')).json
  assert.deepEqual([own.ok, own.scope, own.sessions, own.records_total], [true, 'owner', 1, 2])
  const all = await ask('admin', 'GET', 'integrity/global')
  assert.deepEqual([all.json.ok, all.json.scope, all.json.sessions], [true, 'global', 4])
  assert.ok(!all.text.includes('mine') && !all.text.includes('ann'), 'no foreign name')
})

test('the last place of a quota is given and one more is refused by its name, without a trace', async () => {
  for (const id of ['two', 'three']) assert.equal((await step('second', { session_id: id })).status, 200)
  const before = (await service.app.ports.ledger.reader.head()).size
  const { status, json, headers } = await step('second', { session_id: 'four' })
  assert.deepEqual([status, json.error.code, json.error.quota], [429, 'quota_exceeded', 'sessions'])
  assert.ok(Number(headers['retry-after']) > 0)
  assert.equal((await service.app.ports.ledger.reader.head()).size, before)
  assert.equal((await ask('second', 'GET', 'sessions/four')).status, 404)
  assert.equal((await step('second', { session_id: 'two' })).status, 200, 'a session that is open goes on')
})

test('a quota of pending reviews is used up by reviews alone', async () => {
  const pay = (session_id: string, n: number) =>
    step('second', { session_id, request: `pay all invoices of branch ${n} in the year ${1900 + n}` })
  assert.equal((await pay('two', 1)).json.decision, 'review')
  assert.equal((await pay('three', 2)).json.decision, 'review')
  const { status, json } = await pay('two', 3)
  assert.deepEqual([status, json.error.quota, json.error.scope], [429, 'reviews', 'owner'])
  assert.equal((await step('second', { session_id: 'two' })).status, 200)
})
