/** Whose log a store is, and what it says of itself when a log key meets it for the first time. */
import { EMPTY_RECORD, generationOf, type LedgerRecord, parseVkey, withKey, withUnsigned } from '@orch/core'
import { demoKeyids } from '../../adapters/signers/demo.ts'
import { type LogKey, loadLogKey } from '../../adapters/signers/log-key.ts'
import { restoreSentence } from '../audit/guard-check.ts'
import { ownRecord, recordedKey } from '../audit/own-record.ts'
import { checkpointOfAnyGeneration } from '../checkpoints.ts'
import type { KeyKind } from '../contract.ts'
import { CUT_SHORT, IMPORTED_DEMO_KEYS, IMPORTED_UNSIGNED, INCOMING, readDemoKeys, readSpans } from '../import.ts'
import type { LedgerSettings } from '../protocol.ts'
import type { LedgerStore } from '../store/store.ts'
import { StoreDamaged } from '../store/stored-rows.ts'
import type { Head } from '../types.ts'
import { headOf, newestIn, openGuard } from './start.ts'

/** Nodes on one store sign one log with one key under one name; a log keeps the name it began with. */
export async function claimLog(settings: LedgerSettings, store: LedgerStore): Promise<LogKey> {
  // Under the lock of the head: of two nodes that start at once on an empty store, one claims the log.
  const head = await store.lock()
  if (((await store.meta(INCOMING)) ?? '') !== '') throw new Error(CUT_SHORT)
  const known = await store.meta('log_vkey')
  const imported = await store.meta('log_origin')
  const name = known === null ? (imported ?? settings.defaultOrigin) : nameOf(known)
  const logKey = loadLogKey(
    settings.data,
    settings.logOrigin === generationOf(name).base ? name : (settings.logOrigin ?? name),
  )
  if (known === null) {
    if (settings.acceptRestore === undefined) await assertNew(settings, store, head, logKey)
    await store.putMeta('log_vkey', logKey.vkey)
    await ownRecord(store, logKey).begin(await takenOver(settings, store))
  }
  await store.commit()
  if (known !== null && known !== logKey.vkey)
    throw new Error(
      'this ledger belongs to another log key or origin; copy log-key.pem of its first node into ORCH_DATA and keep its ORCH_LOG_ORIGIN',
    )
  return logKey
}

/** The name in the store's own word for its log. */
function nameOf(vkey: string): string {
  const parsed = parseVkey(vkey)
  if (parsed === null) throw new StoreDamaged('the row log_vkey of table meta', 'is no verification key of a log')
  return parsed.name
}

/** A store that forgot its log is not a new one: a checkpoint kept outside it says so, and then nothing of what the store
 *  says of its keys is taken over, unless the operator says that it was restored from an export or a snapshot. */
async function assertNew(
  settings: LedgerSettings,
  store: LedgerStore,
  head: Head,
  { vkey, signer }: LogKey,
): Promise<void> {
  const guard = head.size === 0 ? null : openGuard(settings, store, vkey)
  if (guard === null) return
  const { note } = await newestIn(guard, settings, signer.name)
  if (note === null) return
  const guardCheckpoint = await checkpointOfAnyGeneration(note, vkey)
  const reason = 'the store does not know its log, and its guard says that it had one'
  throw new Error(restoreSentence(reason, settings.data, guardCheckpoint, headOf(head)))
}

/** What an import left in the store becomes the ledger's own word here, once. */
async function takenOver(settings: LedgerSettings, store: LedgerStore): Promise<LedgerRecord> {
  let record = EMPTY_RECORD
  const kindOf = await foreignKinds(settings, store)
  for (const row of await store.keys()) {
    const key = { ...row, kind: kindOf(row.keyid) }
    await store.putKey(key)
    record = withKey(record, recordedKey(key))
  }
  for (const span of readSpans(await store.meta(IMPORTED_UNSIGNED))) record = withUnsigned(record, span)
  return record
}

/** A key that did not come into use here is what the operator takes it for, whatever a file called it. One whose private
 *  half lies in our own data folder, or that signed the word demo, is a demo key even then. */
export async function foreignKinds(
  { data, trustedKeyids = [] }: LedgerSettings,
  store: Pick<LedgerStore, 'meta'>,
): Promise<(keyid: string) => KeyKind> {
  const demo = new Set([...demoKeyids(data), ...readDemoKeys(await store.meta(IMPORTED_DEMO_KEYS))])
  return (keyid) => (trustedKeyids.includes(keyid) && !demo.has(keyid) ? 'production' : 'demo')
}
