/** Looks a receipt up for whoever may see it; for others it is not there. */
import { receiptChecks } from '../../../domain/receipt-checks.ts'
import { sees } from '../../../domain/visibility.ts'
import type { Ledger } from '../../../ports.ts'
import type { FindReceipt } from './organ.ts'

export function receiptFinder(ledger: Ledger): FindReceipt {
  const { reader } = ledger
  const check = receiptChecks(ledger, reader)
  return async (caller, digest) => {
    const row = await reader.byDigest(digest)
    if (row === null || !sees(caller, row)) return { found: false, verified: false }
    const checked = await check(row)
    return { found: true, verified: checked.digest === row.digest && checked.signature === true }
  }
}
