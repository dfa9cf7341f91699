import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ReceiptDraft, sha256Hex } from '@orch/core'
import { type Service, startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { send } from '#testing/raw-http.ts'

const P = '/api/orch/v1'
const LEDGER = '/api/orch/khipu/ledger'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const get = async (path: string, headers = {}, url = service.url) => send(`${url}${path}`, { headers })

const draft = (at: number, more: Partial<ReceiptDraft> = {}): ReceiptDraft => ({
  ns: 'public',
  chain: at % 3 === 0 ? 'governance' : 'mint',
  kind: at % 3 === 0 ? 'decision' : 'mint',
  ts_utc: new Date(1_800_000_000_000 + at * 1000).toISOString(),
  request_id: `r${at}`,
  actor: { owner: at % 2 === 0 ? 'ann' : 'bob', key_id: null, auth_mode: 'open' },
  policy: at % 3 === 0 ? { rules_digest: 'a'.repeat(64), policy_digest: 'b'.repeat(64) } : null,
  payload:
    at % 3 === 0
      ? {
          decision: at % 2 === 0 ? 'ALLOW' : 'DENY',
          lambda: 0.95,
          lambda_floor: 0.9,
          gates_fired: at % 2 === 0 ? [] : ['pii-egress-guard'],
          agent: 'Support-Bot',
          tool: 'hash',
          ...(at % 2 === 0 ? {} : { reasons: ['PII_EGRESS'], breaches: ['P03'] }),
          session_sha256: sha256Hex(`s${at % 4}`),
        }
      : { n: at },
  ...more,
})
const fill = ({ app }: Service, drafts: ReceiptDraft[]) =>
  Promise.all(drafts.map((one) => app.ports.ledger.append(one)))

const appended = await fill(
  service,
  Array.from({ length: 120 }, (_, at) => draft(at)),
)

test('pages go from the newest to the first without a gap or a double, and say their order', async () => {
  const seen: number[] = []
  let cursor = ''
  for (;;) {
    const { json } = await get(`${LEDGER}?limit=50${cursor}`)
    assert.equal(json.count, 120)
    assert.equal(json.order, 'newest first, by node_index')
    seen.push(...json.receipts.map((row: { node_index: number }) => row.node_index))
    if (json.next_cursor === null) break
    cursor = `&cursor=${json.next_cursor}`
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 120 }, (_, at) => 119 - at),
  )
})

const filters: [query: string, expected: (at: number) => boolean, count: number | null][] = [
  ['chain=governance', (at) => at % 3 === 0, 40],
  ['chain=public/governance', (at) => at % 3 === 0, 40],
  ['chain=nowhere', () => false, 0],
  ['kind=mint', (at) => at % 3 !== 0, null],
  ['decision=DENY', (at) => at % 3 === 0 && at % 2 === 1, null],
  ['owner=ann', (at) => at % 2 === 0, null],
  ['agent=support-bot', (at) => at % 3 === 0, null],
  ['tool=hash', (at) => at % 3 === 0, null],
  ['gate=pii-egress-guard', (at) => at % 3 === 0 && at % 2 === 1, null],
  ['session=s1', (at) => at % 3 === 0 && at % 4 === 1, null],
  [`session=${sha256Hex('s1')}`, (at) => at % 3 === 0 && at % 4 === 1, null],
  ['signed=demo', () => true, null],
  ['signed=unsigned', () => false, null],
  [`policy=${'b'.repeat(64)}`, (at) => at % 3 === 0, null],
  ['q=personal%20HASH', (at) => at % 3 === 0 && at % 2 === 1, null],
  ['q=nobody%20says%20this', () => false, null],
  ['since=2027-01-15T08:01:00.000Z', (at) => at >= 60, null],
  ['until=2027-01-15T08:01:00.000Z', (at) => at < 60, null],
  ['chain=governance&decision=ALLOW', (at) => at % 6 === 0, null],
]
for (const [query, expected, count] of filters)
  test(`${query} gives exactly the receipts that say so`, async () => {
    const { json, status } = await get(`${LEDGER}?limit=200&${query}`)
    assert.equal(status, 200)
    const wanted = Array.from({ length: 120 }, (_, at) => at)
      .filter(expected)
      .reverse()
    const byId = json.receipts.map((row: { request_id: string }) => Number(row.request_id.slice(1)))
    assert.deepEqual(byId, wanted)
    assert.equal(json.count, count)
  })

test('a gate that does not exist is refused with those that do', async () => {
  const { json, status } = await get(`${LEDGER}?gate=pii-egress-gaurd`)
  assert.equal(status, 422)
  assert.match(JSON.stringify(json), /pii-egress-guard/)
})

test('the beginning of a digest finds the receipt', async () => {
  const { digest } = appended[17]!
  const { json } = await get(`${LEDGER}?q=${digest.slice(0, 20)}`)
  assert.deepEqual(
    json.receipts.map((row: { digest: string }) => row.digest),
    [digest],
  )
})

test('a row names the reasons and the rules that its receipt names', async () => {
  const { json } = await get(`${LEDGER}?decision=DENY&limit=1`)
  assert.deepEqual([json.receipts[0].reasons, json.receipts[0].rules], [['PII_EGRESS'], ['P03']])
})

test('outcomes are counted slice by slice over the span that was asked for, whatever the outcome asked for', async () => {
  const span = 'since=2027-01-15T08:00:00.000Z&until=2027-01-15T08:02:00.000Z'
  const { json } = await get(`${P}/ledger/outcomes?${span}&slices=2`)
  assert.deepEqual(json.total, { allow: 20, review: 0, deny: 20 })
  assert.deepEqual(
    json.slices.map(({ allow, deny }: { allow: number; deny: number }) => allow + deny),
    [20, 20],
  )
  assert.deepEqual([json.ended, json.scanned, json.label], ['beginning', 120, 'MEASURED'])
  const denied = (await get(`${P}/ledger/outcomes?${span}&owner=bob&decision=ALLOW`)).json
  assert.deepEqual([denied.total, denied.slices.length], [{ allow: 0, review: 0, deny: 20 }, 36])
  assert.deepEqual((await get(`${P}/ledger/outcomes?chain=mint&${span}`)).json.total, { allow: 0, review: 0, deny: 0 })
  assert.equal((await get(`${P}/ledger/outcomes?decison=DENY`)).status, 422)
})

test('outcomes of a span that ended long ago count nothing of what came later', async () => {
  const { json } = await get(`${P}/ledger/outcomes?until=2027-01-15T08:00:30.000Z`)
  assert.deepEqual([json.total.allow, json.total.deny], [6, 5])
})

for (const query of [
  'limit=0',
  'limit=201',
  'limit=abc',
  'cursor=abc',
  'kind=nonsense',
  'decision=allow',
  'since=yesterday',
  'until=2026-13-01T00:00:00.000Z',
  'until=2026-01-32T00:00:00.000Z',
  'until=2026-01-31T24:00:00.000Z',
  'q=',
  'signed=maybe',
  'chain=UPPER',
  'chain=mint&cursor=i5',
])
  test(`${query} is refused and not clamped`, async () => {
    assert.equal((await get(`${LEDGER}?${query}`)).status, 422)
  })

test('the graph of the latest receipts has links that only go backwards', async () => {
  const { json } = await get('/api/orch/khipu/dag?request=latest')
  assert.equal(json.count, 20)
  assert.deepEqual([json.checks.F4.holds, json.checks.F22.holds], [true, true])
  for (const edge of json.edges) assert.ok(edge.to_index < edge.from_index)
  assert.equal(json.nodes.at(-1).index, 119)
  assert.equal(json.khipu_root, service.app.ports.ledger.state().root)
})

test('the graph of a chain and of a receipt’s neighbourhood stay in their chain', async () => {
  const { digest } = appended[60]!
  for (const request of ['governance', digest]) {
    const { json } = await get(`/api/orch/khipu/dag?request=${request}`)
    assert.equal(json.count, 20)
    assert.deepEqual(new Set(json.nodes.map(({ chain }: { chain: string }) => chain)), new Set(['governance']))
    assert.equal(json.edges.length, 20)
    assert.ok(json.checks.F22.holds)
  }
  const around = (await get(`/api/orch/khipu/dag?request=${digest}`)).json
  assert.ok(around.nodes.some((node: { digest: string }) => node.digest === digest))
})

test('a graph of nothing that exists is 404, of nothing at all 422', async () => {
  assert.equal((await get('/api/orch/khipu/dag?request=nowhere')).json.error.code, 'chain_not_found')
  assert.equal((await get(`/api/orch/khipu/dag?request=${'0'.repeat(64)}`)).json.error.code, 'receipt_not_found')
  assert.equal((await get('/api/orch/khipu/dag')).status, 422)
  assert.equal((await get('/api/orch/khipu/dag?request=')).status, 422)
})

test('the organs are listed with heads that were re-walked, in the specified shape', async () => {
  const { json } = await get(`${P}/khipu/organs?rewalk=true`)
  assert.deepEqual([json.ok, json.organ_count, json.verified_to], [true, 2, 120])
  const governance = json.organs.find(({ organ }: { organ: string }) => organ === 'governance')
  assert.deepEqual(
    [governance.depth, governance.head_digest, governance.links_intact, governance.broken_at, governance.genesis_prev],
    [40, appended[117]!.digest, true, null, '0'.repeat(64)],
  )
  assert.deepEqual(
    [json.doctrine.runtime_cdn, json.doctrine.fabricated_data, json.doctrine.locked_proven],
    [0, false, 8],
  )
  assert.equal(json.doctrine.chain_to_genesis_verified, true)
})

test('one chain shows its head and its receipts, newest first, page by page', async () => {
  const first = (await get(`${P}/khipu/chain/governance?limit=30`)).json
  const second = (await get(`${P}/khipu/chain/governance?limit=30&cursor=${first.next_cursor}`)).json
  const seqs = [...first.receipts, ...second.receipts].map((row: { seq: number }) => row.seq)
  assert.deepEqual(
    seqs,
    Array.from({ length: 40 }, (_, at) => 39 - at),
  )
  assert.equal(second.next_cursor, null)
  assert.equal((await get(`${P}/khipu/chain/nowhere`)).json.error.code, 'chain_not_found')
})

test('the lake chain recomputes from what is served, from the first link to the head', async () => {
  const health = (await get('/api/lake/v1/health')).json
  assert.deepEqual([health.store, health.chain_alg, health.total_receipts], [':memory:', 'sha3_256', 120])
  const { receipts } = (await get('/api/lake/v1/receipts?organ=governance&limit=200')).json
  let previous = '0'.repeat(64)
  for (const { hash, ...link } of receipts.toReversed()) {
    assert.equal(link.prev_hash, previous)
    const canonical = JSON.stringify(Object.fromEntries(Object.entries(link).sort()))
    previous = createHash('sha3-256').update(canonical).digest('hex')
    assert.equal(hash, previous)
  }
  assert.deepEqual(health.organs.governance, { count: 40, chain_index: 40, chain_head: previous })
  const heads = (await get('/api/lake/v1/chain/head?organ=governance')).json
  assert.equal(heads.heads[0].chain_head, previous)
  assert.equal((await get('/api/lake/v1/chain/head?organ=nowhere')).status, 404)
  const proof = (await get(`/api/lake/v1/proof/${appended[117]!.digest}`)).json
  assert.deepEqual([proof.ok, proof.computed_hash, proof.inclusion.leaf_index], [true, previous, 117])
  const log = (await get('/api/lake/v1/log')).json
  assert.deepEqual([log.size, log.root], [120, service.app.ports.ledger.state().root])
})

test('a filter that matches nothing reads 5000 receipts a call and the cursor goes on to the end', async (t) => {
  const large = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_SIGNER: 'none' })
  const drafts = Array.from({ length: 5_600 }, (_, at) => draft(at * 3 + 1))
  for (let at = 0; at < drafts.length; at += 2_000) await fill(large, drafts.slice(at, at + 2_000))
  const first = (await get(`${LEDGER}?kind=price`, {}, large.url)).json
  assert.deepEqual([first.receipts, first.scanned, first.count], [[], 5_000, null])
  const second = (await get(`${LEDGER}?kind=price&cursor=${first.next_cursor}`, {}, large.url)).json
  assert.deepEqual([second.scanned, second.next_cursor], [600, null])
})

test('with a registry everyone sees their own receipts, an auditor those of the namespace, and nobody another namespace’s', async (t) => {
  const file = join(freshFolder('registry'), 'credentials.json')
  const entry = (name: string, namespace: string, owner: string, scopes: string[]) => ({
    key_id: name,
    namespace,
    owner_id: owner,
    token_sha256: createHash('sha256').update(name).digest('hex'),
    scopes,
  })
  const credentials = [
    entry('ann', 'red', 'ann', ['receipts:read', 'receipts:write']),
    entry('bob', 'red', 'bob', ['receipts:read', 'receipts:write']),
    entry('eve', 'blue', 'eve', ['receipts:read', 'receipts:audit']),
    entry('aud', 'red', 'aud', ['receipts:read', 'receipts:audit']),
  ]
  writeFileSync(file, JSON.stringify({ credentials }), { mode: 0o600 })
  const parted = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_CREDENTIALS: file })
  const as = (name: string) => ({ authorization: `Bearer ${name}` })
  const mint = async (name: string) =>
    (
      await send(`${parted.url}/api/orch/khipu/sign`, {
        method: 'POST',
        body: JSON.stringify({ by: name }),
        headers: as(name),
      })
    ).json
  const mine = await mint('ann')
  await mint('bob')
  const statuses = async (path: string) =>
    Promise.all(['ann', 'bob', 'eve', 'aud'].map(async (name) => (await get(path, as(name), parted.url)).status))
  for (const path of [
    `${P}/receipts/${mine.digest}`,
    `${P}/receipts/${mine.digest}/canonical`,
    `${P}/verify/receipt/${mine.digest}`,
    `${P}/khipu/verify/${mine.digest}`,
    `${P}/receipt/export?digest=${mine.digest}`,
    `/api/orch/khipu/dag?request=${mine.digest}`,
    `/api/lake/v1/proof/${mine.digest}`,
  ])
    assert.deepEqual(await statuses(path), [200, 404, 404, 200], path)
  const counts = async (path: string) =>
    Promise.all(
      ['ann', 'bob', 'eve', 'aud'].map(async (name) => (await get(path, as(name), parted.url)).json.receipts.length),
    )
  for (const path of [LEDGER, `${LEDGER}?chain=mint`, `${LEDGER}?chain=red/mint`, '/api/lake/v1/receipts'])
    assert.deepEqual(await counts(path), [1, 1, 0, 2], path)
  assert.deepEqual(await statuses(`${P}/khipu/chain/red%2Fmint`), [200, 200, 404, 200])
  assert.deepEqual(await statuses('/log/tile/entries/000.p/1'), [403, 403, 403, 403])
  assert.equal((await get(`${P}/receipts/${mine.digest}`, {}, parted.url)).status, 401)
  const verified = await send(`${parted.url}${P}/verify/receipt`, {
    method: 'POST',
    body: JSON.stringify({ envelope: mine.dsse }),
  })
  assert.equal(verified.json.verdict, 'PARTIAL', 'whoever holds a receipt may have it verified')
})
