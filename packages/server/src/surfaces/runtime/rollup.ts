/** The whole service in one record: what the checks of readiness found, and counts read from what runs here. */
import { BUILD_VERSION, DOCTRINE, INTERFACE_VERSION, LAMBDA, LOCK, LOCKED_FORMULAS } from '@orch/core'
import type { signerRecord } from './health.ts'

export interface Checked {
  draining: boolean
  components: Record<string, { state: string; detail: Record<string, unknown> }>
}

interface Target {
  embedded: boolean
  calls: number
  lastSuccessAt: string | null
  lastErrorAt: string | null
}

/** One reading of the outside. */
interface Reading {
  value: unknown
  last_error: { code: string } | null
  reason: string | null
}

export interface RollupFacts {
  report: Checked
  ledger: { durability: string; size: number; waiting: number }
  signer: ReturnType<typeof signerRecord>
  targets: readonly Target[]
  readings: readonly Reading[]
  gates: readonly { evaluated: number; fired: number }[]
  /** Evidence class of every organ that runs here. */
  organClasses: readonly string[]
  basePath: string
  uptimeSeconds: number
  ts: string
}

/** The interface names this many organs, whether or not all of them run here. */
const ORGANS = 25

export function rollupOf(facts: RollupFacts) {
  const { report, ledger, signer, gates } = facts
  const sources = sourcesOf(facts.targets, facts.readings)
  const reasons = reasonsOf(report, sources.last_failed)
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    degraded_reasons: reasons,
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
      organs: { total: ORGANS, running: facts.organClasses.length, by_class: countsOf(facts.organClasses) },
      gates: {
        count: gates.length,
        evaluated: gates.reduce((sum, { evaluated }) => sum + evaluated, 0),
        fired: gates.reduce((sum, { fired }) => sum + fired, 0),
      },
      background: listOf(report.components.background?.detail.tasks),
    },
    doctrine_constants: { lock: LOCK, locked_8: LOCKED_FORMULAS.length, lambda: LAMBDA },
    ts: facts.ts,
  }
}

/** The checkpoint that guards the ledger is the ledger’s own affair here. */
const SPOKEN_AS: Readonly<Record<string, string>> = { guard: 'ledger' }

function reasonsOf({ components, draining }: Checked, failedSources: number): string[] {
  const failed = Object.entries(components).filter(([, { state }]) => state !== 'OK')
  return [
    ...new Set(failed.map(([name]) => SPOKEN_AS[name] ?? name)),
    ...(failedSources > 0 ? ['providers'] : []),
    ...(draining ? ['drain'] : []),
  ]
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
export function sourcesOf(targets: readonly Target[], readings: readonly Reading[]) {
  const ends = [
    ...targets.filter(({ embedded }) => !embedded).map(targetEnd),
    ...readings.filter(({ reason }) => reason !== 'NOT_CONFIGURED' && reason !== 'NOT_PROBED').map(readingEnd),
  ]
  const count = (end: string) => ends.filter((ended) => ended === end).length
  return { total: ends.length, last_ok: count('ok'), last_failed: count('failed'), never_asked: count('never') }
}

function targetEnd({ calls, lastSuccessAt, lastErrorAt }: Target): 'ok' | 'failed' | 'never' {
  if (calls === 0) return 'never'
  return lastErrorAt !== null && (lastSuccessAt === null || lastErrorAt > lastSuccessAt) ? 'failed' : 'ok'
}

function readingEnd({ value, last_error }: Reading): 'ok' | 'failed' | 'never' {
  if (last_error !== null) return 'failed'
  return value === null ? 'never' : 'ok'
}

function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

const listOf = (value: unknown): object[] => (Array.isArray(value) ? value : [])
