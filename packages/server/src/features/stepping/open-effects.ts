/** The part of the composition root that lets recorded steps have their effects, and counts what stepping does. */
import { join } from 'node:path'
import type { OutboundSettings } from '../../adapters/outbound/json-exchange.ts'
import type { Config } from '../../config/config.ts'
import type { CallSeries, Outbox, Ports, Recorder } from '../../ports.ts'
import type { EffectSink, Effects, Stepping, SteppingMetrics } from './contract.ts'
import { observeSteppingRecorder } from './io/instrumentation.ts'
import { openFileSink } from './io/sink-file.ts'
import { type SteppingSeries, steppingSeries } from './io/stepping-metrics.ts'
import { webSink } from './io/web-sink.ts'
import { steppingGauges } from './metrics.ts'
import { createOutbox, DRAIN_INTERVAL_MS } from './outbox/service.ts'
import { outboxStats } from './outbox/stats.ts'
import { EFFECT_KINDS } from './rules/effects.ts'
import { MODES } from './rules/mode.ts'
import { storeTime } from './store/store-time.ts'

export const EFFECTS_FOLDER = 'gdw-effects'

/** Counts what is recorded through it. */
export interface SteppingCounts {
  series: SteppingSeries
  recorder: Recorder
}

export function countStepping(recorder: Recorder): SteppingCounts {
  const series = steppingSeries({ kinds: EFFECT_KINDS, routes: MODES })
  return { series, recorder: observeSteppingRecorder(recorder, series) }
}

export const openSink = async (
  config: Config,
  { data, outbound, now }: { data: string; outbound: OutboundSettings; now: () => number },
): Promise<EffectSink> =>
  config.gdwSinkUrl === null
    ? openFileSink({ folder: join(data, EFFECTS_FOLDER), now })
    : webSink(config.gdwSinkUrl, outbound)

/** What an operator should know of the sink before he relies on it; null where there is nothing to say. */
export const sinkWarning = ({ store, gdwSink }: Pick<Config, 'store' | 'gdwSink'>): string | null =>
  store === 'postgres' && gdwSink === 'file'
    ? 'effects of steps go to the data folder of whichever node takes them; with several nodes set ORCH_GDW_SINK=web'
    : null

type Deps = Pick<Ports, 'ledger' | 'clock' | 'build' | 'background'> & {
  stepping: Stepping
  sink: EffectSink
  counts: SteppingCounts
  /** Of the operations of stepping. */
  calls(): readonly CallSeries[]
}

export interface OpenEffects {
  ports: { effects: Effects; outbox: Outbox; steppingMetrics: SteppingMetrics }
  stop(): Promise<void>
}

export function openEffects({ counts, calls, ...deps }: Deps): OpenEffects {
  const { ledger, clock, background, stepping } = deps
  const { series, recorder } = counts
  const outbox = createOutbox({
    ...deps,
    recorder,
    storeNow: storeTime(ledger.reader, clock),
    attempted: ({ outcome, document }) => series.attempted(document.effect.kind, outcome.toLowerCase()),
    isIntact: (namespace) => stepping.isIntact(namespace),
  })
  background.every('gdw-drain', DRAIN_INTERVAL_MS, () => outbox.drainAll())
  const gauges = () => steppingGauges(ledger.reader, outbox, clock.now(), () => stepping.blockers().length === 0)
  const steppingMetrics = { text: async () => series.text(calls(), await gauges()) }
  return { ports: { effects: outbox, outbox: outboxStats(ledger.reader), steppingMetrics }, stop: () => outbox.stop() }
}
