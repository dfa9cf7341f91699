/** The clock of a gate's deadline. It runs while the gate works and nearly stands while the machine works for others:
 *  how busy a server is must not decide whether a text is held for review. */

export interface Readings {
  /** Milliseconds by the wall. */
  wall(): number
  /** Milliseconds of processor this thread has had. */
  processor(): number
}

/** Shorter steps are not looked into: reading the processor costs more than they are worth. */
const STEP_MS = 5
/** The processor's clock is coarse, by a scheduler's tick at most. */
const TICK_MS = 10
/** Waiting counts a quarter, so that a gate that gets no processor is late as well, in the end. */
const WAITING = 4

/** Milliseconds since it was made; never goes back. */
export function workClock({ wall, processor }: Readings = ownReadings): () => number {
  const begun = wall()
  const had = processor()
  let last = begun
  let worked = 0
  return () => {
    const now = wall()
    const step = now - last
    last = now
    const limit = step < STEP_MS ? worked + step : Math.min(worked + step, processor() - had + TICK_MS)
    worked = Math.max(worked, limit)
    return Math.max(worked, (now - begun) / WAITING)
  }
}

const ownReadings: Readings = {
  wall: () => performance.now(),
  processor: () => {
    const used = process.threadCpuUsage()
    return (used.user + used.system) / 1000
  },
}
