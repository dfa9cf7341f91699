/** The governance chain of the caller’s namespace, read and re-checked for the request that asks. */
import { type ClockNow, measured, readingAsync } from '@orch/core'
import { GOVERNANCE_CHAIN } from '../../domain/receipts/governance-page.ts'
import type { Viewer } from '../../domain/visibility.ts'
import type { LedgerQueries } from '../../ledger-contract.ts'

const ORDER = 'newest first, by seq'

export async function ledgerPage(
  queries: Pick<LedgerQueries, 'governancePage'>,
  viewer: Viewer,
  limit: number,
  now: ClockNow,
) {
  const read = () => queries.governancePage(viewer, limit)
  const { label, value, read_at } = measured(
    await readingAsync(`the chain ${GOVERNANCE_CHAIN} of this ledger`, now, read),
  )
  return { ...value, order: ORDER, updated_at: read_at, label }
}
