/** The series of governed stepping, in a registry of their own. Labels are words of closed lists: no owner, no session. */
import { Gauge, Registry } from 'prom-client'
import { CountSeries, DistributionSeries } from '../../../adapters/telemetry/series.ts'
import type { LedgerReader } from '../../../ledger/contract.ts'
import { instrument } from '../../../platform/instrument.ts'
import type { CallSeries, Clock, Recorder } from '../../../ports.ts'
import type { Effects, Stepping } from '../contract.ts'
import { usedByAll } from '../quotas.ts'
import { COUNT_ALL, IDLE_MS, SESSION_SPACE } from '../store/session-documents.ts'

const STEP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const DECISIONS = ['allow', 'review', 'deny']
const OUTCOMES = ['exported', 'failed', 'dead_letter', 'fenced_out']

type SteppingSeries = ReturnType<typeof steppingSeries>

/** Every combination of known words is there from the start: a rate over a series that appears with its first event would
 *  miss that event. */
export function steppingSeries(words: { kinds: readonly string[]; routes: readonly string[] }) {
  const registry = new Registry()
  const count = (name: string, help: string, ...labels: string[]) => new CountSeries(registry, name, help, labels)
  const requests = count('gdw_requests_total', 'Requests answered', 'operation', 'status')
  const errors = count('gdw_errors_total', 'Requests refused, by the code of the refusal', 'code')
  const receipts = count('gdw_receipts_total', 'Receipts of steps, drains and recoveries recorded by this process')
  const decisions = count('gdw_decisions_total', 'Steps decided', 'decision', 'dry_run')
  const routes = count('gdw_routes_total', 'Steps by the mode they were routed to', 'route')
  const attempts = count('gdw_effect_attempts_total', 'Deliveries attempted', 'kind', 'outcome')
  const replays = count('gdw_replays_total', 'Answers given again for the same key')
  for (const decision of DECISIONS) for (const dry of ['false', 'true']) decisions.set(0, decision, dry)
  for (const route of words.routes) routes.set(0, route)
  for (const kind of words.kinds) for (const outcome of OUTCOMES) attempts.set(0, kind, outcome)
  const show = gaugesOf(registry)
  const seconds = new DistributionSeries(registry, 'gdw_step_duration_seconds', 'Time to decide a step', STEP_SECONDS)
  return {
    recorded: () => receipts.add(),
    replayed: () => replays.add(),
    decided(decision: string, dryRun: boolean, route: string) {
      decisions.add(decision, String(dryRun))
      routes.add(route)
    },
    stepped: (value: number) => seconds.observe(value),
    attempted: (kind: string, outcome: string) => attempts.add(kind, outcome),
    /** `calls` of the operations of this service. */
    async text(calls: readonly CallSeries[], gauges: Gauges): Promise<string> {
      for (const { id, statuses } of calls)
        for (const [status, total] of statuses) requests.set(total, id, String(status))
      for (const [code, total] of codesOf(calls)) errors.set(total, code)
      show(gauges)
      return registry.metrics()
    },
  }
}

function codesOf(calls: readonly CallSeries[]): Map<string, number> {
  const totals = new Map<string, number>()
  for (const { codes } of calls) for (const [code, total] of codes) totals.set(code, (totals.get(code) ?? 0) + total)
  return totals
}

function gaugesOf(registry: Registry): (gauges: Gauges) => void {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const effects = gauge('gdw_effects', 'Effects in the store', 'state')
  const oldest = gauge('gdw_outbox_oldest_pending_seconds', 'Since the oldest pending effect became due; 0 if none is')
  const sessions = gauge('gdw_sessions', 'Sessions in the store', 'lifecycle')
  const reviews = gauge('gdw_reviews_pending', 'Steps that wait for a person')
  const ready = gauge('gdw_write_ready', 'Whether a step can be recorded now')
  const setEach = (labelled: Gauge, label: string, values: Record<string, number> | null): void => {
    labelled.reset()
    for (const [word, value] of Object.entries(values ?? {})) labelled.set({ [label]: word }, value)
  }
  return (gauges) => {
    setEach(effects, 'state', gauges.effects)
    setEach(sessions, 'lifecycle', gauges.sessions)
    setOrRemove(oldest, gauges.oldestPendingSeconds)
    setOrRemove(reviews, gauges.reviewsPending)
    ready.set(Number(gauges.writeReady))
  }
}

function setOrRemove(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove()
  else gauge.set(value)
}

type Gauges = Awaited<ReturnType<typeof steppingGauges>>

/** How governed stepping stands, for whoever scrapes it. What the store does not tell has no value: metrics are read when
 *  things are broken, and a number that nobody read is null and has no sample. */
export async function steppingGauges(
  reader: LedgerReader,
  effects: Pick<Effects, 'counts' | 'status'>,
  now: number,
  isReady: () => boolean,
) {
  const [counts, status, sessions, reviewsPending] = await Promise.all([
    effects.counts().catch(unread),
    effects.status().catch(unread),
    lifecycles(reader, now).catch(unread),
    usedByAll(reader, 'reviews').catch(unread),
  ])
  const oldestPendingSeconds = status?.lag_seconds ?? null
  return { effects: counts, oldestPendingSeconds, sessions, reviewsPending, writeReady: isReady() }
}

const unread = (): null => null

async function lifecycles(reader: LedgerReader, now: number) {
  const [all, idle] = await Promise.all([
    reader.countDocuments({ space: SESSION_SPACE }, COUNT_ALL),
    reader.countDocuments({ space: SESSION_SPACE, upTo: now - IDLE_MS }, COUNT_ALL),
  ])
  return { ACTIVE: all - idle, EXPIRED: idle }
}

type Reply = Awaited<ReturnType<Recorder['record']>>

const isReplay = ({ headers }: Reply): boolean => headers['idempotent-replay'] === 'true'

/** Only what was recorded or rehearsed counts as decided; an answer that is given again was counted the first time. */
export const observeStepping = (
  stepping: Stepping,
  series: SteppingSeries,
  clock: Pick<Clock, 'monotonic'>,
): Stepping => ({
  ...stepping,
  async step(...asked) {
    const from = clock.monotonic()
    const answer = await stepping.step(...asked)
    const recorded = isReply(answer)
    if (recorded && isReplay(answer)) return answer
    series.stepped((clock.monotonic() - from) / 1000)
    const { decision, dry_run, scheduler_mode } = (recorded ? answer.body : answer) as Record<string, unknown>
    series.decided(String(decision), dry_run === true, String(scheduler_mode))
    return answer
  },
})

/** A rehearsal is answered with the plain object. */
const isReply = (answer: object): answer is Reply => 'status' in answer && 'headers' in answer && 'body' in answer

export const observeSteppingRecorder = (recorder: Recorder, series: SteppingSeries): Recorder =>
  instrument(recorder, {
    async record(...asked) {
      const reply = await recorder.record(...asked)
      if (isReplay(reply)) series.replayed()
      else series.recorded()
      return reply
    },
  })
