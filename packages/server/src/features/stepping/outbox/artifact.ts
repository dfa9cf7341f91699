/** The bytes of an effect, the same ones however often they are made: a sink can tell a repetition from a new effect. */
import { canonicalBytes } from '@orch/core'
import { ServiceError } from '../../../errors.ts'
import type { LedgerReader } from '../../../ledger/contract.ts'
import type { EffectArtifact } from '../contract.ts'
import type { EffectDraft } from '../rules/effects.ts'
import { stateHash } from '../rules/state.ts'
import { readState } from '../store/session-documents.ts'
import { type EffectDocument, effectPlace, readDelivery } from './effect-documents.ts'

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
