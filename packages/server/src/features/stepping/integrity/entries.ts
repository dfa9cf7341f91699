/** One recorded step as the walk takes it: its receipt, the state that the receipt names, and its effects. Whoever wrote
 *  to the store controls all of it; what cannot be read is nothing that was written here. */
import { sha256Hex } from '@orch/core'
import Type, { type TSchema } from 'typebox'
import { partitionName } from '../../../domain/partition.ts'
import { bodyOf, isRecord } from '../../../domain/stored-receipt.ts'
import { AnyObject } from '../../../domain/wire.ts'
import type { CheckReceipt, DocumentRow, LedgerReader, Row } from '../../../ledger/contract.ts'
import { readJson } from '../../../platform/shape.ts'
import type { EffectSink, StoredEffect, StoredState } from '../contract.ts'
import {
  columnsMatchValue,
  type EffectDocument,
  effectKey,
  effectSpace,
  toArtifact,
} from '../outbox/effect-documents.ts'
import { isLawful } from '../rules/effect-progress.ts'
import { deriveEffects, EFFECT_KINDS, type EffectDraft, payloadDigest } from '../rules/effects.ts'
import type { StateEntry, WalkedEffect, WalkedReceipt } from '../rules/integrity-faults.ts'
import type { StateRecord } from '../rules/state.ts'
import type { WalkedVerdict } from '../rules/verdicts.ts'
import { STATE_SPACE, stateKey } from '../store/session-documents.ts'
import { sinceStep } from '../store/session-events.ts'

export interface EntryParts {
  reader: LedgerReader
  check: CheckReceipt
  sink: Pick<EffectSink, 'name' | 'delivered'>
  /** Of the key that words are hashed with; null where there is none. The first step brings it, so it is asked for after a
   *  step was read. */
  keyMark(): Promise<string | null>
  /** Read after what it is compared with: time goes on while a walk lasts. */
  now(): number
}

/** `state` is null where the receipt's state is gone. */
export interface Found {
  owner: string
  /** Name of the session, as the receipt says. */
  session: string
  state: Omit<StateEntry, 'index'> | null
}

export async function readEntry(parts: EntryParts, row: Row): Promise<Found> {
  const body = bodyOf(row)
  const payload = body?.payload ?? {}
  const owner = String(body?.actor.owner).toWellFormed()
  const session = String(payload.session).toWellFormed()
  const step = Number(payload.step)
  const stored = await parts.reader.document(STATE_SPACE, stateKey(session, step))
  const value = stored && parsed<StoredState>(StateShape, stored.value)
  if (stored === null || value === null) return { owner, session, state: null }
  const receipt = stored.nodeIndex === row.nodeIndex ? await readReceipt(parts, row, payload) : null
  const stored_effects = await effectsAt(parts.reader, value.record)
  const effects = await walkedEffects(parts, value, row, payload, stored_effects)
  const { record, state_hash } = value
  const listedUnder = `${partitionName({ namespace: row.ns, owner })}/${session}`
  const intact = isIntact(stored, value, payload, listedUnder, await parts.keyMark())
  const verdicts = await verdictsBefore(parts, session, payload)
  return { owner, session, state: { record, state_hash, intact, receipt, verdicts, effects } }
}

/** All that later steps read of it, and what it is found by: a state is written once. */
const isIntact = (
  { value, state, rank, owner, version }: DocumentRow,
  { record }: StoredState,
  payload: Record<string, unknown>,
  listedUnder: string,
  keyMark: string | null,
): boolean =>
  sha256Hex(value) === payload.state_document_sha256 &&
  state === record.decision &&
  rank === record.step &&
  owner === listedUnder &&
  version === 1 &&
  payload.word_key === keyMark

async function verdictsBefore(
  { reader, check }: EntryParts,
  session: string,
  { session_prev_event: event, session_prev_receipt: step }: Record<string, unknown>,
): Promise<WalkedVerdict[] | null> {
  if (event === step) return []
  const since = await sinceStep(reader, check, session, String(event))
  return since !== null && since.receipt === step ? since.verdicts : null
}

/** As much as a state and an effect have to be for the walk to look into them. */
const StateShape = Type.Object({ record: AnyObject })

/** Null for what was written past the service; what follows from that is found by the walk. */
function parsed<T>(shape: TSchema, text: string): T | null {
  const read = readJson(shape, text)
  return read.ok ? (read.value as T) : null
}

async function readReceipt(parts: EntryParts, row: Row, payload: Record<string, unknown>): Promise<WalkedReceipt> {
  const { digest, signature } = await parts.check(row)
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
    review_id: textOrNull(payload.review_id),
    approved_by: textOrNull(payload.approved_by),
    ...(payload.approval === undefined ? {} : { approval_holds: await approvalHolds(parts, payload) }),
  }
}

/** The verdicts are looked up by the digests that the step names, and say of themselves that they approve its request. */
async function approvalHolds(parts: EntryParts, payload: Record<string, unknown>): Promise<boolean> {
  const { approval, approved_by, request_digest } = payload
  const named = isRecord(approval) && Array.isArray(approval.receipts) ? approval.receipts : []
  const verdicts = await Promise.all(named.map((digest) => verdictAt(parts, String(digest))))
  const isApproving = (verdict: Record<string, unknown> | null) =>
    verdict?.review_id === approved_by && verdict?.verdict === 'approve' && verdict?.input_sha256 === request_digest
  return verdicts.every(isApproving) && verdicts.at(-1)?.state_after === 'approved'
}

async function verdictAt({ reader, check }: EntryParts, named: string): Promise<Record<string, unknown> | null> {
  const row = /^[0-9a-f]{64}$/.test(named) ? await reader.byDigest(named) : null
  const body = row && bodyOf(row)
  if (row === null || body?.kind !== 'review') return null
  const { digest, signature } = await check(row)
  return digest === named && signature !== false ? body.payload : null
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Of every kind: one too many is as wrong as one that is missing. */
async function effectsAt(reader: LedgerReader, record: StateRecord): Promise<EffectDocument[]> {
  const { namespace, owner_id: owner, session_id: sessionId, step } = record
  if ([namespace, owner, sessionId].some((part) => typeof part !== 'string' || !part.isWellFormed())) return []
  const keys = EFFECT_KINDS.map((kind) => effectKey({ namespace, owner, sessionId }, step, kind))
  const rows = await Promise.all(keys.map((key) => reader.document(effectSpace(namespace), key)))
  return rows.flatMap((row) => {
    const effect = row && parsed<StoredEffect>(AnyObject, row.value)
    return row === null || effect === null ? [] : [{ row, effect }]
  })
}

async function walkedEffects(
  { sink, now }: EntryParts,
  { record, review }: StoredState,
  { digest }: Row,
  { session, review_notice_sha256: notice, effects_due_at }: Record<string, unknown>,
  stored: readonly EffectDocument[],
): Promise<WalkedEffect[]> {
  const implied = impliedBy(record, digest, review)
  return Promise.all(
    stored.map(async (document) => {
      const { effect } = document
      const { namespace, owner_id, session_id, step, kind } = effect
      const draft = implied.find((one) => one.kind === kind)
      const noticeMatches = kind !== 'review_notice' || (review !== null && payloadDigest(review) === notice)
      return {
        ...{ namespace, owner_id, session_id, step, kind },
        effect_id: effect.effect_id ?? draft?.effect_id ?? '',
        payload: draft?.payload ?? null,
        payload_sha256: noticeMatches ? (draft?.payload_sha256 ?? '') : '',
        lawful: columnsMatchValue(document, String(session)) && isLawful(effect, effects_due_at, now()),
        artifact: await artifactAt(sink, effect, draft),
      }
    }),
  )
}

/** A record that fits no effects has none; that its stored ones are then wrong is for the walk to say. */
function impliedBy(record: StateRecord, digest: string, review: StoredState['review']): EffectDraft[] {
  try {
    return deriveEffects(record, digest, review)
  } catch {
    return []
  }
}

/** What another node or an earlier sink has cannot be seen from here, and is not missing for that. */
async function artifactAt(
  { name, delivered }: EntryParts['sink'],
  effect: StoredEffect,
  draft: EffectDraft | undefined,
): Promise<WalkedEffect['artifact']> {
  const isHere = effect.state === 'EXPORTED' && effect.sink === name
  if (draft === undefined || !isHere || delivered === null) return null
  const there = await delivered(draft.effect_id)
  if (there === null) return 'absent'
  return Buffer.from(toArtifact(draft).bytes).equals(Buffer.from(there)) ? 'same' : 'different'
}
