/** One receipt as a row of a list or an event: what a reader filters by, taken from the bytes and from nowhere else. */
import type { ReceiptBody } from '@orch/core'
import { verifyUrl } from '../receipt-view.ts'
import { bodyOf, isRecord, type StoredReceipt } from '../stored-receipt.ts'

export interface ReceiptRow {
  node_index: number
  receipt_id: string
  digest: string
  ns: string
  chain: string
  seq: number
  prev: string
  kind: string | null
  decision: string | null
  ts_utc: string | null
  request_id: string | null
  owner: string | null
  /** As the caller stated it. */
  agent: string | null
  agent_source: string | null
  /** In clear where it is registered; of any other name there is the digest alone. */
  tool: string | null
  tool_sha256: string | null
  session_sha256: string | null
  gates_fired: string[]
  lambda: number | null
  lambda_floor: number | null
  rules_digest: string | null
  policy_digest: string | null
  signed: boolean
  keyid: string | null
  key_kind: string | null
  verify_url: string
}

export function rowOf(stored: StoredReceipt): ReceiptRow {
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

type Stated = Omit<
  ReceiptRow,
  | 'node_index'
  | 'receipt_id'
  | 'digest'
  | 'ns'
  | 'chain'
  | 'seq'
  | 'prev'
  | 'signed'
  | 'keyid'
  | 'key_kind'
  | 'verify_url'
>

function statedBy(body: ReceiptBody | null): Stated {
  const payload = body?.payload ?? {}
  return {
    kind: body?.kind ?? null,
    decision: text(payload.decision),
    ts_utc: text(body?.ts_utc),
    request_id: text(body?.request_id),
    owner: text(body?.actor.owner),
    agent: text(payload.agent),
    agent_source: text(payload.agent_source),
    tool: text(payload.tool) ?? (isRecord(payload.tool) ? text(payload.tool.name) : null),
    tool_sha256: text(payload.tool_sha256),
    session_sha256: text(payload.session_sha256),
    gates_fired: gates(payload.gates_fired),
    lambda: number(payload.lambda),
    lambda_floor: number(payload.lambda_floor),
    rules_digest: text(body?.policy?.rules_digest),
    policy_digest: text(body?.policy?.policy_digest),
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const gates = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((gate): gate is string => typeof gate === 'string') : []
