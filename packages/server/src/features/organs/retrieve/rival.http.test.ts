// The operator's embeddings server beside the ranking: what it says is attached, and what it does changes no result.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'
import { startStubUpstream } from '#testing/stub-upstream.ts'

const DOCS = [
  { id: 'a', text: 'green ledger' },
  { id: 'b', text: 'green receipt' },
]
const QUERY = { q: 'green ledger', docs: DOCS }
const embeddings = (vectors: number[][]) =>
  JSON.stringify({ object: 'list', data: vectors.map((embedding, index) => ({ index, embedding })) })

test('a configured embeddings server adds its ranking, and one that fails adds its silence', async (t) => {
  const stub = await startStubUpstream(t)
  const address = `${stub.url}/embeddings?model=tiny`
  const [plain, service] = await Promise.all([
    startApp(t, { ORCH_STORE: 'memory' }),
    startApp(t, { ORCH_STORE: 'memory', ORCH_ORGAN_N9_URL: address }),
  ])
  const run = async (url: string) => (await post(`${url}/api/orch/v1/organs/N9`, JSON.stringify(QUERY))).json
  const bare = await run(plain.url)
  assert.deepEqual(bare.attachments, [])
  const answers: [string, number, string | null][] = [
    [
      embeddings([
        [1, 0],
        [0, 1],
        [1, 0.1],
      ]),
      200,
      null,
    ],
    [embeddings([[1, 0], [1], [1, 0]]), 200, 'INCONSISTENT_SOURCE'],
    ['{"data":7}', 200, 'INVALID_SOURCE_SCHEMA'],
    ['nonsense', 200, 'INVALID_JSON'],
    ['{}', 500, 'UPSTREAM_HTTP_500'],
    ['', 302, 'UPSTREAM_HTTP_302'],
  ]
  for (const [body, status, reason] of answers) {
    stub.answer((_asked, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...(status === 302 && { location: '/else' }) })
      response.end(body)
    })
    const answer = await run(service.url)
    const [attached] = answer.attachments
    assert.equal(answer.result_sha256, bare.result_sha256)
    assert.equal(attached.reason, reason)
    assert.deepEqual(
      [attached.label, attached.mode],
      reason === null ? ['MODELED', 'live'] : ['UNAVAILABLE', 'unreachable'],
    )
    assert.equal(attached.source, new URL(stub.url).origin)
    if (reason === null)
      assert.deepEqual(
        attached.value.ranking.map(({ id }: { id: string }) => id),
        ['b', 'a'],
      )
  }
  const { path, body } = stub.asked[0]!
  assert.deepEqual([path, body.model, body.input[0], body.input.length], ['/v1/embeddings', 'tiny', 'green ledger', 3])
})
