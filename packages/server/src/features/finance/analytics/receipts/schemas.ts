/** What the receipts of finance are, and what their verification takes and answers. */
import Type, { type Static } from 'typebox'
import { FOUR_FLAGS } from '../../../../domain/observation.ts'
import {
  AnyObject,
  Count,
  closed,
  Hex64,
  Nullable,
  named,
  ReceiptSummary,
  Text,
  Texts,
  Timestamp,
  words,
} from '../../../../domain/wire.ts'

export const ReceiptsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
  cursor: Type.Optional(
    Type.String({
      pattern: '^f[0-9]{1,15}p[0-9]{1,15}$',
      description: '`next_cursor` of the page before',
      examples: ['f42p7'],
    }),
  ),
})

const Row = closed({
  receipt_id: Hex64,
  chain: Type.String(),
  seq: Count,
  node_index: Count,
  kind: Text,
  ts_utc: Text,
  signed: Type.Boolean(),
  keyid: Text,
  key_kind: Text,
  verify_url: Type.String(),
})
export type ListedReceipt = Static<typeof Row>

const Kind = closed({
  kind: words(['CALLER_HELD', 'LEDGER']),
  made_by: Texts,
  schema: Type.String(),
  fields: Texts,
  covers: Type.String(),
  signed: Type.String(),
})

export const ReceiptsReply = named('FinanceReceipts', {
  schema: Type.Literal('orch.finance.receipts/v1'),
  label: Type.Literal('STRUCTURAL-ONLY'),
  kinds: Type.Array(Kind),
  canonicalization: Type.String(),
  digest: Type.Literal('SHA-256'),
  signing: closed({
    status: words(['LIVE', 'DEMO', 'UNSIGNED', 'UNAVAILABLE']),
    signing_available: Type.Boolean(),
    key_kind: Nullable(words(['demo', 'production'])),
    fingerprint: Text,
    tested_at: Nullable(Timestamp),
  }),
  counts: Type.Union([Type.Record(Type.String(), Nullable(Count))], {
    description: 'receipts of each chain; null where the caller does not see all of them',
  }),
  order: Type.Literal('newest first, by node_index'),
  receipts: Type.Array(Row, { maxItems: 200 }),
  next_cursor: Text,
  ...FOUR_FLAGS,
})

export const INTEGRITY_CHECKS = [
  'schema_known',
  'payload_digest_matches',
  'record_digest_matches',
  'flags_intact',
  'source_revision_well_formed',
  'component_known',
] as const
export type IntegrityCheck = (typeof INTEGRITY_CHECKS)[number]

export const VerifyContract = named('FinanceVerifyContract', {
  schema: Type.Literal('orch.finance.receipt-verification/v1'),
  label: Type.Literal('STRUCTURAL-ONLY'),
  state: Type.Literal('INPUT_REQUIRED'),
  method: Type.Literal('POST'),
  accepts: Type.Array(closed({ field: Type.String(), what: Type.String() })),
  checks: Type.Array(words(INTEGRITY_CHECKS)),
  verified: Type.Literal(false),
  ...FOUR_FLAGS,
})

/** Exactly one of the three; an empty body is the example. */
export const VerifyBody = closed({
  envelope: Type.Optional(
    Type.Union([AnyObject], { description: 'a whole reply of signals, quote, model, portfolio or audit' }),
  ),
  receipt_id: Type.Optional(Hex64),
  dsse: Type.Optional(Type.Union([AnyObject], { description: 'a DSSE envelope of a receipt' })),
})
export type VerifyBody = Static<typeof VerifyBody>

/** Null where a check does not apply to what was sent, or nothing was there to compare with. */
const Checked = Nullable(Type.Boolean())
const Verification = closed({
  integrity: closed({
    verdict: words(['VALID', 'INVALID', 'NOT_APPLICABLE']),
    checks: closed({
      schema_known: Checked,
      payload_digest_matches: Checked,
      record_digest_matches: Checked,
      flags_intact: Checked,
      source_revision_well_formed: Checked,
      component_known: Checked,
    }),
  }),
  signature: closed({
    verdict: words(['VERIFIED', 'INVALID', 'UNSIGNED', 'UNKNOWN_KEY', 'NOT_APPLICABLE']),
    keyid: Text,
    key_kind: Text,
  }),
  ledger: closed({ verdict: words(['FOUND', 'NOT_FOUND', 'MISMATCH']) }),
  build: words(['SAME', 'OTHER', 'UNKNOWN']),
  reasons: Texts,
})
export type Verification = Static<typeof Verification>

export const VerifyReply = named('FinanceVerification', {
  schema: Type.Literal('orch.finance.receipt-verification/v1'),
  label: Type.Literal('STRUCTURAL-ONLY'),
  input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
  input_kind: words(['envelope', 'receipt_id', 'dsse']),
  checked_at: Timestamp,
  verified: Type.Union([Type.Boolean()], { description: 'the integrity is VALID' }),
  authenticity_established: Type.Union([Type.Boolean()], { description: 'the signature is VERIFIED' }),
  ...Verification.properties,
  note: Type.String(),
  ...FOUR_FLAGS,
  payload_sha256: Hex64,
  receipt: ReceiptSummary,
})
