import { monitorEventLoopDelay } from 'node:perf_hooks'
import { LoopWatch } from '../../platform/loop-watch.ts'
import type { Clock, Runtime } from '../../ports.ts'

const WINDOW_MS = 60_000
const LATE_WINDOW_MS = 5_000
const GRAIN_MS = 10

/** Readings of this very process. The delay histogram starts anew every minute, so that an old stall does not colour a
 *  reading taken now; a second one, of five seconds, says for how long there has been one. */
export function processRuntime(clock: Clock): Runtime & { stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: GRAIN_MS })
  const recent = monitorEventLoopDelay({ resolution: GRAIN_MS })
  const watch = new LoopWatch(clock.monotonic())
  delay.enable()
  recent.enable()
  const reset = setInterval(() => delay.reset(), WINDOW_MS).unref()
  const sample = setInterval(() => {
    watch.sample(delayOf(recent, 99), clock.monotonic())
    recent.reset()
  }, LATE_WINDOW_MS).unref()
  return {
    startedAt: clock.now(),
    versions: () => ({
      node: process.versions.node,
      v8: process.versions.v8,
      sqlite: process.versions.sqlite ?? 'unknown',
      platform: process.platform,
      arch: process.arch,
    }),
    eventLoopDelayP99: () => delayOf(delay, 99),
    eventLoopDelayP50: () => delayOf(delay, 50),
    eventLoopDelayMax: () => delayOf(delay, 100),
    eventLoopLateMs: () => watch.lateMs(clock.monotonic()),
    stop() {
      clearInterval(reset)
      clearInterval(sample)
      delay.disable()
      recent.disable()
    },
  }
}

/** The histogram counts from the timer's own grain; what is over it is delay. */
const delayOf = (delay: { percentile(percentile: number): number }, percentile: number): number =>
  Math.max(0, Math.round((delay.percentile(percentile) / 1e6 - GRAIN_MS) * 1000) / 1000) || 0
