/** Tokens of the simulated issuer: issued, passed on and verified. */
import { createHash } from 'node:crypto'
import { canonicalBytes, parseStrictJson, sha256Hex } from '@orch/core'
import {
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  EmbeddedJWK,
  errors,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import Type, { type Static, type TSchema } from 'typebox'
import { exactly, Hex64 } from '../../../domain/wire.ts'
import { read } from '../../../platform/shape.ts'
import { agentKey, issuerKey } from './keys.ts'

export const TRUST_DOMAIN = 'sim.orch.invalid'
const ISSUER = `https://${TRUST_DOMAIN}`
const TOKEN_TYPE = 'orch-sim+jwt'
const PROOF_TYPE = 'orch-sim-pop+jwt'
export const MAX_DEPTH = 5
/** How old a proof of possession may be. */
const PROOF_SECONDS = 60

export const SCOPE = '^[a-z][a-z0-9:._-]{0,63}$'
export const AGENT = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'
const Id = Type.String({ minLength: 1, maxLength: 300 })
const Seconds = Type.Integer({ minimum: 0, maximum: 8_000_000_000 })

/** One holder of the authority, from the first to the present one. */
export const Link = Type.Object({ sub: Id, jti: Hex64, scope: Type.String(), exp: Seconds }, exactly)
export type Link = Static<typeof Link>

/** Who acts now, and inside it who acted before (RFC 8693). One level more than may be: too many is a reason of its own. */
interface Actor {
  sub: string
  act?: Actor
}
const actorSchema = (depth: number): TSchema =>
  Type.Object({ sub: Id, ...(depth > 1 ? { act: Type.Optional(actorSchema(depth - 1)) } : {}) }, exactly)
const Actor = Type.Unsafe<Actor>(actorSchema(MAX_DEPTH + 1))

export const Claims = Type.Object(
  {
    iss: Id,
    sub: Id,
    aud: Id,
    iat: Seconds,
    nbf: Seconds,
    exp: Seconds,
    jti: Hex64,
    task: Id,
    scope: Type.String(),
    cnf: Type.Object({ jkt: Id }, exactly),
    act: Type.Optional(Actor),
    /** The earlier holders: what was theirs bounds what is passed on. */
    dlg: Type.Array(Link),
  },
  exactly,
)
export type Claims = Static<typeof Claims>

export interface Issued {
  token: string
  claims: Claims
  /** Made with the key of the agent, which derives from the seed as well. */
  proof: string
}

const subject = (agent: string): string => `spiffe://${TRUST_DOMAIN}/agent/${agent}`
const scopesOf = (scope: string): string[] => (scope === '' ? [] : scope.split(' '))

/** Who holds the token now: the innermost actor is the first, the outermost the present one. */
const holderOf = ({ sub, act }: Claims): string => act?.sub ?? sub
export const chainOf = (claims: Claims): Link[] => [
  ...claims.dlg,
  { sub: holderOf(claims), jti: claims.jti, scope: claims.scope, exp: claims.exp },
]

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

interface IssueRequest {
  agent: string
  task: string
  aud: string
  ttl_s: number
  scopes: readonly string[]
  now: number
}

export const issueToken = (seed: number, { agent, task, aud, ttl_s, scopes, now }: IssueRequest): Promise<Issued> =>
  signClaims(seed, agent, {
    ...{ iss: ISSUER, sub: subject(agent), aud, task, scope: scopes.join(' ') },
    ...{ iat: now, nbf: now, exp: now + ttl_s, dlg: [] },
  })

interface DelegateRequest {
  token: string
  to: string
  scopes: readonly string[]
  now: number
}

/** The token for the next holder, or every reason against it. */
export async function delegateToken(
  seed: number,
  { token, to, scopes, now }: DelegateRequest,
): Promise<{ issued: Issued | null; chain: Link[]; reasons: string[] }> {
  const { claims, reasons } = await verifyToken(seed, { token, now })
  if (claims === null || reasons.length > 0) return { issued: null, chain: claims ? chainOf(claims) : [], reasons }
  const chain = chainOf(claims)
  const next = {
    ...{ iss: ISSUER, sub: claims.sub, aud: claims.aud, task: claims.task, scope: scopes.join(' ') },
    ...{ iat: now, nbf: now, exp: claims.exp, dlg: chain },
    act: { sub: subject(to), ...(claims.act === undefined ? {} : { act: claims.act }) },
  }
  const refused = chainFaults([...chain, { sub: subject(to), jti: NO_ID, scope: next.scope, exp: next.exp }])
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
  request: VerifyRequest,
): Promise<{ claims: Claims | null; reasons: string[] }> {
  const { token, aud, proof, revoked = [], seen_jti = [], now } = request
  const signed = await signedPayload(seed, token)
  if ('reason' in signed) return { claims: null, reasons: [signed.reason] }
  const shaped = read(Claims, signed.payload)
  if (!shaped.ok) return { claims: null, reasons: ['CLAIMS_INVALID'] }
  const claims = shaped.value
  const chain = chainOf(claims)
  const reasons = [
    ...(claims.iss === ISSUER ? [] : ['ISSUER_WRONG']),
    ...(aud === undefined || claims.aud === aud ? [] : ['AUDIENCE_WRONG']),
    ...(claims.nbf > now ? ['NOT_YET_VALID'] : []),
    ...(claims.exp <= now ? ['EXPIRED'] : []),
    ...(seen_jti.includes(claims.jti) ? ['REPLAYED'] : []),
    ...(chain.some(({ jti }) => revoked.includes(jti)) ? ['REVOKED'] : []),
    ...chainFaults(chain),
    ...(actorsOf(claims).join() === chain.map(({ sub }) => sub).join() ? [] : ['ACTORS_DIFFER']),
    ...(proof === undefined ? [] : await proofFaults(proof, token, claims, now)),
  ]
  return { claims, reasons }
}

const actorsOf = ({ sub, act }: Pick<Claims, 'sub' | 'act'>): string[] =>
  act === undefined ? [sub] : [...actorsOf({ sub, act: act.act }), act.sub]

/** Of a token that is not signed yet. */
const NO_ID = '0'.repeat(64)

/** Nobody holds a scope or a lifetime that the one before lacks. */
function chainFaults(chain: readonly Link[]): string[] {
  const faults = new Set<string>()
  if (chain.length - 1 > MAX_DEPTH) faults.add('TOO_DEEP')
  for (const [at, link] of chain.entries()) {
    const parent = chain[at - 1]
    if (parent === undefined) continue
    const allowed = scopesOf(parent.scope)
    if (scopesOf(link.scope).some((scope) => !allowed.includes(scope))) faults.add('SCOPE_WIDENED')
    if (link.exp > parent.exp) faults.add('LIFETIME_EXTENDED')
  }
  return [...faults]
}

/** What the issuer signed, or why it is not a token of the issuer. */
async function signedPayload(seed: number, token: string): Promise<{ payload: unknown } | { reason: string }> {
  const { jwk } = await issuerKey(seed)
  try {
    const { payload, protectedHeader } = await compactVerify(token, jwk, { algorithms: ['EdDSA'] })
    if (protectedHeader.typ !== TOKEN_TYPE) return { reason: 'TYPE_WRONG' }
    return { payload: parseStrictJson(payload) }
  } catch (error) {
    if (error instanceof errors.JOSEAlgNotAllowed) return { reason: 'ALGORITHM_NOT_ALLOWED' }
    if (error instanceof errors.JWSSignatureVerificationFailed) return { reason: 'SIGNATURE_INVALID' }
    // Whatever else is wrong with a text that a caller wrote, it is no token.
    return { reason: 'MALFORMED' }
  }
}

/** The key in the proof must be the one the token is bound to, and the proof must speak of this token, now. */
async function proofFaults(proof: string, token: string, { cnf }: Claims, now: number): Promise<string[]> {
  const options = { algorithms: ['EdDSA'], typ: PROOF_TYPE, currentDate: new Date(now * 1000) }
  try {
    const { payload } = await jwtVerify(proof, EmbeddedJWK, { ...options, maxTokenAge: PROOF_SECONDS })
    const { jwk } = decodeProtectedHeader(proof)
    if ((await calculateJwkThumbprint(jwk!)) !== cnf.jkt) return ['PROOF_OF_ANOTHER_KEY']
    return payload.ath === tokenHash(token) ? [] : ['PROOF_OF_ANOTHER_TOKEN']
  } catch {
    // A proof that cannot be read, checked or understood proves nothing.
    return ['PROOF_INVALID']
  }
}
