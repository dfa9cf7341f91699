import type { SpanActivity, SpanName } from '../../adapters/telemetry/contract.ts'
import { nearestRank } from '../../platform/ring.ts'
import signs from './nodes.json' with { type: 'json' }
import type { Topology } from './schemas.ts'

/** The nodes of the topology: what each is called, where it is drawn and where to read on. */
export const NODE_IDS = ['gate', 'reasoning', 'receipts', 'telemetry', 'mesh', 'fleet', 'voice', 'community'] as const
type NodeId = (typeof NODE_IDS)[number]
export type AnyNodeId = NodeId | 'operator'

interface NodeSign {
  name: string
  role: string
  /** Where it is drawn: x, y and z. */
  pos: readonly number[]
  check: string
  /** Operations to read on, by id; listed as far as they are served. */
  readOn: readonly string[]
}

export const SIGNS: Readonly<Record<AnyNodeId, NodeSign>> = signs

interface Route {
  from: AnyNodeId
  to: AnyNodeId
  relation: string
  span: SpanName
}

/** Only what a span stands around: where none does, no edge is drawn. */
export const ROUTES: readonly Route[] = [
  { from: 'operator', to: 'gate', relation: 'has a text examined', span: 'gate' },
  { from: 'operator', to: 'community', relation: 'asks the policies', span: 'policy' },
  { from: 'operator', to: 'receipts', relation: 'appends a receipt', span: 'ledger.append' },
  { from: 'operator', to: 'mesh', relation: 'reads or writes the store', span: 'store' },
  { from: 'operator', to: 'reasoning', relation: 'calls a model or another upstream', span: 'upstream' },
  { from: 'operator', to: 'telemetry', relation: 'looks for its own trace', span: 'telemetry' },
]

/** Who calls whom, from the counters of the spans themselves. Nothing observed is 0 calls and no times. */
export const countEdges = (activity: readonly SpanActivity[], window_s: number): Topology['edges'] =>
  ROUTES.map(({ from, to, relation, span }) => {
    const seen = activity.find(({ name }) => name === span)
    const sorted = [...(seen?.durationsMs ?? [])].sort((a, b) => a - b)
    return {
      from,
      to,
      relation,
      observed_calls: seen?.calls ?? 0,
      p50_ms: micro(nearestRank(sorted, 50)),
      p99_ms: micro(nearestRank(sorted, 99)),
      window_s,
    }
  })

const micro = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1000) / 1000)
