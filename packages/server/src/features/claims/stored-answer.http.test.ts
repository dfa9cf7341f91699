import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { canonicalize, sha256Hex } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { ServiceError } from '../../errors.ts'
import { answerWith, toStoredAnswer } from './stored-answer.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const at = (name: string) => `${service.url}/api/orch/v1/claim-integrity/${name}`

/** Each of 32 contradictions is shown in the rows of all 32 claims. */
const ids = Array.from({ length: 32 }, (_, n) => `c${n}`)
const WIDE = JSON.stringify({
  claims: ids.map((claim_id) => ({ claim_id })),
  contradictions: ids.map(() => ({
    claim_ids: ids,
    status: 'UNRESOLVED',
    provenance: { source_id: 's'.repeat(512), content_sha256: 'a'.repeat(64) },
  })),
})

const stored = async (): Promise<number> =>
  (await service.app.ports.ledger.reader.answersAfter(null, 100)).reduce((sum, { answer }) => sum + answer.length, 0)

for (const [name, body] of [
  ['evaluate', WIDE],
  ['atomize', JSON.stringify({ text: 'Dr. '.repeat(8_000) })],
] as const)
  test(`${name}: a keyed answer far longer than its request takes less room in the store than the request, and is given again byte for byte`, async () => {
    const before = await stored()
    const first = await post(at(name), body, { 'idempotency-key': 'wide' })
    assert.equal(first.status, 200)
    assert.ok(first.text.length > 5 * body.length)
    assert.ok((await stored()) - before < body.length / 10)
    const again = await post(at(name), body, { 'idempotency-key': 'wide' })
    assert.equal(again.headers['idempotent-replay'], 'true')
    assert.equal(again.text, first.text)
  })

test('an answer given again shows what the ledger had then and not what came since', async () => {
  const mint = async () => (await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify({ n: 1 }))).json.digest
  const receipt = (await send(`${service.url}/api/orch/v1/receipts/${await mint()}/canonical`)).json
  const content_sha256 = sha256Hex(canonicalize(receipt.payload))
  const provenance = { source_id: 's', content_sha256 }
  const body = JSON.stringify({ claims: [{ evidence_refs: [{ reference_id: 'r', provenance }] }] })
  const first = await post(at('evaluate'), body, { 'idempotency-key': 'then' })
  assert.equal(first.json.claims[0].evidence_refs[0].locally_resolved, true)
  // A newer receipt with the same payload is what the mark would name now.
  await mint()
  assert.equal((await post(at('evaluate'), body, { 'idempotency-key': 'then' })).text, first.text)
})

test('an answer that a changed compiler would give otherwise is refused, and one stored whole is given as it lies', async () => {
  const receipt = { digest: 'd', chain: 'claims' } as Parameters<ReturnType<typeof answerWith>>[0]
  const stored = JSON.parse(JSON.stringify(toStoredAnswer({ answer: 1 })))
  const composed = await answerWith(() => ({ answer: 1 }))(receipt, stored, 1)
  assert.equal((composed as { answer: number }).answer, 1)
  assert.throws(
    () => answerWith(() => ({ answer: 2 }))(receipt, stored, 1),
    (error) => error instanceof ServiceError && error.code === 'claim_compiler_failure',
  )
  const whole = await answerWith(() => ({ answer: 2 }))(receipt, { answer: 3 }, 1)
  assert.equal((whole as { answer: number }).answer, 3)
})
