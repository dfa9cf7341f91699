import Type, { type Static } from 'typebox'
import { AnyObject, Count, closed, Hex64, Nullable, named, Text, Texts, Timestamp, words } from '../../domain/wire.ts'
import { CHECK_IDS, CHECK_STATES } from './check.ts'

const SURFACE_STATES = ['CURRENT', 'STALE', 'INVALID', 'UNAVAILABLE'] as const

const AuditedCheck = closed({
  id: words(CHECK_IDS),
  state: words(CHECK_STATES),
  observed: AnyObject,
  expected: Type.String(),
  subjects: Type.Array(Type.String(), {
    description: 'what does not hold, by names that stay the same between audits',
  }),
  duration_ms: Type.Number(),
  checked_at: Type.Union([Timestamp], { description: 'when the reading was taken' }),
  label: Type.Union([words(['MEASURED', 'SAMPLE', 'UNAVAILABLE'])], {
    description: 'MEASURED where this very request took the reading, SAMPLE where it was taken up to 10 s earlier',
  }),
})
export type AuditedCheck = Static<typeof AuditedCheck>

const Audit = named('StewardAudit', {
  id: Type.String(),
  observed_at: Timestamp,
  duration_ms: Type.Number(),
  digest: Type.Union([Hex64], {
    description: 'SHA-256 of the findings: ids, states and subjects of what does not pass',
  }),
  checks: Type.Array(AuditedCheck),
})

const Proposal = named('StewardProposal', {
  id: Hex64,
  rule: Type.String(),
  label: Type.Literal('MODELED'),
  title: Type.String(),
  objective: Type.String(),
  hypothesis: Type.String(),
  evidence_refs: Texts,
  tests: Texts,
  success_metrics: Texts,
  stop_conditions: Texts,
  severity: Type.Integer({ minimum: 1, maximum: 5 }),
  effort: Type.Integer({ minimum: 1, maximum: 5 }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  priority: Type.Number({ description: 'severity * confidence / effort' }),
})
export type Proposal = Static<typeof Proposal>

const surface = {
  schema: Type.Literal('orch.steward.surface/v1'),
  state: words(SURFACE_STATES),
  reason: Text,
  scope: Type.Literal('PUBLIC_READ_ONLY'),
  mutation_policy: Type.Literal('PROPOSAL_ONLY'),
  production_ready: Type.Boolean(),
  model_invoked: Type.Literal(false),
  provider_calls: Type.Literal(0),
  effectors: Type.Literal(0),
  storage_writes: Type.Literal(0),
  source: closed({ revision: Text }),
  age_seconds: Nullable(Type.Number()),
}

export const StewardStatus = named('StewardStatus', {
  ...surface,
  audit: Nullable(Audit),
  integrity: closed({
    chain_valid: Nullable(Type.Boolean()),
    latest_hash: Type.Union([Hex64, Type.Null()], {
      description: 'root of the log: digests of receipts are their owners’',
    }),
    signature_status: Type.String(),
  }),
})
export type StewardStatus = Static<typeof StewardStatus>

export const StewardProposals = named('StewardProposals', {
  ...surface,
  label: Type.Literal('MODELED'),
  basis: Type.String(),
  audit: Nullable(closed({ id: Type.String(), observed_at: Timestamp, digest: Hex64 })),
  count: Count,
  order: Type.Literal('priority'),
  proposals: Type.Array(Proposal, { maxItems: 20 }),
})
export type StewardProposals = Static<typeof StewardProposals>
