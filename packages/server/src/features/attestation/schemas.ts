import { LABELS, POLICY_RULES, STATEMENT_SIGNATURE_STATUSES } from '@orch/core'
import Type, { type Static } from 'typebox'
import { AnyObject, closed, exactly, Hex64, Nullable, named, Texts, Timestamp, words } from '../../domain/wire.ts'
import type { Readable } from '../../operation.ts'
import { ATTEST_VERDICTS } from './factors.ts'

const Text = Type.String()

export const RequireTransparency = Type.Object({
  require_transparency: Type.Boolean({
    default: false,
    description: 'The verdict is UNKNOWN unless an external log returned an inclusion proof in this request',
  }),
})

export const ReceiptHash = Type.Object({
  receipt_hash: Type.String({
    pattern: '^[0-9a-fA-F]{64}$',
    description: 'SHA-256 of the receipt body in hex',
    examples: ['0123456789abcdef'.repeat(4)],
  }),
})

const TransparencyLabel = words(['MEASURED', 'MODELED'])
const AnchorStatus = words(['NOT_ATTEMPTED', 'UNREACHABLE', 'INCLUDED', 'INVALID'])
const Lambda = closed({
  status: Text,
  is_theorem: Type.Literal(false),
  trust_ceiling: Type.Number(),
  floor: Type.Number(),
})
const Checkpoint = closed({ size: Type.Integer(), root: Hex64 })

export const Rekor = Type.Object(
  {
    status: AnchorStatus,
    attempted: Type.Boolean(),
    reachable: Nullable(Type.Boolean()),
    log_index: Nullable(Type.Integer()),
    entry_uuid: Nullable(Text),
    inclusion_proof: Nullable(AnyObject),
    label: TransparencyLabel,
    anchored_checkpoint: Nullable(Checkpoint),
    note: Text,
  },
  {
    ...exactly,
    $id: 'ExternalLogReading',
    description:
      'What the external log says about the newest anchored checkpoint of this ledger, read in this request. The proof is of that checkpoint and not of the statement beside it.',
  },
)
export type Rekor = Readable<Static<typeof Rekor>>

export const Verification = named('TitleVerification', {
  ok: Type.Boolean(),
  schema: Type.Literal('orch.attest.verification/v1'),
  verdict: words(['PASSED', 'FAILED', 'UNKNOWN']),
  verdict_scope: Text,
  policy: closed({
    policy: Text,
    checks: closed(Object.fromEntries(POLICY_RULES.map((rule) => [rule, Type.Boolean()]))),
    failed: Type.Array(words(POLICY_RULES)),
    reason: Text,
    rego: Text,
  }),
  signature: closed({
    signed: Type.Boolean(),
    verified: Type.Boolean(),
    status: words(STATEMENT_SIGNATURE_STATUSES),
    keyless_ready: Type.Literal(false),
    note: Text,
  }),
  transparency: closed({
    required: Type.Boolean(),
    status: AnchorStatus,
    label: TransparencyLabel,
    log_index: Nullable(Type.Integer()),
    entry_uuid: Nullable(Text),
    inclusion_proof: Nullable(AnyObject),
    note: Text,
  }),
  reasons: Texts,
  label: TransparencyLabel,
  label_rule: Text,
  lambda: Lambda,
  verified_at: Timestamp,
  statement_digest_sha256: Nullable(Hex64),
})
export type Verification = Readable<Static<typeof Verification>>

const Statement = named('ChainOfTitleStatement', {
  _type: Text,
  subject: Type.Array(
    closed({
      name: Text,
      digest: closed({ gitCommit: Text }),
      annotations: closed({ locked_proven: Texts, pin_source: Text }),
    }),
  ),
  predicateType: Text,
  predicate: Type.Object({
    doctrine: Text,
    provenance: AnyObject,
    energy_measured: Type.Array(AnyObject),
    energy_disclosure: closed({
      meters_configured: Type.Integer({ minimum: 0 }),
      meter_env: Text,
      label: words(['MEASURED', 'UNAVAILABLE']),
      note: Text,
      errors: Texts,
    }),
    honesty_invariants: closed({
      no_fabricated_measured: Type.Boolean(),
      lambda_is_conjecture_not_theorem: Type.Boolean(),
      locked8_immutable: Type.Boolean(),
      provenance_coverage: Type.Number({ minimum: 0, maximum: 1 }),
    }),
    honesty_invariants_meaning: Type.Record(Text, Text),
    seal: closed({ formula: Text, tier: Type.Literal('PROPOSED'), cites: Texts, note: Text }),
    lambda: Lambda,
    attestation: AnyObject,
  }),
})

const ReadOnly = closed({ appended: Type.Literal(false), status: Type.Literal('READ_ONLY') })

export const TitleRecord = named('ChainOfTitleRecord', {
  ok: Type.Boolean(),
  schema: Type.Literal('orch.attest.chain-of-title/v1'),
  label: TransparencyLabel,
  statement: Statement,
  statement_digest_sha256: Hex64,
  envelope: closed({
    payloadType: Type.Literal('application/vnd.in-toto+json'),
    payload: Text,
    signatures: Type.Array(Type.Unknown(), { maxItems: 0 }),
    signed: Type.Literal(false),
    read_only: Type.Literal(true),
    _statement_digest_sha256: Hex64,
    honesty: Text,
  }),
  rekor: Rekor,
  verdict: words(['PASSED', 'FAILED', 'UNKNOWN']),
  verdict_scope: Text,
  verification: Verification,
  policy_source: closed({
    path: Text,
    package: Text,
    rules: Texts,
    sha256: Nullable(Hex64),
    evaluator: Type.Literal('typescript'),
    note: Text,
  }),
  cites: Texts,
  honest_note: Text,
  built_at: Timestamp,
  lake: ReadOnly,
})
export type TitleRecord = Readable<Static<typeof TitleRecord>>

export const VerifyReply = named('TitleVerificationReply', {
  ...Verification.properties,
  checks: Type.Array(AnyObject, { description: 'the six checks of the verifier that anybody can run offline' }),
  lake: ReadOnly,
})

/** A Statement, a DSSE envelope, `{statement}`, `{envelope}`, or the record that the manifest serves. */
export const Presented = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'A Statement, a DSSE envelope of one, {"statement": ...}, {"envelope": ...} or the whole record. Empty = 422.',
  minProperties: 1,
})

export const ReceiptAttestation = named('ReceiptAttestation', {
  surface: Type.Literal('orch.attest.receipt/v1'),
  receipt_hash: Hex64,
  verdict: words(ATTEST_VERDICTS),
  factors: Type.Array(
    closed({
      factor: Type.Integer({ minimum: 1, maximum: 6 }),
      title: Text,
      status: Text,
      detail: Text,
      independent_check: Text,
    }),
    { minItems: 6, maxItems: 6 },
  ),
  checked_at: Timestamp,
  doctrine: Text,
  labels: Type.Array(words(LABELS), { minItems: 6, maxItems: 6, description: 'one per factor, in their order' }),
})
export type ReceiptAttestation = Readable<Static<typeof ReceiptAttestation>>

export const Nothing = Type.Object(
  {},
  { ...exactly, description: 'Takes no input: the newest checkpoint is anchored.' },
)

export const AnchorReply = named('AnchorReply', {
  schema: Type.Literal('orch.log.anchor/v1'),
  rekor: Rekor,
  bundle: Type.Union([AnyObject, Type.Null()], {
    description:
      'The anchored checkpoint and its proof as a Sigstore bundle v0.3, for a verifier that has the public keys of the log and of this service; null without a proof. Its payload is a checkpoint and no in-toto statement.',
  }),
  label: TransparencyLabel,
  anchored_at: Timestamp,
  receipt: AnyObject,
})
export type AnchorReply = Readable<Static<typeof AnchorReply>>
