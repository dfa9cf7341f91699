/** What is answered of the newest audit: its state by its age and by itself, and never more than was found. */
import { type AuditRecord, inconsistencyOf } from './audit.ts'
import { BASIS, proposalsFor } from './proposals.ts'
import type { StewardProposals, StewardStatus } from './schemas.ts'

const CURRENT_MS = 60_000
const STALE_MS = 7_200_000

/** The audit that is told of, and why the one of this request is not it. */
export interface Observed {
  audit: AuditRecord | null
  failure: string | null
  /** Begun before this request came. */
  shared: boolean
}

/** What the process knows beside the audit, read for this request. */
export interface Around {
  now: number
  monotonic: number
  productionReady: boolean
  revision: string | null
  latestHash: string | null
  signatureStatus: string
}

type State = Pick<StewardStatus, 'state' | 'reason' | 'age_seconds'> & { status: 200 | 503 }

function stateOf({ audit, failure }: Observed, { now, monotonic }: Around): State {
  if (audit === null)
    return { status: 503, state: 'UNAVAILABLE', reason: failure ?? 'no audit was made', age_seconds: null }
  const age = Math.max(0, monotonic - audit.endedAt)
  const age_seconds = Math.round(age) / 1000
  const fault = inconsistencyOf(audit, now)
  if (fault !== null) return { status: 503, state: 'INVALID', reason: fault, age_seconds }
  if (failure === null && age <= CURRENT_MS) return { status: 200, state: 'CURRENT', reason: null, age_seconds }
  const reason = failure ?? 'the newest audit is older than 60 s'
  return { status: age <= STALE_MS ? 200 : 503, state: 'STALE', reason, age_seconds }
}

const isWell = ({ checks }: AuditRecord): boolean => checks.every(({ state }) => state === 'PASS' || state === 'WARN')

const surfaceOf = (observed: Observed, around: Around, { status: _, ...state }: State) => ({
  schema: 'orch.steward.surface/v1' as const,
  ...state,
  scope: 'PUBLIC_READ_ONLY' as const,
  mutation_policy: 'PROPOSAL_ONLY' as const,
  production_ready:
    state.state === 'CURRENT' && around.productionReady && observed.audit !== null && isWell(observed.audit),
  model_invoked: false as const,
  provider_calls: 0 as const,
  effectors: 0 as const,
  storage_writes: 0 as const,
  source: { revision: around.revision },
})

export function toStatus(observed: Observed, around: Around): { status: number; body: StewardStatus } {
  const state = stateOf(observed, around)
  const { audit } = observed
  const walk = audit?.checks.find(({ id }) => id === 'chain_rewalk')
  return {
    status: state.status,
    body: {
      ...surfaceOf(observed, around, state),
      audit: audit === null ? null : shown(audit, observed.shared),
      integrity: {
        chain_valid: walk === undefined || walk.state === 'ERROR' ? null : walk.state !== 'FAIL',
        latest_hash: around.latestHash,
        signature_status: around.signatureStatus,
      },
    },
  }
}

/** What was read before the request came is a sample of its own date. */
function shown(
  { beganAt: _, endedAt: __, ...audit }: AuditRecord,
  shared: boolean,
): NonNullable<StewardStatus['audit']> {
  if (!shared) return audit
  return {
    ...audit,
    checks: audit.checks.map((check) => (check.label === 'MEASURED' ? { ...check, label: 'SAMPLE' as const } : check)),
  }
}

export function toProposals(observed: Observed, around: Around): { status: number; body: StewardProposals } {
  const state = stateOf(observed, around)
  const { audit } = observed
  const proposals = audit === null || state.status === 503 ? [] : proposalsFor(audit)
  return {
    status: state.status,
    body: {
      ...surfaceOf(observed, around, state),
      label: 'MODELED',
      basis: BASIS,
      audit: audit === null ? null : { id: audit.id, observed_at: audit.observed_at, digest: audit.digest },
      count: proposals.length,
      order: 'priority',
      proposals,
    },
  }
}
