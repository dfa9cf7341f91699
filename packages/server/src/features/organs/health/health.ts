/** The health of the organs by role: checks that run while somebody asks, each with a deadline, one run at a time. */
import { ServiceError } from '../../../errors.ts'
import { isoNow } from '../../../platform/clock.ts'
import { runCheck } from '../../../platform/run-check.ts'
import type { Clock } from '../../../ports.ts'
import { type Found, type HealthCheck, ROLES, type Role } from './checks.ts'
import type { HealthRow, RoleHealth } from './schemas.ts'

const CHECK_MS = 500
/** What a check has when it runs for the first time in this process: it loads what it uses. Threads of the pool come and
 *  go; starting one is never counted. */
const FIRST_MS = 5_000
const KEEP_MS = 5_000

const TITLES: Record<Role, string> = {
  brain: 'The registry of the organs',
  care: 'What waits, and room to write it',
  companion: 'The tool protocol',
  drones: 'Worker threads and the sandbox',
  immune: 'Guard and rails',
  memory: 'What is remembered and found',
  operator: 'Reviews, credentials and assets',
  orchestrator: 'Signer, ledger and event loop',
  policy: 'The policy engine',
  reasoning: 'Claims and the embedded model',
  sentinel: 'The text gates',
  vessels: 'Providers',
}

/** What a service says that the operator named for a role: healthy, not healthy, something else, or nothing. */
export type RemoteHealth = 'up' | 'down' | 'unclear' | 'silent'
export type Remotes = Partial<Record<Role, () => Promise<RemoteHealth>>>

interface Run {
  beganAt: number
  began: string
  checks: Promise<RoleHealth['checks']>
  remote: Promise<RemoteHealth | null>
}

interface HealthTerms {
  remotes?: Remotes
  /** How long one check may take. */
  limitMs?: number | undefined
}

export function createHealth(
  checks: Record<Role, HealthCheck[]>,
  clock: Clock,
  { remotes = {}, limitMs = CHECK_MS }: HealthTerms = {},
) {
  const runs = new Map<Role, Run>()
  const ended = new WeakSet<HealthCheck>()
  const runCounted = async (check: HealthCheck) => {
    const found = await runOne(check, clock, ended.has(check) ? limitMs : Math.max(limitMs, FIRST_MS))
    ended.add(check)
    return found
  }
  const start = (role: Role): Run => {
    const run = {
      beganAt: clock.monotonic(),
      began: isoNow(clock),
      checks: Promise.all(checks[role].map(runCounted)),
      remote: remotes[role]?.() ?? Promise.resolve(null),
    }
    runs.set(role, run)
    return run
  }

  async function read(role: Role): Promise<RoleHealth> {
    const arrived = clock.monotonic()
    const before = runs.get(role)
    const shared = before !== undefined && arrived - before.beganAt <= KEEP_MS
    const run = shared ? before : start(role)
    const [found, remote] = await Promise.all([run.checks, run.remote])
    return {
      ...toRow(role, found, shared),
      ...(remote === null ? {} : toRemoteRow(remote, shared)),
      latency_ms: latency(found),
      checked_at: run.began,
      age_seconds: shared ? seconds(clock.monotonic() - run.beganAt) : 0,
      checks: found,
    }
  }

  return { read, readAll: () => Promise.all(ROLES.map(read)), roles: ROLES }
}

const seconds = (ms: number): number => Math.round(ms) / 1000
const latency = (checks: RoleHealth['checks']): number =>
  Math.max(0, ...checks.map(({ duration_us }) => duration_us)) / 1000

async function runOne(
  { name, subsystem, run }: HealthCheck,
  clock: Clock,
  limitMs: number,
): Promise<RoleHealth['checks'][number]> {
  // Only what every caller may read: the sentence of an error may name paths and hosts.
  const failed = (code: string, error: unknown): Found => ({
    passed: false,
    detail: code === 'CHECK_TIMEOUT' ? 'deadline' : error instanceof ServiceError ? error.code : 'the check failed',
  })
  const { found, latency_ms } = await runCheck(run, { clock, ms: limitMs, failed })
  const { passed, reading = null, detail, degraded = false } = found
  return { name, subsystem, passed, degraded, duration_us: Math.round(latency_ms * 1000), reading, detail }
}

function toRow(role: Role, checks: RoleHealth['checks'], shared: boolean) {
  const failed = checks.filter(({ passed }) => passed === false)
  const known = checks.some(({ passed }) => passed !== null)
  const state =
    failed.length > 0 ? 'DOWN' : !known ? 'UNKNOWN' : checks.some(({ degraded }) => degraded) ? 'DEGRADED' : 'UP'
  const label = !known ? 'UNAVAILABLE' : shared ? 'SAMPLE' : 'MEASURED'
  const reason = (failed.length > 0 ? failed : known ? [] : checks)
    .map(({ name, detail }) => `${name}: ${detail}`)
    .join('; ')
  return {
    role,
    title: TITLES[role],
    target: 'self',
    subsystems: [...new Set(checks.map(({ subsystem }) => subsystem))],
    up: known ? failed.length === 0 : null,
    state,
    mode: shared ? 'cached' : 'live',
    label,
    ...(reason === '' ? {} : { reason }),
  } as const satisfies Omit<HealthRow, 'latency_ms' | 'checked_at' | 'age_seconds'>
}

const REMOTE = {
  up: { up: true, state: 'UP', reason: 'the configured service says that it is well' },
  down: { up: false, state: 'DOWN', reason: 'the configured service refused or failed' },
  unclear: { up: null, state: 'UNKNOWN', reason: 'the configured service did not say ok' },
  silent: { up: null, state: 'UNKNOWN', reason: 'the configured service does not answer' },
} as const

/** The service that was named speaks for the role; the checks made here stay listed. */
const toRemoteRow = (remote: RemoteHealth, shared: boolean) => ({
  target: 'remote' as const,
  ...REMOTE[remote],
  mode: remote === 'silent' ? ('unreachable' as const) : shared ? ('cached' as const) : ('live' as const),
  label: REMOTE[remote].up === null ? ('UNAVAILABLE' as const) : shared ? ('SAMPLE' as const) : ('MEASURED' as const),
})

const WORST = ['DOWN', 'DEGRADED', 'UNKNOWN', 'UP'] as const

/** The index: every role without its checks, and the worst state of all. */
export function toIndex(rows: readonly RoleHealth[], checkedAt: string) {
  const count = (state: HealthRow['state']) => rows.filter((row) => row.state === state).length
  return {
    schema: 'orch.organ-health/v1' as const,
    ok: count('DOWN') === 0,
    aggregate: {
      total: rows.length,
      up: count('UP'),
      degraded: count('DEGRADED'),
      down: count('DOWN'),
      unknown: count('UNKNOWN'),
      state: WORST.find((state) => count(state) > 0) ?? 'UNKNOWN',
    },
    roles: rows.map(({ checks: _, ...row }) => row),
    usage: 'GET /api/orch/v1/organ-health/{role} shows the checks of one role',
    checked_at: checkedAt,
  }
}
