/** Effects as the store keeps them, and what each of them delivers. */
import { canonicalBytes, parseJsonText } from '@orch/core'
import { documentKey } from '../../../domain/document-key.ts'
import { ServiceError } from '../../../errors.ts'
import type { DocumentQuery, DocumentRow, DocumentWrite, LedgerReader } from '../../../ledger/contract.ts'
import type { EffectArtifact, StoredEffect } from '../contract.ts'
import { type EffectProgress, newEffect } from '../rules/effect-transitions.ts'
import { deriveEffects, type EffectDraft, type EffectKind, kindsFor } from '../rules/effects.ts'
import { type StateRecord, stateHash } from '../rules/state.ts'
import { nameOf, readState, receiptOf, type SessionPlace } from '../store/session-documents.ts'

export const effectSpace = (namespace: string): string => `gdw.effect/${namespace}`

export const effectKey = (place: SessionPlace, step: number, kind: EffectKind): string =>
  documentKey(nameOf(place), String(step), kind)

/** The effects of one session are counted by it. */
export const effectOwner = (place: SessionPlace): string => `${place.owner}/${nameOf(place)}`

export interface EffectDocument {
  row: DocumentRow
  effect: StoredEffect
}

export const toEffectDocument = (row: DocumentRow): EffectDocument => ({
  row,
  effect: parseJsonText(row.value) as unknown as StoredEffect,
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
    const place = { namespace, owner_id, session_id, step, kind }
    return effectWrite({ ...place, created_at: now, effect_id: null, sink: null, ...newEffect(now) }, 0)
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

/** The bytes of an effect, the same ones however often they are made: a sink can tell a repetition from a new effect. */
export const toArtifact = (delivery: EffectDraft): EffectArtifact => ({
  effect_id: delivery.effect_id,
  bytes: canonicalBytes({ schema: 'orch.gdw.effect/v1', ...delivery }),
})

/** Null where the step or its receipt is gone or is not what was recorded. Whoever wrote to the store controls what is read
 *  here: it must neither leave under another id than before nor keep the effects behind it from leaving. */
export async function readArtifact(reader: LedgerReader, { effect }: EffectDocument): Promise<EffectArtifact | null> {
  try {
    const stored = await readState(reader, effectPlace(effect), effect.step)
    if (stored === null || stateHash(stored.state.record) !== stored.state.state_hash) return null
    const receipt = await receiptOf(reader, stored.row)
    const { record, review } = stored.state
    const drafts = receipt === null ? [] : deriveEffects(record, receipt.digest, review)
    const delivery = drafts.find(({ kind }) => kind === effect.kind)
    if (delivery === undefined || delivery.effect_id !== (effect.effect_id ?? delivery.effect_id)) return null
    return toArtifact(delivery)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    return null
  }
}

type EffectQuery = Pick<DocumentQuery, 'state' | 'upTo' | 'after'>

/** Effects of a namespace page by page, in the order of their ranks. Gives the next `limit` of them; null at the end. It
 *  never turns back: what changes place meanwhile is met by the next walk, so a walk has an end whatever others do. */
export function effectPages(reader: LedgerReader, namespace: string, { after, ...query }: EffectQuery) {
  let last = after
  return async (limit: number): Promise<EffectDocument[] | null> => {
    const place = { space: effectSpace(namespace), ...query, ...(last === undefined ? {} : { after: last }) }
    const rows = await reader.documents({ ...place, order: 'asc', limit })
    last = rows.at(-1)
    return last === undefined ? null : rows.flatMap(readable)
  }
}

/** What is no effect, or stands in another one's place, is left for the integrity walk to name: whoever wrote it must not
 *  keep the others from leaving. */
function readable(row: DocumentRow): EffectDocument[] {
  try {
    const document = toEffectDocument(row)
    const { effect } = document
    const inPlace = row.key === effectKey(effectPlace(effect), effect.step, effect.kind)
    return inPlace && row.space === effectSpace(effect.namespace) ? [document] : []
  } catch {
    return []
  }
}
