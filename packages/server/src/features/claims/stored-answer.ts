/** What is stored of an answer for whoever asks again under his key. The gate is deterministic, so an answer is made again
 *  from the request and what the ledger had of it then: stored whole, 32 KiB of contradictions would lie in the store as
 *  megabytes, for 30 days, at no cost to whoever sends them. */
import { sha256Hex } from '@orch/core'
import { receiptSummary } from '../../domain/receipt-view.ts'
import { ServiceError } from '../../errors.ts'
import type { ToReply } from '../../ports.ts'
import { type LocalMatches, NO_MATCHES } from './rules/local-marks.ts'

/** No longer than the digests of the request, twice. */
interface StoredAnswer extends Record<string, unknown> {
  answer_sha256: string
  receipts: string[]
  payloads: [digest: string, receipt: string][]
}

/** The answer of a request that is being answered for the first time is at hand. */
const made = new WeakMap<object, object>()

export function toStoredAnswer(answer: object, { receipts, payloads }: LocalMatches = NO_MATCHES): StoredAnswer {
  const stored = { answer_sha256: digestOf(answer), receipts: [...receipts], payloads: [...payloads] }
  made.set(stored, answer)
  return stored
}

/** `make` gives the answer with those matches; it MUST be the same one every time. */
export const answerWith =
  (make: (matches: LocalMatches) => object): ToReply =>
  (receipt, stored) => ({ ...(made.get(stored) ?? madeAgain(stored, make)), receipt: receiptSummary(receipt) })

function madeAgain(stored: Record<string, unknown>, make: (matches: LocalMatches) => object): object {
  // Answers that were stored before this was done lie there whole.
  if (!('answer_sha256' in stored)) return stored
  const { answer_sha256, receipts, payloads } = stored as StoredAnswer
  const answer = make({ receipts: new Set(receipts), payloads: new Map(payloads) })
  if (digestOf(answer) === answer_sha256) return answer
  throw new ServiceError(
    'claim_compiler_failure',
    'the answer under this key was given by another version of the compiler; ask again under a new key',
  )
}

const digestOf = (answer: object): string => sha256Hex(JSON.stringify(answer))
