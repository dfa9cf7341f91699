/** Wire shapes of what this process can compute with. */
import { CONJECTURES, DOCTRINE, KERNEL_COMMIT, LOCK, LOCKED_FORMULAS } from '@orch/core'
import Type, { type Static } from 'typebox'
import { AnyObject, Count, closed, named, Timestamp, words } from '../../domain/wire.ts'

const CAPABILITY_IDS = ['cpu', 'memory', 'gpu', 'local_model', 'external_model', 'embeddings', 'arithmetic'] as const
export type CapabilityId = (typeof CAPABILITY_IDS)[number]

const TIERS = ['LIVE-SOVEREIGN', 'LIVE-MANAGED', 'WIRED-UNREACHABLE', 'NOT-CONFIGURED'] as const
export type Tier = (typeof TIERS)[number]

const Capability = closed({
  id: words(CAPABILITY_IDS),
  name: Type.String(),
  tier: words(TIERS),
  label: words(['MEASURED', 'SAMPLE', 'UNAVAILABLE']),
  facts: AnyObject,
  source: Type.String(),
  read_at: Timestamp,
  mode: Type.Optional(words(['live', 'cached', 'unreachable'])),
  fetched_at: Type.Optional(Timestamp),
  age_seconds: Type.Optional(Type.Number({ minimum: 0 })),
  reason: Type.Optional(Type.String()),
})
export type Capability = Static<typeof Capability>

const PlannedCapability = closed({
  id: words(['pqc', 'hardened_image', 'mesh_compute']),
  name: Type.String(),
  label: Type.Literal('ROADMAP'),
  note: Type.String(),
})
export type PlannedCapability = Static<typeof PlannedCapability>

export const SovereignCompute = named('SovereignCompute', {
  service: Type.Literal('orch'),
  doctrine: Type.Literal(DOCTRINE),
  summary: Type.String(),
  sovereign_any: Type.Boolean({
    description: 'a model that the operator hosts answered; hardware alone never makes this true',
  }),
  sovereign_basis: Type.Union([words(['ANSWERED_NOW', 'ANSWERED_EARLIER']), Type.Null()], {
    description:
      'whether that model was asked for this reply, or its answer of the last 30 s was kept; null where there is none',
  }),
  capabilities: Type.Array(Capability, { minItems: CAPABILITY_IDS.length, maxItems: CAPABILITY_IDS.length }),
  roadmap: Type.Array(PlannedCapability),
  doctrine_lock: closed({
    version: Type.Literal(DOCTRINE),
    locked_ids: Type.Array(words(LOCKED_FORMULAS), { minItems: 8, maxItems: 8 }),
    locked_count: Type.Literal(8),
    lock: Type.Literal(LOCK),
    kernel_commit: Type.Literal(KERNEL_COMMIT),
    lambda: closed({
      status: Type.String(),
      is_theorem: Type.Literal(false),
      trust_ceiling: Type.Number(),
      floor: Type.Number(),
    }),
    consensus: Type.Literal(CONJECTURES.consensus),
  }),
  models_live: Count,
  checked_at: Timestamp,
})
export type SovereignCompute = Static<typeof SovereignCompute>

/** Never rejects: what could not be looked at says so in its row. */
export type SovereignPort = () => Promise<SovereignCompute>
