/** The whole service in one record: what the checks of readiness found, and counts read from what runs here. */
import { BUILD_VERSION, DOCTRINE, INTERFACE_VERSION, LAMBDA, LOCK, LOCKED_FORMULAS } from '@orch/core'
import type { TargetState } from '../../adapters/models/contract.ts'
import type { LedgerState } from '../../ledger/contract.ts'
import type { SourceState } from '../readings/contract.ts'
import { INTEGRITIES, type Rollup, type SignerState } from './schemas.ts'

export interface Checked {
  drainingSince: string | null
  components: Record<string, { state: string; since: string; detail: Record<string, unknown> }>
}

type Target = Pick<TargetState, 'embedded' | 'calls' | 'lastSuccessAt' | 'lastErrorAt'>

/** How the newest attempt at a source ended. */
type AttemptResult = SourceState['end']

export interface RollupFacts {
  report: Checked
  ledger: { durability: LedgerState['durability']; size: number; waiting: number }
  signer: SignerState
  targets: readonly Target[]
  readings: readonly { end: AttemptResult }[]
  gates: readonly { evaluated: number; fired: number }[]
  /** When what has that name was first found in that state. */
  since(name: string, state: string): string
  /** The running registry of organs: the class of each, and whether this build has it. */
  organs: readonly { evidenceClass: string; built: boolean }[]
  basePath: string
  uptimeSeconds: number
  ts: string
}

export function buildRollup(facts: RollupFacts): Rollup {
  const { report, ledger, signer, gates } = facts
  const sources = countSources(facts.targets, facts.readings)
  const providersSince = facts.since('providers', sources.last_failed > 0 ? 'failed' : 'ok')
  const reasons = degradedReasons(report, sources.last_failed > 0 ? providersSince : null)
  return {
    status: reasons.size === 0 ? 'ok' : 'degraded',
    degraded_reasons: [...reasons.keys()],
    degraded_since: Object.fromEntries(reasons),
    service: 'orch',
    version: BUILD_VERSION,
    interface_version: INTERFACE_VERSION,
    base_path: facts.basePath,
    doctrine: DOCTRINE,
    uptime_s: facts.uptimeSeconds,
    rollup: {
      storage: storageState(report, ledger.durability),
      ledger: { size: ledger.size, integrity: ledgerIntegrity(report), backlog: ledger.waiting },
      signer,
      sources,
      organs: countOrgans(facts.organs),
      gates: {
        count: gates.length,
        evaluated: gates.reduce((sum, { evaluated }) => sum + evaluated, 0),
        fired: gates.reduce((sum, { fired }) => sum + fired, 0),
        reload_failed: failedReload(report),
      },
      background: backgroundTasks(report),
    },
    doctrine_constants: { lock: LOCK, locked_8: LOCKED_FORMULAS.length, lambda: LAMBDA },
    ts: facts.ts,
  }
}

function countOrgans(organs: RollupFacts['organs']) {
  const by_class: Record<string, number> = {}
  for (const { evidenceClass } of organs) by_class[evidenceClass] = (by_class[evidenceClass] ?? 0) + 1
  const lacking = organs.filter(({ built }) => !built).length
  const reason = lacking === 0 ? null : `${lacking} of them are not part of this build and answer UNAVAILABLE`
  return { total: organs.length, by_class, reason }
}

/** The checkpoint that guards the ledger is shown as part of the ledger. */
const REASON_NAMES: Readonly<Record<string, string>> = { guard: 'ledger' }

/** Each reason and since when, as far as this process has looked. */
function degradedReasons({ components, drainingSince }: Checked, providersSince: string | null): Map<string, string> {
  const reasons = new Map<string, string>()
  for (const [name, { state, since }] of Object.entries(components)) {
    const reason = REASON_NAMES[name] ?? name
    const known = reasons.get(reason)
    if (state !== 'OK') reasons.set(reason, known !== undefined && known < since ? known : since)
  }
  if (providersSince !== null) reasons.set('providers', providersSince)
  if (drainingSince !== null) reasons.set('drain', drainingSince)
  return reasons
}

/** Why the newest rules or policies on the disk are not active; null when they are. */
function failedReload({ components }: Checked): string | null {
  const reported = [components.gates, components.policy].map((check) => check?.detail.reload_failed)
  return reported.find((reason): reason is string => typeof reason === 'string') ?? null
}

const BACKENDS = { EPHEMERAL: 'memory', DURABLE: 'sqlite', DURABLE_EXTERNAL: 'postgres' } as const

function storageState({ components }: Checked, durability: LedgerState['durability']): Rollup['rollup']['storage'] {
  const { free_bytes: free, min_free_bytes: min } = components.disk?.detail ?? {}
  const works = components.store?.state === 'OK'
  const tight = typeof free === 'number' && typeof min === 'number' && free < 2 * min
  return {
    status: works ? (tight ? 'pressure' : 'ok') : 'unavailable',
    backend: BACKENDS[durability],
    durable: durability !== 'EPHEMERAL',
    free_bytes: typeof free === 'number' ? free : null,
  }
}

/** A check that did not end has found nothing about it. */
function ledgerIntegrity({ components }: Checked): (typeof INTEGRITIES)[number] {
  return INTEGRITIES.find((word) => word === components.ledger?.detail.integrity) ?? 'UNKNOWN'
}

/** Each source once, by how its newest attempt ended. */
export function countSources(targets: readonly Target[], readings: readonly { end: AttemptResult }[]) {
  const results = [...targets.filter(({ embedded }) => !embedded).map(targetResult), ...readings.map(({ end }) => end)]
  const count = (result: AttemptResult) => results.filter((one) => one === result).length
  return { total: results.length, last_ok: count('ok'), last_failed: count('failed'), never_asked: count('never') }
}

function targetResult({ calls, lastSuccessAt, lastErrorAt }: Target): AttemptResult {
  if (calls === 0) return 'never'
  return lastErrorAt !== null && (lastSuccessAt === null || lastErrorAt > lastSuccessAt) ? 'failed' : 'ok'
}

/** The check of the background writes its tasks into its detail in the very form of the record. */
function backgroundTasks({ components }: Checked): Rollup['rollup']['background'] {
  const tasks = components.background?.detail.tasks
  return Array.isArray(tasks) ? tasks : []
}
