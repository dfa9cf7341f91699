/** Tokens of the simulated issuer: issued, passed on and verified. */
import { createHash } from 'node:crypto'
import { canonicalBytes, parseStrictJson, sha256Hex } from '@orch/core'
import {
  base64url,
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  EmbeddedJWK,
  errors,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { read } from '../../../platform/shape.ts'
import { agentKey, issuerKey } from './keys.ts'
import type { DelegateRequest, IssueRequest } from './organ.ts'
import { Claims, type Link, MAX_DEPTH, MAX_TTL, TRUST_DOMAIN } from './shapes.ts'

const ISSUER = `https://${TRUST_DOMAIN}`
const TOKEN_TYPE = 'orch-sim+jwt'
const PROOF_TYPE = 'orch-sim-pop+jwt'
/** How old a proof of possession may be. */
const PROOF_SECONDS = 60
const ALGORITHM = { algorithms: ['EdDSA'] }
/** One text for each token: no blanks, no padding, and no last letter with bits that do not count. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/

interface Issued {
  token: string
  claims: Claims
  /** Made with the key of the agent, which derives from the seed as well. */
  proof: string
}

const subject = (agent: string): string => `spiffe://${TRUST_DOMAIN}/agent/${agent}`

/** From the first holder to the present one, who is the outermost actor. */
export const chainOf = ({ sub, act, jti, scope, exp, dlg }: Claims): Link[] => [
  ...dlg,
  { sub: act?.sub ?? sub, jti, scope, exp },
]
const actorsOf = ({ sub, act }: Pick<Claims, 'sub' | 'act'>): string[] =>
  act === undefined ? [sub] : [...actorsOf({ sub, act: act.act }), act.sub]

/** The id of a token is the digest of what it says, so that equal requests give equal tokens. */
export async function signClaims(seed: number, agent: string, claims: Omit<Claims, 'jti' | 'cnf'>): Promise<Issued> {
  const [issuer, holder] = await Promise.all([issuerKey(seed), agentKey(seed, agent)])
  const jti = sha256Hex(canonicalBytes([seed, agent, claims]))
  const whole = { ...claims, jti, cnf: { jkt: holder.thumbprint } }
  const token = await new SignJWT(whole as JWTPayload)
    .setProtectedHeader({ alg: 'EdDSA', typ: TOKEN_TYPE, kid: issuer.thumbprint })
    .sign(issuer.key)
  return { token, claims: whole, proof: await proofOf(seed, agent, token, claims.iat) }
}

/** Shows that whoever sends `token` has the key of `agent`. */
export async function proofOf(seed: number, agent: string, token: string, iat: number): Promise<string> {
  const { key, jwk } = await agentKey(seed, agent)
  return new SignJWT({ iat, ath: tokenHash(token) })
    .setProtectedHeader({ alg: 'EdDSA', typ: PROOF_TYPE, jwk })
    .sign(key)
}

const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url')

export const issueToken = (seed: number, { agent, task, aud, ttl_s, scopes, now }: IssueRequest): Promise<Issued> =>
  signClaims(seed, agent, {
    ...{ iss: ISSUER, sub: subject(agent), aud, task, scope: scopes.join(' ') },
    ...{ iat: now, nbf: now, exp: now + ttl_s, dlg: [] },
  })

/** The token for the next holder, or every reason against it. */
export async function delegateToken(
  seed: number,
  { token, to, scopes, now }: DelegateRequest,
): Promise<{ issued: Issued | null; chain: Link[]; reasons: string[] }> {
  const { claims, reasons } = await verifyToken(seed, { token, now })
  const chain = claims === null ? [] : chainOf(claims)
  if (claims === null || reasons.length > 0) return { issued: null, chain, reasons }
  const { sub, aud, task, exp, act } = claims
  const next = {
    ...{ iss: ISSUER, sub, aud, task, scope: scopes.join(' '), iat: now, nbf: now, exp, dlg: chain },
    act: { sub: subject(to), ...(act === undefined ? {} : { act }) },
  }
  const refused = chainFaults([...chain, next])
  if (refused.length > 0) return { issued: null, chain, reasons: refused }
  const issued = await signClaims(seed, to, next)
  return { issued, chain: chainOf(issued.claims), reasons: [] }
}

export interface VerifyRequest {
  token: string
  aud?: string | undefined
  proof?: string | undefined
  revoked?: readonly string[] | undefined
  seen_jti?: readonly string[] | undefined
  now: number
}

/** Every reason why the token does not count; its claims only where the issuer signed them. */
export async function verifyToken(
  seed: number,
  { token, aud, proof, revoked = [], seen_jti = [], now }: VerifyRequest,
): Promise<{ claims: Claims | null; reasons: string[] }> {
  const signed = await signedPayload(seed, token)
  if ('reason' in signed) return { claims: null, reasons: [signed.reason] }
  const shaped = read(Claims, signed.payload)
  if (!shaped.ok) return { claims: null, reasons: ['CLAIMS_INVALID'] }
  const claims = shaped.value
  const chain = chainOf(claims)
  const subjects = chain.map(({ sub }) => sub)
  const reasons = [
    claims.iss !== ISSUER && 'ISSUER_WRONG',
    aud !== undefined && claims.aud !== aud && 'AUDIENCE_WRONG',
    Math.max(claims.nbf, claims.iat) > now && 'NOT_YET_VALID',
    claims.exp <= now && 'EXPIRED',
    claims.exp - claims.iat > MAX_TTL && 'LIFETIME_TOO_LONG',
    seen_jti.includes(claims.jti) && 'REPLAYED',
    chain.some(({ jti }) => revoked.includes(jti)) && 'REVOKED',
    ...chainFaults(chain),
    JSON.stringify(actorsOf(claims)) !== JSON.stringify(subjects) && 'ACTORS_DIFFER',
    proof !== undefined && (await proofFault(proof, token, claims, now)),
  ]
  return { claims, reasons: reasons.filter((reason) => typeof reason === 'string') }
}

/** Nobody holds a scope or a lifetime that the one before lacks. */
function chainFaults(chain: readonly Pick<Link, 'scope' | 'exp'>[]): string[] {
  const faults = new Set<string>(chain.length - 1 > MAX_DEPTH ? ['TOO_DEEP'] : [])
  for (const [at, { scope, exp }] of chain.slice(1).entries()) {
    const parent = chain[at]!
    const allowed = parent.scope.split(' ')
    if (scope !== '' && scope.split(' ').some((one) => !allowed.includes(one))) faults.add('SCOPE_WIDENED')
    if (exp > parent.exp) faults.add('LIFETIME_EXTENDED')
  }
  return [...faults]
}

/** What the issuer signed, or why it is not a token of the issuer. The header names what the issuer always names and
 *  nothing else: neither a key nor a place to fetch one from, nor how the rest is to be read. */
async function signedPayload(seed: number, token: string): Promise<{ payload: unknown } | { reason: string }> {
  try {
    if (decodeProtectedHeader(token).alg !== 'EdDSA') return { reason: 'ALGORITHM_NOT_ALLOWED' }
    if (!COMPACT.test(token)) return { reason: 'MALFORMED' }
    const { jwk, thumbprint } = await issuerKey(seed)
    const { payload } = await compactVerify(token, jwk, ALGORITHM)
    const header = parseStrictJson(base64url.decode(token.split('.')[0]!)) as Record<string, unknown>
    const { alg: _, typ, kid, ...others } = header
    if (typ !== TOKEN_TYPE) return { reason: 'TYPE_WRONG' }
    if (kid !== thumbprint) return { reason: 'KEY_ID_WRONG' }
    if (Object.keys(others).length > 0) return { reason: 'HEADER_NOT_ALLOWED' }
    return { payload: parseStrictJson(payload) }
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return { reason: 'SIGNATURE_INVALID' }
    if (error instanceof errors.JOSENotSupported) return { reason: 'HEADER_NOT_ALLOWED' }
    // Whatever else is wrong with a text that a caller wrote, it is no token.
    return { reason: 'MALFORMED' }
  }
}

/** The key in the proof must be the one the token is bound to, and the proof must speak of this token, now. */
async function proofFault(proof: string, token: string, { cnf }: Claims, now: number): Promise<string | false> {
  const options = { ...ALGORITHM, typ: PROOF_TYPE, currentDate: new Date(now * 1000), maxTokenAge: PROOF_SECONDS }
  try {
    const { payload } = await jwtVerify(proof, EmbeddedJWK, options)
    const { jwk } = decodeProtectedHeader(proof)
    if ((await calculateJwkThumbprint(jwk!)) !== cnf.jkt) return 'PROOF_OF_ANOTHER_KEY'
    return payload.ath !== tokenHash(token) && 'PROOF_OF_ANOTHER_TOKEN'
  } catch {
    // A proof that cannot be read, checked or understood proves nothing.
    return 'PROOF_INVALID'
  }
}
