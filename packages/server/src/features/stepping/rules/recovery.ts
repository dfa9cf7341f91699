/** Bringing back effects that failed for a passing reason. Claimed rows, permanent and unclassified errors are
 *  counted and never touched. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { RecoveryReply } from '../effect-schemas.ts'
import { type EffectProgress, MAX_ATTEMPTS } from './effect-transitions.ts'

export const MAX_RECOVERIES = 3

export type RecoverableEffect = EffectProgress & { effect_id: string }

export interface Recovery<T>
  extends Omit<
    RecoveryReply,
    'schema' | 'label' | 'status' | 'recovery_id' | 'source_revision' | 'requested_limit' | 'receipt'
  > {
  /** The rows as they are to be written. */
  rows: T[]
}

type Eligibility = 'eligible' | keyof Recovery<never>['skipped'] | 'untouched'

/** `rows` are those not exported, oldest first. */
export function recover<T extends RecoverableEffect>(rows: readonly T[], limit: number, now: number): Recovery<T> {
  const judged = rows.map((row) => ({ row, eligibility: classify(row, now) }))
  const count = (wanted: Eligibility): number => judged.filter(({ eligibility }) => eligibility === wanted).length
  const taken = judged
    .filter(({ eligibility }) => eligibility === 'eligible')
    .slice(0, limit)
    .map(({ row }) => row)
  const selection = taken.map(({ effect_id, state, attempts }) => ({ effect_id, from: state, attempts }))
  return {
    inspected: judged.length - count('untouched'),
    eligible: count('eligible'),
    rescheduled: taken.length,
    revived_dead_letters: taken.filter(({ state }) => state === 'DEAD_LETTER').length,
    eligible_remaining: count('eligible') - taken.length,
    skipped: {
      claimed: count('claimed'),
      permanent: count('permanent'),
      unclassified: count('unclassified'),
      recovery_limit: count('recovery_limit'),
    },
    by_code: countWords(taken.flatMap(({ last_error }) => last_error?.code ?? [])),
    selection,
    selection_sha256: sha256Hex(canonicalBytes(selection)),
    rows: taken.map((row) => ({ ...row, ...recovered(row, now) })),
  }
}

/** A row that never failed, or is due anyway, needs no recovery and is not counted. */
function classify(row: EffectProgress, now: number): Eligibility {
  if (row.state === 'CLAIMED') return 'claimed'
  if (row.state === 'EXPORTED' || row.last_error === null) return 'untouched'
  if (row.last_error.class === 'PERMANENT') return 'permanent'
  if (row.last_error.class === 'UNCLASSIFIED') return 'unclassified'
  if (row.state === 'DEAD_LETTER') return row.recoveries < MAX_RECOVERIES ? 'eligible' : 'recovery_limit'
  return row.attempts > 0 && row.due_at > now ? 'eligible' : 'untouched'
}

/** A revived effect has one attempt left. */
function recovered(row: EffectProgress, now: number): EffectProgress {
  if (row.state === 'PENDING') return { ...row, due_at: now }
  const { recoveries } = row
  return { ...row, state: 'PENDING', due_at: now, attempts: MAX_ATTEMPTS - 1, recoveries: recoveries + 1 }
}

/** How often each word is given. */
export function countWords(words: Iterable<string | number>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
