/** N22 Identity: delegation between agents to design with and to attack. Everything in it derives from a public seed. */
import { sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { AnyObject, closed, Nullable, Texts } from '../../../domain/wire.ts'
import { once } from '../../../platform/once.ts'
import { type Organ, op } from '../organ.ts'
import { Claims, Link, MAX_DEPTH, MAX_TTL, TRUST_DOMAIN } from './shapes.ts'

/** The library for tokens is loaded by the first run. */
const loaded = once(async () => ({
  ...(await import('./token.ts')),
  ...(await import('./keys.ts')),
  ...(await import('./suite.ts')),
}))

/** 2026-01-01T00:00:00Z. */
const NOW = 1_767_225_600
const Agent = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
  minLength: 1,
  maxLength: 63,
  description: 'small letters, digits and hyphens',
})
const Now = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 4_102_444_800,
    default: NOW,
    description: 'seconds since 1970 that the op takes for now',
  }),
)
const Scope = Type.String({ pattern: '^[a-z][a-z0-9:._-]{0,63}$' })
const Scopes = Type.Array(Scope, { minItems: 1, maxItems: 32, uniqueItems: true })
const Token = Type.String({ minLength: 1, maxLength: 32_768 })
const Audience = Type.String({ minLength: 1, maxLength: 256 })
const Ids = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 256 }))
const AUDIENCE = `https://tool.${TRUST_DOMAIN}`

const Issue = closed({
  agent: Agent,
  task: Type.Optional(Type.String({ minLength: 1, maxLength: 256, default: 'general' })),
  aud: Type.Optional(Type.String({ ...Audience, default: AUDIENCE })),
  ttl_s: Type.Optional(Type.Integer({ minimum: 30, maximum: MAX_TTL, default: 300 })),
  scopes: Scopes,
  now: Now,
})
export type IssueRequest = Required<Static<typeof Issue>>
const Delegate = closed({ token: Token, to: Agent, scopes: Scopes, now: Now })
export type DelegateRequest = Required<Static<typeof Delegate>>

const Proof = Type.String({ description: 'of possession, made with the key of the holder' })
const Jwks = closed({ keys: Type.Array(AnyObject) })
const Chain = Type.Array(Link, { description: 'from the first holder to the present one' })
const Case = closed({ name: Type.String(), expected: Type.String(), actual: Type.String() })

/** What is looked at is a chain, which is not longer. */
const inline = {
  ...{ isolation: 'inline', deadlineMs: 1000, maxWork: MAX_DEPTH + 1, usesSeed: true as const },
  estimate: () => MAX_DEPTH + 1,
}
const UNPROVEN = {
  code: 'POSSESSION_NOT_PROVEN',
  detail: 'no proof was given: whoever stole the token could have sent it',
}

async function jwksOf(seed: number) {
  const { jwk, thumbprint } = await (await loaded()).issuerKey(seed)
  return { keys: [{ ...jwk, kid: thumbprint, alg: 'EdDSA', use: 'sig' }] }
}

export const identity: Organ = {
  id: 'N22',
  version: '1.1.0',
  load: loaded,
  ops: {
    issue: op({
      ...inline,
      summary: 'A token for an agent and a task, bound to the key of the agent',
      request: Issue,
      result: closed({ token: Type.String(), claims: Claims, proof: Proof, jwks: Jwks, chain: Chain }),
      async run(request, { seed }) {
        const { issueToken, chainOf } = await loaded()
        const issued = await issueToken(seed, request as IssueRequest)
        return { result: { ...issued, jwks: await jwksOf(seed), chain: chainOf(issued.claims) } }
      },
    }),
    delegate: op({
      ...inline,
      summary: 'The same authority or less, for another agent, for as long or shorter',
      request: Delegate,
      result: closed({
        token: Nullable(Type.String()),
        claims: Nullable(Claims),
        proof: Nullable(Proof),
        jwks: Jwks,
        chain: Chain,
        reasons: Texts,
      }),
      async run(request, { seed }) {
        const { delegateToken } = await loaded()
        const { issued, chain, reasons } = await delegateToken(seed, request as DelegateRequest)
        const { token, claims, proof } = issued ?? { token: null, claims: null, proof: null }
        return {
          status: issued === null ? 'DENIED' : 'EXECUTED',
          result: { token, claims, proof, jwks: await jwksOf(seed), chain, reasons },
          limits: [UNPROVEN],
        }
      },
    }),
    verify: op({
      ...inline,
      summary: 'Whether a token counts here and now, and every reason why it does not',
      request: closed({
        ...{ token: Token, aud: Audience, proof: Type.Optional(Token) },
        ...{ revoked: Ids, seen_jti: Ids, now: Now },
      }),
      result: closed({ valid: Type.Boolean(), reasons: Texts, claims: Nullable(Claims), chain: Chain }),
      async run(request, { seed }) {
        const { verifyToken, chainOf } = await loaded()
        const { claims, reasons } = await verifyToken(seed, request as typeof request & { now: number })
        return {
          result: { valid: reasons.length === 0, reasons, claims, chain: claims === null ? [] : chainOf(claims) },
          limits: request.proof === undefined ? [UNPROVEN] : [],
        }
      },
    }),
    attack_suite: op({
      ...inline,
      summary: 'Known attacks, carried out on tokens of this seed',
      request: closed({ now: Now }),
      result: closed({ passed: Type.Integer(), failed: Type.Integer(), cases: Type.Array(Case) }),
      async run({ now }, { seed }) {
        const cases = await (await loaded()).attackSuite(seed, now!)
        const passed = cases.filter(({ expected, actual }) => expected === actual).length
        return { result: { passed, failed: cases.length - passed, cases } }
      },
    }),
  },
  fromPrompt: (prompt) => ({ op: 'issue', agent: slugOf(prompt), ttl_s: 300, scopes: ['read'] }),
  example: {
    request: {
      ...{ op: 'issue', agent: 'planner', task: 'weekly-report', aud: AUDIENCE },
      ...{ ttl_s: 300, scopes: ['read', 'write'] },
    },
    prompt: 'Report Writer',
  },
  evidence: {
    assumptions: [
      'the issuer signs with Ed25519 and is the only one that does',
      `authority is passed on at most ${MAX_DEPTH} times, never widened, never for longer`,
      'time is what the request says; the clock is not read',
    ],
    not_real: [
      'no workload attestation: an agent is who the request says it is',
      'keys derive from a public seed, so that anybody can make them; this service accepts no such token',
    ],
  },
}

/** A name that no letter or digit is left of is named by its digest. */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-|-$/g, '')
  return slug === '' ? `agent-${sha256Hex(name).slice(0, 16)}` : slug
}
