import Type, { type Static } from 'typebox'
import { FOUR_FLAGS } from '../../../domain/observation.ts'
import {
  AnyObject,
  Count,
  closed,
  Dsse,
  Hex64,
  Nullable,
  named,
  Text,
  Texts,
  Timestamp,
  words,
} from '../../../domain/wire.ts'
import { REJECT_CODES } from './model.ts'

export const PRICE_SYMBOLS = ['BTC', 'ETH', 'SOL'] as const
export type PriceSymbol = (typeof PRICE_SYMBOLS)[number]

export const SymbolPath = Type.Object({
  symbol_name: Type.String({
    pattern: '^[A-Z]{2,10}$',
    description: 'two to ten capital letters; BTC, ETH or SOL are priced',
    examples: ['BTC'],
  }),
})

const DECISION_REASONS = [
  'INSUFFICIENT_VENUES',
  'DISPERSION_EXCEEDED',
  'STALE_PRINT',
  'FUTURE_PRINT',
  'UNSIGNED_PRINT',
  'SIGNER_UNAVAILABLE',
  'SIGNATURE_INVALID',
  'PUBLISHER_OFF',
  'NO_PRINT_YET',
] as const
export type DecisionReason = (typeof DECISION_REASONS)[number]

const Decimal = Type.String({ pattern: '^-?[0-9]+(?:\\.[0-9]+)?$', description: 'a decimal' })
const ReadingMode = words(['live', 'cached', 'unreachable'])

const venue = {
  venue: Type.String(),
  bid: Nullable(Decimal),
  ask: Nullable(Decimal),
  mid: Nullable(Decimal),
  last: Nullable(Decimal),
  venue_time: Nullable(Timestamp),
  time_basis: Type.String({ description: 'what the freshness of the venue rests on' }),
  fetched_at: Nullable(Timestamp),
  kept: Type.Boolean(),
  reason: Text,
  bytes_sha256: Nullable(Hex64),
}
const VenueRow = closed({ ...venue, label: words(['LIVE', 'SAMPLE', 'UNAVAILABLE']) })

const estimate = {
  method: Type.Literal('median-of-midpoints'),
  price: Nullable(Decimal),
  dispersion_bps: Nullable(Decimal),
  dispersion_before_drop_bps: Nullable(Decimal),
  interval: Nullable(closed({ lower: Decimal, upper: Decimal })),
}
const PriceEstimate = closed({
  ...estimate,
  max_dispersion_bps: Type.Integer(),
  venues: Type.Array(VenueRow, { maxItems: 8 }),
})
export type PriceEstimate = Static<typeof PriceEstimate>

/** A print as it outlives the process, beside its receipt. */
export const SavedPrint = closed({
  receiptId: Hex64,
  observedAt: Type.Integer(),
  estimate: closed({ ...estimate, venues: Type.Array(closed(venue), { maxItems: 8 }) }),
})

const Print = closed({
  receipt_id: Hex64,
  observed_at: Timestamp,
  expires_at: Timestamp,
  age_seconds: Type.Number({ description: 'below zero where the print is ahead of the clock' }),
  dsse: Nullable(Dsse),
})

const Verification = closed({
  signature: words(['VERIFIED', 'INVALID', 'UNSIGNED', 'NOT_CHECKED']),
  digest: words(['MATCHES', 'MISMATCH', 'NOT_CHECKED']),
  fresh: Type.Boolean(),
  keyid: Text,
  key_kind: Text,
  reasons: Texts,
})

export const ThirdParty = closed({
  state: words(['VERIFIED', 'REJECTED', 'UNREACHABLE', 'NOT_CONFIGURED']),
  mode: ReadingMode,
  reason: Text,
  price: Nullable(Decimal),
  difference_bps: Nullable(Decimal),
  observed_at: Nullable(Timestamp),
  keyid: Text,
})
export type ThirdParty = Static<typeof ThirdParty>

export const SignedPrice = named('FinanceSignedPrice', {
  schema: Type.Literal('orch.finance.signed-price/v1'),
  symbol: words(PRICE_SYMBOLS),
  quote: Type.Literal('USD'),
  state: words(['REVIEW', 'ABSTAIN']),
  label: words(['MODELED', 'UNAVAILABLE']),
  mode: ReadingMode,
  price: Nullable(Decimal),
  estimate: Nullable(PriceEstimate),
  print: Nullable(Print),
  verification: Verification,
  decision_reasons: Type.Array(words(DECISION_REASONS)),
  third_party: ThirdParty,
  publisher: words(['demand', 'always', 'off']),
  served_at: Timestamp,
  note: Type.String(),
  can_authorize: Type.Literal(false),
  ...FOUR_FLAGS,
})
export type SignedPrice = Static<typeof SignedPrice>

const ModelCase = closed({
  case: Type.String(),
  rows: Type.Array(AnyObject),
  state: words(['REVIEW', 'ABSTAIN']),
  decision_reasons: Type.Array(Type.Literal('INSUFFICIENT_GROUPS')),
  venue_median: Nullable(Decimal),
  reference: Nullable(Decimal),
  groups: Count,
  group_mad_bps: Nullable(Decimal),
  rows_accepted: Count,
  rejected: Type.Array(closed({ row: Count, code: words(REJECT_CODES) })),
})

const Computation = closed({
  schema: Type.Literal('orch.finance.computation/v1'),
  payload_sha256: Hex64,
  component_version: Type.String(),
  source_revision: Type.String({ pattern: '^(?:[0-9a-f]{40}|UNBOUND)$' }),
  signed: Type.Literal(false),
  persistence: Type.Literal('CALLER_HELD'),
  authority: Type.Literal('NONE'),
  record_sha256: Hex64,
})

export const PriceModel = named('FinancePriceModel', {
  schema: Type.Literal('orch.finance.signed-price-model/v1'),
  label: Type.Literal('SIMULATED'),
  simulator: Type.String(),
  version: Type.String(),
  seed: Type.Null({ description: 'nothing in it is random' }),
  now: Type.Integer(),
  estimator: Type.String(),
  assumptions: Texts,
  not_real: Type.String(),
  limits: closed({ max_rows: Count, max_age: Count, min_groups: Count }),
  reject_codes: Type.Array(words(REJECT_CODES)),
  cases: Type.Array(ModelCase),
  computation: Computation,
  can_authorize: Type.Literal(false),
  ...FOUR_FLAGS,
})
export type PriceModel = Static<typeof PriceModel>
