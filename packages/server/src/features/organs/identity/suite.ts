/** Attacks on the tokens, each carried out and not only described: what the verifier says of it stands beside what it
 *  must say. The first cases are genuine, so that a verifier which refuses everything does not pass. */
import { base64url, SignJWT, UnsecuredJWT } from 'jose'
import { agentKey, issuerKey } from './keys.ts'
import {
  delegateToken,
  type Issued,
  issueToken,
  MAX_DEPTH,
  proofOf,
  signClaims,
  type VerifyRequest,
  verifyToken,
} from './token.ts'

interface AttackCase {
  name: string
  expected: string
  actual: string
}

const AUD = 'https://tool.sim.orch.invalid'

export async function attackSuite(seed: number, now: number): Promise<AttackCase[]> {
  const issued = await issueToken(seed, {
    agent: 'planner',
    task: 'suite',
    aud: AUD,
    ttl_s: 300,
    scopes: ['read', 'write'],
    now,
  })
  const { token, claims, proof } = issued
  const verdict = async (request: Partial<VerifyRequest>): Promise<string> => {
    const { reasons } = await verifyToken(seed, { token, aud: AUD, now, ...request })
    return reasons.join(' ') || 'VALID'
  }
  const delegated = async (from: Issued, to: string, scopes: string[]): Promise<string> =>
    (await delegateToken(seed, { token: from.token, to, scopes, now })).reasons.join(' ') || 'VALID'
  const child = (await delegateToken(seed, { token, to: 'worker', scopes: ['read'], now })).issued!
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const { jwk } = await issuerKey(seed)
  const hmac = await new SignJWT(claims as never)
    .setProtectedHeader({ alg: 'HS256', typ: 'orch-sim+jwt' })
    .sign(base64url.decode(jwk.x))
  const widened = await signClaims(seed, 'worker', { ...withoutBinding(child), scope: 'admin read' })
  const extended = await signClaims(seed, 'worker', { ...withoutBinding(child), exp: claims.exp + 1 })
  const thief = await agentKey(seed, 'thief')
  const swapped = await resigned({ ...claims, cnf: { jkt: thief.thumbprint } }, header, thief.key)
  const tampered = `${header}.${base64url.encode(JSON.stringify({ ...claims, scope: 'admin' }))}.${signature}`
  const cases: readonly (readonly [name: string, expected: string, actual: Promise<string>])[] = [
    ['genuine token', 'VALID', verdict({ proof })],
    ['genuine delegation', 'VALID', verdict({ token: child.token, proof: child.proof })],
    ['expired', 'EXPIRED', verdict({ now: claims.exp })],
    ['not yet valid', 'NOT_YET_VALID', verdict({ now: now - 1 })],
    ['wrong aud', 'AUDIENCE_WRONG', verdict({ aud: 'https://other.sim.orch.invalid' })],
    ['alg none', 'ALGORITHM_NOT_ALLOWED', verdict({ token: new UnsecuredJWT(claims as never).encode() })],
    ['HS256 with public key', 'ALGORITHM_NOT_ALLOWED', verdict({ token: hmac })],
    ['replay', 'REPLAYED', verdict({ seen_jti: [claims.jti] })],
    ['revoked', 'REVOKED', verdict({ revoked: [claims.jti] })],
    ['revoked parent', 'REVOKED', verdict({ token: child.token, revoked: [claims.jti] })],
    ['widened scope', 'SCOPE_WIDENED', delegated(issued, 'worker', ['admin'])],
    ['widened scope, signed', 'SCOPE_WIDENED', verdict({ token: widened.token })],
    ['lifetime extended, signed', 'LIFETIME_EXTENDED', verdict({ token: extended.token })],
    ['depth 6', 'TOO_DEEP', deepest(seed, issued, now).then((last) => delegated(last, 'one-more', ['read']))],
    ['swapped cnf', 'SIGNATURE_INVALID', verdict({ token: swapped })],
    ['proof of another key', 'PROOF_OF_ANOTHER_KEY', verdict({ proof: await proofOf(seed, 'thief', token, now) })],
    [
      'proof of another token',
      'PROOF_OF_ANOTHER_TOKEN',
      verdict({ proof: await proofOf(seed, 'planner', child.token, now) }),
    ],
    ['tampered payload', 'SIGNATURE_INVALID', verdict({ token: tampered })],
    ['truncated token', 'MALFORMED', verdict({ token: `${header}.${payload}` })],
  ]
  return Promise.all(cases.map(async ([name, expected, actual]) => ({ name, expected, actual: await actual })))
}

const withoutBinding = ({ claims: { jti: _, cnf: __, ...rest } }: Issued) => rest

const resigned = (claims: object, header: string, key: Parameters<SignJWT['sign']>[0]): Promise<string> =>
  new SignJWT(claims as never)
    .setProtectedHeader(JSON.parse(new TextDecoder().decode(base64url.decode(header))))
    .sign(key)

/** The last token that may be had by passing on. */
async function deepest(seed: number, from: Issued, now: number): Promise<Issued> {
  let last = from
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1)
    last = (await delegateToken(seed, { token: last.token, to: `worker-${depth}`, scopes: ['read'], now })).issued!
  return last
}
