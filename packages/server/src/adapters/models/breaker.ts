/** A target that keeps failing is left alone for a while, then tried by one call. */
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel'
import type { Clock } from '../../ports.ts'

export const FAILURES = 5
export const REST_MS = 5_000

/** Thrown by work that ended without a word for or against the target: it neither adds to its failures nor clears them. */
export class NoVerdict extends Error {}

export interface Breaker {
  state(): 'closed' | 'open' | 'half_open'
  /** Lets `work` through, or gives null where the target is left alone. What counts as a failure throws in `work`. */
  pass<T>(work: () => Promise<T>): Promise<T> | null
}

export function breakerOf(clock: Clock, { failures = FAILURES, restMs = REST_MS } = {}): Breaker {
  const judged = handleWhen((error) => !(error instanceof NoVerdict))
  const policy = circuitBreaker(judged, { halfOpenAfter: restMs, breaker: new ConsecutiveBreaker(failures) })
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
