/** The record of all capabilities. */
import { CONJECTURES, DOCTRINE, KERNEL_COMMIT, LAMBDA, LOCK, LOCKED_FORMULAS } from '@orch/core'
import type { Capability, CapabilityId, PlannedCapability, SovereignCompute } from './schemas.ts'

/** Only these make the service sovereign: a processor without a model is none. */
const MODELS: readonly CapabilityId[] = ['local_model', 'external_model', 'embeddings']

const ROADMAP: readonly PlannedCapability[] = [
  {
    id: 'pqc',
    name: 'Post-quantum signatures',
    label: 'ROADMAP',
    note: 'receipts are signed with ECDSA P-256 alone; no post-quantum signature is made or verified here',
  },
  {
    id: 'hardened_image',
    name: 'Hardened container image',
    label: 'ROADMAP',
    note: 'no image is built or attested here',
  },
  {
    id: 'mesh_compute',
    name: 'Compute over several nodes',
    label: 'ROADMAP',
    note: 'every computation runs in the process that was asked',
  },
]

export function toReport(capabilities: Capability[], checkedAt: string): SovereignCompute {
  const live = capabilities.filter(({ tier }) => tier.startsWith('LIVE-'))
  const models = live.filter(({ id }) => MODELS.includes(id))
  const sovereign = models.some(({ tier }) => tier === 'LIVE-SOVEREIGN')
  return {
    service: 'orch',
    doctrine: DOCTRINE,
    summary: `${live.length} of ${capabilities.length} capabilities answer now; ${
      sovereign
        ? 'a model that the operator hosts is among them'
        : models.length > 0
          ? 'of models only one that somebody else hosts'
          : 'no model is among them'
    }.`,
    sovereign_any: sovereign,
    capabilities,
    roadmap: [...ROADMAP],
    doctrine_lock: {
      version: DOCTRINE,
      locked_ids: [...LOCKED_FORMULAS],
      locked_count: 8,
      lock: LOCK,
      kernel_commit: KERNEL_COMMIT,
      lambda: LAMBDA,
      consensus: CONJECTURES.consensus,
    },
    models_live: models.length,
    checked_at: checkedAt,
  }
}
