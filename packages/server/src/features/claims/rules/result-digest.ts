/** One digest for one meaning: the same claims, evidence, signals and contradictions give it in whatever order they
 *  were sent. Places in the request and marks of our own ledger are left out; numbers have six decimals. */
import { canonicalize, round6, sha256Hex } from '@orch/core'
import { compareCodePoints } from './order.ts'

const LEFT_OUT = new Set(['pointer', 'locally_resolved', 'matched_by', 'receipt_id'])

interface Result {
  claims: readonly { claim_id: string }[]
}

export const resultDigest = (result: Result): string => sha256Hex(resultText(result))

/** The canonical text that is hashed: every list in the order of its items' bytes, the claims in that of their ids. */
export function resultText(result: Result): string {
  const claims = result.claims.toSorted((a, b) => compareCodePoints(a.claim_id, b.claim_id)).map(orderFree)
  return object({ ...result, claims }, (key, value) => (key === 'claims' ? `[${claims.join()}]` : orderFree(value)))
}

// Written from the leaves up: to sort what was already written is linear, to write again what was sorted is not.
function orderFree(value: unknown): string {
  if (typeof value === 'number') return canonicalize(round6(value))
  if (Array.isArray(value)) return `[${value.map(orderFree).sort(compareCodePoints).join()}]`
  if (value === null || typeof value !== 'object') return canonicalize(value)
  return object(value, (_key, entry) => orderFree(entry))
}

function object(value: object, write: (key: string, entry: unknown) => string): string {
  const entries = Object.entries(value).filter(([key]) => !LEFT_OUT.has(key))
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, entry]) => `${canonicalize(key)}:${write(key, entry)}`).join()}}`
}
