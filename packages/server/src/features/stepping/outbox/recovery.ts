/** Bringing failed effects back on an operator's word, with an audit receipt that commits together with them. */
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../../access.ts'
import { ServiceError } from '../../../errors.ts'
import type { DocumentWrite, LedgerReader } from '../../../ledger/contract.ts'
import type { BuildFacts, Draft, Ledger } from '../../../ports.ts'
import type { RecoveryAsked, StoredEffect } from '../contract.ts'
import type { RecoveryReply } from '../effect-schemas.ts'
import { recover } from '../rules/recovery.ts'
import { AUDIT_CHAIN } from '../store/session-documents.ts'
import type { StoreTime } from '../store/store-reader.ts'
import { type EffectDocument, effectChange, effectPages } from './effect-documents.ts'

export interface RecoveryParts {
  ledger: Pick<Ledger, 'reader'>
  storeNow: StoreTime
  build: Pick<BuildFacts, 'gitSha'>
  /** Whether the records of the namespace hold as far as they were re-walked. */
  isIntact(namespace: string): Promise<boolean>
  /** Where another source of chance is wanted than the system's. */
  newId?: () => string
}

const PAGE = 500
const LAST_KEY = 'f'.repeat(64)

type Candidate = Omit<StoredEffect, 'effect_id'> & { effect_id: string; document: EffectDocument }

/** Whoever repairs wants to know what code he is talking to: another revision than the expected one touches nothing. */
export function assertRevision({ gitSha }: Pick<BuildFacts, 'gitSha'>, expected: string | null): void {
  const observed = gitSha.value?.toLowerCase() ?? null
  if (expected === null || expected === observed) return
  throw new ServiceError('source_revision_mismatch', 'another revision runs here; read observed and decide again', {
    extra: { expected, observed },
  })
}

export function recoveryWork(
  parts: RecoveryParts,
  caller: Caller,
  { limit, expected }: RecoveryAsked,
): () => Promise<Draft> {
  const { ledger, storeNow, build, newId = randomUUID } = parts
  const recovery_id = newId()
  let intact: Promise<void> | null = null
  return async () => {
    intact ??= assertIntact(parts, caller.namespace)
    await intact
    const now = await storeNow()
    const { rows, ...report } = recover(await candidates(ledger.reader, caller.namespace, now), limit, now)
    const source_revision = build.gitSha.value
    const answer: Omit<RecoveryReply, 'receipt'> = {
      schema: 'orch.gdw.transient-effect-recovery/v1',
      label: 'MEASURED',
      status: report.rescheduled > 0 ? 'RESCHEDULED' : 'NO_ELIGIBLE_EFFECTS',
      recovery_id,
      source_revision,
      requested_limit: limit,
      ...report,
    }
    return {
      chain: AUDIT_CHAIN,
      kind: 'recovery',
      payload: { operation: 'recovery', key_id: caller.keyId, limit, ...audited(answer, expected, rows) },
      documents: rows.map(changed),
      answer,
    }
  }
}

async function assertIntact(parts: RecoveryParts, namespace: string): Promise<void> {
  if (await parts.isIntact(namespace)) return
  throw new ServiceError(
    'integrity_not_verified',
    'the records of this namespace do not verify; read /api/orch/v1/gdw/integrity',
  )
}

/** A thousand ids would not fit into a receipt: their digest is there, and how many had how many attempts. */
function audited(
  answer: Omit<RecoveryReply, 'receipt'>,
  expected_revision: string | null,
  rows: readonly Candidate[],
): Record<string, unknown> {
  const { selection, by_code, recovery_id, status, source_revision, selection_sha256 } = answer
  const { inspected, eligible, rescheduled, revived_dead_letters, eligible_remaining, skipped } = answer
  return {
    recovery_id,
    outcome: status,
    source_revision,
    expected_revision,
    ...{ inspected, eligible, rescheduled, revived_dead_letters, eligible_remaining, skipped, by_code },
    selection_sha256,
    attempts_before: tally(selection),
    attempts_after: tally(rows),
  }
}

function tally(rows: readonly { attempts: number }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { attempts } of rows) counts[attempts] = (counts[attempts] ?? 0) + 1
  return counts
}

/** Those that wait for a later time, those that were given up and those that are held, oldest first. What is due anyway
 *  needs nobody's help and is not read. */
async function candidates(reader: LedgerReader, namespace: string, now: number): Promise<Candidate[]> {
  const walks = [
    { state: 'PENDING', after: { rank: now, key: LAST_KEY } },
    { state: 'DEAD_LETTER' },
    { state: 'CLAIMED' },
  ]
  const found: EffectDocument[] = []
  for (const walk of walks) {
    const next = effectPages(reader, namespace, walk)
    for (let page = await next(PAGE); page !== null; page = await next(PAGE)) found.push(...page)
  }
  return found.map(candidate).sort(byAge)
}

const candidate = (document: EffectDocument): Candidate => ({
  ...document.effect,
  effect_id: document.effect.effect_id ?? '',
  document,
})

const byAge = (a: Candidate, b: Candidate): number =>
  a.created_at - b.created_at || (a.document.row.key < b.document.row.key ? -1 : 1)

function changed({
  document,
  state,
  attempts,
  claim_generation,
  recoveries,
  due_at,
  lease_until,
  last_error,
}: Candidate) {
  const next = { state, attempts, claim_generation, recoveries, due_at, lease_until, last_error }
  return effectChange(document, next) satisfies DocumentWrite
}
