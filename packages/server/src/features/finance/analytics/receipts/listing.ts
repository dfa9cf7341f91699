/** The contract of the receipts of finance, and the newest ones of both chains as one list. */

import { flags } from '../../../../domain/observation.ts'
import type { Page, PageRequest } from '../../../../domain/receipts/page.ts'
import type { ReceiptRow } from '../../../../domain/receipts/row.ts'
import type { Viewer } from '../../../../domain/visibility.ts'
import type { SignerStatus } from '../../../../ports.ts'
import { COMPUTATION_SCHEMA } from '../component.ts'
import { FINANCE_CHAIN } from '../ledger-result.ts'
import { INTEGRITY_CHECKS, type ListedReceipt } from './schemas.ts'

const PRICES_CHAIN = 'finance.prices'
const DEFAULT_LIMIT = 20

/** How each of the two kinds of record is made. */
export const RECEIPT_RULES = [
  {
    kind: 'CALLER_HELD' as const,
    made_by: [
      'GET /api/orch/v1/finance/analytics/v2/signals/{symbol_name}',
      'GET /api/orch/v1/finance/analytics/v2/quote/{symbol_name}',
      'GET /api/orch/v1/finance/signed-prices/model',
    ],
    schema: COMPUTATION_SCHEMA,
    fields: [
      'schema',
      'payload_sha256',
      'component_version',
      'source_revision',
      'signed',
      'persistence',
      'authority',
      'record_sha256',
    ],
    covers:
      'payload_sha256 covers the reply without computation, record_sha256 the record without itself; nothing is stored',
    signed: 'never',
  },
  {
    kind: 'LEDGER' as const,
    made_by: [
      'POST /api/orch/v1/finance/analytics/v2/portfolio',
      'POST /api/orch/v1/finance/research/audit',
      'POST /api/orch/v1/finance/analytics/v2/receipts/verify',
      'the price publisher',
    ],
    schema: 'orch.receipt/v1',
    fields: ['operation', 'label', 'input_source', 'payload_sha256', 'inputs_sha256'],
    covers:
      'payload_sha256 covers the reply without payload_sha256 and receipt, inputs_sha256 what was sent, which is not stored',
    signed: 'as every receipt of the ledger',
  },
]

type ReadPage = (viewer: Viewer, request: PageRequest) => Promise<Page<ReceiptRow>>

export async function listReceipts(
  readPage: ReadPage,
  viewer: Viewer,
  { limit = DEFAULT_LIMIT, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  signer: SignerStatus,
) {
  const places = /^f(\d+)p(\d+)$/.exec(cursor ?? '')
  const [own, prices] = await Promise.all(
    [FINANCE_CHAIN, PRICES_CHAIN].map((chain, at) => {
      const name = { ns: viewer.namespace, chain }
      return readPage(viewer, { limit, cursor: places ? `s${places[at + 1]}` : undefined, filter: {}, chain: name })
    }),
  )
  const merged = [...own!.receipts, ...prices!.receipts].sort((a, b) => b.node_index - a.node_index).slice(0, limit)
  const [ownNext, pricesNext] = [own!, prices!].map((page) => nextPlace(page, merged))
  return {
    schema: 'orch.finance.receipts/v1' as const,
    label: 'STRUCTURAL-ONLY' as const,
    kinds: RECEIPT_RULES,
    canonicalization: 'RFC 8785 (JCS), UTF-8; keys are ASCII, numbers that would need an exponent are texts',
    digest: 'SHA-256' as const,
    signing: {
      status: signer.status,
      signing_available: signer.signingAvailable,
      key_kind: signer.keyKind,
      fingerprint: signer.fingerprint,
      tested_at: signer.testedAt,
    },
    counts: { [FINANCE_CHAIN]: own!.count, [PRICES_CHAIN]: prices!.count },
    order: 'newest first, by node_index' as const,
    receipts: merged.map(toListed),
    next_cursor: ownNext === 0 && pricesNext === 0 ? null : `f${ownNext}p${pricesNext}`,
    ...flags,
  }
}

/** Where the chain goes on: after the last of its receipts that were shown, or after all of the page. */
function nextPlace({ receipts, next_cursor }: Page<ReceiptRow>, shown: readonly ReceiptRow[]): number {
  const left = receipts.find((one) => !shown.includes(one))
  if (left !== undefined) return left.seq + 1
  return next_cursor === null ? 0 : Number(next_cursor.slice(1))
}

const toListed = (row: ReceiptRow): ListedReceipt => ({
  receipt_id: row.receipt_id,
  chain: row.chain,
  seq: row.seq,
  node_index: row.node_index,
  kind: row.kind,
  ts_utc: row.ts_utc,
  signed: row.signed,
  keyid: row.keyid,
  key_kind: row.key_kind,
  verify_url: row.verify_url,
})

export const verifyContract = () => ({
  schema: 'orch.finance.receipt-verification/v1' as const,
  label: 'STRUCTURAL-ONLY' as const,
  state: 'INPUT_REQUIRED' as const,
  method: 'POST' as const,
  accepts: [
    { field: 'envelope', what: 'a whole reply of signals, quote, the price model, portfolio or the research audit' },
    { field: 'receipt_id', what: 'the digest of a receipt of this ledger' },
    { field: 'dsse', what: 'a DSSE envelope of a receipt' },
  ],
  checks: [...INTEGRITY_CHECKS],
  verified: false as const,
  ...flags,
})
