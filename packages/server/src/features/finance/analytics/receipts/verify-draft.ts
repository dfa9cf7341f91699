/** One verification as it is answered and recorded. */
import { flags } from '../../../../domain/observation.ts'
import { portableDigest } from '../../../../domain/portable-digest.ts'
import { InputError } from '../../../../errors.ts'
import type { Call } from '../../../../operation.ts'
import type { Draft } from '../../../../ports.ts'
import { ledgerDraft } from '../ledger-result.ts'
import { computeSignals } from '../market-analysis.ts'
import type { Verification, VerifyBody } from './schemas.ts'
import { type Verifier, verifyDsse, verifyEnvelope, verifyReceiptId } from './verify.ts'

export const VERIFY = 'finance.receiptsVerify'
const FORMS = ['envelope', 'receipt_id', 'dsse'] as const
const NOTE =
  'Integrity alone proves nothing about origin: whoever makes up a result can make up its digests. Only a signature that is VERIFIED under a key you trust says who made it.'

export async function verifyDraft(
  { body, inputSource, signal }: Pick<Call<unknown, unknown, VerifyBody>, 'body' | 'inputSource' | 'signal'>,
  verifier: Verifier,
): Promise<Draft> {
  const presented = inputSource === 'CALLER' ? body : { envelope: await exampleEnvelope(verifier, signal) }
  const kind = formOf(presented)
  const found = await verifyPresentedForm(presented, verifier)
  const answer = {
    schema: 'orch.finance.receipt-verification/v1',
    label: 'STRUCTURAL-ONLY',
    input_source: inputSource,
    input_kind: kind,
    checked_at: verifier.checkedAt,
    verified: found.integrity.verdict === 'VALID',
    authenticity_established: found.signature.verdict === 'VERIFIED',
    ...found,
    note: NOTE,
    ...flags,
  }
  return ledgerDraft(VERIFY, answer, inputsDigestOf(presented), inputSource)
}

function formOf(body: VerifyBody): (typeof FORMS)[number] {
  const given = FORMS.filter((name) => body[name] !== undefined)
  const [first, second] = given
  if (first !== undefined && second === undefined) return first
  const loc = ['body', second ?? 'envelope']
  const msg = first === undefined ? `send one of ${FORMS.join(', ')}` : `send either ${first} or ${second}, not both`
  throw new InputError([{ loc, msg, type: first === undefined ? 'missing' : 'conflict' }])
}

function verifyPresentedForm({ envelope, receipt_id, dsse }: VerifyBody, verifier: Verifier): Promise<Verification> {
  if (envelope !== undefined) return verifyEnvelope(envelope, verifier)
  if (dsse !== undefined) return verifyDsse(dsse, verifier)
  return verifyReceiptId(receipt_id!, verifier)
}

/** Names that are not ASCII have no digest that every language agrees on, so their text stands in for them. */
function inputsDigestOf(body: VerifyBody): string {
  return portableDigest({ sent: JSON.stringify(body) })
}

/** Simulated, so that nothing outside is asked. */
async function exampleEnvelope({ revision }: Verifier, signal: AbortSignal): Promise<Record<string, unknown>> {
  const nothing = () => Promise.reject(new Error('a simulated history is read from no source'))
  return computeSignals(nothing, { symbol: 'BTC-USD', origin: 'fixture', now: 0, revision }, signal)
}
