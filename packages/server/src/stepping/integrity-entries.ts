/** One recorded step as the walk takes it: its receipt, the state that the receipt names, and its effects. Whoever wrote
 *  to the store controls all of it; what cannot be read is nothing that was written here. */
import { EFFECT_KINDS, type EffectDraft, effectsOf, payloadDigest } from '../domain/stepping/effects.ts'
import type { StateEntry, WalkedEffect, WalkedReceipt } from '../domain/stepping/integrity-faults.ts'
import type { StateRecord } from '../domain/stepping/state.ts'
import { bodyOf, isRecord } from '../domain/stored-receipt.ts'
import type { LedgerReader, Row } from '../ledger-contract.ts'
import type { EffectSink, StoredEffect, StoredState } from '../stepping-contract.ts'
import { effectKey, effectSpace } from './effect-documents.ts'
import { artifactOf } from './outbox-artifact.ts'
import type { CheckReceipt } from './references.ts'
import { STATE_SPACE, stateKey } from './session-documents.ts'

export interface EntryParts {
  reader: LedgerReader
  check: CheckReceipt
  sink: Pick<EffectSink, 'name' | 'delivered'>
}

/** `state` is null where the receipt's state is gone. */
export interface Found {
  owner: string
  /** Name of the session, as the receipt says. */
  session: string
  state: Omit<StateEntry, 'index'> | null
  effects: readonly StoredEffect[]
}

export async function entryOf(parts: EntryParts, row: Row): Promise<Found> {
  const body = bodyOf(row)
  const payload = body?.payload ?? {}
  const [owner, session] = [body?.actor.owner, payload.session].map((part) => String(part).toWellFormed()) as [
    string,
    string,
  ]
  const step = Number(payload.step)
  const stored = await parts.reader.document(STATE_SPACE, stateKey(session, step))
  const value = stored === null ? null : stateOf(stored.value)
  if (stored === null || value === null) return { owner, session, state: null, effects: [] }
  const receipt = stored.nodeIndex === row.nodeIndex ? await receiptOf(parts, row, payload) : null
  const effects = await effectsAt(parts.reader, value.record)
  const walked = await walkedEffects(parts, value, row, payload.review_notice_sha256, effects)
  const { record, state_hash } = value
  return { owner, session, state: { record, state_hash, receipt, effects: walked }, effects }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Written past the service; what follows from that is found by the walk.
    return null
  }
}

function stateOf(text: string): StoredState | null {
  const value = parsed(text)
  return isRecord(value) && isRecord(value.record) ? (value as unknown as StoredState) : null
}

async function receiptOf({ check }: EntryParts, row: Row, payload: Record<string, unknown>): Promise<WalkedReceipt> {
  const { digest, signature } = await check(row)
  const text = (name: string): string => String(payload[name])
  return {
    digest: row.digest,
    node_index: row.nodeIndex,
    computed_digest: digest,
    signature_valid: signature,
    session_prev_receipt: text('session_prev_receipt'),
    state_before_hash: text('state_before_hash'),
    state_hash: text('state_hash'),
    request_digest: text('request_digest'),
    decision: text('decision').toLowerCase(),
  }
}

/** Of every kind: one too many is as wrong as one that is missing. */
async function effectsAt(reader: LedgerReader, record: StateRecord): Promise<StoredEffect[]> {
  const { namespace, owner_id: owner, session_id: sessionId, step } = record
  const key = keysOf({ namespace, owner, sessionId }, step)
  if (key === null) return []
  const rows = await Promise.all(key.map((one) => reader.document(effectSpace(namespace), one)))
  return rows.flatMap((row) => {
    const effect = row && parsed(row.value)
    return isRecord(effect) ? [effect as unknown as StoredEffect] : []
  })
}

function keysOf(place: Parameters<typeof effectKey>[0], step: number): string[] | null {
  if (Object.values(place).some((part) => typeof part !== 'string' || !part.isWellFormed())) return null
  return EFFECT_KINDS.map((kind) => effectKey(place, step, kind))
}

async function walkedEffects(
  { sink }: EntryParts,
  { record, review }: StoredState,
  { digest }: Row,
  notice: unknown,
  stored: readonly StoredEffect[],
): Promise<WalkedEffect[]> {
  const implied = impliedBy(record, digest, review)
  return Promise.all(
    stored.map(async (effect) => {
      const { namespace, owner_id, session_id, step, kind } = effect
      const draft = implied.find((one) => one.kind === kind)
      const told = kind !== 'review_notice' || (review !== null && payloadDigest(review) === notice)
      return {
        ...{ namespace, owner_id, session_id, step, kind },
        effect_id: effect.effect_id ?? draft?.effect_id ?? '',
        payload: draft?.payload ?? null,
        payload_sha256: told ? (draft?.payload_sha256 ?? '') : '',
        artifact: draft && isHere(sink, effect) ? await artifactAt(sink, draft) : null,
      }
    }),
  )
}

/** A record that fits no effects has none; that its stored ones are then wrong is for the walk to say. */
function impliedBy(record: StateRecord, digest: string, review: StoredState['review']): EffectDraft[] {
  try {
    return effectsOf(record, digest, review)
  } catch {
    return []
  }
}

/** What another node or an earlier sink has cannot be seen from here, and is not missing for that. */
const isHere = ({ name }: EntryParts['sink'], effect: StoredEffect): boolean =>
  effect.state === 'EXPORTED' && effect.sink === name

async function artifactAt({ delivered }: EntryParts['sink'], draft: EffectDraft): Promise<WalkedEffect['artifact']> {
  if (delivered === null) return null
  const there = await delivered(draft.effect_id)
  if (there === null) return 'absent'
  return Buffer.from(artifactOf(draft).bytes).equals(Buffer.from(there)) ? 'same' : 'different'
}
