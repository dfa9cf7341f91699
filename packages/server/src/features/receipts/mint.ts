/** Minting: a caller's object becomes the statement of our receipt. What is signed is the receipt body with the object
 *  and its digest inside it, so a caller never chooses the bytes or the type that a key of this service signs. */
import { CanonicalError, canonicalBytesPortable, sha256Hex } from '@orch/core'
import type { Inclusion } from '../../domain/evidence.ts'
import { receiptEnvelope, receiptSummary, type ShownReceipt, verifyUrl } from '../../domain/receipt-view.ts'
import { isRecord } from '../../domain/stored-receipt.ts'
import { InputError } from '../../errors.ts'

const MAX_STATEMENT_BYTES = 16 * 1024

interface MintPayload extends Record<string, unknown> {
  statement: Record<string, unknown>
  statement_sha256: string
  statement_bytes: number
}

/** `{receipt: object}` means the object; anything else is meant itself. */
export function mintPayload(body: Record<string, unknown>): MintPayload {
  const wrapped = isRecord(body.receipt) && Object.keys(body).length === 1
  const statement = wrapped ? (body.receipt as Record<string, unknown>) : body
  const loc = wrapped ? ['body', 'receipt'] : ['body']
  if (Object.keys(statement).length === 0)
    throw new InputError([{ loc, msg: 'there is nothing to sign in an empty object', type: 'empty' }])
  const bytes = canonicalBytesOf(statement, loc)
  if (bytes.length > MAX_STATEMENT_BYTES)
    throw new InputError([
      { loc, msg: `the canonical form has ${bytes.length} bytes, at most ${MAX_STATEMENT_BYTES}`, type: 'too_long' },
    ])
  return { statement, statement_sha256: sha256Hex(bytes), statement_bytes: bytes.length }
}

/** What other languages would write differently cannot be signed: two readers would see two statements. */
function canonicalBytesOf(statement: Record<string, unknown>, loc: string[]): Uint8Array {
  try {
    return canonicalBytesPortable(statement)
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error
    throw new InputError([
      { loc: [...loc, ...error.path], msg: `cannot be signed: ${error.reason}`, type: 'canonical' },
    ])
  }
}

type Proof = { inclusion: Inclusion | null; checkpoint?: string | null }

export const minted = (receipt: ShownReceipt, proof: Proof) => ({
  digest: receipt.digest,
  node_index: receipt.nodeIndex,
  chain: receipt.chain,
  seq: receipt.seq,
  prev: receipt.prev,
  signed: receipt.signature !== null,
  keyid: receipt.keyid,
  key_kind: receipt.keyKind,
  dsse: receiptEnvelope(receipt),
  ...proof,
  verify_url: verifyUrl(receipt.digest),
  receipt: receiptSummary(receipt),
})
