/** The check behind each claim, run when somebody asks for it. A check that throws has failed; one that has nothing to
 *  look at says so and is neither good nor bad. None of them appends or signs. */
import {
  type CheckName,
  CONJECTURES,
  LOCKED_FORMULAS,
  RegistryError,
  readRegistry,
  type VerificationReport,
  verifyReceipt,
} from '@orch/core'
import { chainContext, inclusionAt, receiptRecord } from '../../domain/evidence.ts'
import { trustedKeys } from '../../domain/keys.ts'
import { isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'
import { SingleFlight } from '../../platform/single-flight.ts'
import type { CheckState, Clock, EnergyMeters, Ports } from '../../ports.ts'
import type { ClaimId } from './claims.ts'
import type { LiveClaim } from './schemas.ts'

export type CheckPorts = Pick<Ports, 'ledger' | 'readiness' | 'build' | 'artifacts' | 'clock'> & {
  meters: EnergyMeters
  isMounted: (id: ClaimId) => boolean
}

interface Found {
  state: CheckState
  detail: Record<string, unknown>
}

type LocalCheck = (ports: CheckPorts) => Promise<Found>

/** What asks others. */
export const goesOutside = (id: ClaimId): boolean => id === 'energy-accounting'

const checks: Readonly<Record<ClaimId, readonly [name: string, run: LocalCheck]>> = {
  'signed-receipts': [
    'newest receipt: signature and digest',
    (ports) => newest(ports, ['signature', 'payload_digest']),
  ],
  'hash-chain': ['the ledger walked: digests, links, lake links and tree', walked],
  'transparency-log': ['newest receipt: proof of inclusion', (ports) => newest(ports, ['inclusion'])],
  'source-provenance': ['digest of the sources against the build record', async ({ build }) => provenance(build)],
  'policy-gates': [
    'gates and policies, once to allow and once to deny',
    (ports) => components(ports, 'gates', 'policy'),
  ],
  'lambda-conjecture': ['formula registry of this build', (ports) => conjecture(ports, CONJECTURES.lambda)],
  'consensus-conjecture': ['formula registry of this build', (ports) => conjecture(ports, CONJECTURES.consensus)],
  'liveness-conjecture': ['formula registry of this build', (ports) => conjecture(ports, CONJECTURES.liveness)],
  'claim-integrity': ['one built-in claim compiled', (ports) => components(ports, 'claims')],
  'offline-verification': ['newest receipt with nothing but its record and the key', alone],
  'energy-accounting': ['the configured meters', meters],
  'finance-readings': [
    'the operations that read markets',
    async ({ isMounted }) => mounted(isMounted('finance-readings')),
  ],
}

export async function checkClaim(id: ClaimId, ports: CheckPorts): Promise<LiveClaim['check']> {
  const [name, run] = checks[id]
  const { found, checked_at, latency_ms } = await runCheck(() => run(ports), { clock: ports.clock, ms: null, failed })
  return { name, state: found.state, checked_at, latency_ms, detail: found.detail }
}

const failed = (code: string): Found => ({ state: 'FAILED', detail: { code } })
const unknown = (code: string): Found => ({ state: 'UNKNOWN', detail: { code } })

/** With the checkpoint that is there: one that does not cover the receipt yet is not made for this. */
async function newestReport({ ledger, clock }: CheckPorts, withChain: boolean): Promise<VerificationReport | null> {
  const { size } = await ledger.reader.head()
  const row = size === 0 ? null : await ledger.reader.byIndex(size - 1)
  if (row === null) return null
  const checkpoint = await ledger.reader.checkpoint()
  const covering = checkpoint !== null && checkpoint.size > row.nodeIndex ? checkpoint : null
  const inclusion = await inclusionAt(ledger, row.nodeIndex, covering?.size ?? size)
  return verifyReceipt(receiptRecord(row, { inclusion, checkpoint: covering?.note ?? null }), {
    keys: trustedKeys(await ledger.reader.keys()),
    logKeys: [ledger.vkey],
    checkedAt: isoNow(clock),
    expectedDigest: row.digest,
    ...(withChain ? { chain: await chainContext(ledger, row) } : {}),
  })
}

async function newest(ports: CheckPorts, names: readonly CheckName[]): Promise<Found> {
  const report = await newestReport(ports, true)
  if (report === null) return unknown('NOTHING_RECORDED')
  const telling = report.checks.filter(({ check }) => names.includes(check))
  const has = (status: string) => telling.some((one) => one.status === status)
  const state = has('MISMATCH') ? 'FAILED' : telling.every(({ status }) => status === 'VERIFIED') ? 'OK' : 'UNKNOWN'
  const found = telling.map(({ check, status, reason }) => ({ check, status, reason }))
  return { state, detail: { node_index: report.subject?.node_index ?? null, checks: found } }
}

async function walked({ ledger }: CheckPorts): Promise<Found> {
  const { size, broken, walk } = await ledger.walk()
  if (broken !== null) return { state: 'FAILED', detail: { code: 'LEDGER_BROKEN', broken_at: broken.node_index, walk } }
  return size === 0 ? unknown('NOTHING_RECORDED') : { state: 'OK', detail: { walk } }
}

async function alone(ports: CheckPorts): Promise<Found> {
  const report = await newestReport(ports, false)
  if (report === null) return unknown('NOTHING_RECORDED')
  const { verdict } = report
  const state = verdict === 'FAIL' ? 'FAILED' : verdict === 'PASS' || verdict === 'PARTIAL' ? 'OK' : 'UNKNOWN'
  return { state, detail: { node_index: report.subject?.node_index ?? null, verdict } }
}

/** Without a record there is nothing to compare with: the digest alone proves nothing. */
function provenance({ buildDigest, matchesRecord, conflicts }: CheckPorts['build']): Found {
  const detail = { build_digest: buildDigest.value, matches_record: matchesRecord, conflicts: conflicts.length }
  if (matchesRecord === false || conflicts.length > 0) return { state: 'FAILED', detail }
  return { state: matchesRecord === null ? 'UNKNOWN' : 'OK', detail }
}

async function components({ readiness }: CheckPorts, ...names: string[]): Promise<Found> {
  const report = await readiness.report()
  const states = names.map((name) => [name, report.components[name]?.state ?? 'UNKNOWN'] as const)
  const bad = states.find(([, state]) => state !== 'OK')
  return { state: bad?.[1] ?? 'OK', detail: { components: Object.fromEntries(states) } }
}

/** The registry of this build is exactly the locked eight, and no row of it claims a proof of the conjecture. */
async function conjecture({ artifacts }: CheckPorts, name: string): Promise<Found> {
  const file = await artifacts.text('formula-registry')
  if (!file.present) return failed('REGISTRY_ABSENT')
  try {
    const { payload } = readRegistry(file.text)
    const locked = payload.locked.map(({ id }) => id)
    const asserted = payload.locked.some(
      ({ maturity, statement }) => maturity === 'conjecture' || statement.includes(name),
    )
    const detail = { conjecture: name, locked, expected: LOCKED_FORMULAS.length, registry_sha256: file.sha256 }
    return { state: asserted || locked.length !== LOCKED_FORMULAS.length ? 'FAILED' : 'OK', detail }
  } catch (error) {
    if (error instanceof RegistryError) return failed('REGISTRY_INVALID')
    throw error
  }
}

async function meters({ meters }: CheckPorts): Promise<Found> {
  if (meters.configured === 0) return unknown('NOT_CONFIGURED')
  const read = await meters.read()
  const answered = read.filter((one) => 'reading' in one).length
  const state = answered === read.length ? 'OK' : 'FAILED'
  return { state, detail: { configured: meters.configured, answered } }
}

const mounted = (served: boolean): Found =>
  served ? { state: 'OK', detail: { mounted: true } } : unknown('NOT_SERVED')

type Checked = LiveClaim['check']

const COOLDOWN_MS = 10_000

interface ThrottledChecks {
  run(id: ClaimId): Promise<{ check: Checked; mode: 'live' | 'cached'; retry_after_seconds: number | null }>
  /** What the newest run in this process found; null where there was none, or its findings are not stored. */
  newest(id: ClaimId): Checked | null
}

/** The checks behind the claims as anybody may ask for them. One that goes outside runs once for all who ask while it
 *  runs, and not again for 10 s: no caller can make this service ask others as often as he asks it. */
export function throttledChecks(
  run: (id: ClaimId) => Promise<Checked>,
  goesOutside: (id: ClaimId) => boolean,
  clock: Pick<Clock, 'monotonic'>,
): ThrottledChecks {
  const ended = new Map<ClaimId, { at: number; check: Checked }>()
  const running = new SingleFlight<ClaimId>()
  const begin = async (id: ClaimId): Promise<Checked> => {
    const check = await run(id)
    ended.set(id, { at: clock.monotonic(), check })
    return check
  }
  return {
    async run(id) {
      if (!goesOutside(id)) return { check: await run(id), mode: 'live', retry_after_seconds: null }
      const last = ended.get(id)
      const rest = last === undefined ? 0 : last.at + COOLDOWN_MS - clock.monotonic()
      if (last !== undefined && rest > 0)
        return { check: last.check, mode: 'cached', retry_after_seconds: Math.ceil(rest / 1000) }
      return { check: await running.run(id, () => begin(id)), mode: 'live', retry_after_seconds: null }
    },
    newest: (id) => ended.get(id)?.check ?? null,
  }
}
