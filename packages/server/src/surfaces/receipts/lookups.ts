/** Finding receipts and chains as a caller may see them: what belongs to somebody else is not there. */

import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { chainNamed, organNamed, sees } from '../../domain/visibility.ts'
import { ServiceError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import type { Ledger } from '../../ports.ts'
import type { ReceiptFilter } from './filter.ts'
import { type Page, type PageRequest, pageOf } from './page.ts'

type Caller = Call['caller']

const EMPTY_PAGE: Page = { receipts: [], rows: [], next_cursor: null, scanned: 0, count: 0 }
const ORDER = 'newest first, by node_index'

export const lookupsOf = (ledger: Ledger) => ({
  async visible(caller: Caller, digest: string): Promise<StoredReceipt> {
    const row = await ledger.reader.byDigest(digest)
    if (row !== null && sees(caller, row)) return row
    throw new ServiceError('receipt_not_found', `no receipt ${digest} in this ledger`)
  },

  listed(caller: Caller, filter: ReceiptFilter, paging: Pick<PageRequest, 'limit' | 'cursor'>): Page | Promise<Page> {
    const chain = filter.chain === undefined ? null : chainNamed(caller, filter.chain)
    if (filter.chain !== undefined && chain === null) return EMPTY_PAGE
    return pageOf(ledger.reader, caller, { ...paging, filter, chain })
  },

  async auditedChain(caller: Caller, organ: string) {
    const name = chainNamed(caller, organ)
    const found = name && (await ledger.audit()).chains.find((chain) => chain.organ === organNamed(name))
    if (found) return found
    throw new ServiceError('chain_not_found', `no chain ${organ} in this ledger; list them at khipu/organs`)
  },

  async newest(caller: Caller): Promise<StoredReceipt | null> {
    const page = await pageOf(ledger.reader, caller, { limit: 1, filter: {}, chain: null })
    return page.rows[0] ?? null
  },
})

/** A page as it is answered. */
export const shownPage = ({ receipts, count, scanned, next_cursor }: Page) => ({
  receipts,
  count,
  scanned,
  order: ORDER,
  next_cursor,
})
