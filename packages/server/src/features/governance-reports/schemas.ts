/** What callers send and what this surface answers. */
import { LABELS } from '@orch/core'
import Type, { type Static } from 'typebox'
import { Count, exactly as closed, Hex64, Nullable, Text, Timestamp, words } from '../../domain/wire.ts'

export const ROI_VERTICALS = ['defense', 'finance', 'legal', 'enterprise', 'realestate'] as const
export type RoiVertical = (typeof ROI_VERTICALS)[number]

const Counts = Type.Record(Type.String(), Count)
const Money = Type.String({ pattern: '^-?\\d+\\.\\d{2}$', description: 'US dollars' })
const Source = words(['DEFAULT', 'CALLER'])

export const DEFAULT_ROWS = 60
const MAX_ROWS = 400

export const LedgerQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ROWS, default: DEFAULT_ROWS })),
  advance: Type.Optional(
    Type.Integer({
      default: 0,
      description:
        'other than 0: append one unsigned, simulated row, made from this number alone, to the separate chain `sample`; only in sample mode and with the scope sample:write',
    }),
  ),
})

const Row = Type.Object(
  {
    seq: Count,
    receipt_id: Hex64,
    kind: Text,
    vertical: Text,
    action: Text,
    decision: Text,
    lambda_advisory: Nullable(Type.Number()),
    gates_fired: Type.Array(Type.String()),
    ts: Text,
    hash: Hex64,
    prev_hash: Type.String(),
    signed: Type.Boolean(),
    keyid: Text,
    simulated: Type.Boolean(),
    label: words(['STRUCTURAL-ONLY', 'SIMULATED']),
  },
  { $id: 'GovernanceRow', ...closed },
)

export type Advance = Static<typeof Advance>
const Advance = Type.Object(
  {
    requested: Type.Integer(),
    appended: Type.Integer({ minimum: 0, maximum: 1 }),
    reason: Nullable(words(['SAMPLE_MODE_OFF', 'REPLAYED'])),
  },
  closed,
)

export const LedgerReply = Type.Object(
  {
    chain_depth: Count,
    final_hash: Hex64,
    genesis_prev: Hex64,
    window: Type.Object(
      {
        from_seq: Nullable(Count),
        to_seq: Nullable(Count),
        recomputed: Count,
        links_checked: Count,
        signatures_checked: Count,
        first_break_seq: Nullable(Count),
      },
      closed,
    ),
    window_verified: Type.Boolean(),
    decisions_in_window: Counts,
    verticals_in_window: Counts,
    receipts: Type.Array(Row),
    samples: Type.Array(Row),
    advance: Advance,
    sample_mode: Type.Boolean({ description: 'whether `advance` of this caller appends' }),
    order: Type.String(),
    updated_at: Timestamp,
    label: Type.Literal('MEASURED'),
  },
  closed,
)

const share = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }))
const amount = (maximum: number, more: object = {}) => Type.Optional(Type.Number({ minimum: 0, maximum, ...more }))

export type RoiParameters = Static<typeof RoiParameters>
export const RoiParameters = Type.Object({
  vertical: Type.Optional(words(ROI_VERTICALS)),
  cost_of_failure_usd: amount(1e12, { description: 'of one failure' }),
  annual_events: amount(1e6, { description: 'failures in a year without governance' }),
  catch_rate: share('of them caught'),
  catch_rate_low: share('not above catch_rate'),
  catch_rate_high: share('not below catch_rate'),
  governance_cost_usd: amount(1e9, { description: 'in a year; 0 where it is not given' }),
})

const Assumed = Type.Object({ value: Type.Number(), source: Source }, closed)
const amounts = { exposure: Money, avoided: Money, avoided_low: Money, avoided_high: Money }
const Modeled = Type.Object(
  {
    label: Type.Literal('MODELED'),
    equation: Type.String(),
    interval_meaning: Type.String(),
    rows: Type.Array(
      Type.Object(
        {
          id: words([...ROI_VERTICALS, 'custom']),
          illustrative: Type.Boolean({ description: 'an assumption is our round figure and nobody’s own' }),
          inputs: Type.Object(
            {
              cost_of_failure_usd: Type.Object({ value: Money, source: Source }, closed),
              annual_events: Assumed,
              catch_rate: Assumed,
              catch_rate_low: Assumed,
              catch_rate_high: Assumed,
            },
            closed,
          ),
          ...amounts,
        },
        closed,
      ),
    ),
    total: Type.Object(
      {
        ...amounts,
        governance_cost: Money,
        governance_cost_source: Source,
        net: Money,
        net_low: Money,
        net_high: Money,
      },
      closed,
    ),
  },
  closed,
)

const Measured = Type.Object(
  {
    label: Type.Literal('MEASURED'),
    read_at: Timestamp,
    reviews: Type.Record(Type.String(), Count, { description: 'by state, counted in the review store now' }),
    reviews_exact_to: Count,
    since_start: Type.Object(
      {
        since: Timestamp,
        decisions: Type.Record(Type.String(), Count, { description: 'receipts of kind decision' }),
        verdicts: Type.Record(Type.String(), Count, {
          description: 'verdicts on requests in receipts of the kinds inference, agent-step and step',
        }),
        output_scans: Type.Record(Type.String(), Count, { description: 'scans of tool and model output' }),
        reviews_opened: Count,
        fired_by_gate: Counts,
        first_seq: Nullable(Count),
        last_seq: Nullable(Count),
      },
      closed,
    ),
  },
  closed,
)

export const RoiReply = Type.Object({ modeled: Modeled, measured: Measured }, closed)

const Milliseconds = Nullable(Type.Number({ minimum: 0 }))
export type LatencyRow = Static<typeof LatencyRow>
const LatencyRow = Type.Object(
  {
    id: Type.String(),
    count: Count,
    errors: Count,
    window_count: Count,
    p50_ms: Milliseconds,
    p95_ms: Milliseconds,
    p99_ms: Milliseconds,
    max_ms: Milliseconds,
    last_at: Nullable(Timestamp),
    label: words(LABELS),
    reason: Nullable(words(['INSUFFICIENT_SAMPLES', 'NEVER_CALLED'])),
  },
  { $id: 'LatencyRow', ...closed },
)

export const LatencyReply = Type.Object(
  {
    routes: Type.Array(LatencyRow),
    decisions: LatencyRow,
    targets: Type.Array(LatencyRow),
    window_limit: Count,
    read_at: Timestamp,
  },
  closed,
)

const KeyRecord = Type.Object(
  {
    pem: Text,
    keyid: Nullable(Hex64),
    key_kind: Nullable(words(['demo', 'production'])),
    algorithm: Text,
    spki_sha256: Nullable(Hex64),
    verify_url: Type.String(),
    label: words(['MEASURED', 'UNAVAILABLE']),
    read_at: Nullable(Timestamp),
    reason: Text,
  },
  closed,
)

/** JSON, or the bare PEM where `Accept` asks for it. */
export const KeyReply = Type.Union([KeyRecord, Type.String()])
