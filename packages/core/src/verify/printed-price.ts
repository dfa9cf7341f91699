// The reply that shows a signed price. Its print stands inside as an envelope, and what the reply tells of the price must be
// what was signed; the rest of it, such as who asked when, is the sender's words.
import { sha256Hex } from '../digest.ts'
import { present } from './presented.ts'
import { verifyReceipt } from './receipt.ts'
import { type Check, check, makeReport, type VerificationReport } from './report.ts'
import { canonicalOrNull, type Fields, fieldsOf, isRecord, own, sameValue } from './shape.ts'
import type { Trust } from './trust.ts'

const SCHEMA = 'orch.finance.signed-price/v1'

type PrintedPrice = Fields & { print: Fields & { dsse: Fields } }

export const isPrintedPrice = (value: Fields): value is PrintedPrice =>
  own(value, 'schema') === SCHEMA && isRecord(fieldsOf(own(value, 'print')).dsse)

export async function verifyPrintedPrice(value: PrintedPrice, trust: Trust): Promise<VerificationReport> {
  const { checks, subject } = await verifyReceipt(value.print.dsse, trust)
  const [structure, ...rest] = checks as [Check, ...Check[]]
  return makeReport('reply', [checkPrice(structure, value), ...rest], subject, trust.checkedAt)
}

const COVERED = ['symbol', 'quote', 'price', 'estimate', 'print']

function checkPrice(structure: Check, value: PrintedPrice): Check {
  if (structure.status !== 'VERIFIED') return structure
  const signed = present(value.print.dsse)
  const fault = signed?.body?.kind === 'price' ? faultOf(value, signed.body.payload, signed.digest) : 'the envelope'
  if (fault !== null) return check('structure', 'MISMATCH', `${fault} of this reply is not what was signed`)
  const not_covered = Object.keys(value).filter((name) => !COVERED.includes(name))
  return check('structure', 'VERIFIED', 'a canonical receipt body, and the price that is told is the one it signs', {
    ...structure.details,
    not_covered,
  })
}

/** The first thing that is told otherwise than it was signed. An abstention tells no price, and its estimate is of a later
 *  attempt, which nobody signed. */
function faultOf(value: PrintedPrice, payload: Fields, digest: string | null): string | null {
  const { print } = value
  const isReview = own(value, 'state') === 'REVIEW'
  const reported: [name: string, reported: unknown, signed: unknown][] = [
    ['symbol', own(value, 'symbol'), payload.symbol],
    ['quote', own(value, 'quote'), payload.quote],
    ['price', own(value, 'price'), isReview ? payload.price : null],
    ['print.receipt_id', print.receipt_id, digest],
    ['print.observed_at', print.observed_at, payload.observed_at],
    ['print.expires_at', print.expires_at, payload.expires_at],
    ...(isReview ? estimateOf(fieldsOf(own(value, 'estimate')), payload) : []),
  ]
  return reported.find(([, one, other]) => !sameValue(one, other))?.[0] ?? null
}

const NUMBERS = ['method', 'price', 'dispersion_bps', 'dispersion_before_drop_bps', 'interval'] as const

function estimateOf(estimate: Fields, payload: Fields): [name: string, reported: unknown, signed: unknown][] {
  return [
    ...NUMBERS.map((name): [string, unknown, unknown] => [`estimate.${name}`, estimate[name], payload[name]]),
    ['estimate.venues', readingsDigest(estimate.venues), payload.inputs_sha256],
  ]
}

/** The label of a reading belongs to the request that shows it and was not signed. */
function readingsDigest(venues: unknown): string | null {
  const rows = Array.isArray(venues) ? venues.map(fieldsOf).map(({ label: _, ...row }) => row) : null
  const text = canonicalOrNull(rows)
  return text === null ? null : sha256Hex(text)
}
