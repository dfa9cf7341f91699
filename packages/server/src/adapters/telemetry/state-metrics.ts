/** How things stand, read for each scrape from the checks that readiness answers by. What cannot be read has no sample:
 *  a number that nobody read is not shown. */
import { Gauge, type Registry } from 'prom-client'
import type { Readings } from '../../features/readings/contract.ts'
import type { Governance } from '../../governance/contract.ts'
import { withDeadline } from '../../platform/deadline.ts'
import type { Background, Clock, Ledger, Readiness, ReadinessReport, ServedCalls, SignerStatus } from '../../ports.ts'
import type { Upstreams } from '../models/contract.ts'
import type { Telemetry } from './contract.ts'
import { CountSeries } from './series.ts'

export interface StateSources {
  readiness: Readiness
  ledger: Pick<Ledger, 'state' | 'waiting'>
  signer: () => SignerStatus
  governance: Pick<Governance, 'tallies'>
  background: Pick<Background, 'tasks'>
  upstreams: Pick<Upstreams, 'targets'>
  telemetry: Pick<Telemetry, 'exporter'>
  /** Sessions that may still be charged. Rejects where the store does not say. */
  sessions: () => Promise<number>
  eventClients: () => number
  readings: Pick<Readings, 'snapshot' | 'sources'>
  clock: Clock
}

const SESSIONS_LIMIT_MS = 500

/** Returns what refreshes all of them; a scrape waits for it. MUST NOT reject: metrics are read when things are broken. */
export function stateSeries(registry: Registry, sources: StateSources): () => Promise<void> {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const ready = gauge('orch_ready', 'Whether readiness answers 200')
  const components = gauge('orch_component_up', 'Whether the check of a component found it working', 'component')
  const stale = gauge('orch_reload_failed', 'Whether the set on the disk could not be taken over', 'component')
  const size = gauge('orch_ledger_size', 'Receipts in the ledger')
  const waiting = gauge('orch_ledger_waiting', 'Appends that wait')
  const readOnly = gauge('orch_ledger_readonly', 'Whether the ledger takes no appends')
  const signerUp = gauge('orch_signer_up', 'Whether the newest self-test shows a signer that signs')
  const selfTest = gauge('orch_signer_self_test_age_seconds', 'Age of the newest self-test of the signer')
  const cooldown = gauge(
    'orch_upstream_cooldown',
    'Whether a provider failed and is left alone until it answers again',
    'provider',
  )
  const ticks = gauge('orch_background_tick_age_seconds', 'Since a background task last came to a good end', 'task')
  const snapshot = gauge(
    'orch_readiness_snapshot_age_seconds',
    'Age of the oldest reading of the outside that each round reads',
  )
  const sessions = gauge('orch_sessions_active', 'Sessions with a risk budget that is not idle')
  const clients = gauge('orch_events_clients', 'Clients that listen to events')
  const evaluations = new CountSeries(registry, 'orch_gate_evaluations_total', 'Decisions a gate looked at', ['gate'])
  const fired = new CountSeries(registry, 'orch_gate_fired_total', 'Decisions in which a gate fired', ['gate'])
  const spans = new CountSeries(registry, 'orch_trace_spans_total', 'Spans by what became of them', ['result'])

  const showChecks = (report: ReadinessReport) => {
    ready.set(report.ready ? 1 : 0)
    for (const [component, { state, detail }] of Object.entries(report.components)) {
      components.set({ component }, state === 'OK' ? 1 : 0)
      if ('reload_failed' in detail) stale.set({ component }, detail.reload_failed === null ? 0 : 1)
      else stale.remove({ component })
    }
  }
  const showLedger = () => {
    const state = sources.ledger.state()
    size.set(state.size)
    waiting.set(sources.ledger.waiting())
    readOnly.set(state.readOnly === null ? 0 : 1)
  }
  const showSigner = () => {
    const { signingAvailable, testedAt } = sources.signer()
    signerUp.set(signingAvailable ? 1 : 0)
    if (testedAt === null) selfTest.remove()
    else selfTest.set(ageOf(Date.parse(testedAt), sources.clock))
  }
  const showReadings = () => {
    const readings = sources.readings.sources()
    for (const { provider } of readings) cooldown.set({ provider }, 0)
    for (const { provider, resting } of readings) if (resting) cooldown.set({ provider }, 1)
    setOrRemove(snapshot, sources.readings.snapshot().age_seconds)
  }
  const showOthers = () => {
    for (const { id, breaker } of sources.upstreams.targets())
      cooldown.set({ provider: id }, breaker === 'open' ? 1 : 0)
    for (const { name: task, lastTick, startedAt } of sources.background.tasks())
      ticks.set({ task }, ageOf(lastTick ?? startedAt, sources.clock))
    showReadings()
    clients.set(sources.eventClients())
    for (const { name, evaluated, fired: hits } of sources.governance.tallies().gates) {
      evaluations.set(evaluated, name)
      fired.set(hits, name)
    }
    const { exported, failed, dropped } = sources.telemetry.exporter()
    for (const [result, total] of Object.entries({ exported, failed, dropped })) spans.set(total, result)
  }
  return async () => {
    const [report, active] = await Promise.all([sources.readiness.report(), counted(sources.sessions)])
    showChecks(report)
    showLedger()
    showSigner()
    showOthers()
    setOrRemove(sessions, active)
  }
}

const ageOf = (sinceMs: number, clock: Clock): number => Math.max(0, clock.now() - sinceMs) / 1000

function setOrRemove(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove()
  else gauge.set(value)
}

/** Null where the store does not say, or not in time. */
const counted = (count: () => Promise<number>): Promise<number | null> =>
  withDeadline(SESSIONS_LIMIT_MS, count, () => null).catch(() => null)

/** Calls being answered now by the operations of these ids. */
export const openCalls = (calls: ServedCalls, ids: ReadonlySet<string>): number =>
  calls.series().reduce((sum, { id, running }) => (ids.has(id) ? sum + running : sum), 0)
