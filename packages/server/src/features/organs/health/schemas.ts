/** Wire shapes of organ health. */
import Type, { type Static } from 'typebox'
import { Count, exactly, Nullable, Texts, Timestamp, words } from '../../../domain/wire.ts'

const State = words(['UP', 'DEGRADED', 'DOWN', 'UNKNOWN'])

const HealthRow = Type.Object(
  {
    role: Type.String(),
    title: Type.String(),
    target: words(['self', 'remote']),
    subsystems: Texts,
    up: Nullable(Type.Boolean()),
    state: State,
    mode: words(['live', 'cached', 'unreachable']),
    label: words(['MEASURED', 'SAMPLE', 'UNAVAILABLE']),
    latency_ms: Type.Number({ minimum: 0 }),
    checked_at: Timestamp,
    age_seconds: Type.Number({ minimum: 0 }),
    reason: Type.Optional(Type.String()),
  },
  { ...exactly, $id: 'OrganHealthRow' },
)
export type HealthRow = Static<typeof HealthRow>

const HealthCheck = Type.Object(
  {
    name: Type.String(),
    subsystem: Type.String(),
    passed: Nullable(Type.Boolean()),
    degraded: Type.Boolean(),
    duration_us: Count,
    reading: Type.Union([Type.Number(), Type.String(), Type.Null()]),
    detail: Type.String(),
  },
  exactly,
)

export const RoleHealth = Type.Object(
  { ...HealthRow.properties, checks: Type.Array(HealthCheck) },
  { ...exactly, $id: 'OrganRoleHealth' },
)
export type RoleHealth = Static<typeof RoleHealth>

export const OrganHealth = Type.Object(
  {
    schema: Type.Literal('orch.organ-health/v1'),
    ok: Type.Boolean(),
    aggregate: Type.Object(
      { total: Count, up: Count, degraded: Count, down: Count, unknown: Count, state: State },
      exactly,
    ),
    roles: Type.Array(HealthRow),
    usage: Type.String(),
    checked_at: Timestamp,
  },
  { ...exactly, $id: 'OrganHealth' },
)

export const RolePath = Type.Object({ role: Type.String({ maxLength: 128, examples: ['policy'] }) })
