/** The whole service in one record: what the checks of readiness found, and counts read from what runs here. */
import { BUILD_VERSION, DOCTRINE, INTERFACE_VERSION, LAMBDA, LOCK, LOCKED_FORMULAS } from '@orch/core'
import type { signerRecord } from './health.ts'

export interface Checked {
  drainingSince: string | null
  components: Record<string, { state: string; since: string; detail: Record<string, unknown> }>
}

interface Target {
  embedded: boolean
  calls: number
  lastSuccessAt: string | null
  lastErrorAt: string | null
}

type End = 'ok' | 'failed' | 'never'

export interface RollupFacts {
  report: Checked
  ledger: { durability: string; size: number; waiting: number }
  signer: ReturnType<typeof signerRecord>
  targets: readonly Target[]
  /** How the newest attempts at each source of readings ended. */
  readings: readonly { end: End }[]
  gates: readonly { evaluated: number; fired: number }[]
  /** When what has that name was first found in that state. */
  since(name: string, state: string): string
  /** Ids of the operations that are served. */
  mounted: readonly string[]
  basePath: string
  uptimeSeconds: number
  ts: string
}

export function rollupOf(facts: RollupFacts) {
  const { report, ledger, signer, gates } = facts
  const sources = sourcesOf(facts.targets, facts.readings)
  const providersSince = facts.since('providers', sources.last_failed > 0 ? 'failed' : 'ok')
  const reasons = reasonsOf(report, sources.last_failed > 0 ? providersSince : null)
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
      storage: storageOf(report, ledger.durability),
      ledger: { size: ledger.size, integrity: integrityOf(report), backlog: ledger.waiting },
      signer,
      sources,
      organs: organsOf(facts.mounted),
      gates: {
        count: gates.length,
        evaluated: gates.reduce((sum, { evaluated }) => sum + evaluated, 0),
        fired: gates.reduce((sum, { fired }) => sum + fired, 0),
        reload_failed: failedReload(report),
      },
      background: listOf(report.components.background?.detail.tasks),
    },
    doctrine_constants: { lock: LOCK, locked_8: LOCKED_FORMULAS.length, lambda: LAMBDA },
    ts: facts.ts,
  }
}

/** Organs are operations named so; what is not served is not counted. */
function organsOf(mounted: readonly string[]) {
  const total = mounted.filter((id) => id.startsWith('organs.')).length
  return { total, by_class: null, reason: total === 0 ? 'no organ is served by this build' : null }
}

/** The checkpoint that guards the ledger is the ledger’s own affair here. */
const SPOKEN_AS: Readonly<Record<string, string>> = { guard: 'ledger' }

/** Each reason and since when, as far as this process has looked. */
function reasonsOf({ components, drainingSince }: Checked, providersSince: string | null): Map<string, string> {
  const reasons = new Map<string, string>()
  for (const [name, { state, since }] of Object.entries(components)) {
    const spoken = SPOKEN_AS[name] ?? name
    const known = reasons.get(spoken)
    if (state !== 'OK') reasons.set(spoken, known !== undefined && known < since ? known : since)
  }
  if (providersSince !== null) reasons.set('providers', providersSince)
  if (drainingSince !== null) reasons.set('drain', drainingSince)
  return reasons
}

/** Why the newest rules or policies on the disk are not in charge; null when they are. */
function failedReload({ components }: Checked): string | null {
  const told = [components.gates, components.policy].map((check) => check?.detail.reload_failed)
  return told.find((reason): reason is string => typeof reason === 'string') ?? null
}

const BACKENDS: Readonly<Record<string, string>> = {
  EPHEMERAL: 'memory',
  DURABLE: 'sqlite',
  DURABLE_EXTERNAL: 'postgres',
}

function storageOf({ components }: Checked, durability: string) {
  const { free_bytes: free, min_free_bytes: least } = components.disk?.detail ?? {}
  const works = components.store?.state === 'OK'
  const tight = typeof free === 'number' && typeof least === 'number' && free < 2 * least
  return {
    status: works ? (tight ? 'pressure' : 'ok') : 'unavailable',
    backend: BACKENDS[durability] ?? durability,
    durable: durability !== 'EPHEMERAL',
    free_bytes: typeof free === 'number' ? free : null,
  }
}

/** A check that did not end has found nothing about it. */
function integrityOf({ components }: Checked): string {
  const { integrity } = components.ledger?.detail ?? {}
  return typeof integrity === 'string' ? integrity : 'UNKNOWN'
}

/** Each source once, by how its newest attempt ended. */
export function sourcesOf(targets: readonly Target[], readings: readonly { end: End }[]) {
  const ends = [...targets.filter(({ embedded }) => !embedded).map(targetEnd), ...readings.map(({ end }) => end)]
  const count = (end: End) => ends.filter((ended) => ended === end).length
  return { total: ends.length, last_ok: count('ok'), last_failed: count('failed'), never_asked: count('never') }
}

function targetEnd({ calls, lastSuccessAt, lastErrorAt }: Target): End {
  if (calls === 0) return 'never'
  return lastErrorAt !== null && (lastSuccessAt === null || lastErrorAt > lastSuccessAt) ? 'failed' : 'ok'
}

const listOf = (value: unknown): object[] => (Array.isArray(value) ? value : [])
