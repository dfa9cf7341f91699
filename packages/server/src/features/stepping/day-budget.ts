/** What one owner may risk on one UTC day, over all his sessions: a new name for a session buys no new risk. The counter
 *  moves in the step's own commit and the store refuses what does not fit, so that steps in parallel never spend the same
 *  unit twice. Off unless the operator sets it. */
import { documentKey } from '../../domain/document-key.ts'
import { type Partition, partitionName } from '../../domain/partition.ts'
import { ServiceError } from '../../errors.ts'
import type { CounterMove, LedgerReader } from '../../ledger/contract.ts'

export const DAY_SPACE = 'gdw.day-risk'

export interface DayBudget {
  /** The UTC date. */
  day: string
  /** Millionths. */
  limit: number
  spent: number
}

const dayKey = ({ namespace, owner }: Partition, day: string): string => documentKey(namespace, owner, day)

export async function readDayBudget(
  reader: LedgerReader,
  owner: Partition,
  limit: number | null,
  now: number,
): Promise<DayBudget | null> {
  if (limit === null) return null
  const day = new Date(now).toISOString().slice(0, 10)
  return { day, limit, spent: await reader.counter(DAY_SPACE, dayKey(owner, day)) }
}

/** What a person approved is counted as well and is refused by no limit: that person was asked about exactly this. */
export function dayMoves(owner: Partition, budget: DayBudget | null, charge: number, lifted: boolean): CounterMove[] {
  if (budget === null || charge === 0) return []
  const { day, limit } = budget
  return [
    {
      space: DAY_SPACE,
      key: dayKey(owner, day),
      owner: partitionName(owner),
      add: charge,
      limit: lifted ? null : limit,
    },
  ]
}

/** Another step of the owner was faster: this one has to be decided again on what is left. */
export const isDaySpent = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.code === 'quota_exceeded' &&
  (error.extra.quota as { space?: string } | undefined)?.space === DAY_SPACE
