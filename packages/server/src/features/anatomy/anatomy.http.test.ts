// The five operations and the order of their checks, over real sockets.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { canonicalize, pemEncode, sha256Hex } from '@orch/core'
import { commandWith, envelopeOf, keys, statement } from '#testing/anatomy.ts'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { policiesOf } from '../../governance/policy/policies.ts'
import { anatomy } from './operations.ts'

const BASE = '/api/orch/v1/anatomy-ledger'
const ring = join(freshFolder('anatomy'), 'ring.pem')
writeFileSync(ring, pemEncode(keys.production.key.spki, 'PUBLIC KEY'))
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_TRUSTED_KEYS: ring })
const call = (operation: string, body: unknown, headers = {}) =>
  post(`${service.url}${BASE}/${operation}`, JSON.stringify(body), headers)
const get = (path: string) => send(`${service.url}${BASE}/${path}`)
const size = async () => (await service.app.ports.ledger.reader.head()).size
const named = sha256Hex(canonicalize(statement()))
const timestamp = new Date().toISOString()
const command = (context = {}) => commandWith({ context: { evidenceDigest: named, timestamp, ...context } })

test('healthz and status are one answer, and say ok only when store and policies answered', async () => {
  const [healthz, status] = [await get('healthz'), await get('status')]
  assert.deepEqual(healthz.json, status.json)
  const { json } = status
  assert.deepEqual(
    [json.status, json.evaluationOnly, json.executable, json.evaluator, json.requestLimitBytes, json.scenarioLimit],
    ['ok', true, false, 'cedar-wasm', 262_144, 16],
  )
  assert.deepEqual(json.capabilities, ['ledger', 'authorize', 'evaluate', 'bind', 'analyze', 'replay'])
  assert.deepEqual([json.trustRing.keys, json.trustRing.threshold], [2, 1])
  assert.ok(json.trustRing.keyids.includes(keys.production.key.keyid))
})

test('an empty ledger is an answer', async () => {
  const { status, json } = await get('ledger')
  assert.deepEqual([status, json.recordCount, json.chainRoot, json.records], [200, 0, null, []])
  assert.deepEqual([json.signatureStatus, json.chainIntegrity.valid], ['NONE', true])
  assert.equal((await get('ledger?limit=2001')).status, 422)
  assert.equal((await get('ledger?cursor=x')).status, 422)
})

test('the proof runs every case through the real evaluators and records nothing', async () => {
  const before = await size()
  const { json } = await get('prove')
  assert.deepEqual([json.schema, json.label, json.passed, json.failed], ['orch.anatomy.prove.v1', 'SIMULATED', 17, 0])
  assert.equal(await size(), before)
})

test('the documented example is judged as it stands, and as an intent of now once its time is set', async () => {
  const { paths } = (await send(`${service.url}/openapi.json`)).json
  const { parameters, requestBody } = paths['/api/orch/v1/anatomy-ledger/{operation}'].post
  const { example } = requestBody.content['application/json']
  const analysed = (await call(parameters[0].example, example)).json
  assert.equal(analysed.base.intentOutcome, 'REVIEW', 'nobody is authenticated here')
  const now = new Date().toISOString()
  const { command } = example
  const asked = { ...command, context: { ...command.context, timestamp: now } }
  assert.equal((await call('authorize', asked)).json.outcome, 'REVIEW')
})

test('authorize answers for a permitted intent, a forbidden one and one that is none', async () => {
  const allowed = (await call('authorize', command())).json
  assert.deepEqual(
    [allowed.outcome, allowed.decision, allowed.policyEligible, allowed.cedarExecuted, allowed.evaluationOnly],
    ['REVIEW', 'review', false, true, true],
  )
  assert.deepEqual([allowed.identityAuthenticated, allowed.reasons], [false, ['IDENTITY_NOT_AUTHENTICATED']])
  const stale = (await call('authorize', command({ timestamp: '2020-01-01T00:00:00Z' }))).json
  assert.deepEqual([stale.outcome, stale.errors[0].path], ['BLOCK', 'context.timestamp'])
  const denied = (await call('authorize', { request: command({ mfa: false, riskScore: 99 }) })).json
  assert.deepEqual([denied.outcome, denied.deny], ['BLOCK', ['MFA_REQUIRED', 'RISK_LIMIT_EXCEEDED']])
  const invalid = await call('authorize', { principal: {}, action: 1 })
  assert.deepEqual(
    [invalid.status, invalid.json.outcome, invalid.json.reasons, invalid.json.cedarExecuted],
    [200, 'BLOCK', ['INVALID_REQUEST'], false],
  )
  assert.ok(invalid.json.errors.length > 3)
})

test('the receipt of an evaluation holds digests and codes, and nothing that was sent', async () => {
  const body = command({ purpose: 'planted-purpose', sessionId: 'planted-session' })
  const { receipt } = (await call('authorize', body)).json
  const stored = await send(`${service.url}/api/orch/v1/receipts/${receipt.digest}`)
  const { kind, chain, payload } = stored.json.body
  assert.deepEqual([kind, chain, payload.operation, payload.decision], ['anatomy', 'anatomy', 'authorize', 'DENY'])
  assert.equal(payload.bodyDigest, sha256Hex(canonicalize(body)))
  assert.doesNotMatch(stored.text, /planted/)
})

test('only evidence under a production key of the ring is admitted', async () => {
  const outcomes = async (body: unknown) => {
    const { outcome, verified, deny, review } = (await call('evaluate', body)).json
    return [outcome, verified, ...deny, ...review].join(' ')
  }
  assert.equal(await outcomes(await envelopeOf(statement(), keys.production)), 'ALLOW true')
  assert.equal(await outcomes(await envelopeOf(statement(), keys.untrusted)), 'REVIEW false VERIFICATION_UNPROVEN')
  assert.equal(
    await outcomes({ statement: statement(), verified: true, verification: { verified: true } }),
    'REVIEW false VERIFICATION_UNPROVEN',
  )
  const signed = await envelopeOf(statement(), keys.production)
  const altered = { ...signed, payload: (await envelopeOf({ ...statement(), more: 1 })).payload }
  assert.equal(await outcomes(altered), 'BLOCK false SIGNATURE_INVALID VERIFICATION_UNPROVEN')
  const twice = await envelopeOf(statement(), keys.production, keys.production)
  assert.deepEqual((await call('evaluate', twice)).json.record.verification.keyids, [keys.production.key.keyid])
})

test('the service’s own demo key vouches for nothing that needs no second look', async () => {
  const sample = (await call('authorize', command())).json.receipt.keyid
  const { trustRing } = (await get('status')).json
  assert.ok(trustRing.keyids.includes(sample))
  const forged = await envelopeOf(statement(), keys.untrusted)
  const claimed = { ...forged, signatures: forged.signatures.map(({ sig }) => ({ sig, keyid: sample })) }
  assert.deepEqual((await call('evaluate', claimed)).json.deny, ['SIGNATURE_INVALID'])
})

test('bind leaves to a person what is permitted, admitted and named by nobody in particular, and appends a record', async () => {
  const envelope = await envelopeOf(statement(), keys.production)
  const eligible = (await call('bind', { command: command(), envelope })).json
  assert.deepEqual(
    [eligible.schema, eligible.outcome, eligible.policyEligible, eligible.executionAuthority, eligible.executable],
    ['orch.anatomy.bind.v1', 'REVIEW', false, 'none', false],
  )
  assert.equal(eligible.record.statementDigest, named)
  const bare = (await call('bind', { command: command() })).json
  assert.deepEqual([bare.record, bare.duplicate, bare.evidence], [null, false, null])
  assert.deepEqual(bare.evidenceBinding.reasons, ['EVIDENCE_MISSING'])
  const other = (await call('bind', { command: command({ evidenceDigest: 'c'.repeat(64) }), envelope })).json
  assert.deepEqual(other.evidenceBinding.reasons, ['STATEMENT_DIGEST_MISMATCH'])
})

test('an analysis gives a capsule that replays as ours; an edited one is consistent at most', async () => {
  const envelope = await envelopeOf(statement(), keys.production)
  const headers = { 'idempotency-key': 'analysis' }
  const answer = await call('analyze', { command: command(), envelope }, headers)
  const { replayCapsule, replayCapsuleJson, label, scenarios, receipt } = answer.json
  assert.deepEqual([label, scenarios.length, replayCapsule.receiptDigest], ['MODELED', 5, receipt.digest])
  assert.deepEqual(JSON.parse(replayCapsuleJson), replayCapsule)
  assert.equal((await call('analyze', { command: command(), envelope }, headers)).text, answer.text)
  const replayed = (await call('replay', replayCapsule)).json
  assert.deepEqual([replayed.valid, replayed.authentic, replayed.trust], [true, true, 'ledger-bound'])
  const lent = { ...replayCapsule, receiptDigest: replayed.receipt.digest }
  assert.deepEqual(
    [(await call('replay', lent)).json.valid, (await call('replay', lent)).json.trust],
    [true, 'untrusted'],
  )
  const edited = (await call('replay', { ...replayCapsule, resultDigest: 'f'.repeat(64) })).json
  assert.deepEqual([edited.valid, edited.trust, edited.issues[0].code], [false, 'untrusted', 'RESULT_DIGEST_MISMATCH'])
  assert.equal((await call('replay', { schema: 'x' })).json.issues[0].code, 'CAPSULE_INVALID')
})

test('an analysis longer than a reply may be is refused and not recorded', async () => {
  const before = await size()
  const allowedPurposes = Array.from({ length: 7 }, (_, at) => `${at}${'x'.repeat(16_000)}`)
  const changes = [{ path: 'resource.attrs.allowedPurposes', value: [] }]
  const scenarios = Array.from({ length: 16 }, (_, at) => ({ id: `s${at}`, changes }))
  const answer = await call('analyze', { command: commandWith({ resource: { allowedPurposes } }), scenarios })
  assert.deepEqual([answer.status, answer.json.detail[0].type], [422, 'OUTPUT_LIMIT_EXCEEDED'])
  assert.equal(await size(), before)
})

const misfits: [what: string, operation: string, body: string | undefined, loc: unknown[]][] = [
  ['no body', 'authorize', undefined, ['body']],
  ['an empty object', 'evaluate', '{}', ['body']],
  ['an empty capsule', 'replay', '{}', ['body']],
  ['a list', 'bind', '[]', ['body']],
  ['no JSON', 'evaluate', '{"a":', ['body', 'a']],
  ['a key twice', 'evaluate', '{"a":1,"a":2}', ['body', 'a']],
  ['an unknown field', 'bind', '{"command":{},"trusted":true}', ['body', 'trusted']],
  [
    'a scenario without changes',
    'analyze',
    '{"command":{},"scenarios":[{"id":"a"}]}',
    ['body', 'scenarios', 0, 'changes'],
  ],
]
for (const [what, operation, body, loc] of misfits)
  test(`${what} is 422 for ${operation} and says that nothing was executed`, async () => {
    const before = await size()
    const answer = await post(`${service.url}${BASE}/${operation}`, body)
    assert.equal(answer.status, 422, answer.text)
    assert.deepEqual([answer.json.evaluationOnly, answer.json.executable], [true, false])
    assert.deepEqual(answer.json.detail[0].loc, loc)
    assert.equal(await size(), before)
  })

const wrong = { type: { 'content-type': 'text/plain' }, origin: { origin: 'https://evil.example' } }
const long = 'x'.repeat(262_145)
const order: [what: string, path: string, headers: Record<string, string>, body: string, expected: [number, string]][] =
  [
    ['an unknown operation', 'execute', { ...wrong.type, ...wrong.origin }, long, [404, 'operation_not_found']],
    ['a name of Object', 'constructor', {}, '{}', [404, 'operation_not_found']],
    ['a foreign type', 'bind', { ...wrong.type, ...wrong.origin }, long, [415, 'unsupported_media_type']],
    [
      'a compressed body',
      'bind',
      { 'content-encoding': 'gzip', ...wrong.origin },
      long,
      [415, 'unsupported_media_type'],
    ],
    ['a foreign origin', 'bind', wrong.origin, long, [403, 'cross_origin_refused']],
    ['too many bytes', 'bind', {}, long, [413, 'request_body_too_large']],
  ]
for (const [what, path, headers, body, expected] of order)
  test(`${what} is told before anything that comes after it`, async () => {
    const {
      status,
      json,
      headers: sent,
    } = await send(`${service.url}${BASE}/${path}`, { method: 'POST', headers, body })
    assert.deepEqual([status, json.error.code], expected)
    assert.deepEqual([sent['x-frame-options'], sent['referrer-policy']], ['DENY', 'no-referrer'])
    assert.match(String(sent['content-security-policy']), /default-src 'none'; .*'self'/)
  })

test('262,144 bytes are read', async () => {
  const padded = JSON.stringify(command()).padEnd(262_144)
  assert.equal((await post(`${service.url}${BASE}/authorize`, padded)).status, 200)
  assert.equal((await post(`${service.url}${BASE}/authorize`, `${padded} `)).status, 413)
})

test('a body may take five seconds', () => {
  const evaluating = anatomy(service.app.ports).find(({ id }) => id === 'anatomy.evaluate')
  assert.equal(evaluating?.bodyTimeoutMs, 5_000)
})

test('another operation under a used key is a conflict', async () => {
  const headers = { 'idempotency-key': 'shared' }
  assert.equal((await call('authorize', command(), headers)).status, 200)
  assert.equal((await call('evaluate', statement(), headers)).json.error.code, 'idempotency_conflict')
})

test('policies that did not load: the status says so, operations are 503, nothing is recorded', async (t) => {
  const blind = await startApp(t as never, { ORCH_STORE: 'memory' })
  blind.app.ports.anatomy = policiesOf(() => {
    throw new Error('/srv/planted-path holds no schema')
  })
  const url = `${blind.url}${BASE}`
  const status = await send(`${url}/status`)
  assert.deepEqual([status.json.status, status.json.policyDigest], ['unavailable', null])
  assert.doesNotMatch(status.text, /planted/)
  const bodies = { authorize: command(), evaluate: statement(), bind: { command: command() }, replay: { schema: 1 } }
  for (const [operation, body] of Object.entries(bodies)) {
    const answer = await post(`${url}/${operation}`, JSON.stringify(body))
    assert.deepEqual([answer.status, answer.json.error.code], [503, 'gates_unavailable'], operation)
  }
  assert.equal((await send(`${url}/prove`)).status, 503)
  assert.equal((await blind.app.ports.ledger.reader.head()).size, 0)
})

test('builders outside the list are left to a person, and the list is part of what a record is known by', async (t) => {
  const env = { ORCH_STORE: 'memory', ORCH_TRUSTED_KEYS: ring, ORCH_TRUSTED_BUILDERS: 'https://example.org/other' }
  const strict = await startApp(t as never, env)
  const body = JSON.stringify(await envelopeOf(statement(), keys.production))
  const first = (await post(`${strict.url}${BASE}/evaluate`, body)).json
  assert.deepEqual([first.outcome, first.verified, first.review], ['REVIEW', true, ['BUILDER_UNTRUSTED']])
  strict.app.ports.trustedBuilders = ['https://example.org/builder']
  const then = (await post(`${strict.url}${BASE}/evaluate`, body)).json
  assert.deepEqual([then.outcome, then.duplicate, then.record.index], ['ALLOW', false, 1])
})

test('a registered owner is the principal it is, has a chain of its own, and replays its own capsules alone', async (t) => {
  const credentials = join(freshFolder('anatomy-registry'), 'registry.json')
  const entry = (owner: string, scopes: string[]) => ({
    ...{ key_id: owner, namespace: 'lab', owner_id: owner, token_sha256: sha256Hex(`token-${owner}`), scopes },
  })
  const scopes = ['anatomy:write', 'receipts:read']
  const entries = [entry('synthetic-pipeline', scopes), entry('bob', scopes), entry('reader', ['receipts:read'])]
  writeFileSync(credentials, JSON.stringify({ credentials: entries }), { mode: 0o600 })
  const env = { ORCH_STORE: 'memory', ORCH_CREDENTIALS: credentials, ORCH_TRUSTED_KEYS: ring }
  const guarded = await startApp(t as never, env)
  const as = (owner: string) => ({ authorization: `Bearer token-${owner}` })
  const send2 = (owner: string, operation: string, body: unknown) =>
    post(`${guarded.url}${BASE}/${operation}`, JSON.stringify(body), as(owner))
  const own = (await send2('synthetic-pipeline', 'authorize', command())).json
  assert.deepEqual([own.identityAuthenticated, own.outcome], [true, 'ALLOW'])
  const foreign = (await send2('bob', 'authorize', command())).json
  assert.deepEqual([foreign.identityAuthenticated, foreign.outcome], [false, 'REVIEW'])
  const bound = { command: command(), envelope: await envelopeOf(statement(), keys.production) }
  const { json: eligible } = await send2('synthetic-pipeline', 'bind', bound)
  assert.deepEqual([eligible.outcome, eligible.policyEligible, eligible.executionAuthority], ['ALLOW', true, 'none'])
  assert.equal((await send2('reader', 'authorize', command())).json.error.code, 'missing_scopes')
  assert.equal((await post(`${guarded.url}${BASE}/authorize`, '{}')).status, 401)
  assert.equal((await post(`${guarded.url}${BASE}/execute`, '{}')).status, 404)
  assert.equal((await send2('bob', 'evaluate', statement())).json.duplicate, false)
  assert.equal((await send2('synthetic-pipeline', 'evaluate', statement())).json.duplicate, false)
  const ledgerOf = (owner: string) => send(`${guarded.url}${BASE}/ledger`, { headers: as(owner) })
  assert.deepEqual([(await ledgerOf('bob')).json.recordCount, (await ledgerOf('reader')).json.recordCount], [1, 0])
  const { replayCapsule } = (await send2('bob', 'analyze', { command: command() })).json
  assert.equal((await send2('bob', 'replay', replayCapsule)).json.trust, 'ledger-bound')
  assert.equal((await send2('synthetic-pipeline', 'replay', replayCapsule)).json.trust, 'untrusted')
})
