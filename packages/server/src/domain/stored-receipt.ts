/** What the rules about receipts need of the ledger. */
import { parseJsonText, type ReceiptBody } from '@orch/core'
import type { ChainHead, LedgerReader, Row } from '../ledger/contract.ts'
import type { ShownReceipt } from './receipt-view.ts'

export type StoredReceipt = ShownReceipt & Pick<Row, 'ns' | 'lake'>
export type StoredChain = Pick<ChainHead, 'ns' | 'chain' | 'depth' | 'head' | 'headIndex'>

type ReceiptReads = 'head' | 'byIndex' | 'byDigest' | 'bySeq' | 'range' | 'chainRange'
export type ReceiptReader = Pick<LedgerReader, ReceiptReads> & { chains(): Promise<StoredChain[]> }

/** Of a receipt whose bytes and signature were verified. */
export type VerifiedBody = ReceiptBody & { digest: string }

const decoder = new TextDecoder()

/** A walk asks for the body of a row more than once. */
const read = new WeakMap<Uint8Array, ReceiptBody | null>()

/** Null for bytes that somebody with access to the store made unreadable: a listing shows the row all the same. */
export function bodyOf({ body }: Pick<StoredReceipt, 'body'>): ReceiptBody | null {
  const known = read.get(body)
  if (known !== undefined) return known
  const found = parsed(body)
  read.set(body, found)
  return found
}

function parsed(body: Uint8Array): ReceiptBody | null {
  const value = parseJson(decoder.decode(body))
  return isRecord(value) && isRecord(value.payload) && isRecord(value.actor) ? (value as unknown as ReceiptBody) : null
}

/** Undefined for a text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
