/** What a recorded step sets off. An effect is named by what it is about and by its payload, so that the same step
 *  never makes two and a sink can tell a repetition from a new one. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { type StateRecord, stateHash } from './state.ts'

export const EFFECT_KINDS = ['receipt_projection', 'proof_export', 'review_notice'] as const
export type EffectKind = (typeof EFFECT_KINDS)[number]

export interface EffectBinding {
  namespace: string
  owner_id: string
  session_id: string
  step: number
  kind: EffectKind
  payload_sha256: string
}

export interface EffectDraft extends EffectBinding {
  effect_id: string
  payload: Record<string, unknown>
}

/** The invariants a proof names; all are checked before the record is written and none is proven formally. */
export const INVARIANTS = [
  '0 <= spent <= budget + granted',
  'spent grows by the estimate of an allowed step and by nothing else',
  'step is the step before plus one',
  'prev_state_hash is the state hash before',
] as const

export const payloadDigest = (payload: unknown): string => sha256Hex(canonicalBytes(payload))

export const effectId = ({ namespace, owner_id, session_id, step, kind, payload_sha256 }: EffectBinding): string =>
  sha256Hex(canonicalBytes({ namespace, owner_id, session_id, step, kind, payload_sha256 }))

/** Which kinds a decision sets off, in the order they are listed. */
export const kindsFor = (decision: StateRecord['decision']): EffectKind[] => [
  ...(decision === 'allow' ? (['receipt_projection'] as const) : []),
  'proof_export',
  ...(decision === 'review' ? (['review_notice'] as const) : []),
]

/** `review` is the item without any text of the request; needed for a review and for nothing else. */
export function deriveEffects(
  state: StateRecord,
  receiptDigest: string,
  review: Record<string, unknown> | null,
): EffectDraft[] {
  if ((state.decision === 'review') !== (review !== null)) throw new TypeError('a review, and only one, has an item')
  return kindsFor(state.decision).map((kind) => effectOf(state, kind, payloadOf(kind, state, receiptDigest, review)))
}

function effectOf(state: StateRecord, kind: EffectKind, payload: Record<string, unknown>): EffectDraft {
  const { namespace, owner_id, session_id, step } = state
  const binding = { namespace, owner_id, session_id, step, kind, payload_sha256: payloadDigest(payload) }
  return { ...binding, effect_id: effectId(binding), payload }
}

function payloadOf(
  kind: EffectKind,
  state: StateRecord,
  receipt_digest: string,
  review: Record<string, unknown> | null,
): Record<string, unknown> {
  const { session_id, step } = state
  if (kind === 'receipt_projection')
    return { receipt_digest, session_head: { session_id, step, state_hash: stateHash(state) } }
  if (kind === 'proof_export')
    return { state: { ...state }, receipt_digest, invariants: [...INVARIANTS], formal_status: 'NOT_RUN' }
  return { review, receipt_digest }
}
