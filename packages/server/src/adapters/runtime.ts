import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock, Runtime } from '../ports.ts'

const WINDOW_MS = 60_000

/** Readings of this very process. The delay histogram starts anew every minute, so that an old stall does not colour a
 *  reading taken now. */
export function processRuntime(clock: Clock): Runtime & { stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const reset = setInterval(() => delay.reset(), WINDOW_MS)
  reset.unref()
  return {
    startedAt: clock.now(),
    versions: () => ({
      node: process.versions.node,
      v8: process.versions.v8,
      sqlite: process.versions.sqlite ?? 'unknown',
      platform: process.platform,
      arch: process.arch,
    }),
    // The histogram counts from the timer’s own 10 ms grain; what is over it is delay.
    eventLoopDelayP99: () => Math.max(0, Math.round((delay.percentile(99) / 1e6 - 10) * 1000) / 1000) || 0,
    stop() {
      clearInterval(reset)
      delay.disable()
    },
  }
}
