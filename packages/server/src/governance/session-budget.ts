/** What a session has spent of its risk. Reserved in the receipt's own transaction, so that calls in parallel never
 *  spend the same unit twice. */
import { documentKey } from '../domain/document-key.ts'
import { type Partition, partitionName } from '../domain/partition.ts'
import type { DocumentWrite, LedgerReader } from '../ledger-contract.ts'

export const BUDGET_SPACE = 'session-budget'
const IDLE_MS = 24 * 3_600_000

export interface HeldBudget {
  key: string
  version: number
  spent: number
}

export async function readBudget(
  reader: LedgerReader,
  owner: Partition,
  session: string,
  now: number,
): Promise<HeldBudget> {
  const key = documentKey(owner.namespace, owner.owner, session)
  const row = await reader.document(BUDGET_SPACE, key)
  if (row === null) return { key, version: 0, spent: 0 }
  const { spent_micro } = JSON.parse(row.value) as { spent_micro: number }
  return { key, version: row.version, spent: now - row.rank >= IDLE_MS ? 0 : spent_micro }
}

/** Denied calls pay as well. A charge that does not fit takes what is left: from then on every charge goes to a person. */
export const budgetWrite = (
  held: HeldBudget,
  owner: Partition,
  spent: number,
  limit: number,
  now: number,
): DocumentWrite => ({
  space: BUDGET_SPACE,
  key: held.key,
  expect: held.version,
  owner: partitionName(owner),
  state: 'open',
  rank: now,
  value: JSON.stringify({ spent_micro: Math.min(spent, Math.max(limit, held.spent)) }),
})

/** Counted no further than 10,001; those idle for a day leave with the next sweep. */
export const activeSessions = (reader: LedgerReader): Promise<number> => reader.countDocuments({ space: BUDGET_SPACE })

/** Sessions that have been idle for a day, oldest first, ready to be removed. */
export async function idleBudgets(reader: LedgerReader, now: number, limit: number): Promise<DocumentWrite[]> {
  const rows = await reader.documents({ space: BUDGET_SPACE, order: 'asc', limit })
  return rows
    .filter(({ rank }) => now - rank >= IDLE_MS)
    .map(({ space, key, version, owner, state, rank }) => ({
      space,
      key,
      expect: version,
      owner,
      state,
      rank,
      value: null,
    }))
}
