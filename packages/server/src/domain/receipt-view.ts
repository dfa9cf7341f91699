/** How a stored receipt looks from outside: its summary in every reply and its envelope. One place, so that a first
 *  answer and its replay are the same bytes. */
import { base64Encode, DSSE_VERSION, KEY_HONESTY, pae, paeSha256Hex, RECEIPT_PAYLOAD_TYPE } from '@orch/core'
import type { InclusionPath, Row } from '../ledger/contract.ts'
import type { DsseEnvelope } from './wire.ts'

/** What is needed of a receipt to show it, with its path where that was asked for when the receipt was appended. */
export type ShownReceipt = Omit<Row, 'ns' | 'lake'> & { inclusion?: InclusionPath | null }

export const verifyUrl = (digest: string): string => joined('/api/orch/v1/verify/receipt/', digest)

/** The label says what a receipt can vouch for by itself: its structure, not the truth of what it holds. */
export const receiptSummary = (receipt: ShownReceipt) => ({
  receipt_id: receipt.digest,
  digest: receipt.digest,
  chain: receipt.chain,
  seq: receipt.seq,
  prev: receipt.prev,
  node_index: receipt.nodeIndex,
  signed: receipt.signature !== null,
  keyid: receipt.keyid,
  key_kind: receipt.keyKind,
  signature_state: receipt.signatureState,
  label: 'STRUCTURAL-ONLY' as const,
  verify_url: verifyUrl(receipt.digest),
})

/** The DSSE envelope with the annotations our exports carry in it. */
export function receiptEnvelope(receipt: ShownReceipt): DsseEnvelope {
  const signed = receipt.signature !== null && receipt.keyid !== null
  return {
    payloadType: RECEIPT_PAYLOAD_TYPE,
    payload: base64Encode(receipt.body),
    signatures: signed ? [{ sig: base64Encode(receipt.signature!), keyid: receipt.keyid! }] : [],
    signed,
    keyid: receipt.keyid ?? '',
    honesty: KEY_HONESTY[receipt.keyKind ?? 'unsigned'],
    _dsse: DSSE_VERSION,
    _pae_sha256: paeSha256Hex(RECEIPT_PAYLOAD_TYPE, receipt.body),
  }
}

export const receiptPae = (receipt: Pick<ShownReceipt, 'body'>): Uint8Array => pae(RECEIPT_PAYLOAD_TYPE, receipt.body)

/** Texts in one piece of memory. V8 keeps a concatenation as a rope and a slice as a window into the text it came from; one
 *  of either in a reply, and JSON.stringify takes the slow way for the whole of it. */
export const joined = (...parts: readonly string[]): string => parts.join('')

/** ASCII, in chunks of `width` characters. */
export function chunksOf(text: string, width: number): string[] {
  const bytes = Buffer.from(text, 'latin1')
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += width) chunks.push(bytes.toString('latin1', at, at + width))
  return chunks
}
