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
  const now = live.filter(isNow)
  const models = live.filter(({ id }) => MODELS.includes(id))
  const own = models.filter(({ tier }) => tier === 'LIVE-SOVEREIGN')
  return {
    service: 'orch',
    doctrine: DOCTRINE,
    summary: `${now.length} of ${capabilities.length} capabilities answer now${earlier(live.length - now.length)}; ${saidOf(own, models)}.`,
    sovereign_any: own.length > 0,
    sovereign_basis: own.length === 0 ? null : own.some(isNow) ? 'ANSWERED_NOW' : 'ANSWERED_EARLIER',
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

/** Asked for this very report; what was kept of an earlier one is a sample. */
const isNow = ({ label }: Capability): boolean => label === 'MEASURED'

const earlier = (count: number): string => (count === 0 ? '' : `, ${count} answered earlier and were not asked again`)

function saidOf(own: readonly Capability[], models: readonly Capability[]): string {
  const when = (of: readonly Capability[]): string => (of.some(isNow) ? '' : ', by an answer that was kept')
  if (own.length > 0) return `a model that the operator hosts is among them${when(own)}`
  if (models.length > 0) return `of models only one that somebody else hosts${when(models)}`
  return 'no model is among them'
}
