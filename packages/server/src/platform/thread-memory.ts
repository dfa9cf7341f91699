/** Exists for memory alone. A thread that keeps nothing but what it is at needs little room for young objects. With 2 MiB
 *  for each of the threads of ledger and gates, the service holds about 60 MiB less after 60,000 decisions, at 3 % more
 *  processor time; with 1 MiB it is 294 instead of 304 MiB after 100,000, at up to 5 % more (`npm run bench -- --memory`
 *  and `-- --spread` print them). */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'

/** Three spaces of 1 MiB. */
const YOUNG_MEGABYTES = 3
const MEBIBYTE = 1_048_576

/** As much as the thread that serves has, or what the thread is given. Without a limit V8 lets garbage grow to four times
 *  what lives: after 5,000 sessions of steps the thread of the ledger held 47 MiB of heap and 29 of buffers, of which next
 *  to nothing lived. */
export const threadLimits = (
  maxOldGenerationSizeMb = Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE),
): ResourceLimits => ownLimits({ maxYoungGenerationSizeMb: YOUNG_MEGABYTES, maxOldGenerationSizeMb })

/** The flags of the command line are for the thread that serves; they would win over the limits of every other one. */
export function ownLimits(limits: ResourceLimits): ResourceLimits {
  for (const flag of ['--max-semi-space-size=0', '--max-old-space-size=0']) setFlagsFromString(flag)
  return limits
}
