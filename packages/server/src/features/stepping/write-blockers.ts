/** Why nothing can be recorded now. Each is known without asking the store: it is looked at before a body is read. */
import { DOCTRINE } from '@orch/core'
import { ServiceError } from '../../errors.ts'
import type { Gates, Policies } from '../../governance/contract.ts'
import type { Ledger } from '../../ports.ts'
import type { Stepping, WriteBlocker } from './contract.ts'
import { STATE_SCHEMA } from './rules/state.ts'

export interface BlockerParts {
  ledger: Pick<Ledger, 'state' | 'tail' | 'signer'>
  gates: Pick<Gates, 'status'>
  policies: Pick<Policies, 'status'>
  /** Whether the last walk over the recorded steps found a break. */
  isBroken(): boolean
  hasRegistry(): boolean
  /** Whether a read of the store failed a moment ago. */
  isStoreAway(): boolean
  /** Whether the newest step was recorded in another form than this build writes. */
  isOtherSchema(): boolean
  /** Whether nothing may be recorded without a signature. */
  mustSign: boolean
}

export function writeBlockers(parts: BlockerParts): WriteBlocker[] {
  const { ledger } = parts
  const { readOnly, rolledBack, guard } = ledger.state()
  const found: [boolean, WriteBlocker][] = [
    [!parts.hasRegistry(), 'CREDENTIAL_REGISTRY_UNAVAILABLE'],
    [!parts.policies.status().ready, 'POLICY_UNAVAILABLE'],
    [!parts.gates.status().ready, 'GATES_UNAVAILABLE'],
    [parts.isStoreAway(), 'STORE_UNAVAILABLE'],
    [readOnly !== null || guard.blocking, 'STORE_READ_ONLY'],
    [parts.isOtherSchema(), 'SCHEMA_VERSION_MISMATCH'],
    [ledger.tail.broken !== null || parts.isBroken(), 'CHAIN_BROKEN'],
    [rolledBack, 'HEAD_BEHIND_CHECKPOINT'],
    [parts.mustSign && !ledger.signer.test.ok, 'LEDGER_UNAVAILABLE'],
  ]
  return found.filter(([applies]) => applies).map(([, blocker]) => blocker)
}

export function assertNoBlockers(blockers: readonly WriteBlocker[]): void {
  if (blockers.length === 0) return
  throw new ServiceError('write_surface_unavailable', 'steps cannot be recorded now; read /api/orch/v1/gdw/healthz', {
    extra: { write_blockers: blockers },
    headers: { 'retry-after': '30' },
  })
}

/** How stepping stands. Not ready is a field and never an error. */
export const steppingHealth = (
  { ledger, gates }: Pick<BlockerParts, 'ledger' | 'gates'>,
  engine: string,
  write_blockers: WriteBlocker[],
): Omit<Awaited<ReturnType<Stepping['health']>>, 'last_full_walk_at'> => {
  const { ready, rules_digest } = gates.status()
  return {
    schema: 'orch.gdw.health/v1',
    status: write_blockers.length === 0 ? 'ok' : 'degraded',
    write_ready: write_blockers.length === 0,
    write_blockers,
    store: { engine, durability_state: ledger.state().durability, schema_version: STATE_SCHEMA },
    gates: { ready, rules_digest },
    doctrine: DOCTRINE,
  }
}
