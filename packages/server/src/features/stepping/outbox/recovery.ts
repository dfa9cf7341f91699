/** Bringing failed effects back on an operator's word, with an audit receipt that commits together with them. */
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../../access.ts'
import { ServiceError } from '../../../errors.ts'
import type { LedgerReader } from '../../../ledger/contract.ts'
import { once } from '../../../platform/once.ts'
import type { BuildFacts, Draft, Ledger } from '../../../ports.ts'
import type { RecoveryAsked, StoredEffect } from '../contract.ts'
import type { RecoveryReply } from '../effect-schemas.ts'
import { countWords, recover } from '../rules/recovery.ts'
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
  const assertOnce = once(() => assertIntact(parts, caller.namespace))
  return async () => {
    await assertOnce()
    const now = await storeNow()
    const { rows, ...report } = recover(await candidates(ledger.reader, caller.namespace, now), limit, now)
    const { selection, ...counts } = report
    const status = report.rescheduled > 0 ? 'RESCHEDULED' : 'NO_ELIGIBLE_EFFECTS'
    const source_revision = build.gitSha.value
    const answer: Omit<RecoveryReply, 'receipt'> = {
      schema: 'orch.gdw.transient-effect-recovery/v1',
      label: 'MEASURED',
      status,
      recovery_id,
      source_revision,
      requested_limit: limit,
      ...report,
    }
    return {
      chain: AUDIT_CHAIN,
      kind: 'recovery',
      payload: {
        operation: 'recovery',
        key_id: caller.keyId,
        limit,
        recovery_id,
        outcome: status,
        source_revision,
        expected_revision: expected,
        ...counts,
        // A thousand ids would not fit into a receipt: their digest is there, and how many had how many attempts.
        attempts_before: countWords(selection.map(({ attempts }) => attempts)),
        attempts_after: countWords(rows.map(({ attempts }) => attempts)),
      },
      documents: rows.map(({ document, effect_id: _, ...next }) => effectChange(document, next)),
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

/** Those that wait for a later time, those that were given up and those that are claimed, oldest first. What is due anyway
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
  return found
    .map((document) => ({ ...document.effect, effect_id: document.effect.effect_id ?? '', document }))
    .sort((a, b) => a.created_at - b.created_at || (a.document.row.key < b.document.row.key ? -1 : 1))
}
