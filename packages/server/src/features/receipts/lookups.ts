/** Finding receipts and chains as a caller may see them: what belongs to somebody else is not there. */
import { replays } from '@orch/core'
import type { ReceiptFilter } from '../../domain/receipts/filter.ts'
import type { LakeRecord } from '../../domain/receipts/lake.ts'
import type { Outcomes } from '../../domain/receipts/outcomes.ts'
import { assertCursor, type Page, type PageRequest } from '../../domain/receipts/page.ts'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { chainNamed, organNamed, sees } from '../../domain/visibility.ts'
import { ReceiptAltered, ServiceError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import type { Ledger } from '../../ports.ts'

/** What the operations of this feature have in common. */
export const group = 'Receipts and verification'
export const getDefaults = { group, method: 'GET', scope: 'receipts:read' } as const
export const openDefaults = { group, method: 'GET', scope: null } as const
export const EXAMPLE_DIGEST = '0'.repeat(64)

type Caller = Call['caller']

const EMPTY_PAGE: Page<never> = { receipts: [], next_cursor: null, scanned: 0, count: 0 }

type Paging = Pick<PageRequest, 'limit' | 'cursor'>
const ORDER = 'newest first, by node_index'

/** As it is stored: whoever verifies it says what is wrong with it. */
async function visible(ledger: Ledger, caller: Caller, digest: string): Promise<StoredReceipt> {
  const row = await ledger.reader.byDigest(digest)
  if (row !== null && sees(caller, row)) return row
  throw new ServiceError(
    'receipt_not_found',
    `no receipt ${digest} in this ledger; GET /api/orch/khipu/ledger lists them`,
  )
}

export const lookupsOf = (ledger: Ledger) => ({
  visible: (caller: Caller, digest: string) => visible(ledger, caller, digest),

  /** To be given out as the receipt of this digest, so its bytes have to be those. */
  async intact(caller: Caller, digest: string): Promise<StoredReceipt> {
    const row = await visible(ledger, caller, digest)
    if (!replays(row.body, digest)) throw new ReceiptAltered(row.nodeIndex)
    return row
  },

  async listed(caller: Caller, filter: ReceiptFilter, paging: Paging): Promise<Page> {
    const request = requestOf(caller, filter, paging)
    return request === null ? EMPTY_PAGE : ledger.queries.receiptPage(caller, request)
  },

  async outcomes(caller: Caller, filter: ReceiptFilter, slices: number, now: number): Promise<Outcomes | null> {
    const request = requestOf(caller, filter, { limit: 1 })
    return request === null ? null : ledger.queries.outcomes(caller, { filter, chain: request.chain, slices, now })
  },

  async lakeListed(caller: Caller, filter: ReceiptFilter, paging: Paging): Promise<Page<LakeRecord>> {
    const request = requestOf(caller, filter, paging)
    return request === null ? EMPTY_PAGE : ledger.queries.lakePage(caller, request)
  },

  async auditedChain(caller: Caller, organ: string) {
    const name = chainNamed(caller, organ)
    const found = name && (await ledger.audit()).chains.find((chain) => chain.organ === organNamed(name))
    if (found) return found
    throw new ServiceError('chain_not_found', `no chain ${organ} in this ledger; GET /api/orch/khipu/organs lists them`)
  },

  async newest(caller: Caller): Promise<StoredReceipt | null> {
    return (await ledger.queries.newestReceipts(caller, 1))[0] ?? null
  },
})

/** Null for a chain the caller may not see: its page is empty. */
function requestOf(caller: Caller, filter: ReceiptFilter, paging: Paging): PageRequest | null {
  const chain = filter.chain === undefined ? null : chainNamed(caller, filter.chain)
  if (filter.chain !== undefined && chain === null) return null
  assertCursor(paging.cursor, chain)
  return { ...paging, filter, chain }
}

/** A page as it is answered. */
export const shownPage = <T>({ receipts, count, scanned, next_cursor }: Page<T>) => ({
  receipts,
  count,
  scanned,
  order: ORDER,
  next_cursor,
})
