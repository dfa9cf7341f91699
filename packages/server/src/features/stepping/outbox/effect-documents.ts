/** Effects as the store keeps them, and what each of them delivers. */
import { canonicalBytes } from '@orch/core'
import { documentKey } from '../../../domain/document-key.ts'
import { ServiceError } from '../../../errors.ts'
import type { DocumentQuery, DocumentRow, DocumentWrite, LedgerReader } from '../../../ledger/contract.ts'
import type { EffectArtifact, StoredEffect } from '../contract.ts'
import type { SessionReply } from '../read-schemas.ts'
import { type EffectProgress, newEffect } from '../rules/effect-transitions.ts'
import { deriveEffects, type EffectDraft, type EffectKind, kindsFor } from '../rules/effects.ts'
import { type StateRecord, stateHash } from '../rules/state.ts'
import { nameOf, readState, type SessionPlace, type StateDocument } from '../store/session-documents.ts'

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
async function readDelivery(
  reader: LedgerReader,
  { effect }: EffectDocument,
  { row, state }: StateDocument,
): Promise<EffectDraft | null> {
  const receipt = row.nodeIndex === null ? null : await reader.byIndex(row.nodeIndex)
  if (receipt === null) return null
  const { record, review } = state
  return deriveEffects(record, receipt.digest, review).find(({ kind }) => kind === effect.kind) ?? null
}

/** The bytes of an effect, the same ones however often they are made: a sink can tell a repetition from a new effect. */
export const toArtifact = (delivery: EffectDraft): EffectArtifact => {
  const { effect_id, namespace, owner_id, session_id, step, kind, payload_sha256, payload } = delivery
  const schema = 'orch.gdw.effect/v1'
  const bound = { effect_id, namespace, owner_id, session_id, step, kind, payload_sha256, payload }
  return { effect_id, bytes: canonicalBytes({ schema, ...bound }) }
}

/** Null where the step is gone or is not what was recorded. Whoever wrote to the store controls what is read here: it
 *  must neither leave under another id than before nor keep the effects behind it from leaving. */
export async function readArtifact(reader: LedgerReader, document: EffectDocument): Promise<EffectArtifact | null> {
  try {
    const state = await readState(reader, effectPlace(document.effect), document.effect.step)
    if (state === null || stateHash(state.state.record) !== state.state.state_hash) return null
    const delivery = await readDelivery(reader, document, state)
    if (delivery === null || delivery.effect_id !== (document.effect.effect_id ?? delivery.effect_id)) return null
    return toArtifact(delivery)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    return null
  }
}

interface EffectQuery {
  state: string
  upTo?: number
  after?: DocumentQuery['after']
}

/** Effects of a namespace page by page, in the order of their ranks. Gives the next `limit` of them; null at the end. It never turns back: what changes place meanwhile is met by the next
 *  walk, so a walk has an end whatever others do. */
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
