/** A target that keeps failing is left alone for a while, then tried by one call. */
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import type { Clock } from '../../ports.ts'

export const FAILURES = 5
export const REST_MS = 5_000

export interface Breaker {
  state(): 'closed' | 'open' | 'half_open'
  /** Lets `work` through, or gives null where the target is left alone. What counts as a failure throws in `work`. */
  pass<T>(work: () => Promise<T>): Promise<T> | null
}

export function breakerOf(clock: Clock, { failures = FAILURES, restMs = REST_MS } = {}): Breaker {
  const policy = circuitBreaker(handleAll, { halfOpenAfter: restMs, breaker: new ConsecutiveBreaker(failures) })
  let openedAt = 0
  policy.onBreak(() => {
    openedAt = clock.monotonic()
  })
  const state = (): ReturnType<Breaker['state']> => {
    if (policy.state === CircuitState.Closed) return 'closed'
    // While one call tries, the others go elsewhere instead of waiting for what it finds.
    if (policy.state !== CircuitState.Open) return 'open'
    return clock.monotonic() - openedAt >= restMs ? 'half_open' : 'open'
  }
  return { state, pass: (work) => (state() === 'open' ? null : policy.execute(work)) }
}
