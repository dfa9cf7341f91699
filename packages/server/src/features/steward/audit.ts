/** One audit: every check at once, within a budget, and what came of them as a record that can be held to itself. */
import { canonicalize, sha256Hex } from '@orch/core'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'
import { type AuditCheck, CHECK_IDS, type Finding } from './check.ts'
import type { AuditedCheck } from './schemas.ts'

const BUDGET_MS = 2_000

export interface AuditRecord {
  id: string
  observed_at: string
  duration_ms: number
  digest: string
  checks: AuditedCheck[]
  /** By the clock that never goes back: when it began and when it was complete. */
  beganAt: number
  endedAt: number
}

/** No check came to an end. */
class AuditFailed extends Error {}

export async function runAudit(
  checks: readonly AuditCheck[],
  clock: Clock,
  budgetMs = BUDGET_MS,
): Promise<AuditRecord> {
  const [beganAt, began] = [clock.monotonic(), isoNow(clock)]
  const audited = await Promise.all(checks.map((check) => runOne(check, clock, budgetMs, began)))
  if (audited.every(({ state }) => state === 'ERROR')) throw new AuditFailed('no check of the audit came to an end')
  const digest = findingsDigest(audited)
  const endedAt = clock.monotonic()
  const observed_at = isoNow(clock)
  return {
    id: `audit-${sha256Hex(canonicalize({ observed_at, digest })).slice(0, 16)}`,
    observed_at,
    duration_ms: rounded(endedAt - beganAt),
    digest,
    checks: audited,
    beganAt,
    endedAt,
  }
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000

async function runOne(check: AuditCheck, clock: Clock, ms: number, began: string): Promise<AuditedCheck> {
  const failed = (code: string, error: unknown): Finding => ({
    state: 'ERROR',
    // What was thrown may name files or hosts; a code of our own does not.
    observed: { code: (error as { code?: unknown } | null)?.code ?? code },
    expected: 'the check comes to an end within the budget of the audit',
    subjects: [check.id],
  })
  const { found, latency_ms, checked_at } = await runCheck((signal) => check.run(signal), { clock, ms, failed })
  const { state, observed, expected, subjects, readAt, sample } = found
  return {
    ...{ id: check.id, state, observed, expected, subjects: [...subjects], duration_ms: latency_ms },
    checked_at: readAt ?? checked_at,
    label: labelOf(state, sample === true || (readAt !== undefined && readAt < began)),
  }
}

const labelOf = (state: string, isOlder: boolean): AuditedCheck['label'] =>
  state === 'ERROR' ? 'UNAVAILABLE' : isOlder ? 'SAMPLE' : 'MEASURED'

/** What does not pass, and no figure that moves by itself: the same findings have the same digest. */
export const findingsDigest = (checks: readonly AuditedCheck[]): string =>
  sha256Hex(
    canonicalize(
      checks
        .filter(({ state }) => state !== 'PASS')
        .map(({ id, state, subjects }) => ({ id, state, subjects: [...subjects].sort() }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    ),
  )

/** Why a record contradicts itself or its time; null where it does not. */
export function inconsistencyOf(audit: AuditRecord, now: number): string | null {
  const ids = audit.checks.map(({ id }) => id)
  if (ids.toSorted().join() !== CHECK_IDS.toSorted().join()) return 'the audit does not have every check exactly once'
  if (audit.digest !== findingsDigest(audit.checks)) return 'the digest of the audit is not that of its findings'
  if (audit.checks.some(({ state, subjects }) => (state === 'PASS') !== (subjects.length === 0)))
    return 'a check passed and names what does not hold, or the other way round'
  return Date.parse(audit.observed_at) > now + MAX_SKEW_MS
    ? 'the audit lies in the future: the clock was set back'
    : null
}

const MAX_SKEW_MS = 5_000
