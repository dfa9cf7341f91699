// The one reader of receipt bytes: the walker and the receipt verifier see the same body or the same fault.
import { sha256Hex } from '../digest.ts'
import { utf8Decode } from '../encoding.ts'
import { JsonError, parseStrictJson } from '../json.ts'
import { parseJsonText } from '../json-text.ts'
import { bodyFault, type ReceiptBody } from '../receipt.ts'
import { canonicalOrNull } from './shape.ts'

/** The longest log entry that has an encoding in a bundle of the transparency log. */
export const MAX_BODY = 65_535

export type BodyReading =
  | { ok: true; body: ReceiptBody; digest: string }
  | { ok: false; reason: 'not_canonical' | 'not_a_receipt'; detail: string; digest: string }

/**
 * F1: the digest is computed from the stored bytes and again from what they mean; both must agree. Equality with the
 * canonical form leaves no room for duplicate keys, escapes, white space or numbers that two readers see differently,
 * so the plain parser is enough for bytes that pass and the strict one only names what is wrong with the others.
 */
export function readBody(bytes: Uint8Array): BodyReading {
  const digest = sha256Hex(bytes)
  const fault = (reason: 'not_canonical' | 'not_a_receipt', detail: string): BodyReading => ({
    ok: false,
    reason,
    detail,
    digest,
  })
  if (bytes.length > MAX_BODY) return fault('not_a_receipt', `the body is over ${MAX_BODY} bytes`)
  const text = utf8Decode(bytes)
  const value = text === null ? undefined : parsed(text)
  // The same text is the same bytes and so the same digest: there is no need to hash what was just hashed.
  if (value === undefined || canonicalOrNull(value) !== text) return fault('not_canonical', whyNotCanonical(bytes))
  const wrong = bodyFault(value)
  return wrong === null ? { ok: true, body: value as ReceiptBody, digest } : fault('not_a_receipt', wrong)
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    return undefined
  }
}

function whyNotCanonical(bytes: Uint8Array): string {
  try {
    parseStrictJson(bytes)
    return 'the bytes are JSON but not in canonical form'
  } catch (error) {
    if (error instanceof JsonError) return error.message
    throw error
  }
}
