/** What the audit of a research panel takes and answers. */
import Type, { type Static } from 'typebox'
import { FOUR_FLAGS } from '../../../../domain/observation.ts'
import { Count, closed, Hex64, Nullable, named, ReceiptSummary, Text, words } from '../../../../domain/wire.ts'
import { MADE_BY } from '../schemas.ts'

const MAX_RECORDS = 5000
export const MAX_CELLS = 10_000
export const MAX_YEARS = 100
export const SHOWN_CELLS = 1000

/** No control characters, and none of the spaces of Unicode at either end. */
const INNER = '[^\\u0000-\\u001f\\u007f-\\u009f]'
const OUTER = '[^\\s\\u0000-\\u001f\\u007f-\\u009f]'
const PLAIN = `^${OUTER}(?:${INNER}*${OUTER})?$`
const plainText = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: PLAIN,
    description: `1 to ${maxLength} characters without control characters and without spaces at its ends`,
    examples: ['Agency A'],
  })
const DateText = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  description: 'a date',
  examples: ['2025-12-31'],
})
const Decimal = Type.Union([
  Type.Number(),
  Type.String({ pattern: '^-?[0-9]{1,30}(?:\\.[0-9]{1,30})?$', description: 'a decimal', examples: ['12.50'] }),
])
const Url = Type.String({
  minLength: 8,
  maxLength: 2048,
  description: 'http or https, without credentials; it is never fetched',
})
const Year = Type.Integer({ minimum: 1, maximum: 9999 })

export const RECORD_STATES = ['observed', 'suppressed', 'missing', 'invalid'] as const

const AuditRecord = closed({
  entity: plainText(120),
  period: Year,
  value: Nullable(Decimal),
  state: words(RECORD_STATES),
  available_at: Type.Optional(DateText),
  exclusion_reason: Type.Optional(plainText(240)),
  group: Type.Optional(plainText(120)),
  source_url: Type.Optional(Url),
})
export type AuditRecord = Static<typeof AuditRecord>

const Specification = closed({
  label: plainText(120),
  estimate: Decimal,
  standard_error: Type.Optional(Decimal),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e12 })),
  clusters: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e12 })),
})
export type Specification = Static<typeof Specification>

export const AuditBody = closed({
  records: Type.Array(AuditRecord, { maxItems: MAX_RECORDS }),
  as_of: DateText,
  expected_entities: Type.Optional(Type.Array(plainText(120), { maxItems: 1000 })),
  start_year: Type.Optional(Year),
  end_year: Type.Optional(Year),
  source_url: Type.Optional(Url),
  specifications: Type.Optional(Type.Array(Specification, { maxItems: 100 })),
})
export type AuditBody = Static<typeof AuditBody>

/** In the order in which they are found; the first of a record is its primary one. */
export const EXCLUSION_REASONS = [
  'DUPLICATE_ENTITY_PERIOD',
  'OUTSIDE_EXPECTED_ENTITIES',
  'OUTSIDE_YEAR_RANGE',
  'REPORTED_EXCLUSION',
  'OBSERVED_NULL',
  'SUPPRESSED_VALUE',
  'MISSING_VALUE',
  'INVALID_VALUE',
  'RELEASE_DATE_UNKNOWN',
  'RELEASE_AFTER_AS_OF',
] as const
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number]

const Percent = Nullable(Type.String({ description: 'six decimals; null where there is nothing to divide by' }))
const totals = { records: Count, kept: Count, excluded: Count, kept_percent: Percent, excluded_percent: Percent }
const Reason = words(EXCLUSION_REASONS)

const AuditResult = closed({
  schema: Type.Literal('orch.finance.research-audit/v1'),
  as_of: Type.String(),
  status: words(['AUDITED', 'BLOCKED']),
  summary: closed({
    ...totals,
    states: closed({ observed: Count, suppressed: Count, missing: Count, invalid: Count }),
    zero_values: Type.Union([Count], { description: 'observed values that are zero, which is a value' }),
    unknown_releases: Count,
    late_releases: Type.Union([Count], { description: 'released after as_of: to use them is to look ahead' }),
  }),
  exclusion_reasons: Type.Array(
    closed({ reason: Reason, records: Count, primary_records: Count, percent_of_records: Percent }),
  ),
  attrition: closed({
    entities: Type.Array(closed({ entity: Type.String(), ...totals })),
    groups: Type.Array(closed({ group: Text, ...totals })),
  }),
  coverage: closed({
    expected_cells: Nullable(Count),
    recorded_cells: Count,
    observed_cells: Type.Union([Count], { description: 'with an observed value that is not null' }),
    missing_cells: Type.Union([Count], { description: 'recorded without such a value' }),
    absent_cells: Type.Union([Nullable(Count)], { description: 'expected and not recorded at all' }),
    eligible_cells: Count,
    coverage_percent: Type.Union([Percent], { description: 'observed of the expected cells' }),
    eligible_percent: Type.Union([Percent], { description: 'eligible of the expected cells' }),
    cells: Type.Array(
      closed({
        entity: Type.String(),
        period: Type.Integer(),
        status: words(['OBSERVED', 'MISSING', 'ABSENT']),
        records: Count,
        eligible: Type.Boolean(),
      }),
      { maxItems: SHOWN_CELLS },
    ),
    cells_truncated: Type.Boolean(),
  }),
  robustness: closed({
    computed: Type.Union([Type.Literal(false)], { description: 'nothing was estimated anew' }),
    specifications: Count,
    sign_change: Nullable(Type.Boolean({ description: 'null for fewer than two specifications' })),
    small_cluster_threshold: Type.Literal(30),
    flags: Type.Array(
      closed({ specification: Text, code: words(['SIGN_CHANGE', 'SMALL_CLUSTER_COUNT', 'ZERO_STANDARD_ERROR']) }),
    ),
  }),
  record_audit: Type.Array(
    closed({
      index: Count,
      entity: Type.String(),
      period: Type.Integer(),
      eligible: Type.Boolean(),
      primary_reason: Nullable(Reason),
      reasons: Type.Array(Reason),
    }),
  ),
  issues: Type.Array(closed({ code: Type.String(), severity: words(['BLOCKING', 'WARNING']), count: Count })),
})
export type AuditResult = Static<typeof AuditResult>

export const AuditReply = named('ResearchAudit', {
  ok: Type.Boolean(),
  label: Type.Literal('MODELED'),
  basis: Type.String(),
  ...MADE_BY,
  input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
  inputs: closed({
    label: Type.Literal('SAMPLE'),
    verified: Type.Literal(false),
    source_url: Text,
    source_fetched: Type.Literal(false),
    inputs_sha256: Hex64,
  }),
  ...AuditResult.properties,
  ...FOUR_FLAGS,
  payload_sha256: Hex64,
  receipt: ReceiptSummary,
})
