// What a receipt says was decided, read out of the signed bytes for whoever looks at the checks.
import { explain } from '../explanations.ts'
import type { ReceiptBody } from '../receipt.ts'

export type DecodedReason = { code: string; words: string | null }
export type DecodedDecision = {
  outcome: string | null
  reasons: DecodedReason[]
  gates_fired: string[]
  gates_passed: string[]
  actor: ReceiptBody['actor']
  policy: ReceiptBody['policy']
}

/** The kinds in which the service writes every field: a caller's object in a minted receipt is never read as a
 *  decision. */
const DECIDING = new Set<ReceiptBody['kind']>(['decision', 'inference', 'agent-step', 'step', 'review'])
const MOST_LISTED = 32

export function decodedOf({ kind, payload, actor, policy }: ReceiptBody): DecodedDecision {
  const said = DECIDING.has(kind) ? payload : {}
  return {
    outcome: typeof said.decision === 'string' ? said.decision : null,
    reasons: textsOf(said.reasons).map((code) => ({ code, words: explain(code)?.sentence ?? null })),
    gates_fired: textsOf(said.gates_fired),
    gates_passed: textsOf(said.gates_passed),
    actor,
    policy,
  }
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').slice(0, MOST_LISTED) : []
