/** Attacks on the tokens, each carried out and not only described: what the verifier says of it stands beside what it
 *  must say. The first cases are genuine, so that a verifier which refuses everything does not pass. */
import { base64url, type CompactJWSHeaderParameters, CompactSign, UnsecuredJWT } from 'jose'
import { agentKey, issuerKey } from './keys.ts'
import { MAX_DEPTH, MAX_TTL, TRUST_DOMAIN } from './shapes.ts'
import { delegateToken, issueToken, proofOf, signClaims, type VerifyRequest, verifyToken } from './token.ts'

const AUD = `https://tool.${TRUST_DOMAIN}`
const OTHER = `https://other.${TRUST_DOMAIN}`

export async function attackSuite(seed: number, now: number) {
  const request = { agent: 'planner', task: 'suite', aud: AUD, ttl_s: 300, scopes: ['read', 'write'], now }
  const { token, claims, proof } = await issueToken(seed, request)
  const delegate = (from: string, to: string, scopes: string[]) => delegateToken(seed, { token: from, to, scopes, now })
  const child = (await delegate(token, 'worker', ['read'])).issued!
  let deepest = token
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1)
    deepest = (await delegate(deepest, `worker-${depth}`, ['read'])).issued!.token

  const [header, payload, signature] = token.split('.') as [string, string, string]
  const [issuer, thief] = await Promise.all([issuerKey(seed), agentKey(seed, 'thief')])
  const genuine = { alg: 'EdDSA', typ: 'orch-sim+jwt', kid: issuer.thumbprint }
  type Key = Parameters<CompactSign['sign']>[0]
  /** Signed by the issuer, whose key everybody can derive here, unless another key is given. */
  const forged = async (more: Partial<CompactJWSHeaderParameters>, body: unknown = claims, key: Key = issuer.key) => ({
    token: await new CompactSign(new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)))
      .setProtectedHeader({ ...genuine, ...more })
      .sign(key, { crit: { own: true } }),
  })
  const publicKey = base64url.decode(issuer.jwk.x)
  const { jti: _, cnf: __, ...passedOn } = child.claims
  const changed = async (more: Partial<typeof passedOn>) => ({
    token: (await signClaims(seed, 'worker', { ...passedOn, ...more })).token,
  })
  const tampered = base64url.encode(JSON.stringify({ ...claims, scope: 'admin' }))
  const refusal = async (from: string, to: string, scope: string) =>
    (await delegate(from, to, [scope])).reasons.join(' ')

  /** What is verified, or what came of passing on. */
  const cases: readonly (readonly [name: string, expected: string, attack: Partial<VerifyRequest> | string])[] = [
    ['genuine token', 'VALID', { proof }],
    ['genuine delegation', 'VALID', { token: child.token, proof: child.proof }],
    ['expired', 'EXPIRED', { now: claims.exp }],
    ['not yet valid', 'NOT_YET_VALID', { now: now - 1 }],
    ['issued in the future', 'NOT_YET_VALID', await changed({ iat: now + 1 })],
    ['lifetime too long', 'LIFETIME_TOO_LONG', await forged({}, { ...claims, exp: now + MAX_TTL + 1 })],
    ['wrong aud', 'AUDIENCE_WRONG', { aud: OTHER }],
    ['alg none', 'ALGORITHM_NOT_ALLOWED', { token: new UnsecuredJWT(claims as never).encode() }],
    ['HS256 with public key', 'ALGORITHM_NOT_ALLOWED', await forged({ alg: 'HS256' }, claims, publicKey)],
    ['kid of another key', 'KEY_ID_WRONG', await forged({ kid: '../thief' })],
    ['key in the header', 'HEADER_NOT_ALLOWED', await forged({ jwk: thief.jwk })],
    ['key in the header, signed with it', 'SIGNATURE_INVALID', await forged({ jwk: thief.jwk }, claims, thief.key)],
    ['address of a key', 'HEADER_NOT_ALLOWED', await forged({ jku: OTHER })],
    ['critical extension', 'HEADER_NOT_ALLOWED', await forged({ crit: ['own'], own: 1 })],
    ['nested token', 'MALFORMED', await forged({}, token)],
    ['nested token, declared', 'HEADER_NOT_ALLOWED', await forged({ cty: 'JWT' }, token)],
    ['another type of token', 'TYPE_WRONG', await forged({ typ: 'at+jwt' })],
    ['replay', 'REPLAYED', { seen_jti: [claims.jti] }],
    ['revoked', 'REVOKED', { revoked: [claims.jti] }],
    ['revoked parent', 'REVOKED', { token: child.token, revoked: [claims.jti] }],
    ['widened scope', 'SCOPE_WIDENED', await refusal(token, 'worker', 'admin')],
    ['widened scope, signed', 'SCOPE_WIDENED', await changed({ scope: 'admin read' })],
    ['lifetime extended, signed', 'LIFETIME_EXTENDED', await changed({ exp: claims.exp + 1 })],
    ['depth 6', 'TOO_DEEP', await refusal(deepest, 'one-more', 'read')],
    ['swapped cnf', 'SIGNATURE_INVALID', await forged({}, { ...claims, cnf: { jkt: thief.thumbprint } }, thief.key)],
    ['proof of another key', 'PROOF_OF_ANOTHER_KEY', { proof: await proofOf(seed, 'thief', token, now) }],
    ['proof of another token', 'PROOF_OF_ANOTHER_TOKEN', { proof: await proofOf(seed, 'planner', deepest, now) }],
    ['tampered payload', 'SIGNATURE_INVALID', { token: `${header}.${tampered}.${signature}` }],
    ['truncated token', 'MALFORMED', { token: `${header}.${payload}` }],
    ['another spelling of the signature', 'MALFORMED', { token: `${token}=\n` }],
  ]
  const verdict = async (attack: Partial<VerifyRequest>): Promise<string> =>
    (await verifyToken(seed, { token, aud: AUD, now, ...attack })).reasons.join(' ') || 'VALID'
  return Promise.all(
    cases.map(async ([name, expected, attack]) => ({
      name,
      expected,
      actual: typeof attack === 'string' ? attack : await verdict(attack),
    })),
  )
}
