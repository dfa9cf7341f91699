/** What can be wrong with one recorded step, with its receipt and with its effects. Whoever wrote to the store
 *  controls every field; nothing here throws on what it is given. */
import { type EffectBinding, effectId, kindsFor, payloadDigest } from './effects.ts'
import { ONE } from './millionths.ts'
import { FIRST_PREV, type StateRecord, stateHash } from './state.ts'
import { afterVerdicts, type Reviewed, usesApproval, type WalkedVerdict } from './verdicts.ts'

export const INVALID_KINDS = [
  'state_hash',
  'link',
  'step_gap',
  'spent',
  'receipt_digest',
  'signature',
  'effect_binding',
  'exported_artifact',
  'recovery_audit',
] as const
export type InvalidKind = (typeof INVALID_KINDS)[number]
export type BrokenKind = InvalidKind | 'missing_receipt' | 'orphan_receipt' | 'checkpoint'

/** A receipt of a step: what the store keeps beside what its bytes say. */
export interface WalkedReceipt {
  digest: string
  /** Its place in the ledger. States of different sessions have no other order. */
  node_index: number
  /** SHA-256 of the stored bytes. */
  computed_digest: string
  /** Null where it is not signed. */
  signature_valid: boolean | null
  /** From the signed body. */
  session_prev_receipt: string
  state_before_hash: string
  state_hash: string
  request_digest: string
  decision: string
  /** The review that the step opened, and the one whose approval it used. */
  review_id: string | null
  approved_by: string | null
  /** Whether the verdicts it names approve its request; left out where it names none. */
  approval_holds?: boolean
}

export interface WalkedEffect extends EffectBinding {
  effect_id: string
  payload: unknown
  /** Of an exported effect: what lies in the sink; null where nothing was looked at. */
  artifact: 'same' | 'different' | 'absent' | null
  /** Whether its document is one that the service could have written, columns included. */
  lawful: boolean
}

export interface StateEntry {
  index: number
  record: StateRecord
  /** As stored beside the record. */
  state_hash: string
  /** Whether the whole document, with its columns, is the one that the receipt names, under the key in use. */
  intact: boolean
  receipt: WalkedReceipt | null
  /** Of the time since the session's step before, oldest first; null where their receipts do not lead there. */
  verdicts: readonly WalkedVerdict[] | null
  effects: readonly WalkedEffect[]
}

export interface SessionHead extends Reviewed {
  session: string
  step: number
  state_hash: string
  receipt_digest: string
}

export interface Walked {
  next_index: number
  /** Ledger place of the receipt walked last; -1 before the first. */
  last_node_index: number
}

/** Gravest first: a record out of its place is named before what follows from that. */
export function faultsOf(entry: StateEntry, head: SessionHead | null, walked: Walked): BrokenKind[] {
  return [
    ...recordFaults(entry, head, walked.next_index),
    ...receiptFaults(entry, head, walked.last_node_index),
    ...effectFaults(entry),
    ...(entry.intact ? [] : (['state_hash'] as const)),
  ]
}

function recordFaults(
  { index, record, state_hash, verdicts, receipt }: StateEntry,
  head: SessionHead | null,
  expected: number,
): BrokenKind[] {
  const faults: BrokenKind[] = []
  if (record.step !== (head?.step ?? 0) + 1 || index !== expected) faults.push('step_gap')
  if (digestOr(() => stateHash(record)) !== state_hash) faults.push('state_hash')
  if (record.prev_state_hash !== (head?.state_hash ?? FIRST_PREV)) faults.push('link')
  const before = digestOr(() => verdicts && afterVerdicts(beforeOf(record, head), verdicts)) ?? null
  if (!isSpentRight(record, before) || !usesApproval(before?.reviews ?? null, receipt?.approved_by ?? null, record))
    faults.push('spent')
  return faults
}

/** What has no canonical form has no digest and is nothing that was written here. */
function digestOr<T>(compute: () => T): T | null {
  try {
    return compute()
  } catch {
    return null
  }
}

/** What a session has before its first step is what that one fixes. */
export const beforeOf = ({ budget }: Pick<StateRecord, 'budget'>, head: SessionHead | null): Reviewed =>
  head ?? { spent: 0, budget, granted: 0, reviews: [] }

/** `before` with what people granted since; null where that is not known. */
function isSpentRight({ decision, estimate, spent, budget, granted }: StateRecord, before: Reviewed | null): boolean {
  if (before === null) return false
  const whole = [estimate, spent, budget, granted].every((micro) => Number.isSafeInteger(micro) && micro >= 0)
  const charged = before.spent + (decision === 'allow' ? estimate : 0)
  const bounded = budget <= before.budget && granted === before.granted && budget + granted <= ONE
  return whole && bounded && spent === charged && spent <= budget + granted
}

function receiptFaults(
  { record, state_hash, receipt, verdicts }: StateEntry,
  head: SessionHead | null,
  last: number,
): BrokenKind[] {
  if (!receipt) return ['missing_receipt']
  const faults: BrokenKind[] = []
  const bound =
    receipt.digest === receipt.computed_digest &&
    receipt.state_hash === state_hash &&
    receipt.state_before_hash === record.prev_state_hash &&
    receipt.request_digest === record.request_digest &&
    receipt.decision === record.decision
  if (!bound) faults.push('receipt_digest')
  const follows = receipt.session_prev_receipt === (head?.receipt_digest ?? FIRST_PREV) && receipt.node_index > last
  if (!follows || receipt.approval_holds === false) faults.push('link')
  const unsigned = [receipt, ...(verdicts ?? [])].some(({ signature_valid }) => signature_valid === false)
  if (unsigned) faults.push('signature')
  return faults
}

/** Exactly the effects the decision implies, each named by its payload. */
function effectFaults({ record, effects, receipt }: StateEntry): BrokenKind[] {
  const expected = kindsFor(record.decision)
  const kinds = effects.map(({ kind }) => kind)
  const complete = kinds.length === expected.length && expected.every((kind) => kinds.includes(kind))
  const bound = effects.every((effect) => effect.lawful && isBound(effect, record, receipt))
  const intact = effects.every(({ artifact }) => artifact === null || artifact === 'same')
  return [
    ...(complete && bound ? [] : (['effect_binding'] as const)),
    ...(intact ? [] : (['exported_artifact'] as const)),
  ]
}

function isBound(effect: WalkedEffect, record: StateRecord, receipt: WalkedReceipt | null): boolean {
  const payload = effect.payload as { receipt_digest?: unknown } | null
  return (
    effect.namespace === record.namespace &&
    effect.owner_id === record.owner_id &&
    effect.session_id === record.session_id &&
    effect.step === record.step &&
    digestOr(() => payloadDigest(effect.payload)) === effect.payload_sha256 &&
    digestOr(() => effectId(effect)) === effect.effect_id &&
    (receipt === null || payload?.receipt_digest === receipt.digest)
  )
}
