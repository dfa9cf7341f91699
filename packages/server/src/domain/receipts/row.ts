/** One receipt as a row of a list or an event: what a reader filters by, taken from the bytes and from nowhere else. */
import type { ReceiptBody } from '@orch/core'
import { verifyUrl } from '../receipt-view.ts'
import { bodyOf, isRecord, type StoredReceipt } from '../stored-receipt.ts'

/** Whoever can write to the store chooses how many a receipt has; a row holds so many and no more. */
const MAX_LISTED = 16

export type ReceiptRow = ReturnType<typeof rowOf>

export function rowOf(stored: StoredReceipt) {
  const { nodeIndex, digest, ns, chain, seq, prev, keyid, keyKind, signature } = stored
  return {
    node_index: nodeIndex,
    receipt_id: digest,
    digest,
    ns,
    chain,
    seq,
    prev,
    ...statedBy(bodyOf(stored)),
    signed: signature !== null,
    keyid,
    key_kind: keyKind,
    verify_url: verifyUrl(digest),
  }
}

function statedBy(body: ReceiptBody | null) {
  const payload = body?.payload ?? {}
  return {
    kind: body?.kind ?? null,
    decision: text(payload.decision),
    ts_utc: text(body?.ts_utc),
    request_id: text(body?.request_id),
    owner: text(body?.actor.owner),
    /** As the caller stated it. */
    agent: text(payload.agent),
    agent_source: text(payload.agent_source),
    /** In clear where it is registered; of any other name there is the digest alone. */
    tool: text(payload.tool) ?? (isRecord(payload.tool) ? text(payload.tool.name) : null),
    tool_sha256: text(payload.tool_sha256),
    session_sha256: text(payload.session_sha256),
    gates_fired: texts(payload.gates_fired),
    reasons: texts(payload.reasons).slice(0, MAX_LISTED),
    /** Rules whose findings counted, gravest gate first. */
    rules: texts(payload.breaches).slice(0, MAX_LISTED),
    /** The review that this decision waits for or was approved by. */
    review_id: text(payload.review_id) ?? text(payload.approved_by),
    lambda: number(payload.lambda),
    lambda_floor: number(payload.lambda_floor),
    rules_digest: text(body?.policy?.rules_digest),
    policy_digest: text(body?.policy?.policy_digest),
  }
}

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
