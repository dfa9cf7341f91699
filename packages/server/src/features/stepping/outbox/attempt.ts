/** One effect on its way: claimed, delivered, marked. Between any two of these the process may die or be overtaken, so
 *  each write expects the version the one before left: whoever lost the effect changes nothing. */
import { documentKey } from '../../../domain/document-key.ts'
import type { CounterMove } from '../../../ledger/contract.ts'
import type { Ledger } from '../../../ports.ts'
import type { EffectArtifact, EffectSink } from '../contract.ts'
import { givenBack } from '../quotas.ts'
import { claim, type EffectError, type EffectProgress, exported, failed } from '../rules/effect-transitions.ts'
import { isConflict } from '../store/session-documents.ts'
import type { StoreTime } from '../store/store-reader.ts'
import { type EffectDocument, effectChange, effectPlace, readArtifact } from './effect-documents.ts'

export interface AttemptParts {
  ledger: Pick<Ledger, 'reader' | 'writeDocuments'>
  storeNow: StoreTime
  sink: EffectSink
}

/** `LOST`: another worker has it. `FENCED_OUT`: another worker got it while this one held it. */
export type Attempted =
  | { outcome: 'LOST' | 'EXPORTED' | 'FENCED_OUT'; document: EffectDocument }
  | { outcome: 'FAILED' | 'DEAD_LETTER'; document: EffectDocument; error: EffectError }

export async function attempt(parts: AttemptParts, document: EffectDocument): Promise<Attempted> {
  const { ledger, storeNow } = parts
  const artifact = await readArtifact(ledger.reader, document)
  const taken = claim(document.effect, await storeNow())
  const mine = taken === null ? null : await change(ledger, document, taken, artifact?.effect_id)
  if (taken === null || mine === null) return { outcome: 'LOST', document }
  // A worker that slept through its lease does not even send: another one may be at it.
  if (taken.lease_until !== null && (await storeNow()) >= taken.lease_until)
    return { outcome: 'FENCED_OUT', document: mine }
  const code = artifact === null ? 'PAYLOAD_INVALID' : await refusalOf(parts.sink, artifact)
  return code === null ? markExported(parts, mine) : markFailed(parts, mine, code)
}

async function markExported({ ledger, sink }: AttemptParts, mine: EffectDocument): Promise<Attempted> {
  // Before the move, which keeps what it is given: an effect that left and says nowhere is not believed.
  const there = { ...mine, effect: { ...mine.effect, sink: sink.name } }
  const next = exported(there.effect, mine.effect.claim_generation)
  const counters = [...givenBack(effectPlace(mine.effect), { effects: 1 }), ONE_EXPORTED]
  const done = next === null ? null : await change(ledger, there, next, undefined, counters)
  return done === null ? { outcome: 'FENCED_OUT', document: mine } : { outcome: 'EXPORTED', document: done }
}

async function markFailed({ ledger, storeNow }: AttemptParts, mine: EffectDocument, code: string): Promise<Attempted> {
  const next = failed(mine.effect, mine.effect.claim_generation, code, await storeNow())
  const done = next === null ? null : await change(ledger, mine, next)
  if (done === null || next === null || next.last_error === null) return { outcome: 'FENCED_OUT', document: mine }
  return { outcome: next.state === 'DEAD_LETTER' ? 'DEAD_LETTER' : 'FAILED', document: done, error: next.last_error }
}

/** How many were ever exported: they stay in the store, and counting them one by one would take longer every day. */
export const EXPORTED_COUNTER = { space: 'gdw.effects.exported', key: documentKey('all') }
const ONE_EXPORTED: CounterMove = { ...EXPORTED_COUNTER, owner: '', add: 1, limit: null }

/** The effect as it now stands; null where somebody else changed it first, and nothing happened. */
export async function change(
  ledger: AttemptParts['ledger'],
  document: EffectDocument,
  next: EffectProgress,
  effectId: string | undefined = undefined,
  counters: readonly CounterMove[] = [],
): Promise<EffectDocument | null> {
  const id = effectId ?? document.effect.effect_id
  try {
    await ledger.writeDocuments([effectChange(document, next, id)], counters)
  } catch (error) {
    if (isConflict(error)) return null
    throw error
  }
  return {
    row: { ...document.row, version: document.row.version + 1 },
    effect: { ...document.effect, ...next, effect_id: id },
  }
}

/** Null when it is delivered; else the code. Anything can be thrown by what lies outside: only a word in capitals is
 *  taken for a code. */
async function refusalOf(sink: EffectSink, artifact: EffectArtifact): Promise<string | null> {
  try {
    await sink.deliver(artifact)
    return null
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code
    return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'UNKNOWN'
  }
}
