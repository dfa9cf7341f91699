import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { base64url, SignJWT } from 'jose'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import { issuerKey, keyFromBytes } from './keys.ts'
import { identity } from './organ.ts'
import { signClaims } from './token.ts'

const AUD = 'https://tool.sim.orch.invalid'
const run = async (body: Record<string, unknown>) => (await tryOrgan(identity, body)).answer
const issue = async (more = {}) =>
  (await run({ op: 'issue', agent: 'planner', scopes: ['read', 'write'], ...more })).result
const delegate = (token: string, to: string, scopes: string[], more = {}) =>
  run({ op: 'delegate', token, to, scopes, ...more })
const verify = async (token: string, more = {}) => (await run({ op: 'verify', token, aud: AUD, ...more })).result
const refused = async (body: Record<string, unknown>, field: string) =>
  assert.rejects(tryOrgan(identity, body), (error) => {
    assert.ok(error instanceof InputError)
    assert.equal(error.detail[0]!.loc[1], field)
    return true
  })

test('the key of RFC 8037 has the public half and the thumbprint that are published', async () => {
  const { jwk, thumbprint } = await keyFromBytes(base64url.decode('nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'))
  assert.equal(jwk.x, '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')
  assert.equal(thumbprint, 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
})

test('the example is the same token every time, and another seed gives another', async () => {
  const one = await run({})
  assert.equal(one.result_sha256, GOLDEN)
  assert.deepEqual([one.status, one.deterministic, one.evidence.seed], ['EXECUTED', true, 42])
  assert.equal((await run({})).result_sha256, GOLDEN)
  const request = { op: 'issue', agent: 'planner', scopes: ['read'] }
  assert.notEqual((await run({ ...request, seed: 43 })).result_sha256, (await run(request)).result_sha256)
})
const GOLDEN = '7a91e19065b7172a8a37f7b7edcc74c5ed38ef2e9c49c4132ffa89773ed5d3aa'

test('an issued token says who, for what, how long, and whose key it is bound to', async () => {
  const { claims, chain, jwks, token, proof } = await issue({ ttl_s: 60, task: 'report' })
  assert.equal(claims.sub, 'spiffe://sim.orch.invalid/agent/planner')
  assert.deepEqual([claims.exp - claims.iat, claims.task, claims.scope], [60, 'report', 'read write'])
  assert.deepEqual([chain.length, jwks.keys[0].crv, 'd' in jwks.keys[0]], [1, 'Ed25519', false])
  assert.deepEqual((await verify(token, { proof })).reasons, [])
  assert.equal((await verify(token, { seed: 43 })).reasons[0], 'SIGNATURE_INVALID')
})

test('every attack of the suite comes out as expected, the genuine ones included', async () => {
  for (const seed of [0, 42, 4_294_967_295]) {
    const { passed, failed, cases } = (await run({ op: 'attack_suite', seed })).result
    for (const { name, expected, actual } of cases) assert.equal(actual, expected, name)
    assert.deepEqual([passed, failed], [cases.length, 0])
    const named = new Set(cases.map(({ name }: { name: string }) => name))
    for (const name of ['expired', 'not yet valid', 'wrong aud', 'alg none', 'HS256 with public key', 'replay'])
      assert.ok(named.has(name), name)
    for (const name of ['revoked', 'widened scope', 'depth 6', 'swapped cnf', 'genuine token'])
      assert.ok(named.has(name), name)
    for (const name of [
      'kid of another key',
      'key in the header',
      'critical extension',
      'nested token',
      'address of a key',
    ])
      assert.ok(named.has(name), name)
  }
  for (const now of [0, 4_102_444_800]) assert.equal((await run({ op: 'attack_suite', now })).result.failed, 0)
})

test('a token has one spelling, though the signature under another decodes to the same bytes', async () => {
  const { token } = await issue()
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const body = token.slice(0, -1)
  const respelled = [1, 2, 15].map((bits) => body + letters[letters.indexOf(token.at(-1)!) + bits])
  for (const spelling of [
    ...respelled,
    `${token} `,
    `${token}\n`,
    `${token}==`,
    `${body.slice(0, -20)} ${token.slice(-21)}`,
  ])
    assert.deepEqual((await verify(spelling)).reasons, ['MALFORMED'], spelling.slice(-30))
})

test('actors are compared one by one, and nobody passes for two', async () => {
  const { jti: _, cnf: __, ...claims } = (await issue()).claims
  const link = (sub: string) => ({ sub, jti: '0'.repeat(64), scope: 'read write', exp: claims.exp })
  const joined = { ...claims, sub: 'a', act: { sub: 'b,c' }, dlg: [link('a'), link('b')] }
  assert.deepEqual((await verify((await signClaims(42, 'planner', joined)).token)).reasons, ['ACTORS_DIFFER'])
})

test('whoever passes a token on without a proof is told that possession was not proven', async () => {
  const { token } = await issue()
  const { limits } = await delegate(token, 'worker', ['read'])
  assert.deepEqual(
    limits.map(({ code }: { code: string }) => code),
    ['POSSESSION_NOT_PROVEN'],
  )
})

test('five may pass the authority on, the sixth may not', async () => {
  let { token } = await issue()
  for (let depth = 1; depth <= 5; depth += 1) {
    const { status, result } = await delegate(token, `worker-${depth}`, ['read'])
    assert.deepEqual([status, result.chain.length], ['EXECUTED', depth + 1])
    token = result.token
    assert.equal((await verify(token)).valid, true)
  }
  const { status, result } = await delegate(token, 'worker-6', ['read'])
  assert.deepEqual([status, result.reasons, result.token], ['DENIED', ['TOO_DEEP'], null])
})

test('no chain ever holds a scope or a lifetime that the one before lacks', async () => {
  const scopes = fc.uniqueArray(fc.constantFrom('read', 'write', 'admin', 'pay', 'ship'), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(
      scopes,
      fc.array(scopes, { maxLength: 7 }),
      fc.integer({ min: 30, max: 3600 }),
      async (first, steps, ttl) => {
        let { token, chain } = await issue({ scopes: first, ttl_s: ttl })
        for (const [at, wanted] of steps.entries()) {
          const { status, result } = await delegate(token, `agent-${at}`, wanted)
          const narrower = wanted.every((scope: string) => chain.at(-1).scope.split(' ').includes(scope))
          assert.equal(status, narrower && chain.length <= 5 ? 'EXECUTED' : 'DENIED')
          if (status === 'EXECUTED') ({ token, chain } = result)
        }
        const { valid, chain: seen } = await verify(token)
        assert.equal(valid, true)
        for (const [at, link] of seen.entries()) {
          if (at === 0) continue
          const before = seen[at - 1].scope.split(' ')
          assert.ok(
            link.scope.split(' ').every((scope: string) => before.includes(scope)) && link.exp <= seen[at - 1].exp,
          )
        }
      },
    ),
    { seed: 22, numRuns: 60 },
  )
})

test('a token that is over, or of somebody else, is not passed on', async () => {
  const { token, claims } = await issue()
  assert.deepEqual((await delegate(token, 'worker', ['read'], { now: claims.exp })).result.reasons, ['EXPIRED'])
  const foreign = await delegate(token, 'worker', ['read'], { seed: 7 })
  assert.deepEqual(
    [foreign.status, foreign.result.reasons, foreign.result.chain],
    ['DENIED', ['SIGNATURE_INVALID'], []],
  )
})

test('all reasons are told, not only the first', async () => {
  const { token, claims } = await issue()
  const { reasons } = await verify(token, {
    ...{ aud: 'x', now: claims.exp, revoked: [claims.jti], seen_jti: [claims.jti], proof: 'no' },
  })
  assert.deepEqual(reasons, ['AUDIENCE_WRONG', 'EXPIRED', 'REPLAYED', 'REVOKED', 'PROOF_INVALID'])
})

test('a proof counts for a minute', async () => {
  const { token, proof, claims } = await issue()
  assert.equal((await verify(token, { proof, now: claims.iat + 60 })).valid, true)
  assert.deepEqual((await verify(token, { proof, now: claims.iat + 61 })).reasons, ['PROOF_INVALID'])
})

test('hostile tokens, some of them signed with the public seed, are invalid and nothing worse', async () => {
  const { token, claims } = await issue()
  const { key, thumbprint } = await issuerKey(42)
  const signed = (payload: object, typ = 'orch-sim+jwt') =>
    new SignJWT(payload as never).setProtectedHeader({ alg: 'EdDSA', typ, kid: thumbprint }).sign(key)
  const deep = Array.from({ length: 500 }).reduce<object>((act) => ({ sub: 'a', act }), { sub: 'a' })
  const hostile = [
    ...['x', '..', 'a.b.c', '\u0000.\u0000.\u0000', '😀.😀.😀', `${token}.x`, ` ${token}`, token.slice(1)],
    token.replace('.', '.A'),
    await signed({}),
    await signed({ ...claims, act: null }),
    await signed({ ...claims, act: deep }),
    await signed({ ...claims, scope: ['admin'] }),
    await signed({ ...claims, exp: 'never' }),
    await signed({ ...claims, act: { sub: 'spiffe://other/agent/x' } }),
    await signed({ ...claims, extra: 1 }),
    await signed({ ...claims, iss: 'https://orch.example' }),
    await signed(claims, 'JWT'),
  ]
  for (const candidate of hostile) {
    const { valid, reasons } = await verify(candidate)
    assert.equal(valid, false, candidate.slice(0, 60))
    assert.equal(reasons.length > 0, true)
    assert.equal((await delegate(candidate, 'worker', ['read'])).status, 'DENIED')
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom('A', 'z', '_', '.', ' '), async (at, letter) => {
      const altered = token.slice(0, at) + letter + token.slice(at + 1)
      fc.pre(altered !== token)
      assert.equal((await verify(altered)).valid, false)
    }),
    { seed: 22, numRuns: 100 },
  )
})

test('each bound is accepted at its edge and refused beyond it', async () => {
  const base = { op: 'issue', agent: 'a', scopes: ['read'] }
  const scopes = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`)
  for (const fits of [
    ...[{ ttl_s: 30 }, { ttl_s: 31 }, { ttl_s: 3599 }, { ttl_s: 3600 }, { scopes: scopes(31) }, { scopes: scopes(32) }],
    ...[{ agent: 'a'.repeat(63) }, { task: 't'.repeat(256) }, { aud: 'u'.repeat(256) }, { scopes: ['s'.repeat(64)] }],
    { now: 4_102_444_800 },
  ])
    assert.equal((await run({ ...base, ...fits })).status, 'EXECUTED')
  const beyond: [field: string, value: unknown][] = [
    ...([
      ['ttl_s', 29],
      ['ttl_s', 3601],
      ['ttl_s', 30.5],
      ['scopes', []],
      ['scopes', scopes(33)],
    ] as [string, unknown][]),
    ...([
      ['scopes', ['a', 'a']],
      ['scopes', ['two words']],
      ['scopes', ['s'.repeat(65)]],
    ] as [string, unknown][]),
    ...([
      ['agent', ''],
      ['agent', 'a'.repeat(64)],
      ['agent', '../x'],
      ['agent', 'a\n'],
    ] as [string, unknown][]),
    ...([
      ['task', ''],
      ['task', 't'.repeat(257)],
      ['aud', 'u'.repeat(257)],
      ['now', -1],
    ] as [string, unknown][]),
    ['now', 4_102_444_801],
    ['token', 'x'],
  ]
  for (const [field, value] of beyond) await refused({ ...base, [field]: value }, field)
  await refused({ op: 'verify', token: 'x'.repeat(32_769), aud: AUD }, 'token')
  await refused({ op: 'verify', token: 'x', aud: AUD, revoked: Array(257).fill('a') }, 'revoked')
  await refused({ op: 'verify', token: 'x', aud: AUD, seen_jti: Array(257).fill('a') }, 'seen_jti')
  assert.equal((await verify('x'.repeat(32_768), { revoked: Array(256).fill('a') })).valid, false)
})

test('the longest chain of the longest scopes still fits into a request', async () => {
  const scopes = Array.from({ length: 32 }, (_, at) => `${'s'.repeat(62)}${String(at).padStart(2, '0')}`)
  let { token } = await issue({ scopes })
  for (let depth = 1; depth <= 5; depth += 1) ({ token } = (await delegate(token, `w${depth}`, scopes)).result)
  assert.equal((await verify(token)).valid, true)
})

test('a prompt is the name of an agent, with the digests of its written-out form', async () => {
  const [said, written] = [
    await run({ prompt: 'Report Wríter!' }),
    await run({ op: 'issue', agent: 'report-writer', ttl_s: 300, scopes: ['read'] }),
  ]
  assert.deepEqual([said.input_sha256, said.result_sha256], [written.input_sha256, written.result_sha256])
  for (const prompt of ['!!!', '日本', `${'-'.repeat(5000)}x`, `a${'-'.repeat(100)}b`])
    assert.equal((await run({ prompt })).status, 'EXECUTED', prompt)
})
