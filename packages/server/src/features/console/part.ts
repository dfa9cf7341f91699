/** One part of the overview: read for this request, refused to this reader, or failed, each with its own words. A part
 *  that fails takes no other part with it. */
import { type Measured, measured, readingAsync, type Unavailable, unavailable } from '@orch/core'
import { ServiceError } from '../../errors.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'

/** Longer than any store that works takes; shorter than a reader waits. */
const PART_MS = 2_000

export type Part<T> = ({ state: 'read' } & Measured<T>) | ({ state: 'refused' | 'failed' } & Unavailable)

export interface PartReading<T> {
  source: string
  clock: Clock
  /** Of the request: a part whose caller has left is not read on. */
  signal: AbortSignal
  read(signal: AbortSignal): Promise<T>
}

export const refusedPart = (reason: string) => ({ state: 'refused' as const, ...unavailable(reason) })

export async function readPart<T>({ source, clock, signal, read }: PartReading<T>): Promise<Part<T>> {
  const take = async (left: AbortSignal) =>
    readingAsync(
      source,
      () => isoNow(clock),
      () => read(left),
    )
  const { found } = await runCheck(take, { clock, ms: PART_MS, failed, signal })
  return 'state' in found ? found : { state: 'read', ...measured(found) }
}

const failed = (code: string, error: unknown) => ({
  state: 'failed' as const,
  ...unavailable(failureReason(code, error)),
})

/** Only our own refusals are written to be shown; what a store throws may name files or hosts. */
function failureReason(code: string, error: unknown): string {
  if (error instanceof ServiceError) return `${error.code}: ${error.message}`
  if (code === 'CHECK_TIMEOUT') return `not read within ${PART_MS / 1000} seconds`
  return 'the reading failed; the checks of readiness say which part of the service does'
}
