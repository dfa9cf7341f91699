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
  const verdict = async (attack: Partial<VerifyRequest>): Promise<string> =>
    (await verifyToken(seed, { token, aud: AUD, now, ...attack })).reasons.join(' ') || 'VALID'
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
  const forged = (more: Partial<CompactJWSHeaderParameters>, body: unknown = claims, key: Key = issuer.key) =>
    new CompactSign(new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)))
      .setProtectedHeader({ ...genuine, ...more })
      .sign(key, { crit: { own: true } })
  const { jti: _, cnf: __, ...passedOn } = child.claims
  const changed = async (more: Partial<typeof passedOn>) =>
    (await signClaims(seed, 'worker', { ...passedOn, ...more })).token
  const tampered = base64url.encode(JSON.stringify({ ...claims, scope: 'admin' }))

  const cases: readonly (readonly [name: string, expected: string, actual: Promise<string>])[] = [
    ['genuine token', 'VALID', verdict({ proof })],
    ['genuine delegation', 'VALID', verdict({ token: child.token, proof: child.proof })],
    ['expired', 'EXPIRED', verdict({ now: claims.exp })],
    ['not yet valid', 'NOT_YET_VALID', verdict({ now: now - 1 })],
    ['issued in the future', 'NOT_YET_VALID', verdict({ token: await changed({ iat: now + 1 }) })],
    [
      'lifetime too long',
      'LIFETIME_TOO_LONG',
      verdict({ token: await forged({}, { ...claims, exp: now + MAX_TTL + 1 }) }),
    ],
    ['wrong aud', 'AUDIENCE_WRONG', verdict({ aud: OTHER })],
    ['alg none', 'ALGORITHM_NOT_ALLOWED', verdict({ token: new UnsecuredJWT(claims as never).encode() })],
    [
      'HS256 with public key',
      'ALGORITHM_NOT_ALLOWED',
      verdict({ token: await forged({ alg: 'HS256' }, claims, base64url.decode(issuer.jwk.x)) }),
    ],
    ['kid of another key', 'KEY_ID_WRONG', verdict({ token: await forged({ kid: '../thief' }) })],
    ['key in the header', 'HEADER_NOT_ALLOWED', verdict({ token: await forged({ jwk: thief.jwk }) })],
    [
      'key in the header, signed with it',
      'SIGNATURE_INVALID',
      verdict({ token: await forged({ jwk: thief.jwk }, claims, thief.key) }),
    ],
    ['address of a key', 'HEADER_NOT_ALLOWED', verdict({ token: await forged({ jku: OTHER }) })],
    ['critical extension', 'HEADER_NOT_ALLOWED', verdict({ token: await forged({ crit: ['own'], own: 1 }) })],
    ['nested token', 'MALFORMED', verdict({ token: await forged({}, token) })],
    ['nested token, declared', 'HEADER_NOT_ALLOWED', verdict({ token: await forged({ cty: 'JWT' }, token) })],
    ['another type of token', 'TYPE_WRONG', verdict({ token: await forged({ typ: 'at+jwt' }) })],
    ['replay', 'REPLAYED', verdict({ seen_jti: [claims.jti] })],
    ['revoked', 'REVOKED', verdict({ revoked: [claims.jti] })],
    ['revoked parent', 'REVOKED', verdict({ token: child.token, revoked: [claims.jti] })],
    ['widened scope', 'SCOPE_WIDENED', delegate(token, 'worker', ['admin']).then(({ reasons }) => reasons.join(' '))],
    ['widened scope, signed', 'SCOPE_WIDENED', verdict({ token: await changed({ scope: 'admin read' }) })],
    ['lifetime extended, signed', 'LIFETIME_EXTENDED', verdict({ token: await changed({ exp: claims.exp + 1 }) })],
    ['depth 6', 'TOO_DEEP', delegate(deepest, 'one-more', ['read']).then(({ reasons }) => reasons.join(' '))],
    [
      'swapped cnf',
      'SIGNATURE_INVALID',
      verdict({ token: await forged({}, { ...claims, cnf: { jkt: thief.thumbprint } }, thief.key) }),
    ],
    ['proof of another key', 'PROOF_OF_ANOTHER_KEY', verdict({ proof: await proofOf(seed, 'thief', token, now) })],
    [
      'proof of another token',
      'PROOF_OF_ANOTHER_TOKEN',
      verdict({ proof: await proofOf(seed, 'planner', child.token, now) }),
    ],
    ['tampered payload', 'SIGNATURE_INVALID', verdict({ token: `${header}.${tampered}.${signature}` })],
    ['truncated token', 'MALFORMED', verdict({ token: `${header}.${payload}` })],
    ['another spelling of the signature', 'MALFORMED', verdict({ token: `${token}=\n` })],
  ]
  return Promise.all(cases.map(async ([name, expected, actual]) => ({ name, expected, actual: await actual })))
}
