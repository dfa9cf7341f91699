/** N22 Identity: delegation between agents to design with and to attack. Everything in it derives from a public seed. */
import { sha256Hex } from '@orch/core'
import Type from 'typebox'
import { AnyObject, exactly, Nullable, Texts } from '../../../domain/wire.ts'
import { type Organ, op } from '../organ.ts'
import { issuerKey } from './keys.ts'
import { attackSuite } from './suite.ts'
import {
  AGENT,
  Claims,
  chainOf,
  delegateToken,
  type Issued,
  issueToken,
  Link,
  MAX_DEPTH,
  SCOPE,
  TRUST_DOMAIN,
  verifyToken,
} from './token.ts'

/** 2026-01-01T00:00:00Z. */
const NOW = 1_767_225_600
const Agent = Type.String({
  pattern: AGENT,
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
const Scopes = Type.Array(Type.String({ pattern: SCOPE }), { minItems: 1, maxItems: 32, uniqueItems: true })
const Token = Type.String({ minLength: 1, maxLength: 32_768 })
const Audience = Type.String({ minLength: 1, maxLength: 256 })
const Ids = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 256 }))

const IssuedFields = {
  token: Type.String(),
  claims: Claims,
  proof: Type.String({ description: 'of possession, made with the key of the holder' }),
}
const Jwks = Type.Object({ keys: Type.Array(AnyObject) }, exactly)
const Chain = Type.Array(Link, { description: 'from the first holder to the present one' })

const inline = { isolation: 'inline', deadlineMs: 1000, maxWork: MAX_DEPTH + 1, usesSeed: true } as const
/** What is looked at is a chain, which is not longer. */
const depth = () => MAX_DEPTH + 1

async function jwksOf(seed: number) {
  const { jwk, thumbprint } = await issuerKey(seed)
  return { keys: [{ ...jwk, kid: thumbprint, alg: 'EdDSA', use: 'sig' }] }
}

const NOTHING: { [Field in keyof Issued]: null } = { token: null, claims: null, proof: null }

export const identity: Organ = {
  id: 'N22',
  version: '1.0.0',
  ops: {
    issue: op({
      ...inline,
      summary: 'A token for an agent and a task, bound to the key of the agent',
      request: Type.Object(
        {
          agent: Agent,
          task: Type.Optional(Type.String({ minLength: 1, maxLength: 256, default: 'general' })),
          aud: Type.Optional(Type.String({ ...Audience, default: `https://tool.${TRUST_DOMAIN}` })),
          ttl_s: Type.Optional(Type.Integer({ minimum: 30, maximum: 3600, default: 300 })),
          scopes: Scopes,
          now: Now,
        },
        exactly,
      ),
      result: Type.Object({ ...IssuedFields, jwks: Jwks, chain: Chain }, exactly),
      estimate: depth,
      async run(request, { seed }) {
        const issued = await issueToken(seed, request as Required<typeof request>)
        return { result: { ...issued, jwks: await jwksOf(seed), chain: chainOf(issued.claims) } }
      },
    }),
    delegate: op({
      ...inline,
      summary: 'The same authority or less, for another agent, for as long or shorter',
      request: Type.Object({ token: Token, to: Agent, scopes: Scopes, now: Now }, exactly),
      result: Type.Object(
        {
          token: Nullable(IssuedFields.token),
          claims: Nullable(IssuedFields.claims),
          proof: Nullable(IssuedFields.proof),
          jwks: Jwks,
          chain: Chain,
          reasons: Texts,
        },
        exactly,
      ),
      estimate: depth,
      async run(request, { seed }) {
        const { issued, chain, reasons } = await delegateToken(seed, request as Required<typeof request>)
        const status = issued === null ? 'DENIED' : 'EXECUTED'
        return { status, result: { ...(issued ?? NOTHING), jwks: await jwksOf(seed), chain, reasons } }
      },
    }),
    verify: op({
      ...inline,
      summary: 'Whether a token counts here and now, and every reason why it does not',
      request: Type.Object(
        { token: Token, aud: Audience, proof: Type.Optional(Token), revoked: Ids, seen_jti: Ids, now: Now },
        exactly,
      ),
      result: Type.Object({ valid: Type.Boolean(), reasons: Texts, claims: Nullable(Claims), chain: Chain }, exactly),
      estimate: depth,
      async run(request, { seed }) {
        const { claims, reasons } = await verifyToken(seed, request as typeof request & { now: number })
        const chain = claims === null ? [] : chainOf(claims)
        const limits =
          request.proof === undefined
            ? [
                {
                  code: 'POSSESSION_NOT_PROVEN',
                  detail: 'no proof was given: whoever stole the token could have sent it',
                },
              ]
            : []
        return { result: { valid: reasons.length === 0, reasons, claims, chain }, limits }
      },
    }),
    attack_suite: op({
      ...inline,
      summary: 'Known attacks, carried out on tokens of this seed',
      request: Type.Object({ now: Now }, exactly),
      result: Type.Object(
        {
          passed: Type.Integer(),
          failed: Type.Integer(),
          cases: Type.Array(
            Type.Object({ name: Type.String(), expected: Type.String(), actual: Type.String() }, exactly),
          ),
        },
        exactly,
      ),
      estimate: depth,
      async run({ now }, { seed }) {
        const cases = await attackSuite(seed, now!)
        const passed = cases.filter(({ expected, actual }) => expected === actual).length
        return { result: { passed, failed: cases.length - passed, cases } }
      },
    }),
  },
  fromPrompt: (prompt) => ({ op: 'issue', agent: slugOf(prompt), ttl_s: 300, scopes: ['read'] }),
  example: {
    request: {
      op: 'issue',
      agent: 'planner',
      task: 'weekly-report',
      aud: `https://tool.${TRUST_DOMAIN}`,
      ttl_s: 300,
      scopes: ['read', 'write'],
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
