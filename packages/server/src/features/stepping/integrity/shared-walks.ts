/** Walks over recorded steps cost as much as there is recorded, and anybody who may read his records may ask for one. So
 *  one of a kind runs at a time, which its caller sees to, and it leaves the process to others every few milliseconds. */
import { setImmediate as otherWork } from 'node:timers/promises'
import type { Clock } from '../../../ports.ts'

const SLICE_MS = 4

/** The work, kept from running longer than a slice at a stretch, however many callers have it do something at once. */
export function sliced<A, R>(
  work: (argument: A) => Promise<R>,
  clock: Pick<Clock, 'monotonic'>,
  pause: () => Promise<unknown> = otherWork,
): (argument: A) => Promise<R> {
  let since = clock.monotonic()
  let pausing: Promise<void> | null = null
  const paused = async (): Promise<void> => {
    await pause()
    pausing = null
    since = clock.monotonic()
  }
  return async (argument) => {
    while (clock.monotonic() - since >= SLICE_MS) {
      pausing ??= paused()
      await pausing
    }
    return work(argument)
  }
}
