import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { base64Decode, base64Encode, importPublicKey, pae, sha256Hex, verifyStatement } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const P = `${service.url}/api/orch/v1`
const TYPE = 'application/vnd.in-toto+json'
const manifest = async () => (await send(`${P}/attest/manifest`)).json
const verify = async (value: unknown, query = '') => post(`${P}/attest/verify${query}`, JSON.stringify(value))

test('the manifest is read-only: unsigned, unsubmitted, and the ledger is as it was', async () => {
  const before = service.app.ports.ledger.state().size
  const record = await manifest()
  assert.deepEqual([record.verdict, record.label, record.ok], ['PASSED', 'MODELED', true])
  assert.deepEqual([record.envelope.signatures, record.envelope.signed, record.envelope.read_only], [[], false, true])
  assert.deepEqual(record.lake, { appended: false, status: 'READ_ONLY' })
  assert.deepEqual([record.rekor.status, record.rekor.attempted], ['NOT_ATTEMPTED', false])
  assert.equal(service.app.ports.ledger.state().size, before)
})

test('the weights are read once for all who ask within a moment, and not at all for what is no statement', async (t) => {
  const { url, app } = await startApp(t, { ORCH_STORE: 'memory' }, [], { resultKeepMs: Infinity })
  const at = `${url}/api/orch/v1/attest`
  const { artifacts } = app.ports
  const { digest } = artifacts
  let read = 0
  artifacts.digest = (name) => {
    read += name === 'm1-weights' ? 1 : 0
    return digest.call(artifacts, name)
  }
  assert.equal((await post(`${at}/verify`, '{"a":1}')).json.verdict, 'FAILED')
  assert.equal(read, 0)
  const [one, other] = await Promise.all([send(`${at}/manifest`), send(`${at}/manifest`)])
  assert.equal((await post(`${at}/verify`, JSON.stringify(one.json.statement))).json.verdict, 'PASSED')
  assert.deepEqual([read, other.json.built_at], [1, one.json.built_at])
  const { verified_at } = (await send(`${at}/verify`)).json
  assert.ok(verified_at >= one.json.built_at)
})

test('the digest is that of the very bytes in the envelope', async () => {
  const { envelope, statement, statement_digest_sha256 } = await manifest()
  const bytes = base64Decode(envelope.payload)!
  assert.equal(sha256Hex(bytes), statement_digest_sha256)
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), statement)
})

test('the witnesses read for the request agree on the lock, and the reason claims no proof', async () => {
  const { kernel_verification: kernel } = (await manifest()).statement.predicate.provenance
  assert.equal(kernel.verified, true)
  assert.deepEqual(
    kernel.registry.witnesses.map(({ source, kernel_commit }: Record<string, string>) => [source, kernel_commit]),
    [
      ['constants-module', 'c7c0ba17'],
      ['formula-registry.json', 'c7c0ba17'],
      ['executed-checks', null],
    ],
  )
  assert.match(
    kernel.reason,
    /the specification states that the eight were proved at this pin; no proof was read or re-run here/,
  )
  assert.equal(kernel.registry.agreed_lock_digest, 'e7fd73286d1c5ccbfefab497764036ec4586f0496c417ecd3f18bcf497aba005')
  assert.equal(kernel.registry.dispute_crosswalk.schema_version, 'orch.formula-authority.v2')
})

test('the policy source carries the digest of the file as it is now', async () => {
  const { policy_source } = await manifest()
  const file = readFileSync(new URL(`../../../../../${policy_source.path}`, import.meta.url))
  assert.equal(policy_source.sha256, sha256Hex(file))
  assert.deepEqual([policy_source.rules.length, policy_source.evaluator], [6, 'typescript'])
})

test('what the manifest serves is accepted by the verifier that runs anywhere', async () => {
  const report = await verifyStatement(await manifest(), { keys: [] })
  assert.deepEqual([report.checks[0]?.status, report.verdict], ['VERIFIED', 'INCONCLUSIVE'])
})

test('the record, its statement, its envelope and both wrapped pass alike', async () => {
  const record = await manifest()
  const { statement, envelope } = record
  for (const input of [record, statement, envelope, { statement }, { envelope }, { statement, envelope }]) {
    const { status, json } = await verify(input)
    assert.deepEqual([status, json.verdict, json.policy.failed], [200, 'PASSED', []])
    assert.equal(json.statement_digest_sha256, record.statement_digest_sha256)
  }
})

// biome-ignore lint/suspicious/noExplicitAny: the tests change a statement in every place
type Statement = any
// Every one that is made reads the weights of a model through.
const made = await manifest()
const changed = async (change: (predicate: Statement, statement: Statement) => unknown) => {
  const statement = structuredClone(made.statement)
  change(statement.predicate, statement)
  const { json } = await verify(statement)
  return [json.verdict, json.policy.failed]
}

test('a statement that is not ours and that nobody trusted signed is at best UNKNOWN', async () => {
  assert.deepEqual(await changed((predicate) => (predicate.attestation.namespace = 'elsewhere')), ['UNKNOWN', []])
  assert.deepEqual(await changed((predicate) => (predicate.provenance.training.method = 'from scratch')), [
    'UNKNOWN',
    [],
  ])
  assert.deepEqual(await changed((predicate) => (predicate.provenance.build_commit.commit = 'deadbeef')), [
    'UNKNOWN',
    [],
  ])
  assert.deepEqual(await changed((predicate) => (predicate.attestation.built_at = '2026-01-01T00:00:00.000Z')), [
    'PASSED',
    [],
  ])
})

const COVERAGE = 'provenance_coverage_is_one'
const HONESTY = 'honesty_invariants_all_true'
const claims: [what: string, rule: string, change: (predicate: Statement, statement: Statement) => unknown][] = [
  ['weights', COVERAGE, ({ provenance }) => (provenance.sovereign_weights.sha256 = 'a'.repeat(64))],
  ['weights that are absent', COVERAGE, ({ provenance }) => (provenance.sovereign_weights.present = false)],
  ['a corpus', COVERAGE, ({ provenance }) => (provenance.corpus_sha = 'a'.repeat(64))],
  ['a null without its reason', COVERAGE, ({ provenance }) => (provenance.training.note = ' ')],
  ['a build level', HONESTY, ({ attestation }) => (attestation.orch.build_track = 'SLSA_BUILD_LEVEL_2')],
  ['a ninth formula in the crosswalk', HONESTY, ({ provenance }) => ninth(provenance)],
  ['a ninth formula beside the subject', HONESTY, (_, { subject }) => subject[0].annotations.locked_proven.push('F23')],
]
const ninth = ({ kernel_verification }: Statement) =>
  kernel_verification.registry.dispute_crosswalk.payload.locked_proven_ids.push('F23')
for (const [what, rule, change] of claims)
  test(`a statement in our name that claims ${what} fails with ${rule}`, async () => {
    assert.deepEqual(await changed(change), ['FAILED', [rule]])
  })

test('requiring transparency leaves the verdict UNKNOWN without a proof, on every way in', async () => {
  for (const path of ['/attest/manifest', '/attest/verify']) {
    const { json } = await send(`${P}${path}?require_transparency=1`)
    assert.equal(json.verdict, 'UNKNOWN')
  }
  assert.equal((await verify(await manifest(), '?require_transparency=true')).json.verdict, 'UNKNOWN')
  assert.equal((await send(`${P}/attest/verify?require_transparency=perhaps`)).status, 422)
})

const signedWith = (key: ReturnType<typeof createPrivateKey>, keyid: string, payload: Uint8Array, type = TYPE) => ({
  payloadType: type,
  payload: base64Encode(payload),
  signatures: [{ sig: sign('sha256', pae(type, payload), key).toString('base64'), keyid }],
})

test('an envelope signed by a key of the ring is VERIFIED, by a stranger SIGNER-UNKNOWN, and altered it is invalid', async () => {
  const { envelope } = await manifest()
  const payload = base64Decode(envelope.payload)!
  const own = createPrivateKey(readFileSync(join(service.data, 'demo-signing-key.pem')))
  const { keyid } = service.app.ports.ledger.signer
  const good = signedWith(own, keyid!, payload)
  const outsider = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const unknownId = importPublicKey(outsider.publicKey.export({ type: 'spki', format: 'pem' }).toString())!.keyid
  const altered = new TextEncoder().encode(new TextDecoder().decode(payload).replace('"seed":1', '"seed":2'))
  const status = async (input: unknown) => {
    const { json } = await verify(input)
    return [json.signature.status, json.signature.verified, json.verdict]
  }
  assert.deepEqual(await status(good), ['VERIFIED', true, 'PASSED'])
  assert.deepEqual(await status(signedWith(outsider.privateKey, unknownId, payload)), [
    'SIGNER-UNKNOWN',
    false,
    'PASSED',
  ])
  assert.deepEqual(await status({ ...good, payload: base64Encode(altered) }), ['SIGNATURE-INVALID', false, 'FAILED'])
  assert.deepEqual(await status(signedWith(outsider.privateKey, keyid!, payload)), [
    'SIGNATURE-INVALID',
    false,
    'FAILED',
  ])
  const receipt = signedWith(own, keyid!, payload, 'application/vnd.orch.receipt+json')
  assert.deepEqual(await status(receipt), ['SIGNATURE-INVALID', false, 'FAILED'])
})

test('a statement beside an envelope that holds another one fails', async () => {
  const { envelope, statement } = await manifest()
  const { json } = await verify({ envelope, statement: { ...statement, predicateType: 'x' } })
  assert.equal(json.verdict, 'FAILED')
  assert.match(json.reasons.join(), /not the one inside/)
})

test('dropping or adding any field of the record, the statement or the envelope never passes silently', async () => {
  const record = await manifest()
  for (const part of ['statement', 'envelope'])
    for (const name of Object.keys(record[part])) {
      const copy = structuredClone(record)
      delete copy[part][name]
      const { status, json } = await verify(copy)
      assert.equal(status, 200, `${part}.${name}`)
      const annotation = ['signed', 'read_only', '_statement_digest_sha256', 'honesty'].includes(name)
      assert.equal(json.verdict, annotation ? 'PASSED' : 'FAILED', `${part}.${name}`)
    }
  for (const copy of [
    { ...record, extra: 1 },
    { ...record, statement: { ...record.statement, extra: 1 } },
  ])
    assert.equal((await verify(copy)).json.verdict, 'FAILED')
})

test('flipping any byte of the payload in the envelope fails', async () => {
  const { envelope } = made
  const bytes = base64Decode(envelope.payload)!
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
    const flipped = Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ 1 : byte))
    const { status, json } = await verify({ ...envelope, payload: base64Encode(flipped) })
    assert.deepEqual([status, json.verdict], [200, 'FAILED'], `byte ${at}`)
  }
})

const refusedBodies: [what: string, body: string | undefined, status: number][] = [
  ['nothing', undefined, 422],
  ['an empty object', '{}', 422],
  ['a list', '[]', 422],
  ['text', '"x"', 422],
  ['broken JSON', '{"a":', 422],
  ['something else', '{"a":1}', 200],
  ['a prototype', '{"__proto__":{"statement":{}}}', 200],
]
for (const [what, body, status] of refusedBodies)
  test(`verifying ${what} is ${status} and never passes`, async () => {
    const answer = await post(`${P}/attest/verify`, body)
    assert.equal(answer.status, status)
    if (status === 200) assert.deepEqual([answer.json.verdict, answer.json.policy.failed.length], ['FAILED', 6])
  })

const hash = async () => (await post(`${service.url}/api/orch/khipu/sign`, '{"a":1}')).json.digest as string

test('a receipt by its hash is CHAIN-VERIFIED under six heads', async () => {
  const digest = await hash()
  const { json } = await send(`${P}/attest/${digest}`)
  assert.equal(json.verdict, 'CHAIN-VERIFIED')
  assert.deepEqual(
    json.factors.map(({ status }: { status: string }) => status),
    ['PARTIAL', 'VERIFIED', 'CONJECTURE', 'UNAVAILABLE', 'STRUCTURAL-ONLY', 'CHAIN-VERIFIED'],
  )
  assert.equal((await send(`${P}/attest/${digest.toUpperCase()}`)).json.receipt_hash, digest)
})

test('a hash nobody knows is 200 NOT_FOUND, and what is no hash is 422', async () => {
  const { status, json } = await send(`${P}/attest/${'0'.repeat(64)}`)
  assert.deepEqual([status, json.verdict, json.factors.length], [200, 'NOT_FOUND', 6])
  for (const text of ['0'.repeat(63), '0'.repeat(65), `${'0'.repeat(63)}g`, 'x'])
    assert.equal((await send(`${P}/attest/${text}`)).status, 422, text)
})

test('a receipt whose stored bytes were changed is TAMPERED', async (t) => {
  const digest = await hash()
  const { reader } = service.app.ports.ledger
  const row = (await reader.byDigest(digest))!
  const body = new TextEncoder().encode(new TextDecoder().decode(row.body).replace('"a":1', '"a":2'))
  t.mock.method(reader, 'byDigest', async () => ({ ...row, body }))
  const { json } = await send(`${P}/attest/${digest}`)
  assert.equal(json.verdict, 'TAMPERED')
})

test('an unsigned receipt has a chain that verifies, a signature that is said to be missing and no good verdict', async (t) => {
  const plain = await startApp(t, { ORCH_STORE: 'memory', ORCH_SIGNER: 'none' }, [])
  const { json } = await post(`${plain.url}/api/orch/khipu/sign`, '{"a":1}')
  const { json: found } = await send(`${plain.url}/api/orch/v1/attest/${json.digest}`)
  assert.equal(found.verdict, 'INCONCLUSIVE')
  assert.match(found.factors[0].detail, /hash_chain VERIFIED.*signature UNSIGNED/)
})
