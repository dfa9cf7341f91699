/** A result that the ledger keeps a receipt of: digests of what came in and of what went out, and neither of them itself. */
import { portableDigest } from '../../../domain/portable-digest.ts'
import type { Call } from '../../../operation.ts'
import type { Draft } from '../../../ports.ts'

export const FINANCE_CHAIN = 'finance'

/** `answer`: all of the reply but its digest and its receipt. */
export function ledgerDraft(
  operation: string,
  answer: Record<string, unknown> & { label: string },
  inputsDigest: string,
  inputSource: Call['inputSource'],
): Draft {
  const payload_sha256 = portableDigest(answer)
  return {
    chain: FINANCE_CHAIN,
    kind: 'analysis',
    payload: {
      operation,
      label: answer.label,
      input_source: inputSource,
      payload_sha256,
      inputs_sha256: inputsDigest,
    },
    answer: { ...answer, payload_sha256 },
  }
}
