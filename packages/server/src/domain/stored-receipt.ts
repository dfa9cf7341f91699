/** What this surface needs of the ledger, as shapes: the pure files beside this one name no port. */
import type { ReceiptBody } from '@orch/core'
import type { ShownReceipt } from './receipt-view.ts'

export interface StoredReceipt extends ShownReceipt {
  ns: string
  lake: string
}

export interface StoredChain {
  ns: string
  chain: string
  depth: number
  head: string
  headIndex: number
}

export interface ReceiptReader {
  head(): Promise<{ size: number; frontier: Uint8Array[] }>
  byIndex(index: number): Promise<StoredReceipt | null>
  byDigest(digest: string): Promise<StoredReceipt | null>
  bySeq(ns: string, chain: string, seq: number): Promise<StoredReceipt | null>
  range(from: number, limit: number): Promise<StoredReceipt[]>
  chainRange(ns: string, chain: string, fromSeq: number, limit: number): Promise<StoredReceipt[]>
  chains(): Promise<StoredChain[]>
}

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
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
