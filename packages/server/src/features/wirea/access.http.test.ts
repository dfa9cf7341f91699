import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'

const P = '/api/orch/v1/wirea'

test('a ledger without receipts is an empty graph and no error', async (t) => {
  const { url } = await startApp({ after: (clean) => t.after(clean) }, { ORCH_STORE: 'memory' })
  const { status, json } = await send(`${url}${P}/graph/metrics?graph=chain`)
  assert.deepEqual([status, json.empty, json.n_nodes, json.components, json.density], [200, true, 0, 0, 0])
  assert.deepEqual([json.algebraic_connectivity, json.diameter, json.dag.is_dag], [0, null, true])
})

const token = (name: string) => `token-of-${name}-0123456789abcdef`
const credential = (owner: string, scopes: string[]) => ({
  key_id: owner,
  namespace: 'team',
  owner_id: owner,
  token_sha256: createHash('sha256').update(token(owner)).digest('hex'),
  scopes,
})
const folder = freshFolder('wirea-credentials')
const file = join(folder, 'credentials.json')
writeFileSync(
  file,
  JSON.stringify({
    credentials: [
      credential('ada', ['analysis:run', 'receipts:read']),
      credential('bob', ['analysis:run', 'receipts:read', 'receipts:audit']),
      credential('eve', ['analysis:run']),
    ],
  }),
  { mode: 0o600 },
)
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_CREDENTIALS: file })
const as = (owner: string | null) => (owner === null ? {} : { authorization: `Bearer ${token(owner)}` })
const get = (path: string, owner: string | null) => send(`${service.url}${P}${path}`, { headers: as(owner) })
const reward = (owner: string | null) => post(`${service.url}${P}/router/reward`, '{}', as(owner))

test('an analysis needs its scope, and a read needs none', async () => {
  assert.equal((await reward(null)).status, 401)
  assert.equal((await reward('ada')).status, 200)
  assert.equal((await get('/trust/gap', null)).status, 200)
})

test('the chain holds the receipts of the caller alone, of an auditor too, and needs the scope to read receipts', async () => {
  await reward('ada')
  await reward('bob')
  const nodes = async (owner: string) => (await get('/graph/metrics?graph=chain', owner)).json.nodes as string[]
  const [ada, bob] = [await nodes('ada'), await nodes('bob')]
  assert.ok(ada.length >= 2 && bob.length >= 1)
  assert.ok(bob.every((digest) => !ada.includes(digest)))
  assert.equal((await get('/graph/metrics?graph=chain', null)).json.error.code, 'missing_authorization')
  assert.equal((await get('/graph/metrics?graph=chain', 'eve')).json.error.code, 'missing_scopes')
})

test('a search shows receipts to whoever may read them, and only his own', async () => {
  const found = async (owner: string | null) => (await get('/search?q=example+receipt+wirea&limit=50', owner)).json
  const ada = await found('ada')
  assert.equal(ada.receipts.searched, true)
  const own = (await get('/graph/metrics?graph=chain', 'ada')).json.nodes
  const shown = ada.results.filter(({ kind }: { kind: string }) => kind === 'receipt')
  assert.ok(shown.length > 0)
  for (const { key } of shown) assert.ok(own.includes(key.slice('receipt:'.length)))
  for (const owner of [null, 'eve']) {
    const other = await found(owner)
    assert.deepEqual([other.receipts.searched, other.receipts.documents], [false, 0])
    assert.ok(other.results.every(({ kind }: { kind: string }) => kind !== 'receipt'))
  }
})
