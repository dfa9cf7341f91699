/** How a stored reading is shown: its mode, how old it is, and what the newest attempt failed with. */
import type { Stored } from '../readings/contract.ts'

export function freshness({ mode, fetched_at, age_seconds, last_error, reason, value }: Stored<unknown>) {
  const label = value === null ? ('UNAVAILABLE' as const) : ('SAMPLE' as const)
  return { mode, fetched_at, age_seconds, last_error: last_error?.code ?? null, reason, label }
}
