/** How stepping stands, read now. Not ready is a field and never an error. */
import { DOCTRINE } from '@orch/core'
import type { Gates } from '../../governance/contract.ts'
import type { LedgerReader } from '../../ledger/contract.ts'
import type { Ledger } from '../../ports.ts'
import type { Stepping, WriteBlocker } from './contract.ts'
import { STATE_SCHEMA } from './rules/state.ts'

export interface HealthParts {
  ledger: Pick<Ledger, 'state'>
  reader: Pick<LedgerReader, 'head'>
  gates: Pick<Gates, 'status'>
  engine: string
  blockers(): WriteBlocker[]
  lastFullWalkAt(): string | null
}

export async function steppingHealth({
  ledger,
  reader,
  gates,
  engine,
  blockers,
  lastFullWalkAt,
}: HealthParts): ReturnType<Stepping['health']> {
  // What came of it is among the blockers.
  await reader.head().catch(() => null)
  const write_blockers = blockers()
  const { ready, rules_digest } = gates.status()
  return {
    schema: 'orch.gdw.health/v1',
    status: write_blockers.length === 0 ? 'ok' : 'degraded',
    write_ready: write_blockers.length === 0,
    write_blockers,
    store: { engine, durability_state: ledger.state().durability, schema_version: STATE_SCHEMA },
    gates: { ready, rules_digest },
    last_full_walk_at: lastFullWalkAt(),
    doctrine: DOCTRINE,
  }
}
