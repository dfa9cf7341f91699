/** How a kept reading is told: where it stands, how old it is, and what the newest attempt failed with. */
import type { Label } from '@orch/core'
import type { Stored } from '../readings/contract.ts'

export function standingOf({ mode, fetched_at, age_seconds, last_error, reason, value }: Stored<unknown>) {
  const label: Label = value === null ? 'UNAVAILABLE' : 'SAMPLE'
  return { mode, fetched_at, age_seconds, last_error: last_error?.code ?? null, reason, label }
}
