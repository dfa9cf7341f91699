/** How a finding may move from its detection to its end. Nothing here acts: a move is a proposal, and one that is not
 *  listed, or whose gates are not all PASS, is refused. */

export const STATES = [
  'DETECTED',
  'VALIDATED',
  'REMEDIATION_PROPOSED',
  'APPROVAL_REQUIRED',
  'RECALL_PROPOSED',
  'ROLLOFF_PROPOSED',
  'CLOSED',
  'DENIED',
] as const
export type LoopState = (typeof STATES)[number]

export const GATE_IDS = [
  'SBOM_VERIFIED',
  'VULNERABILITY_VALIDATED',
  'PROVENANCE_VERIFIED',
  'NO_UNRESOLVED_CONTRADICTION',
  'ROLLBACK_ADMITTED',
  'GRAPH_TRUST',
  'PRINCIPAL_VERIFIED',
  'HUMAN_APPROVAL_VERIFIED',
  'ARTIFACT_SIGNATURE_VERIFIED',
] as const
export type GateId = (typeof GATE_IDS)[number]

/** UNKNOWN: nobody has looked, or nothing could be read. It never opens an edge. */
export const GATE_STATES = ['PASS', 'FAIL', 'UNKNOWN'] as const
type GateState = (typeof GATE_STATES)[number]
export type Gates = Readonly<Record<GateId, GateState>>

interface Transition {
  from: LoopState
  to: LoopState
  gates_required: readonly GateId[]
  reason_required: boolean
}

const forward = (from: LoopState, to: LoopState, ...gates_required: GateId[]): Transition => ({
  from,
  to,
  gates_required,
  reason_required: false,
})
const denial = (from: LoopState): Transition => ({ from, to: 'DENIED', gates_required: [], reason_required: true })

export const TRANSITIONS: readonly Transition[] = [
  forward('DETECTED', 'VALIDATED', 'SBOM_VERIFIED', 'VULNERABILITY_VALIDATED'),
  denial('DETECTED'),
  denial('VALIDATED'),
  forward('VALIDATED', 'REMEDIATION_PROPOSED', 'PROVENANCE_VERIFIED', 'NO_UNRESOLVED_CONTRADICTION'),
  forward('REMEDIATION_PROPOSED', 'APPROVAL_REQUIRED', 'ROLLBACK_ADMITTED', 'GRAPH_TRUST'),
  forward('APPROVAL_REQUIRED', 'RECALL_PROPOSED', 'PRINCIPAL_VERIFIED', 'HUMAN_APPROVAL_VERIFIED'),
  denial('APPROVAL_REQUIRED'),
  forward('RECALL_PROPOSED', 'ROLLOFF_PROPOSED', 'ARTIFACT_SIGNATURE_VERIFIED'),
  forward('ROLLOFF_PROPOSED', 'CLOSED', ...GATE_IDS),
]

type Moved =
  | { moved: true; state: LoopState }
  | { moved: false; code: 'EDGE_NOT_LISTED' | 'REASON_REQUIRED' | 'GATE_NOT_PASSED'; blocked_by: readonly GateId[] }

export function move(from: LoopState, to: LoopState, gates: Gates, reason: string | null = null): Moved {
  const edge = TRANSITIONS.find((one) => one.from === from && one.to === to)
  if (edge === undefined) return { moved: false, code: 'EDGE_NOT_LISTED', blocked_by: [] }
  if (edge.reason_required && (reason ?? '').trim() === '')
    return { moved: false, code: 'REASON_REQUIRED', blocked_by: [] }
  const blocked_by = edge.gates_required.filter((gate) => gates[gate] !== 'PASS')
  return blocked_by.length === 0 ? { moved: true, state: to } : { moved: false, code: 'GATE_NOT_PASSED', blocked_by }
}
