import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base64Encode, canonicalize, derToRaw, rawToDer, sha256Hex } from '@orch/core'
import { authorize, envelopeOf, keys, statement, throwAwayKey, trust } from '#testing/anatomy.ts'
import { findEvidence } from './bodies.ts'
import { evaluateEvidence, evidenceIdentity, judgeEvidence, recordFields, shownEvidence } from './evidence.ts'
import { bareStatement } from './signatures.ts'

const evaluate = (value: unknown, given = trust) => {
  const found = findEvidence(value)
  assert.ok(found.ok)
  return evaluateEvidence(found.input, given, authorize)
}
const seen = (value: unknown, given = trust) => {
  const { outcome, deny, review } = evaluate(value, given)
  return [outcome, ...deny, ...review].join(' ')
}
const changed = (fields: Record<string, unknown>) => ({ ...statement(), ...fields })
const signedBy = (value: unknown) => envelopeOf(value, keys.production)

test('a well-formed SLSA statement signed by a production key of the ring is allowed', async () => {
  const result = evaluate(await signedBy(statement()))
  assert.deepEqual([result.outcome, result.deny, result.review, result.verified], ['ALLOW', [], [], true])
  assert.deepEqual(result.verification, { verified: true, keyids: [keys.production.key.keyid], keyKind: 'production' })
  assert.equal(result.statementDigest, sha256Hex(canonicalize(statement())))
  assert.deepEqual(result.determining, ['evidence-admit'])
})

const subject = (fields: Record<string, unknown>) => ({ name: 'a', digest: { sha256: 'b'.repeat(64) }, ...fields })
const build = { buildDefinition: { buildType: 't' }, runDetails: { builder: { id: 'b' } } }
const blocked: [code: string, fields: Record<string, unknown>][] = [
  ['STATEMENT_TYPE_INVALID', { _type: 'https://in-toto.io/Statement/v0.1' }],
  ['STATEMENT_TYPE_INVALID', { _type: undefined }],
  ['SUBJECT_INVALID', { subject: [] }],
  ['SUBJECT_INVALID', { subject: undefined }],
  ['SUBJECT_INVALID', { subject: Array.from({ length: 1001 }, () => subject({})) }],
  ['SUBJECT_INVALID', { subject: [subject({ name: ' ' })] }],
  ['SUBJECT_INVALID', { subject: [subject({}), subject({ digest: { sha256: 'b'.repeat(63) } })] }],
  ['SUBJECT_INVALID', { subject: [subject({ digest: { sha512: 'b'.repeat(128) } })] }],
  ['PREDICATE_NOT_OBJECT', { predicateType: 'other', predicate: [] }],
  ['PREDICATE_TYPE_BLANK', { predicateType: ' ' }],
  ['SLSA_BUILD_TYPE_MISSING', { predicate: { ...build, buildDefinition: {} } }],
  ['SLSA_BUILDER_ID_MISSING', { predicate: { ...build, runDetails: { builder: { id: '' } } } }],
]
for (const [code, fields] of blocked)
  test(`${code} blocks even what is signed: ${JSON.stringify(fields).slice(0, 60)}`, async () => {
    const result = evaluate(await signedBy(changed(fields)))
    assert.equal(result.outcome, 'BLOCK')
    assert.deepEqual(result.deny, ['EVIDENCE_INVALID', code].sort())
  })

test('a thousand subjects are fine', async () => {
  const subjects = Array.from({ length: 1000 }, () => subject({}))
  assert.equal(evaluate(await signedBy(changed({ subject: subjects }))).outcome, 'ALLOW')
})

test('a predicate that is not SLSA v1 is left to a person', async () => {
  assert.equal(
    seen(await signedBy(changed({ predicateType: 'https://example.org/p', predicate: {} }))),
    'REVIEW NOT_SLSA_V1',
  )
})

test('no signature, an unknown key and a caller’s own word prove nothing', async () => {
  assert.equal(seen(statement()), 'REVIEW VERIFICATION_UNPROVEN')
  assert.equal(seen(await envelopeOf(statement())), 'REVIEW VERIFICATION_UNPROVEN')
  assert.equal(seen(await envelopeOf(statement(), keys.untrusted)), 'REVIEW VERIFICATION_UNPROVEN')
  const forged = {
    statement: changed({ verified: true }),
    verified: true,
    verification: { verified: true, keyids: [keys.production.key.keyid] },
  }
  assert.equal(seen(forged), 'REVIEW VERIFICATION_UNPROVEN')
})

test('a demo key verifies and is not enough', async () => {
  const result = evaluate(await envelopeOf(statement(), keys.demo))
  assert.deepEqual([result.outcome, result.review, result.verified], ['REVIEW', ['DEMO_KEY_ONLY'], true])
  assert.equal(seen(await envelopeOf(statement(), keys.demo, keys.production)), 'ALLOW')
})

test('a signature that names a ring key and fails blocks, also beside one that verifies', async () => {
  const good = await signedBy(statement())
  const otherPayload = {
    ...good,
    payload: base64Encode(new TextEncoder().encode(JSON.stringify(changed({ subject: [subject({ name: 'evil' })] })))),
  }
  assert.equal(seen(otherPayload), 'BLOCK SIGNATURE_INVALID VERIFICATION_UNPROVEN')
  const [foreign] = (await envelopeOf(statement(), keys.untrusted)).signatures
  const claimed = { sig: foreign?.sig, keyid: keys.second.key.keyid }
  assert.equal(seen({ ...good, signatures: [...good.signatures, claimed] }), 'BLOCK SIGNATURE_INVALID')
})

test('one key counts once however often it signs', async () => {
  const two = { ...trust, threshold: 2 }
  const twice = await envelopeOf(statement(), keys.production, keys.production)
  const malleated = { ...twice, signatures: [twice.signatures[0], flipped(twice.signatures[0]!)] }
  assert.equal(
    evaluate(malleated).signatures.every(({ verified }) => verified),
    true,
  )
  for (const envelope of [twice, malleated]) assert.equal(seen(envelope, two), 'REVIEW VERIFICATION_UNPROVEN')
  assert.equal(seen(await envelopeOf(statement(), keys.production, keys.second), two), 'ALLOW')
  assert.equal(seen(await envelopeOf(statement(), keys.production, keys.demo), two), 'REVIEW DEMO_KEY_ONLY')
})

/** (r, n - s): valid wherever (r, s) is, and other bytes. */
function flipped({ sig, keyid }: { sig: string; keyid: string }) {
  const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const raw = derToRaw(new Uint8Array(Buffer.from(sig, 'base64'))) as Uint8Array
  const s = n - BigInt(`0x${Buffer.from(raw.subarray(32)).toString('hex')}`)
  const other = new Uint8Array([...raw.subarray(0, 32), ...Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  return { sig: base64Encode(rawToDer(other)), keyid }
}

test('a threshold below one verifies nothing', async () => {
  const none = { ...trust, threshold: 0 }
  assert.equal(seen(statement(), none), 'REVIEW VERIFICATION_UNPROVEN')
  assert.equal(seen(await signedBy(statement()), none), 'REVIEW VERIFICATION_UNPROVEN')
})

test('a builder outside the list is left to a person, and no list trusts every builder', async () => {
  const envelope = await signedBy(statement())
  assert.equal(seen(envelope, { ...trust, builders: ['https://example.org/builder'] }), 'ALLOW')
  assert.equal(seen(envelope, { ...trust, builders: ['https://example.org/builder2'] }), 'REVIEW BUILDER_UNTRUSTED')
  assert.equal(seen(envelope, { ...trust, builders: [] }), 'REVIEW BUILDER_UNTRUSTED')
})

test('another payload type blocks, even where the signature is good for it', async () => {
  const envelope = await signedBy(statement())
  const result = evaluate({ ...envelope, payloadType: 'application/vnd.orch.receipt+json' })
  assert.deepEqual([result.outcome, result.deny], ['BLOCK', ['EVIDENCE_INVALID', 'PAYLOAD_TYPE_WRONG']])
  assert.deepEqual(result.signatures, [])
})

test('a payload that is not strict JSON and an envelope that is none block', async () => {
  assert.ok(evaluate(await signedBy('{"_type":1,"_type":2}')).deny.includes('PAYLOAD_NOT_JSON'))
  assert.ok(evaluate({ payloadType: 'x', payload: '***', signatures: [] }).deny.includes('ENVELOPE_MALFORMED'))
  assert.equal(evaluate({}).outcome, 'BLOCK')
})

test('a bare statement without a canonical form has no digest and is blocked', () => {
  let deep: unknown = {}
  for (let depth = 0; depth < 600; depth++) deep = [deep]
  const result = evaluate(changed({ predicateType: 'other', predicate: { deep } }))
  assert.deepEqual([result.outcome, result.statementDigest], ['BLOCK', null])
  assert.ok(result.deny.includes('STATEMENT_NOT_CANONICAL'))
})

test('the statement is read from the very bytes that were signed, in whatever form they are', async () => {
  const spaced = JSON.stringify(statement(), null, 2)
  const result = evaluate(await signedBy(spaced))
  assert.deepEqual([result.outcome, result.statementDigest], ['ALLOW', sha256Hex(canonicalize(statement()))])
  const both = { envelope: await signedBy(spaced) }
  assert.equal(evaluate(both).envelopeDigest, result.envelopeDigest)
})

test('a policy engine that errs or denies blocks what all rules were content with', async () => {
  const envelope = findEvidence(await signedBy(statement()))
  assert.ok(envelope.ok)
  const real = evaluateEvidence(envelope.input, trust, authorize)
  assert.equal(real.outcome, 'ALLOW')
  const denied = {
    outcome: 'deny',
    reasons: ['POLICY_DEFAULT_DENY'],
    determining: [],
    forbids: [],
    errors: [],
    engine: '',
    policy_digest: '',
  } as const
  assert.deepEqual(evaluateEvidence(envelope.input, trust, () => denied).deny, ['POLICY_DEFAULT_DENY'])
  assert.deepEqual(evaluateEvidence(envelope.input, trust, () => ({ ...denied, errors: ['x'] })).deny, ['POLICY_ERROR'])
})

test('policy and rules agree: signature verdicts that claim too much still meet the rules', () => {
  const signatures = [{ keyid: keys.production.key.keyid, verified: true, reason: '' }]
  const result = judgeEvidence({ ...bareStatement({}), signatures }, trust, authorize)
  assert.equal(result.outcome, 'BLOCK')
})

test('carriers nest up to eight times, hold one thing and nothing else', () => {
  const nested = (depth: number): unknown =>
    depth === 0 ? statement() : { [['statement', 'attestation', 'envelope'][depth % 3]!]: nested(depth - 1) }
  assert.ok(findEvidence(nested(8)).ok)
  assert.equal(findEvidence(nested(9)).ok, false)
  assert.equal(findEvidence({ statement: statement(), envelope: {} }).ok, false)
  assert.equal(findEvidence({ statement: statement(), trusted: true }).ok, false)
  for (const value of [null, [], 'x', { statement: 1 }]) assert.equal(findEvidence(value).ok, false)
})

test('a record is known by what was proven, not by signature bytes', async () => {
  const [one, again] = [await signedBy(statement()), await signedBy(statement())]
  assert.notEqual(one.signatures[0]?.sig, again.signatures[0]?.sig)
  const identity = (value: unknown) => evidenceIdentity(evaluate(value))
  assert.equal(identity(one), identity(again))
  assert.notEqual(identity(one), identity({ ...one, signatures: [] }))
  assert.notEqual(identity(one), identity(await signedBy(changed({ more: 1 }))))
})

test('a record holds the statement once, a reply only its digest', async () => {
  const result = evaluate(await signedBy(statement()))
  const record = recordFields(result)
  assert.deepEqual(record.statement, statement())
  assert.deepEqual(
    [record.builderId, record.policy.outcome, record.subjects],
    ['https://example.org/builder', 'ALLOW', statement().subject],
  )
  assert.equal('statement' in shownEvidence(result), false)
})

test('a key is in the ring only if it was put there', async () => {
  const late = throwAwayKey()
  const envelope = { ...(await envelopeOf(statement(), late)), _public_key: 'mine' }
  assert.equal(seen(envelope), 'REVIEW VERIFICATION_UNPROVEN')
  assert.equal(seen(envelope, { ...trust, ring: [{ key: late.key, kind: 'production' }] }), 'ALLOW')
})
