/** Writing ahead of a receipt, in turns with the recorder’s own requests for the same documents. */

import type { Claim, Ledger, Reserve } from '../ports.ts'
import type { RetryOnConflict } from './optimistic-retry.ts'

export function createReserve(ledger: Pick<Ledger, 'writeDocuments'>, retryOnConflict: RetryOnConflict): Reserve {
  const write = async ({ documents = [], counters = [] }: Claim): Promise<void> => {
    if (documents.length + counters.length > 0) await ledger.writeDocuments(documents, counters)
  }
  return async (decide) => (await retryOnConflict(decide, write))[0]
}
