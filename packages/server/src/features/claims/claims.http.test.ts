import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { canonicalize } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { LIMITS } from '../../domain/claim-limits.ts'
import { PRECEDENCE, RUBRIC } from './rules/rubric.ts'
import { ABBREVIATIONS, MARKERS, MONTHS, STARTERS } from './rules/splitter-tables.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const folder = freshFolder('claims')
after(() => rmSync(folder, { recursive: true, force: true }))
const credential = (id: string, more: object = { role: 'user' }) => ({
  key_id: id,
  namespace: 'team',
  owner_id: id,
  token_sha256: sha256(`token-${id}`),
  ...more,
})
const registry = join(folder, 'registry.json')
const credentials = [credential('ann'), credential('bob'), credential('reader', { scopes: ['receipts:read'] })]
writeFileSync(registry, JSON.stringify({ credentials }), { mode: 0o600 })

const open = await startApp({ after }, { ORCH_STORE: 'memory' })
const shared = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_CREDENTIALS: registry })
const PATH = '/api/orch/v1/claim-integrity'
const as = (id: string) => ({ authorization: `Bearer token-${id}` })
const ask = (name: string, body: unknown, service = open, headers = {}) =>
  post(`${service.url}${PATH}/${name}`, JSON.stringify(body), headers)
const bodyOf = async (digest: string, service = open, headers = {}) =>
  JSON.parse((await send(`${service.url}/api/orch/v1/receipts/${digest}/canonical`, { headers })).text)

const OWNER = { owner_id: 'o', accountability_scope: 'planted-scope' }
const referring = (provenance: object) => ({
  claims: [
    {
      claim_id: 'planted-id',
      statement: ' planted-statement ',
      atomic: true,
      evidence_refs: [
        { reference_id: 'r', evidence_state: 'SUPPORTED', provenance: { source_id: 's', ...provenance } },
      ],
      consequence_owner: OWNER,
    },
  ],
  contradictions: [{ status: 'RESOLVED', resolution_ref: 'x', provenance: { source_id: 's', ...provenance } }],
})

test('each answer has one chained receipt with digests, counts and spans, and no word of the text', async () => {
  const atomized = (await ask('atomize', { text: 'Planted-statement one. Planted-statement two.' })).json
  const atomReceipt = await bodyOf(atomized.receipt.digest)
  assert.deepEqual([atomReceipt.kind, atomReceipt.chain], ['claim-atomize', 'claims'])
  assert.deepEqual(atomReceipt.payload.spans, [
    [0, 22],
    [23, 45],
  ])
  assert.equal(atomReceipt.payload.text_sha256, sha256('Planted-statement one. Planted-statement two.'))
  const evaluated = (await ask('evaluate', referring({ content_sha256: 'a'.repeat(64) }))).json
  const evalReceipt = await bodyOf(evaluated.receipt.digest)
  assert.deepEqual([evalReceipt.kind, evalReceipt.chain], ['claim-evaluate', 'claims'])
  assert.equal(evalReceipt.prev, atomized.receipt.digest)
  const { input_sha256, result_sha256, overall_state, state_counts } = evalReceipt.payload
  assert.deepEqual([input_sha256, result_sha256], [evaluated.input_sha256, evaluated.result_sha256])
  assert.deepEqual([overall_state, state_counts], [evaluated.overall_state, evaluated.state_counts])
  assert.doesNotMatch(JSON.stringify([atomReceipt.payload, evalReceipt.payload]), /planted/i)
})

test('the template of an atomization is accepted as it stands', async () => {
  const { evaluate_template, atoms } = (await ask('atomize', { text: 'One. Two!\n- three' })).json
  const { status, json } = await ask('evaluate', evaluate_template)
  assert.equal(status, 200)
  assert.deepEqual(
    json.claims.map(({ claim_id }: { claim_id: string }) => claim_id),
    atoms.map(({ claim_id }: { claim_id: string }) => claim_id),
  )
  assert.equal(json.gate_outcome, 'ABSTAIN')
})

test('the same bytes twice give the same answer apart from the receipt', async () => {
  const strip = ({ receipt: _receipt, ...rest }: Record<string, unknown>) => JSON.stringify(rest)
  const body = referring({ receipt_ref: 'x' })
  assert.equal(strip((await ask('evaluate', body)).json), strip((await ask('evaluate', body)).json))
})

test('a row shows what was sent: statement trimmed, provenance as it came', async () => {
  const provenance = { content_sha256: 'A'.repeat(64), receipt_ref: ' x ' }
  const [row] = (await ask('evaluate', referring(provenance))).json.claims
  assert.equal(row.statement, 'planted-statement')
  assert.deepEqual(row.evidence_refs[0].provenance, { source_id: 's', ...provenance })
  assert.deepEqual(row.consequence_owner, OWNER)
})

const minted = async (statement: object, service = open, headers = {}) =>
  (await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify(statement), headers)).json.digest as string
const marksOf = async (provenance: object, service = open, headers = {}) => {
  const { claims, unattached_contradictions } = (await ask('evaluate', referring(provenance), service, headers)).json
  const [{ locally_resolved, matched_by, receipt_id }] = claims[0].evidence_refs
  assert.equal(unattached_contradictions[0].locally_resolved, locally_resolved)
  return [locally_resolved, matched_by, receipt_id]
}
const NOWHERE = [false, null, null]

test('a receipt of ours is recognised by reference or content, in any hex case, and by the digest of its payload', async () => {
  const digest = await minted({ n: 1 })
  const payload = sha256(canonicalize((await bodyOf(digest)).payload))
  assert.deepEqual(await marksOf({ receipt_ref: digest.toUpperCase() }), [true, 'receipt_ref', digest])
  assert.deepEqual(await marksOf({ content_sha256: digest.toUpperCase() }), [true, 'content_sha256', digest])
  assert.deepEqual(await marksOf({ content_sha256: payload.toUpperCase() }), [true, 'content_sha256', digest])
  assert.deepEqual(await marksOf({ receipt_ref: payload }), NOWHERE)
  assert.deepEqual(await marksOf({ receipt_ref: ` ${digest}` }), NOWHERE)
  assert.deepEqual(await marksOf({ content_sha256: '0'.repeat(64), receipt_ref: 'elsewhere' }), NOWHERE)
})

test('payload digests are known for the newest receipts, as many as the description says', async (t) => {
  const ledger = await startApp(t as never, { ORCH_STORE: 'memory' })
  const digest = await minted({ first: true }, ledger)
  const payload = sha256(canonicalize((await bodyOf(digest, ledger)).payload))
  const fill = async (count: number) => {
    for (let left = count; left > 0; left -= 64)
      await Promise.all(Array.from({ length: Math.min(left, 64) }, (_, at) => minted({ left, at }, ledger)))
  }
  await fill(LIMITS.payload_digest_window - 1)
  assert.deepEqual(await marksOf({ content_sha256: payload }, ledger), [true, 'content_sha256', digest])
  assert.deepEqual(await marksOf({ content_sha256: payload }, ledger), NOWHERE)
  assert.deepEqual(await marksOf({ content_sha256: digest }, ledger), [true, 'content_sha256', digest])
})

test('a caller learns nothing of another owner’s receipts, and equal payloads do not hide each other', async () => {
  const anns = await minted({ same: true }, shared, as('ann'))
  const payload = sha256(canonicalize((await bodyOf(anns, shared, as('ann'))).payload))
  assert.deepEqual(await marksOf({ content_sha256: anns }, shared, as('ann')), [true, 'content_sha256', anns])
  for (const provenance of [{ content_sha256: anns }, { receipt_ref: anns }, { content_sha256: payload }])
    assert.deepEqual(await marksOf(provenance, shared, as('bob')), NOWHERE)
  const bobs = await minted({ same: true }, shared, as('bob'))
  assert.deepEqual(await marksOf({ content_sha256: payload }, shared, as('bob')), [true, 'content_sha256', bobs])
  assert.deepEqual(await marksOf({ content_sha256: payload }, shared, as('ann')), [true, 'content_sha256', anns])
})

test('writing needs the scope, in the form every operation has; the description is open', async () => {
  const refused = await ask('atomize', { text: 'a' }, shared)
  assert.deepEqual([refused.status, refused.json.error.code], [401, 'missing_authorization'])
  const narrow = await ask('evaluate', 'x', shared, { ...as('reader'), 'content-type': 'text/plain' })
  assert.deepEqual([narrow.status, narrow.json.error.code], [403, 'missing_scopes'])
  assert.equal((await send(`${shared.url}${PATH}/info`)).status, 200)
})

test('the description is made of the tables the gate runs on', async () => {
  const { json } = await send(`${open.url}${PATH}/info`)
  assert.deepEqual([json.ready, json.module, json.contract_version], [true, 'orch.claim-integrity', '1.0.0'])
  assert.deepEqual(json.states, ['VERIFIED', 'SUPPORTED', 'UNCERTAIN', 'REFUTED', 'UNKNOWN'])
  assert.deepEqual(json.strength_order, ['REFUTED', 'UNKNOWN', 'UNCERTAIN', 'SUPPORTED', 'VERIFIED'])
  assert.deepEqual([json.rubric, json.precedence, json.limits], [RUBRIC, PRECEDENCE, LIMITS])
  assert.equal(Object.keys(json.rubric).length, 11)
  assert.equal(json.semantic_threshold, 0.66)
  assert.deepEqual(json.splitter, {
    version: '2',
    abbreviations: ABBREVIATIONS,
    starters: STARTERS,
    markers: MARKERS,
    months: MONTHS,
  })
  for (const subject of ['truth', 'entailment', 'fetching sources', 'resolving contradictions', 'withheld evidence'])
    assert.ok(
      json.not_done.some((line: string) => line.startsWith(subject)),
      subject,
    )
})

test('the description lists the operations that are mounted, and those that mutate leave the receipt it names', async () => {
  const { operations } = (await send(`${open.url}${PATH}/info`)).json
  assert.deepEqual(operations, [
    { method: 'GET', path: `${PATH}/info`, mutates: false, receipt: null },
    { method: 'POST', path: `${PATH}/atomize`, mutates: true, receipt: 'claim-atomize' },
    { method: 'POST', path: `${PATH}/evaluate`, mutates: true, receipt: 'claim-evaluate' },
  ])
  const size = async () => (await open.app.ports.ledger.reader.head()).size
  const before = await size()
  await send(`${open.url}${PATH}/info`)
  assert.equal(await size(), before)
})

test('what rubric rows say they yield is what the gate does', async () => {
  for (const { state, codes } of PRECEDENCE)
    for (const code of codes) assert.equal(RUBRIC[code as keyof typeof RUBRIC].yields, state)
  const { claims } = (await ask('evaluate', { claims: [{}] })).json
  for (const { code, yields } of claims[0].reasons) assert.equal(yields, RUBRIC[code as keyof typeof RUBRIC].yields)
})

test('readiness reports the self-test of the compiler and does not block on it', async () => {
  const { components } = (await send(`${open.url}/api/readyz`)).json
  assert.deepEqual([components.claims.state, components.claims.blocking], ['OK', false])
})
