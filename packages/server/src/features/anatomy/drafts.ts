/** What the operations record. Digests and codes: what was sent stays out of the receipt, the evidence alone is kept, in
 *  its record. */
import { canonicalBytes, type Decision, sha256Hex } from '@orch/core'
import { receiptSummary, type ShownReceipt } from '../../domain/receipt-view.ts'
import type { Draft } from '../../ports.ts'
import { type AnatomyOperation, DISCLOSURE, EVALUATION } from './disclosure.ts'
import type { Outcome } from './schemas.ts'
import type { KeptRecord } from './stored-records.ts'

const DECIDED: Readonly<Record<Outcome, Decision>> = { ALLOW: 'ALLOW', REVIEW: 'REVIEW', BLOCK: 'DENY' }

export const decisionOf = (outcome: Outcome): string => DECIDED[outcome].toLowerCase()

export function anatomyDraft(
  operation: AnatomyOperation,
  body: unknown,
  { outcome, ...facts }: { outcome: Outcome | null } & Record<string, unknown>,
  answer: Record<string, unknown>,
): Draft {
  const decided = outcome === null ? {} : { outcome, decision: DECIDED[outcome] }
  return {
    chain: 'anatomy',
    kind: 'anatomy',
    payload: { operation, bodyDigest: sha256Hex(canonicalBytes(body)), ...decided, ...facts },
    answer: { ...EVALUATION, ...answer, disclosure: DISCLOSURE },
  }
}

/** The receipt binds the record by its hash, and where the chain then ends. */
export function draftWithRecord(draft: Draft, { record, duplicate, documents, headDigest }: KeptRecord): Draft {
  const { index: recordIndex, recordHash } = record
  const bound = { recordIndex, recordHash, duplicate, ...(headDigest === null ? {} : { headDigest }) }
  return {
    ...draft,
    payload: { ...draft.payload, ...bound },
    answer: { ...draft.answer, record, duplicate },
    documents,
  }
}

export const boundTo = (receipt: ShownReceipt, answer: Record<string, unknown>) => ({
  ...answer,
  receipt: receiptSummary(receipt),
})
