import Type, { type Static } from 'typebox'
import { Count, Hex64, Nullable, Text, Timestamp, words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'

const Flag = Nullable(Type.Boolean())
const Time = Nullable(Timestamp)
const Milliseconds = Nullable(Type.Number({ minimum: 0 }))
const Money = Nullable(Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' }))

const freshness = {
  mode: words(['live', 'cached', 'unreachable'] as const),
  fetched_at: Time,
  age_seconds: Nullable(Type.Number({ minimum: 0 })),
  last_error: Nullable(Type.String({ description: 'What the newest attempt failed with' })),
  reason: Nullable(Type.String({ description: 'Why there is no value' })),
  label: words(['LIVE', 'SAMPLE', 'UNAVAILABLE'] as const),
}

const LocalTool = closed({
  name: Type.String(),
  description: Type.String(),
  effect: words(['none', 'read', 'write', 'destructive', 'external'] as const),
  scopes: Type.Array(Type.String()),
})
const GatewayTool = closed({
  name: Type.String({ maxLength: 80 }),
  description: Nullable(Type.String({ maxLength: 200 })),
})

export const Spine = closed(
  {
    schema: Type.Literal('orch.spine/v1'),
    local: closed({
      tools: Type.Array(LocalTool),
      tool_count: Count,
      label: Type.Literal('MEASURED'),
      read_at: Timestamp,
    }),
    gateway: closed({
      configured: Type.Boolean(),
      origin: Text,
      ...freshness,
      http_status: Nullable(Count),
      server: Text,
      tools: Type.Array(GatewayTool),
      resources: Type.Array(Type.String({ maxLength: 80 })),
      auth_required: Flag,
    }),
  },
  { $id: 'Spine' },
)
export type Spine = Static<typeof Spine>

const Said = Nullable(Type.String({ maxLength: 64 }))

export const Constellation = closed(
  {
    schema: Type.Literal('orch.constellation/v1'),
    surfaces: Type.Array(
      closed({
        name: Type.String(),
        kind: Type.String(),
        group: words(['Core', 'Applications', 'Showcase', 'Public'] as const),
        url: Text,
        ...freshness,
        probe_via: words(['in-process', 'background'] as const),
        http_status: Nullable(Count),
        reachable: Flag,
        latency_ms: Milliseconds,
        report: closed({ version: Said, commit: Said, doctrine: Said, service: Said, signer: Said }),
      }),
      { minItems: 1, maxItems: 17 },
    ),
    reachable: Count,
    total: Count,
    unknown: Count,
  },
  { $id: 'Constellation' },
)
export type Constellation = Static<typeof Constellation>

export const FederatedSpend = closed(
  {
    schema: Type.Literal('orch.federated-spend/v1'),
    configured: Type.Boolean(),
    state: words(['not_configured', 'unreachable', 'cached'] as const),
    authority: Text,
    ...freshness,
    cap_usd: Money,
    spent_usd: Money,
    remaining_usd: Money,
    pct_used: Money,
    armed: Flag,
    tripped: Flag,
    entries: Nullable(Count),
    chain_intact: Flag,
    tail: Type.Array(closed({ ts: Text, actor: Text, model: Text, usd: Money, digest: Text }), { maxItems: 6 }),
    local: closed({
      model_calls: Nullable(Count),
      tokens_in: Nullable(Count),
      tokens_out: Nullable(Count),
      calls_without_usage: Nullable(Count),
      cost_usd: Money,
      cost_reason: Text,
      price_table_sha256: Nullable(Hex64),
      receipts_walked: Count,
      receipts_total: Count,
      read_at: Timestamp,
      label: words(['MEASURED', 'UNAVAILABLE'] as const),
      reason: Text,
    }),
  },
  { $id: 'FederatedSpend' },
)
export type FederatedSpend = Static<typeof FederatedSpend>
