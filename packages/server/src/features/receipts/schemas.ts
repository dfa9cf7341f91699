/** What callers send. */

import { DECISIONS, RECEIPT_KINDS } from '@orch/core'
import Type, { type Static } from 'typebox'
import { GATE_NAMES } from '../../domain/decision/verdict.ts'
import { AnyObject, words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'

const Instant = Type.String({
  pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
  description: 'ISO 8601 UTC with milliseconds',
  examples: ['2026-01-31T12:00:00.000Z'],
})
const ORGAN = '[a-z0-9][a-z0-9._-]{0,63}'

const HEX64 = '0123456789abcdef'.repeat(4)

export const Digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 in lower-case hex',
  examples: [HEX64],
})
export const Organ = Type.String({
  pattern: `^(?:${ORGAN}/)?${ORGAN}$`,
  description: 'a chain of one’s own namespace, or `namespace/chain`',
  examples: ['governance'],
})

export const DigestPath = Type.Object({ digest: Digest })
export const ReceiptPath = Type.Object({ receipt_id: Digest })
export const LakePath = Type.Object({ id: Digest })
export const OrganPath = Type.Object({ organ: Organ })

export const DagQuery = Type.Object({
  request: Type.String({
    pattern: `^(?:[0-9a-f]{64}|(?:${ORGAN}/)?${ORGAN})$`,
    description: '`latest`, a chain or a digest',
    examples: ['latest'],
  }),
})

const filters = {
  chain: Type.Optional(Organ),
  kind: Type.Optional(words(RECEIPT_KINDS)),
  decision: Type.Optional(words(DECISIONS)),
  owner: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'owner of the credential that acted' }),
  ),
  agent: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'the agent, as its caller stated it, in any case' }),
  ),
  tool: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'name of a tool, registered or not, or its digest' }),
  ),
  gate: Type.Optional(words(GATE_NAMES)),
  session: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'name of a session, or its digest' }),
  ),
  signed: Type.Optional(words(['true', 'false', 'demo', 'production', 'unsigned'])),
  policy: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', description: 'rules or policy digest', examples: [HEX64] }),
  ),
  since: Type.Optional(Instant),
  until: Type.Optional(Instant),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'beginning of a digest, or words of the agent, the tool, the owner and the reasons',
      examples: ['0a1b', 'refund'],
    }),
  ),
}

const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(
    Type.String({ pattern: '^[is]\\d{1,15}$', description: '`next_cursor` of the page before', examples: ['i42'] }),
  ),
}

export const LedgerQuery = Type.Object({ ...paging, ...filters })
export const OutcomesQuery = Type.Object({
  ...filters,
  slices: Type.Optional(Type.Integer({ minimum: 1, maximum: 96, default: 36, description: 'parts of the span' })),
})
export const ChainQuery = Type.Object(paging)
export const LakeQuery = Type.Object({ ...paging, organ: Type.Optional(Organ) })
export const HeadQuery = Type.Object({ organ: Type.Optional(Organ) })
export const OrgansQuery = Type.Object({
  rewalk: Type.Optional(Type.Boolean({ default: false, description: 'walk from genesis again' })),
})
export const ExportQuery = Type.Object({ digest: Type.Optional(Digest) })
export const KeyQuery = Type.Object({ keyid: Type.Optional(Digest) })
export const EventsQuery = Type.Object({
  ...filters,
  after: Type.Optional(Type.Integer({ minimum: -1, description: 'last index already seen; -1 for everything' })),
})

export const VerifyBody = closed({
  envelope: Type.Optional(
    Type.Union([AnyObject, Type.String()], { description: 'a DSSE envelope, its JSON text, or that in base64url' }),
  ),
  receipt_id: Type.Optional(Digest),
  receipt: Type.Optional(Type.Union([AnyObject, Type.String()])),
  export: Type.Optional(Type.Union([AnyObject, Type.String()])),
  public_key_pem: Type.Optional(Type.String({ maxLength: 8192 })),
  organ: Type.Optional(Organ),
})

export type VerifyInput = Static<typeof VerifyBody>
