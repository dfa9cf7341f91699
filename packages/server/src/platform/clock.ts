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

/** The clock's time in the form every record writes it in. */
export const isoNow = (clock: Pick<Clock, 'now'>): string => new Date(clock.now()).toISOString()
