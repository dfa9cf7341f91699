/** What the caller's own estimates show when they are laid side by side. */
import Big from 'big.js'
import type { AuditResult, Specification } from './schemas.ts'

const SMALL_CLUSTERS = 30

export function robustnessOf(specifications: readonly Specification[]): AuditResult['robustness'] {
  const signs = new Set(specifications.map(({ estimate }) => signOf(estimate)))
  const changes = signs.has(1) && signs.has(-1)
  const flags: AuditResult['robustness']['flags'] = changes ? [{ label: null, code: 'SIGN_CHANGE' }] : []
  for (const { label, clusters, standard_error: error } of specifications) {
    if (clusters !== undefined && clusters < SMALL_CLUSTERS) flags.push({ label, code: 'SMALL_CLUSTER_COUNT' })
    if (error !== undefined && signOf(error) === 0) flags.push({ label, code: 'ZERO_STANDARD_ERROR' })
  }
  return {
    computed: false,
    specifications: specifications.length,
    sign_change: specifications.length < 2 ? null : changes,
    small_cluster_threshold: SMALL_CLUSTERS,
    flags,
  }
}

export const signOf = (value: number | string): number => new Big(value).cmp(0)
