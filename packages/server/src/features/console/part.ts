/** One part of the overview: read for this request, refused to this reader, or failed, each with its own words. A part
 *  that fails takes no other part with it. */
import { type Measured, measured, readingAsync, type Unavailable, unavailable } from '@orch/core'
import { ServiceError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'

/** Longer than any store that works takes; shorter than a reader waits. */
const PART_MS = 2_000

export type Part<T> = ({ state: 'read' } & Measured<T>) | ({ state: 'refused' | 'failed' } & Unavailable)

interface PartReading<T> {
  source: string
  clock: Clock
  /** Of the request: a part whose caller has left is not read on. */
  signal: AbortSignal
  read(signal: AbortSignal): Promise<T>
}

const refusedPart = (reason: string) => ({ state: 'refused' as const, ...unavailable(reason) })

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

export type Caller = Call['caller']

/** Where a registry tells people apart, whoever brought no credential that is good. */
const isAnonymous = ({ authMode, keyId }: Caller): boolean => authMode === 'registry' && keyId === null

const NEEDED = 'a credential is needed to read this, and none that is good came with the request'

/** Without a registry reading is open to all, whatever the scopes. */
function refusalOf(caller: Caller, scope: Parameters<Caller['scopes']['has']>[0] | null): string | null {
  if (isAnonymous(caller)) return NEEDED
  if (scope === null || caller.authMode !== 'registry' || caller.scopes.has(scope)) return null
  return `this credential lacks the scope ${scope}`
}

export async function guarded<T>(
  caller: Caller,
  scope: Parameters<typeof refusalOf>[1],
  reading: PartReading<T>,
): Promise<Part<T>> {
  const refusal = refusalOf(caller, scope)
  return refusal === null ? readPart(reading) : refusedPart(refusal)
}

const NOTES: Readonly<Record<Caller['authMode'], string>> = {
  open: 'Open on this machine: no credential is asked for, and whoever reaches this address is its one owner.',
  token: 'Reading is open here; whatever writes needs the token that was printed when the service started.',
  registry: 'What stands here is what the credential of this request may see.',
}
const ANONYMOUS_NOTE =
  'A credential is needed to see decisions, reviews and gates. Send it as Authorization: Bearer; this page takes none in its address and keeps none.'

export const accessOf = (caller: Caller) => {
  const known = !isAnonymous(caller)
  return {
    auth_mode: caller.authMode,
    recognised: known,
    namespace: known ? caller.namespace : null,
    owner: known ? caller.owner : null,
    note: known ? NOTES[caller.authMode] : ANONYMOUS_NOTE,
  }
}
