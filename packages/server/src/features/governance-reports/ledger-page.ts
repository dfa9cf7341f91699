/** The governance chain of the caller's namespace, read and re-checked for the request that asks. */
import { type ClockNow, measured, readingAsync } from '@orch/core'
import type { BrokenPlace } from '../../domain/organs.ts'
import { GOVERNANCE_CHAIN } from '../../domain/receipts/governance-page.ts'
import type { Viewer } from '../../domain/visibility.ts'
import type { LedgerQueries } from '../../ledger/contract.ts'

interface Ledger {
  queries: Pick<LedgerQueries, 'governancePage'>
  /** Whoever finds that what is stored does not hold says so. */
  reportBreak(sentence: string, place?: BrokenPlace): void
}

const ORDER = 'newest first, by seq'

export async function ledgerPage(ledger: Ledger, viewer: Viewer, limit: number, now: ClockNow) {
  const read = () => ledger.queries.governancePage(viewer, limit)
  const { label, value, read_at } = measured(
    await readingAsync(`the chain ${GOVERNANCE_CHAIN} of this ledger`, now, read),
  )
  const { first_break_seq: seq } = value.window
  if (seq !== null)
    ledger.reportBreak(`the chain ${GOVERNANCE_CHAIN} is broken at seq ${seq}`, {
      nodeIndex: null,
      ns: viewer.namespace,
      chain: GOVERNANCE_CHAIN,
      seq,
    })
  return { ...value, order: ORDER, updated_at: read_at, label }
}
