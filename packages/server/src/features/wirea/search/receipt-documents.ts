import { rowOf } from '../../../domain/receipts/row.ts'
import type { StoredReceipt } from '../../../domain/stored-receipt.ts'
import type { Viewer } from '../../../domain/visibility.ts'
import type { SearchDocument } from '../contract.ts'

/** Receipts that are searched along: the newest ones of the caller. */
export const MAX_RECEIPTS = 200

/** As wherever receipts are read: without a registry everybody may, with one it takes the scope. */
export const mayReadReceipts = ({ authMode, scopes }: Viewer): boolean =>
  authMode !== 'registry' || scopes.has('receipts:read')

/** The caller himself and not the auditor: what others did is read where audits are made. */
export const asOwner = (viewer: Viewer): Viewer => ({ ...viewer, scopes: new Set() })

export const receiptDocuments = (receipts: readonly StoredReceipt[]): SearchDocument[] =>
  receipts.map((stored) => {
    const row = rowOf(stored)
    const said = [row.decision, row.tool, row.agent, row.request_id, row.ts_utc, ...row.gates_fired]
    return {
      key: `receipt:${row.digest}`,
      kind: 'receipt',
      id: row.digest,
      title: `${row.kind ?? 'unreadable'} receipt ${row.chain} ${row.seq}`,
      body: said.filter((one) => one !== null).join(' '),
      url: row.verify_url,
    }
  })
