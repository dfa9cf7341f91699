/** Judges the print of another service: an envelope of a price receipt, believed only under a key that the operator pinned.
 *  It is shown beside our own price; it never enters the median and never lifts an abstention. */
import {
  type PublicKey,
  parseEnvelope,
  parseStrictJson,
  RECEIPT_PAYLOAD_TYPE,
  utf8Decode,
  verifyEnvelope,
} from '@orch/core'
import Type from 'typebox'
import { isRecord } from '../../../domain/stored-receipt.ts'
import { read } from '../../../platform/shape.ts'
import { ageFault } from './decision.ts'
import type { PriceSymbol } from './schemas.ts'

type Rejection =
  | 'INVALID_ENVELOPE'
  | 'UNSIGNED_PRINT'
  | 'UNKNOWN_KEY'
  | 'SIGNATURE_INVALID'
  | 'NOT_A_PRICE_RECEIPT'
  | 'SYMBOL_MISMATCH'
  | 'STALE_PRINT'
  | 'FUTURE_PRINT'

type PeerPrint = { ok: true; price: string; observed_at: string; keyid: string } | { ok: false; reason: Rejection }

const PriceReceipt = Type.Object({
  schema: Type.Literal('orch.receipt/v1'),
  kind: Type.Literal('price'),
  payload: Type.Object({
    symbol: Type.String(),
    quote: Type.String(),
    state: Type.Literal('REVIEW'),
    price: Type.String({ pattern: '^[0-9]{1,31}(?:\\.[0-9]{1,31})?$' }),
    observed_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  }),
})

/** The envelope itself, or a reply that carries one: of a receipt, or of this very operation. */
export function envelopeIn(reply: unknown): unknown {
  if (!isRecord(reply)) return null
  const print = isRecord(reply.print) ? reply.print : null
  return reply.dsse ?? print?.dsse ?? reply
}

/** Keys that the envelope brings along do not count. */
export async function judgePeerPrint(
  envelope: unknown,
  keys: readonly PublicKey[],
  symbol: PriceSymbol,
  now: number,
): Promise<PeerPrint> {
  const rejected = (reason: Rejection): PeerPrint => ({ ok: false, reason })
  const parsed = parseEnvelope(envelope)
  if (!parsed.ok) return rejected('INVALID_ENVELOPE')
  const { status, keyid } = await verifyEnvelope(envelope, keys, RECEIPT_PAYLOAD_TYPE)
  if (status === 'UNSIGNED') return rejected('UNSIGNED_PRINT')
  if (status === 'UNAVAILABLE') return rejected('UNKNOWN_KEY')
  if (status !== 'VERIFIED' || keyid === null) return rejected('SIGNATURE_INVALID')
  const receipt = read(PriceReceipt, jsonIn(parsed.payload))
  if (!receipt.ok) return rejected('NOT_A_PRICE_RECEIPT')
  const { payload } = receipt.value
  const observedAt = Date.parse(payload.observed_at)
  if (Number.isNaN(observedAt) || !/[1-9]/.test(payload.price)) return rejected('NOT_A_PRICE_RECEIPT')
  if (payload.symbol !== symbol || payload.quote !== 'USD') return rejected('SYMBOL_MISMATCH')
  const age = ageFault({ observedAt }, now)
  return age === null ? { ok: true, price: payload.price, observed_at: payload.observed_at, keyid } : rejected(age)
}

/** Null where the bytes are no JSON, whoever signed them. */
function jsonIn(bytes: Uint8Array): unknown {
  const text = utf8Decode(bytes)
  try {
    return text === null ? null : parseStrictJson(text)
  } catch {
    return null
  }
}
