import Type, { type Static } from 'typebox'
import { AnyObject, Count, Nullable, Timestamp, words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'

const Check = Type.Object(
  {
    state: words(['OK', 'FAILED', 'UNKNOWN']),
    since: Type.String({ ...Timestamp, description: 'The first check that found this state; checks run every 5 s' }),
    checked_at: Timestamp,
    latency_ms: Type.Number({ minimum: 0 }),
    detail: AnyObject,
    blocking: Type.Boolean(),
  },
  { $id: 'ComponentCheck' },
)
export type ComponentCheck = Static<typeof Check>

export const Liveness = Type.Object({
  status: Type.Literal('LIVE'),
  scope: Type.Literal('PROCESS_LIVENESS'),
  process: Type.Object({
    runtime: Type.Literal('node'),
    runtime_version: Type.String(),
    uptime_s: Type.Number({ minimum: 0 }),
    event_loop_delay_ms_p99: Type.Number({ minimum: 0 }),
    label: Type.Literal('MEASURED'),
  }),
  receipt_minted: Type.Literal(false),
  checked_at: Timestamp,
})
export type Liveness = Static<typeof Liveness>

export const ReadinessRecord = Type.Object({
  status: words(['READY', 'NOT_READY']),
  ready: Type.Boolean(),
  production_ready: Type.Boolean(),
  draining: Type.Boolean(),
  components: Type.Record(Type.String(), Check),
  blocking_components: Type.Array(Type.String()),
  receipt_minted: Type.Literal(false),
  checked_at: Timestamp,
})
export type ReadinessRecord = Static<typeof ReadinessRecord>

const Evidence = words(['OBSERVED', 'CONFIGURED', 'UNKNOWN'])

export const BuildInfo = Type.Object({
  status: words(['OBSERVED', 'PARTIAL', 'UNAVAILABLE']),
  service: Type.Literal('orch'),
  build: Type.Object({
    revision: Nullable(Type.String()),
    revision_source: Type.String(),
    version: Nullable(Type.String()),
    version_source: Type.String(),
    working_tree: words(['CLEAN', 'DIRTY', 'UNKNOWN']),
    build_time: Nullable(Type.String()),
    build_digest: Nullable(Type.String()),
    artifact_matches_record: Nullable(Type.Boolean()),
    conflicts: Type.Array(AnyObject),
    field_evidence: Type.Record(Type.String(), Evidence),
  }),
  runtime: Type.Object({
    node: Type.String(),
    v8: Type.String(),
    sqlite: Type.String(),
    platform: Type.String(),
    arch: Type.String(),
  }),
  interface_version: Type.String(),
  receipt_minted: Type.Literal(false),
})
export type BuildInfo = Static<typeof BuildInfo>

const SignerState = Type.Object({
  status: words(['LIVE', 'DEMO', 'UNSIGNED', 'UNAVAILABLE']),
  signing_available: Type.Boolean(),
  scheme: Type.String(),
  key_kind: Nullable(Type.String()),
  tested_at: Nullable(Timestamp),
})
export type SignerState = Static<typeof SignerState>

export const Health = Type.Object({
  status: words(['ok', 'degraded', 'failing']),
  service: Type.Literal('orch'),
  version: Type.String(),
  interface_version: Type.String(),
  doctrine: Type.String(),
  kernel_commit: Type.String(),
  auth_mode: words(['open', 'token', 'registry']),
  ledger: Type.Object({ mode: Type.String(), size: Type.Integer({ minimum: 0 }), production_ready: Type.Boolean() }),
  signer: SignerState,
  uptime_s: Type.Number({ minimum: 0 }),
  components: Type.Record(Type.String(), Type.String()),
  links: Type.Record(Type.String(), Type.String()),
  ts: Timestamp,
})
export type Health = Static<typeof Health>

export const LivenessRecord = Type.Object({
  status: Type.Literal('ok'),
  organ: Type.Literal('orch'),
  doctrine: Type.String(),
  lock: Type.String(),
  commit: Type.String(),
  git_sha: Nullable(Type.String()),
  scope: Type.Literal('PROCESS_LIVENESS'),
  capability_readiness_asserted: Type.Literal(false),
  signer: SignerState,
  dsse_live: Type.Object({
    status: Type.String(),
    signing_available: Type.Boolean(),
    scheme: Type.String(),
    mint: Type.String(),
    rollup: Type.String(),
    pubkey: Type.String(),
    public_key_fingerprint: Nullable(Type.String()),
  }),
})
export type LivenessRecord = Static<typeof LivenessRecord>

export const MetricsDocument = Type.Object({
  schema: Type.Literal('orch.metrics/v1'),
  metrics: Type.Array(
    Type.Object({ name: Type.String(), type: Type.String(), help: Type.String(), samples: Type.Array(Type.Unknown()) }),
  ),
  label: Type.Literal('MEASURED'),
  read_at: Timestamp,
})
export type MetricsDocument = Static<typeof MetricsDocument>

const Seconds = Type.Number({ minimum: 0 })

export const INTEGRITIES = ['VERIFIED', 'VERIFYING', 'BROKEN', 'UNKNOWN'] as const

export const Rollup = closed({
  status: words(['ok', 'degraded']),
  degraded_reasons: Type.Array(Type.String()),
  degraded_since: Type.Record(Type.String(), Timestamp),
  service: Type.Literal('orch'),
  version: Type.String(),
  interface_version: Type.String(),
  base_path: Type.String(),
  doctrine: Type.String(),
  uptime_s: Seconds,
  rollup: closed({
    storage: closed({
      status: words(['ok', 'pressure', 'unavailable']),
      backend: words(['memory', 'sqlite', 'postgres']),
      durable: Type.Boolean(),
      free_bytes: Nullable(Count),
    }),
    ledger: closed({
      size: Count,
      integrity: words(INTEGRITIES),
      backlog: Count,
    }),
    signer: SignerState,
    sources: closed({ total: Count, last_ok: Count, last_failed: Count, never_asked: Count }),
    organs: closed({
      total: Count,
      by_class: Type.Record(Type.String(), Count),
      reason: Nullable(Type.String()),
    }),
    gates: closed({ count: Count, evaluated: Count, fired: Count, reload_failed: Nullable(Type.String()) }),
    background: Type.Array(
      closed({
        task: Type.String(),
        last_tick: Nullable(Timestamp),
        age_seconds: Seconds,
        state: words(['OK', 'LATE']),
      }),
    ),
  }),
  doctrine_constants: closed({
    lock: Type.String(),
    locked_8: Type.Literal(8),
    lambda: AnyObject,
  }),
  ts: Timestamp,
})
export type Rollup = Static<typeof Rollup>

export const TelemetryStatus = closed({
  status: words(['LIVE', 'DEGRADED', 'UNAVAILABLE']),
  delivery_asserted: Type.Boolean(),
  in_process: closed({
    state: words(['LIVE', 'UNAVAILABLE']),
    trace_propagation: words(['READY', 'UNAVAILABLE']),
    spans_started: Count,
    spans_ended: Count,
  }),
  exporter: closed({
    state: words(['NOT_CONFIGURED', 'CONFIGURED', 'EXPORTING', 'FAILING']),
    endpoint_origin_sha256: Nullable(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    exported: Count,
    failed: Count,
    dropped: Count,
    last_success_at: Nullable(Timestamp),
    last_error_code: Nullable(Type.String()),
  }),
  collector: closed({
    state: words(['REACHABLE', 'UNREACHABLE', 'UNKNOWN']),
    evidence: words(['EXPORT_ACCEPTED', 'FRESH_PROBE', 'STALE_PROBE', 'NO_PROBE']),
    age_s: Nullable(Seconds),
  }),
  checked_at: Timestamp,
})
export type TelemetryStatus = Static<typeof TelemetryStatus>
