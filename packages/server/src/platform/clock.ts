export interface Clock {
  /** Milliseconds since the epoch. Time never decides order. */
  now(): number
  /** Milliseconds of a clock that never goes back; for durations only. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
