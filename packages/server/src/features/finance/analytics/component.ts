/** Which code computed a result. */
import type { BuildFacts } from '../../../ports.ts'
import { FORMULAS_SHA256 } from './formulas.ts'

export const COMPONENT = { name: 'orch.finance.analytics', version: '2.0.0', formulas_sha256: FORMULAS_SHA256 } as const
export const ENVELOPE_SCHEMA = 'orch.finance.analytics/v2' as const
export const COMPUTATION_SCHEMA = 'orch.finance.computation/v1'

/** The commit of this build, or that nobody knows it. */
export const sourceRevision = ({ gitSha }: Pick<BuildFacts, 'gitSha'>): string =>
  /^[0-9a-f]{40}$/.test(gitSha.value ?? '') ? gitSha.value! : 'UNBOUND'
