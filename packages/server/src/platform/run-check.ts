import { type Clock, isoNow } from './clock.ts'
import { type Apart, withDeadline } from './deadline.ts'

/** What it hands to `apart` is not counted into its time. */
type Check<T> = (signal: AbortSignal, apart: Apart) => Promise<T>

interface CheckTerms<F> {
  clock: Clock
  /** How long the check may take; null where it has no limit of its own. */
  ms: number | null
  /** What is found where the check throws or runs over its time. */
  failed(code: 'CHECK_FAILED' | 'CHECK_TIMEOUT', error: unknown): F
  /** Of whoever waits for the check: when it aborts, the check has failed with its reason. */
  signal?: AbortSignal
}

interface CheckRun<T> {
  found: T
  checked_at: string
  latency_ms: number
}

/** Runs one check. It never rejects: a check that throws or overruns has found what `failed` makes of it. */
export async function runCheck<T, F>(
  check: Check<T>,
  { clock, ms, failed, signal }: CheckTerms<F>,
): Promise<CheckRun<T | F>> {
  const started = clock.monotonic()
  const found = await attempt(check, ms, failed, signal)
  return { found, checked_at: isoNow(clock), latency_ms: Math.round((clock.monotonic() - started) * 1000) / 1000 }
}

async function attempt<T, F>(
  check: Check<T>,
  ms: number | null,
  failed: CheckTerms<F>['failed'],
  signal?: AbortSignal,
): Promise<T | F> {
  try {
    if (ms === null) return await check(signal ?? new AbortController().signal, (wait) => wait)
    return await withDeadline(ms, check, () => failed('CHECK_TIMEOUT', null), signal)
  } catch (error) {
    return failed('CHECK_FAILED', error)
  }
}
