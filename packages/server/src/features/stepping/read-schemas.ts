/** What the reading operations answer. */
import Type, { type Static } from 'typebox'
import { Verdict } from '../../domain/decision/wire.ts'
import { Count, Hex64, Nullable, Text, Timestamp, words } from '../../domain/wire.ts'
import { RISK_MODEL } from './rules/estimate.ts'
import { INVALID_KINDS, type InvalidKind } from './rules/integrity-faults.ts'
import { Closed, Modes, SessionId, Unit } from './schemas.ts'

export const SessionPath = Type.Object({ session_id: SessionId })

export const SessionReply = Type.Object(
  {
    schema: Type.Literal('orch.gdw.session/v1'),
    session_id: Type.String(),
    step: Count,
    state_hash: Hex64,
    prev_state_hash: Hex64,
    budget: Unit,
    granted: Unit,
    spent: Unit,
    remaining: Unit,
    lifecycle: words(['ACTIVE', 'EXPIRED']),
    pending_reviews: Count,
    effects: Type.Object({ pending: Count, claimed: Count, exported: Count, dead_letter: Count }, Closed),
    recent_steps: Type.Array(
      Type.Object({ step: Count, decision: Verdict, mode: Modes, estimate: Unit, receipt_id: Nullable(Hex64) }, Closed),
      { maxItems: 20 },
    ),
    order: Type.Literal('newest-first'),
    created_at: Timestamp,
    updated_at: Timestamp,
    expires_at: Timestamp,
  },
  { ...Closed, $id: 'StepSession' },
)
export type SessionReply = Static<typeof SessionReply>

const Invalid = Type.Object(
  Object.fromEntries(INVALID_KINDS.map((kind) => [kind, Count])) as Record<InvalidKind, typeof Count>,
  Closed,
)

export const IntegrityReply = Type.Object(
  {
    schema: Type.Literal('orch.gdw.integrity/v1'),
    ok: Type.Boolean(),
    scope: words(['owner', 'global']),
    label: Type.Literal('MEASURED'),
    read_at: Timestamp,
    generation_id: Type.String(),
    sessions: Count,
    records_total: Count,
    walk: Type.Object(
      {
        from_index: Count,
        to_index: Count,
        records_walked: Count,
        mode: words(['FULL', 'INCREMENTAL']),
        last_full_walk_at: Nullable(Timestamp),
      },
      Closed,
    ),
    first_broken: Nullable(Type.Object({ session: Text, index: Count, kind: Type.String() }, Closed)),
    merkle: Type.Object({ root: Hex64, leaves: Count }, Closed),
    effects: Type.Object({ pending: Count, claimed: Count, exported: Count, dead_letter: Count }, Closed),
    orphan_receipts: Count,
    missing_receipts: Count,
    invalid: Invalid,
    store: Type.Object({ engine: Type.String(), journal_mode: Type.String(), synchronous: Type.String() }, Closed),
  },
  { ...Closed, $id: 'StepIntegrity' },
)
export type IntegrityReply = Static<typeof IntegrityReply>

export const DrainStatus = Type.Object(
  {
    running: Type.Boolean(),
    last_outcome: Type.Unsafe<'OK' | 'FAILED' | null>(Text),
    last_success_at: Nullable(Timestamp),
    /** How long the oldest due effect has been waiting; 0 where none is due. */
    lag_seconds: Type.Number({ minimum: 0 }),
  },
  Closed,
)
export type DrainStatus = Static<typeof DrainStatus>

export const HealthReply = Type.Object(
  {
    schema: Type.Literal('orch.gdw.health/v1'),
    status: words(['ok', 'degraded']),
    write_ready: Type.Boolean(),
    write_blockers: Type.Array(Type.String()),
    auth_mode: words(['open', 'token', 'registry']),
    store: Type.Object(
      { engine: Type.String(), durability_state: Type.String(), schema_version: Type.String() },
      Closed,
    ),
    signer: Type.Object(
      { status: words(['LIVE', 'DEMO', 'UNSIGNED', 'UNAVAILABLE']), key_kind: Text, tested_at: Nullable(Timestamp) },
      Closed,
    ),
    gates: Type.Object({ ready: Type.Boolean(), rules_digest: Nullable(Hex64) }, Closed),
    drain: Nullable(DrainStatus),
    last_full_walk_at: Nullable(Timestamp),
    doctrine: Type.String(),
  },
  { ...Closed, $id: 'SteppingHealth' },
)
export type HealthReply = Static<typeof HealthReply>

const Limits = Type.Object({ sessions: Count, steps: Count, effects: Count, reviews: Count, bytes: Count }, Closed)

export const BenchReply = Type.Object(
  {
    schema: Type.Literal('orch.gdw.bench/v1'),
    label: words(['SAMPLE', 'UNAVAILABLE']),
    benchmark_status: words(['COMMITTED_RESULT', 'UNMEASURED']),
    reason: Type.String(),
    result: Nullable(
      Type.Object(
        {
          value: Type.Number(),
          unit: Type.String(),
          measured_at: Timestamp,
          rounds: Type.Array(Type.Number()),
          machine: Type.String(),
          file_sha256: Hex64,
        },
        Closed,
      ),
    ),
    reproduce: Type.String(),
    risk: Type.Object(
      {
        model: Type.Literal(RISK_MODEL),
        label: Type.Literal('MODELED'),
        equation: Type.String(),
        note: Type.String(),
        components: Type.Array(Type.Object({ id: Type.String(), weight: Unit, source: Type.String() }, Closed)),
      },
      Closed,
    ),
    constants: Type.Record(Type.String(), Type.Unknown()),
    quotas: Type.Object({ owner: Limits, global: Limits }, Closed),
    metrics_path: Type.String(),
  },
  { ...Closed, $id: 'SteppingTerms' },
)
export type BenchReply = Static<typeof BenchReply>
