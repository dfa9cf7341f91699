import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const find = async (q: string, limit = 20) =>
  (await send(`${service.url}/api/orch/v1/wirea/search?limit=${limit}&q=${encodeURIComponent(q)}`)).json
const first = async (q: string) => (await find(q)).results[0]?.key

test('nothing asked is nothing found, and the corpus says what it holds', async () => {
  const { results, corpus, label, receipts } = (await send(`${service.url}/api/orch/v1/wirea/search`)).json
  assert.deepEqual([results, label, corpus.missing, receipts.searched], [[], 'STRUCTURAL-ONLY', [], false])
  const { operation, organ, formula, label: labels, assurance, error, limit, project } = corpus.kinds
  assert.deepEqual([organ, formula, labels, project], [25, 9, 9, 51])
  assert.ok(operation > 100 && assurance > 5 && error > 50 && limit > 10, JSON.stringify(corpus.kinds))
  assert.equal(corpus.documents, operation + organ + formula + labels + assurance + error + limit + project)
  assert.match(corpus.digest, /^[0-9a-f]{64}$/)
})

test('every formula is the first hit of its own name', async () => {
  for (const id of ['F1', 'F4', 'F7', 'F11', 'F12', 'F18', 'F19', 'F22', 'F23'])
    assert.equal(await first(id), `formula:${id}`)
})

test('every organ, label, requirement and error code is found by its name', async () => {
  for (const [q, key] of [
    ['N25', 'organ:N25'],
    ['STRUCTURAL-ONLY', 'label:STRUCTURAL-ONLY'],
    ['ledger_read_only', 'error:ledger_read_only'],
    ['MC-1', 'assurance:MC-1'],
    ['headerBytes', 'limit:headerBytes'],
    ['khipu.verifyById', 'operation:khipu.verifyById'],
    ['wirea.search', 'operation:wirea.search'],
  ] as const)
    assert.equal(await first(q), key)
})

type Described = { operationId: string; summary: string; 'x-orch-alias-of'?: string }

test('every operation of the service is among what its summary finds', async () => {
  const { paths } = (await send(`${service.url}/openapi.json`)).json
  const operations = Object.values(paths as Record<string, Record<string, Described>>)
    .flatMap((methods) => Object.values(methods))
    .filter((operation) => operation['x-orch-alias-of'] === undefined)
  const { corpus } = await find('')
  assert.equal(operations.length, corpus.kinds.operation)
  for (const { operationId, summary } of operations.filter((_, i) => i % 9 === 0)) {
    const { results } = await find(summary.slice(0, 200), 50)
    assert.ok(
      results.some(({ key }: { key: string }) => key === `operation:${operationId}`),
      operationId,
    )
  }
})

test('quoted, hyphenated and hostile queries are answered', async () => {
  for (const q of [
    'zero-trust AND "',
    '"honesty label"',
    'a"b"c',
    '-receipt',
    'receipt*',
    '"; DROP TABLE x; --',
    '../../etc/passwd',
    '<script>',
    '\u0000',
    '🙂',
    '%',
    '\\',
    'ſ',
    '٣',
  ]) {
    const { results } = await find(q)
    assert.ok(Array.isArray(results), q)
  }
  const phrase = await find('"honesty label"')
  assert.equal(phrase.matches, 9)
})

test('a receipt of the caller is found by its digest and by its chain', async () => {
  const { receipt } = (await post(`${service.url}/api/orch/v1/wirea/router/reward`, '{}')).json
  assert.equal(await first(receipt.digest), `receipt:${receipt.digest}`)
  assert.equal(await first(`${receipt.digest.slice(0, 12)}*`), `receipt:${receipt.digest}`)
  const { results, receipts } = await find('"receipt wirea"')
  assert.deepEqual([results[0].kind, results[0].url, receipts.searched], ['receipt', receipt.verify_url, true])
})
