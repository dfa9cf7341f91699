/** Verifies the stored receipt of a print in the request that shows it. Nothing is appended and nothing is signed. */
import { canonicalizePortable } from '@orch/core'
import { type CheckedLedger, receiptChecks } from '../../../domain/receipt-checks.ts'
import { receiptEnvelope } from '../../../domain/receipt-view.ts'
import { bodyOf } from '../../../domain/stored-receipt.ts'
import type { LedgerReader } from '../../../ledger/contract.ts'
import type { PrintCheck } from './decision.ts'
import { PRICE_CHAIN, type Print, pricePayload } from './publisher.ts'
import type { PriceSymbol } from './schemas.ts'

/** The part of the ledger that looks: it has no way to add to it. */
export type VerifyingLedger = CheckedLedger & { reader: LedgerReader }

export async function checkPrint(ledger: VerifyingLedger, symbol: PriceSymbol, print: Print): Promise<PrintCheck> {
  const row = await ledger.reader.byDigest(print.receiptId)
  if (row === null) return { signature: 'INVALID', digest: 'MISMATCH', keyid: null, keyKind: null, dsse: null }
  // Without memory of earlier requests: the signature is verified in this one.
  const { digest, signature } = await receiptChecks(ledger, ledger.reader)(row)
  const body = bodyOf(row)
  const isOurs = body !== null && body.kind === 'price' && body.chain === PRICE_CHAIN
  const isSame = digest === print.receiptId && isOurs && saysTheSame(body.payload, symbol, print)
  return {
    signature: signature === null ? 'UNSIGNED' : signature ? 'VERIFIED' : 'INVALID',
    digest: isSame ? 'MATCHES' : 'MISMATCH',
    keyid: row.keyid,
    keyKind: row.keyKind,
    dsse: receiptEnvelope(row),
  }
}

/** The ledger adds the kind of its key to what it signs. */
function saysTheSame(payload: Record<string, unknown>, symbol: PriceSymbol, print: Print): boolean {
  const { key_kind: _, ...signed } = payload
  return canonicalizePortable(signed) === canonicalizePortable(pricePayload(symbol, print.estimate, print.observedAt))
}
