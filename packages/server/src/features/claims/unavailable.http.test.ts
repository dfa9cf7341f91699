import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { ServiceError } from '../../errors.ts'
import { type ClaimCompiler, claimCompiler } from './rules/compiler.ts'

/** The real service with a compiler that is not the shipped one. */
async function startWith(t: TestContext, load: () => Promise<ClaimCompiler>) {
  const { app, url } = await startApp(t, { ORCH_STORE: 'memory' }, [], { claimCompiler: load })
  const size = async () => (await app.ports.ledger.reader.head()).size
  return { app, size, base: url, url: `${url}/api/orch/v1/claim-integrity` }
}

const broken: [why: string, load: () => Promise<ClaimCompiler>][] = [
  ['does not load', () => Promise.reject(new Error('Cannot find module /srv/planted-path'))],
  ['throws in its self-test', async () => ({ ...claimCompiler, atomize: () => assert.fail('planted-path') })],
  [
    'cuts differently',
    async () => ({ ...claimCompiler, atomize: (text, input) => claimCompiler.atomize(text.slice(1), input) }),
  ],
]
for (const [why, load] of broken)
  test(`a compiler that ${why} answers 503 on all three operations, before anything is looked at`, async (t) => {
    const { url, base, size } = await startWith(t, load)
    const answers = [
      await send(`${url}/info`),
      await post(`${url}/atomize`, '{"text":"a"}'),
      await post(`${url}/evaluate`, 'x'.repeat(70_000), { 'content-type': 'text/plain', 'content-encoding': 'gzip' }),
    ]
    for (const { status, json, text } of answers) {
      assert.equal(status, 503)
      assert.deepEqual([json.ready, json.accepted, json.decision_state], [false, false, 'UNAVAILABLE'])
      assert.deepEqual([json.effectors_enabled, json.label], [0, 'STRUCTURAL-ONLY'])
      assert.equal(json.error.code, 'claim_compiler_unavailable')
      assert.deepEqual(json.detail[0].loc, ['server'])
      assert.doesNotMatch(text, /planted|module \//)
    }
    assert.equal(await size(), 0)
    const { status, json } = await send(`${base}/api/readyz`)
    assert.equal(status, 200, 'the rest of the service goes on')
    assert.doesNotMatch(JSON.stringify(json), /planted/)
    assert.equal(json.components.claims.state, 'FAILED')
    assert.equal(json.components.claims.blocking, false)
  })

test('a compiler that fails on a request answers 503 and records nothing', async (t) => {
  const failing = { ...claimCompiler, evaluate: () => assert.fail('planted-text') }
  const { url, size } = await startWith(t, async () => failing)
  const { status, json, text } = await post(`${url}/evaluate`, '{"claims":[]}')
  assert.deepEqual([status, json.error.code, json.ready], [503, 'claim_compiler_failure', false])
  assert.doesNotMatch(text, /planted/)
  assert.equal(await size(), 0)
})

for (const code of ['ledger_busy', 'ledger_read_only', 'signer_unavailable', 'store_unavailable'] as const)
  test(`a ledger that says ${code} gives no 200, only 503 ledger_unavailable`, async (t) => {
    const { app, url } = await startWith(t, async () => claimCompiler)
    t.mock.method(app.ports.ledger, 'append', () => Promise.reject(new ServiceError(code, 'retry later')))
    for (const [name, body] of [
      ['atomize', '{"text":"a"}'],
      ['evaluate', '{"claims":[]}'],
    ] as const) {
      const { status, json } = await post(`${url}/${name}`, body)
      assert.deepEqual([status, json.error.code, json.decision_state], [503, 'ledger_unavailable', 'UNAVAILABLE'])
      assert.deepEqual(json.detail[0].loc, ['server'])
    }
  })

test('a ledger that cannot be read while marks are looked up gives 503, not an answer without marks', async (t) => {
  const { app, url, size } = await startWith(t, async () => claimCompiler)
  t.mock.method(app.ports.ledger.reader, 'byDigest', () => Promise.reject(new Error('planted-text')))
  const body = { claims: [{ evidence_refs: [{ provenance: { content_sha256: 'a'.repeat(64) } }] }] }
  const { status, json, text } = await post(`${url}/evaluate`, JSON.stringify(body))
  assert.deepEqual([status, json.error.code], [503, 'ledger_unavailable'])
  assert.doesNotMatch(text, /planted/)
  assert.equal(await size(), 0)
})
