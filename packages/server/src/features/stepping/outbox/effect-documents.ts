/** Effects as the store keeps them, and what each of them delivers. */
import { documentKey } from '../../../domain/document-key.ts'
import type { DocumentRow, DocumentWrite, LedgerReader } from '../../../ledger/contract.ts'
import type { StoredEffect } from '../contract.ts'
import type { SessionReply } from '../read-schemas.ts'
import { type EffectProgress, newEffect } from '../rules/effect-transitions.ts'
import { type EffectDraft, type EffectKind, effectsOf, kindsFor } from '../rules/effects.ts'
import type { StateRecord } from '../rules/state.ts'
import { nameOf, type SessionPlace, type StateDocument } from '../store/session-documents.ts'

export const effectSpace = (namespace: string): string => `gdw.effect/${namespace}`

export const effectKey = (place: SessionPlace, step: number, kind: EffectKind): string =>
  documentKey(nameOf(place), String(step), kind)

/** The effects of one session are counted by it. */
export const effectOwner = (place: SessionPlace): string => `${place.owner}/${nameOf(place)}`

/** Counts in the order of `EFFECT_STATES`, as they are told. */
export const toEffectCounts = (counts: readonly number[]): SessionReply['effects'] => {
  const [pending = 0, claimed = 0, exported = 0, dead_letter = 0] = counts
  return { pending, claimed, exported, dead_letter }
}

export interface EffectDocument {
  row: DocumentRow
  effect: StoredEffect
}

export const toEffectDocument = (row: DocumentRow): EffectDocument => ({
  row,
  effect: JSON.parse(row.value) as StoredEffect,
})

export const effectPlace = ({ namespace, owner_id: owner, session_id: sessionId }: StoredEffect): SessionPlace => ({
  namespace,
  owner,
  sessionId,
})

/** The effects of a step that is about to be recorded, due at once. */
export const effectWrites = (record: StateRecord, now: number): DocumentWrite[] =>
  kindsFor(record.decision).map((kind) => {
    const { namespace, owner_id, session_id, step } = record
    const effect = {
      namespace,
      owner_id,
      session_id,
      step,
      kind,
      created_at: now,
      effect_id: null,
      sink: null,
      ...newEffect(now),
    }
    return effectWrite(effect, 0)
  })

/** The effect in its next state, if it is still at the version it was read at: whoever comes second changes nothing. */
export const effectChange = (
  { row, effect }: EffectDocument,
  next: EffectProgress,
  effectId: string | null = effect.effect_id,
): DocumentWrite => effectWrite({ ...effect, ...next, effect_id: effectId }, row.version)

function effectWrite(effect: StoredEffect, version: number): DocumentWrite {
  const place = effectPlace(effect)
  return {
    space: effectSpace(effect.namespace),
    key: effectKey(place, effect.step, effect.kind),
    expect: version,
    owner: effectOwner(place),
    state: effect.state,
    rank: rankOf(effect),
    value: JSON.stringify(effect),
  }
}

/** Whether its columns say what it says itself: workers find effects by them. */
export const columnsMatchValue = ({ row, effect }: EffectDocument, session: string): boolean =>
  row.state === effect.state && row.rank === rankOf(effect) && row.owner === `${effect.owner_id}/${session}`

function rankOf({ state, due_at, lease_until, created_at }: StoredEffect): number {
  if (state === 'PENDING') return due_at
  return state === 'CLAIMED' ? (lease_until ?? due_at) : created_at
}

/** What the effect of a recorded step delivers and its id; null where the receipt of the step is gone from the store. */
export async function deliveryOf(
  reader: LedgerReader,
  { effect }: EffectDocument,
  { row, state }: StateDocument,
): Promise<EffectDraft | null> {
  const receipt = row.nodeIndex === null ? null : await reader.byIndex(row.nodeIndex)
  if (receipt === null) return null
  const { record, review } = state
  return effectsOf(record, receipt.digest, review).find(({ kind }) => kind === effect.kind) ?? null
}
