// Replies of the service. One that was asked for with `envelope=1` carries its receipt as evidence, and the receipt
// covers the answer around it by its digest. Any other only names a receipt, which has to be fetched to be judged.
import { CanonicalError, canonicalize } from '../canonical.ts'
import { sha256Hex } from '../digest.ts'
import { present } from './presented.ts'
import { isPrintedPrice, verifyPrintedPrice } from './printed-price.ts'
import { verifyReceipt } from './receipt.ts'
import { type Check, check, makeReport, noEvidence, unreadable, type VerificationReport } from './report.ts'
import { type Fields, isHex64, isRecord, own } from './shape.ts'
import type { Trust } from './trust.ts'

/** The name in a receipt's payload under which it covers the answer that was sent with it. */
export const REPLY_DIGEST = 'reply_sha256'

/** SHA-256 over the canonical JSON of the answer, which is all of the reply but its receipt; null without such a form. */
export function replyDigest(answer: unknown): string | null {
  try {
    return sha256Hex(canonicalize(answer))
  } catch (error) {
    if (error instanceof CanonicalError) return null
    throw error
  }
}

export const isReply = (value: Fields): boolean =>
  carriesEvidence(value) ||
  isPrintedPrice(value) ||
  namedReceipt(value) !== null ||
  (isOurs(value) && holdsEnvelope(value))

const isOurs = (value: Fields): boolean => String(own(value, 'schema')).startsWith('orch.')

/** An envelope that stands where no reply has one: a name around it was changed. */
const holdsEnvelope = (value: Fields): boolean =>
  Object.values(value)
    .filter(isRecord)
    .some((part) => isEnvelope(part) || Object.values(part).some(isEnvelope))

const isEnvelope = (value: unknown): boolean => isRecord(value) && Object.hasOwn(value, 'payloadType')

const carriesEvidence = (value: Fields): value is Fields & { receipt: Fields } => {
  const receipt = own(value, 'receipt')
  return isRecord(receipt) && isRecord(receipt.dsse)
}

const NAMES = ['receipt', 'decision_receipt', 'receipt_id', 'digest']

/** The digest of the receipt that a decision, step, chat, mint or refusal names; null for a value that names none. */
export function namedReceipt(value: Fields): string | null {
  const places = [value, own(value, 'orch'), own(value, 'error')].filter(isRecord)
  const named = places.flatMap((place) => NAMES.map((name) => own(place, name)))
  return named.map((one) => (isRecord(one) ? one.digest : one)).find(isHex64) ?? null
}

export async function verifyReply(input: unknown, trust: Trust): Promise<VerificationReport> {
  const value = isRecord(input) ? input : {}
  if (isPrintedPrice(value)) return verifyPrintedPrice(value, trust)
  if (!carriesEvidence(value) && holdsEnvelope(value))
    return unreadable('reply', 'it holds an envelope in a place where a reply has none', trust.checkedAt)
  if (!carriesEvidence(value)) return withoutEvidence(value, trust)
  const { receipt, ...answer } = value
  const { checks, subject } = await verifyReceipt(receipt, trust)
  const [structure, ...rest] = checks as [Check, ...Check[]]
  return makeReport('reply', [checkAnswer(structure, answer, receipt), ...rest], subject, trust.checkedAt)
}

function withoutEvidence(value: Fields, { checkedAt }: Trust): VerificationReport {
  const receipt = namedReceipt(value)
  const fetched = `orch ledger show ${receipt} --json > receipt.json, or curl "$ORCH_BASE_URL/api/orch/v1/receipts/${receipt}"`
  const reason = `this reply names receipt ${receipt}; fetch it with ${fetched}`
  return noEvidence('reply', reason, checkedAt, { receipt })
}

const NOT_COVERED = 'the receipt does not cover the answer around it; verify the receipt alone'

/** The rest of the reply is the sender's words until the signed bytes cover it. */
function checkAnswer(structure: Check, answer: Fields, receipt: Fields): Check {
  if (structure.status !== 'VERIFIED') return structure
  const covered = present(receipt)?.body?.payload[REPLY_DIGEST]
  if (covered === undefined) return check('structure', 'UNAVAILABLE', NOT_COVERED)
  if (covered !== replyDigest(answer))
    return check('structure', 'MISMATCH', 'the answer is not the one that the signed bytes cover')
  return check('structure', 'VERIFIED', 'a canonical receipt body, and its signed bytes cover the whole answer', {
    ...structure.details,
    reply_sha256: covered,
  })
}
