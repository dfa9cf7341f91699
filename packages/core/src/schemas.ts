// Wire shapes of evidence as JSON Schema, for the server and the API description. Verification does not rest on them:
// the verifiers read every value themselves and say what is wrong with it.
import Type, { type Static } from 'typebox'
import { DOCTRINE, RECEIPT_PAYLOAD_TYPE } from './doctrine.ts'
import { RECEIPT_KINDS, RECEIPT_SCHEMA } from './receipt.ts'
import {
  MAX_PACK_RECEIPTS,
  PACK_ENVELOPE_SCHEMA,
  PACK_SCHEMA,
  PACK_SIGNATURE_ALG,
  PACK_TEXT,
} from './verify/pack-shape.ts'
import { EXPORT_SCHEMA } from './verify/presented.ts'
import { CHECK_NAMES, CHECK_STATUSES, CHECKS, EVIDENCE_KINDS, REPORT_SCHEMA, VERDICTS } from './verify/report.ts'
import { STATEMENT_TYPE } from './verify/statement.ts'

const closed = { additionalProperties: false }
const wordOf = <T extends string>(words: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...words] })
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Digest = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'A digest in lower-case hex' })
export const Time = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  description: 'UTC with milliseconds',
})
export const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Name = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' })
const Base64 = Type.String({ pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' })
const AnyObject = Type.Record(Type.String(), Type.Unknown())

export const ReceiptBody = Type.Object(
  {
    schema: Type.Literal(RECEIPT_SCHEMA),
    doctrine: Type.Literal(DOCTRINE),
    kind: wordOf(RECEIPT_KINDS),
    ns: Name,
    chain: Name,
    seq: Position,
    prev: Digest,
    ts_utc: Time,
    request_id: Type.String(),
    actor: Type.Object({ owner: Type.String(), key_id: orNull(Type.String()), auth_mode: Type.String() }, closed),
    policy: orNull(Type.Object({ rules_digest: Type.String(), policy_digest: Type.String() }, closed)),
    payload: AnyObject,
  },
  { ...closed, $id: 'ReceiptBody', description: 'What is hashed, signed and logged, in canonical JSON' },
)

const EnvelopeSignature = Type.Object({ sig: Base64, keyid: Type.String() }, closed)

/** The three fields of DSSE; what else our replies carry is annotation that repeats them or explains. */
export const DsseEnvelope = Type.Object(
  {
    payloadType: Type.String(),
    payload: Base64,
    signatures: Type.Array(EnvelopeSignature, { maxItems: 16 }),
    signed: Type.Optional(Type.Boolean()),
    keyid: Type.Optional(orNull(Type.String())),
    key_kind: Type.Optional(Type.String()),
    honesty: Type.Optional(Type.String()),
    read_only: Type.Optional(Type.Boolean()),
    pae_b64: Type.Optional(Base64),
    _dsse: Type.Optional(Type.String()),
    _pae_sha256: Type.Optional(orNull(Digest)),
    _statement_digest_sha256: Type.Optional(Digest),
  },
  { ...closed, $id: 'DsseEnvelope', description: `DSSE v1; receipts have the payload type ${RECEIPT_PAYLOAD_TYPE}` },
)

export const InclusionProof = Type.Object(
  { leaf_index: Position, tree_size: Position, root: Digest, hashes: Type.Array(Digest, { maxItems: 53 }) },
  { ...closed, $id: 'InclusionProof', description: 'RFC 6962 path from the receipt to the root of the log' },
)

export const ReceiptSummary = Type.Object(
  {
    receipt_id: Digest,
    digest: Digest,
    chain: Type.String(),
    seq: Position,
    prev: Digest,
    node_index: Position,
    signed: Type.Boolean(),
    keyid: orNull(Type.String()),
    key_kind: orNull(wordOf(['demo', 'production'])),
    signature_state: wordOf(['SIGNED', 'UNSIGNED', 'SIGNER_UNAVAILABLE']),
    label: Type.String(),
    verify_url: Type.String(),
  },
  { ...closed, $id: 'ReceiptSummary', description: 'The receipt that an operation left behind' },
)

export const Check = Type.Object(
  { check: wordOf(CHECK_NAMES), status: wordOf(CHECK_STATUSES), reason: Type.String(), details: AnyObject },
  { ...closed, $id: 'Check' },
)

export const VerificationReport = Type.Object(
  {
    schema: Type.Literal(REPORT_SCHEMA),
    kind: wordOf(EVIDENCE_KINDS),
    verdict: wordOf(VERDICTS),
    checks: Type.Array(Check, { minItems: CHECKS.length, maxItems: CHECK_NAMES.length }),
    subject: orNull(Type.Object({ digest: Digest })),
    does_not_prove: Type.Array(Type.String(), { minItems: 3, maxItems: 3 }),
    checked_at: orNull(Time),
  },
  {
    ...closed,
    $id: 'VerificationReport',
    description: 'The six checks in order, lambda after them where its inputs came along, and what they do not prove',
  },
)

const Ledger = Type.Object({
  durability_state: wordOf(['EPHEMERAL', 'DURABLE', 'DURABLE_EXTERNAL']),
  ready: Type.Boolean(),
  integrity: AnyObject,
})

export const ExportRecord = Type.Object(
  {
    schema: Type.Literal(EXPORT_SCHEMA),
    ok: Type.Boolean(),
    doctrine: Type.Literal(DOCTRINE),
    generated_at: Time,
    public_key_url: Type.String(),
    ledger: Ledger,
    ledger_durability: wordOf(['EPHEMERAL', 'DURABLE', 'DURABLE_EXTERNAL']),
    export_state: wordOf(['SIGNED_VERIFIED', 'UNSIGNED', 'SIGNATURE_INVALID', 'EMPTY']),
    receipt_available: Type.Boolean(),
    ledger_size: Position,
    node_index: Type.Integer({ minimum: -1 }),
    node_digest: Digest,
    khipu_root: Digest,
    dsse: orNull(DsseEnvelope),
    payload_b64: orNull(Base64),
    pae_b64: orNull(Base64),
    signed: Type.Boolean(),
    keyid: orNull(Type.String()),
    verification: AnyObject,
    verify_offline: Type.Array(Type.String()),
    limits: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }, closed)),
    honesty: Type.String(),
    inclusion: orNull(InclusionProof),
    checkpoint: orNull(Type.String()),
  },
  { ...closed, $id: 'ExportRecord', description: 'One receipt with everything needed to verify it offline' },
)

const UnsignedPack = Type.Object(
  {
    signed: Type.Literal(false),
    status: Type.Literal('DSSE_PLACEHOLDER'),
    note: Type.Literal(PACK_TEXT.unsigned_note),
  },
  closed,
)
const SignedPack = Type.Object(
  {
    signed: Type.Literal(true),
    status: Type.Literal('DSSE_SIGNED'),
    note: Type.Literal(PACK_TEXT.signed_note),
    alg: Type.Literal(PACK_SIGNATURE_ALG),
    keyid: Digest,
    key_kind: wordOf(['demo', 'production']),
    dsse: DsseEnvelope,
  },
  closed,
)
const Pack = Type.Object(
  {
    schema: Type.Literal(PACK_SCHEMA),
    generated_at: Time,
    what: Type.String(),
    assurance_matrix: AnyObject,
    khipu_organs: Type.Unknown(),
    lake_health: Type.Unknown(),
    doctrine: AnyObject,
    cosign_public_key: AnyObject,
    honest_disclosure: Type.Unknown(),
    receipts: Type.Optional(Type.Array(AnyObject, { maxItems: MAX_PACK_RECEIPTS })),
    public_keys: Type.Optional(Type.Array(AnyObject)),
    checkpoint: Type.Optional(orNull(Type.String())),
  },
  closed,
)

export const EvidencePackEnvelope = Type.Object(
  {
    schema: Type.Literal(PACK_ENVELOPE_SCHEMA),
    pack: Pack,
    pack_sha3_256: Digest,
    digest_alg: Type.Literal('sha3_256'),
    digest_canonicalization: Type.Literal(PACK_TEXT.digest_canonicalization),
    offline_verify: Type.Literal(PACK_TEXT.offline_verify),
    signature: Type.Union([UnsignedPack, SignedPack]),
    generated_at: Time,
  },
  { ...closed, $id: 'EvidencePackEnvelope', description: 'An evidence pack, its digest and its signature' },
)

export const Statement = Type.Object(
  {
    _type: Type.Literal(STATEMENT_TYPE),
    subject: Type.Array(Type.Object({ name: Type.String(), digest: Type.Record(Type.String(), Type.String()) }), {
      minItems: 1,
    }),
    predicateType: Type.String(),
    predicate: AnyObject,
  },
  { ...closed, $id: 'Statement', description: 'An in-toto Statement v1' },
)

export type ReceiptSummary = Static<typeof ReceiptSummary>
export type ExportRecord = Static<typeof ExportRecord>
export type EvidencePackEnvelope = Static<typeof EvidencePackEnvelope>
