/** One part of the overview: read for this request, refused to this reader, or failed, each with its own words. A part
 *  that fails takes no other part with it. */
import { type ClockNow, type Measured, measured, readingAsync, type Unavailable, unavailable } from '@orch/core'
import { ServiceError } from '../../errors.ts'
import { withDeadline } from '../../platform/deadline.ts'

/** Longer than any store that works takes; shorter than a reader waits. */
const PART_MS = 2_000

export type Part<T> = ({ state: 'read' } & Measured<T>) | ({ state: 'refused' | 'failed' } & Unavailable)

export interface PartReading<T> {
  source: string
  now: ClockNow
  /** Of the request: what nobody waits for any more is not read on. */
  signal: AbortSignal
  read(signal: AbortSignal): Promise<T>
}

export const refusedPart = (reason: string) => ({ state: 'refused' as const, ...unavailable(reason) })

export async function partOf<T>({ source, now, signal, read }: PartReading<T>): Promise<Part<T>> {
  try {
    const taken = await readingAsync(source, now, () => withDeadline(PART_MS, read, late, signal))
    return { state: 'read', ...measured(taken) }
  } catch (error) {
    return { state: 'failed', ...unavailable(reasonOf(error)) }
  }
}

class Overdue extends Error {}

const late = (): never => {
  throw new Overdue()
}

/** Only our own refusals are written to be shown; what a store throws may name files or hosts. */
function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return `${error.code}: ${error.message}`
  if (error instanceof Overdue) return `not read within ${PART_MS / 1000} seconds`
  return 'the reading failed; the checks of readiness say which part of the service does'
}
