/** What the service did: decisions, receipts, signatures, calls to others. Counted where it happened. */
import { STATUS_CODES } from 'node:http'
import type { Registry } from 'prom-client'
import { SlidingCount } from '../../platform/sliding-count.ts'
import { CountSeries, DistributionSeries } from './series.ts'

const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const UPSTREAM_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const BATCH = [1, 2, 4, 8, 16, 32, 64, 128, 256]

/** What the store or the ledger can refuse with: their own codes, and ours for what came without one. */
const STORE_FAILURES = [
  'store_unavailable',
  'ledger_read_only',
  'ledger_busy',
  'append_failed',
  'probe_failed',
  'write_failed',
  'read_failed',
] as const
export type StoreFailure = (typeof STORE_FAILURES)[number]
/** For how long an organ counts as active after a run. */
const ACTIVE_SECONDS = 300
const SIGNATURE_RESULTS = ['signed', 'unsigned', 'unavailable'] as const

export type WorkSeries = ReturnType<typeof workSeries>

export function workSeries(registry: Registry) {
  const count = (name: string, help: string, ...labels: string[]) => new CountSeries(registry, name, help, labels)
  const decisions = count('orch_decisions_total', 'Receipts that state a decision', 'decision', 'surface')
  const scans = count('orch_output_scans_total', 'Scans of tool and model output recorded', 'decision', 'surface')
  const tools = count('orch_tool_decisions_total', 'Decisions about a tool, by its registered name', 'tool', 'decision')
  const receipts = count('orch_receipts_total', 'Receipts recorded by this process', 'chain_kind')
  const signatures = count('orch_signatures_total', 'Receipts by what became of their signature', 'key_kind', 'result')
  const replays = count('orch_idempotency_replays_total', 'Answers given again for the same Idempotency-Key')
  const failures = count('orch_store_errors_total', 'Reads and writes that the store or the ledger refused', 'code')
  const calls = count('orch_upstream_requests_total', 'Calls to others that ended', 'provider', 'result')
  const cache = count('orch_upstream_cache_total', 'Readings served, by where they came from', 'provider', 'state')
  const appendSeconds = new DistributionSeries(
    registry,
    'orch_ledger_append_seconds',
    'Time until a receipt was durable',
    APPEND_SECONDS,
  )
  const batches = new DistributionSeries(registry, 'orch_ledger_batch_size', 'Receipts recorded together', BATCH)
  const upstreamSeconds = new DistributionSeries(
    registry,
    'orch_upstream_duration_seconds',
    'Time until another service answered, or began to where it streams',
    UPSTREAM_SECONDS,
    'provider',
  )
  for (const code of STORE_FAILURES) failures.expect(code)
  const organRuns = new Map<string, SlidingCount>()
  return {
    /** Once for each receipt that states one. */
    decided: (decision: string, surface: string) => decisions.add(decision, surface),
    /** A scan of what a tool or a model returned: part of a receipt and no decision of its own. */
    outputScanned: (decision: string, surface: string) => scans.add(decision, surface),
    /** A decision about a tool, by its name where it is registered; every other name is one series. */
    toolDecided: (tool: string | null, decision: string) => tools.add(tool ?? 'unregistered', decision),
    appended(kind: string, seconds: number) {
      receipts.add(kind)
      appendSeconds.observe(seconds)
    },
    /** By the chain of the organ; `nowMs` of a clock that never goes back. */
    organRan(chain: string, nowMs: number) {
      const runs = organRuns.get(chain) ?? new SlidingCount(ACTIVE_SECONDS)
      organRuns.set(chain, runs)
      runs.add(nowMs)
    },
    /** Organs with a recorded run in the last five minutes. */
    activeOrgans: (nowMs: number): number =>
      organRuns
        .values()
        .filter((runs) => runs.total(nowMs) > 0)
        .toArray().length,
    batch: (size: number) => batches.observe(size),
    signed: (keyKind: string, result: (typeof SIGNATURE_RESULTS)[number]) => signatures.add(keyKind, result),
    /** Which key signs here, so that its series are there before it is asked. */
    signsWith(keyKind: string) {
      for (const result of SIGNATURE_RESULTS) signatures.expect(keyKind, result)
    },
    replayed: () => replays.add(),
    storeFailed: (code: StoreFailure) => failures.add(code),
    upstream(provider: string, result: string, seconds: number) {
      calls.add(provider, boundedCode(result))
      upstreamSeconds.observe(seconds, provider)
    },
    /** How a reading was served: `live`, `cached` or `unreachable`. */
    cache: (provider: string, state: string) => cache.add(provider, state),
  }
}

/** Whoever answers chooses the status: one that no standard names must not become a series of its own. */
export function boundedCode(code: string): string {
  const status = /^UPSTREAM_HTTP_(\d+)$/.exec(code)?.[1]
  return status === undefined || status in STATUS_CODES ? code : 'UPSTREAM_HTTP_OTHER'
}
