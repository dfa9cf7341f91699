import Type, { type Static } from 'typebox'
import { Count, Hex64, Nullable, Text, Timestamp, words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'
import { NODE_IDS } from './nodes.ts'

const Milliseconds = Nullable(Type.Number({ minimum: 0 }))
const Id = words([...NODE_IDS, 'operator'])

const Node = closed({
  id: Id,
  name: Type.String(),
  role: Type.String(),
  pos: Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
  healthy: Nullable(Type.Boolean({ description: 'Null only where the check could not be run' })),
  reason: Text,
  since: Type.String({ ...Timestamp, description: 'The first check that found this state' }),
  check: Type.String(),
  evidence: Type.Record(Type.String(), Type.Unknown()),
  latency_ms: Milliseconds,
  checked_at: Timestamp,
  links: Type.Array(Type.String()),
})

const Edge = closed({
  from: Id,
  to: Id,
  relation: Type.String(),
  observed_calls: Count,
  p50_ms: Milliseconds,
  p99_ms: Milliseconds,
  window_s: Count,
})

export const Topology = closed(
  {
    schema: Type.Literal('orch.topology/v1'),
    core: Node,
    nodes: Type.Array(Node, { minItems: NODE_IDS.length, maxItems: NODE_IDS.length }),
    edges: Type.Array(Edge),
    counts: closed({ healthy: Count, failing: Count, unknown: Count }),
    generated_at: Timestamp,
    label: Type.Literal('MEASURED'),
  },
  { $id: 'Topology' },
)
export type Topology = Static<typeof Topology>

const ScriptRecord = closed({
  schema: Type.Literal('orch.page-script/v1'),
  media_type: Type.Literal('text/javascript'),
  bytes: Count,
  sha256: Hex64,
  source: Type.String(),
})

/** By `Accept`: the page or the script as text, or its facts as JSON. */
export const PageReply = Type.Union([Type.String(), Topology])
export const ScriptReply = Type.Union([Type.String(), ScriptRecord])
