import Type, { type Static } from 'typebox'
import { Count, closed, Hex64, Nullable, named, Text, Texts, words } from '../../domain/wire.ts'
import { GATE_IDS, GATE_STATES, type Gates, STATES } from './state-machine.ts'

const Counts = Type.Record(Type.String(), Count)
const Gate = words(GATE_IDS)

const LoopFinding = closed({
  advisory_id: Type.String(),
  aliases: Texts,
  package: Type.String(),
  version: Type.String(),
  range: Type.String({ description: 'the stretch of affected versions that this one lies in' }),
  fixed_in: Type.Union([Type.String(), Type.Null()], { description: 'the first version with the fix' }),
  path: Type.String({ description: 'place in the lockfile' }),
  dev: Type.Boolean(),
  severity: Type.String(),
  source: Type.String(),
  state: words(STATES),
  blocked_by: Type.Array(Gate, { description: 'gates that are not PASS, so that the next edge stays shut' }),
  gates: Type.Unsafe<Gates>(Type.Record(Type.String(), words(GATE_STATES))),
})
export type LoopFinding = Static<typeof LoopFinding>

export const LoopRun = named('SecurityLoopRun', {
  label: words(['SAMPLE', 'UNAVAILABLE']),
  state: words(['COMPLETED', 'UNAVAILABLE']),
  reason: Text,
  components: Nullable(Count),
  advisories: Count,
  findings: Type.Array(LoopFinding, { maxItems: 128 }),
  counts: Nullable(
    closed({
      production: Count,
      dev: Count,
      without_version: Count,
      packages_covered: Count,
      findings: Count,
      findings_left_out: Count,
      by_state: Counts,
      by_severity: Counts,
    }),
  ),
  lockfile_sha256: Nullable(Hex64),
  advisories_sha256: Hex64,
  snapshot_date: Type.String({ format: 'date' }),
  attribution: Type.String(),
  complete: Type.Literal(false),
  note: Type.String(),
})
export type LoopRun = Static<typeof LoopRun>

const Transition = closed({
  from: words(STATES),
  to: words(STATES),
  gates_required: Type.Array(Gate),
  reason_required: Type.Boolean(),
})

export const SecurityLoopManifest = named('SecurityLoopManifest', {
  ready: Type.Literal(true),
  schema_version: Type.Literal('orch.waqay.security-loop.v1'),
  label: Type.Literal('STRUCTURAL-ONLY'),
  mode: Type.Literal('PROPOSAL_ONLY'),
  effectors: Type.Literal(0),
  external_mutations: Type.Literal('DISABLED'),
  state_machine: Type.Array(words(STATES)),
  transitions: Type.Array(Transition),
  gate_ids: Type.Array(Gate, { minItems: 9, maxItems: 9 }),
  bounds: closed({
    max_findings: Count,
    max_affected_deployments: Count,
    max_plan_batches: Count,
    max_batch_size: Count,
  }),
  receipt: closed({ appended: Type.Literal(false), reason: Type.String() }),
  truth_boundary: Type.String(),
  manifest_digest: Hex64,
  run: LoopRun,
})
export type SecurityLoopManifest = Static<typeof SecurityLoopManifest>
