/** An accepted restore: the operator says that the store as it stands is the one to go on with. The receipt that says so
 *  names both heads, and the log goes on under another name in the same transaction, because under its old one it may have
 *  signed the very sizes that come next. */
import { bodyTemplate, generationOf, hexEncode, nextOrigin, type ReceiptDraft } from '@orch/core'
import { type LogKey, loadLogKey } from '../../adapters/signers/log-key.ts'
import { isoNow, systemClock } from '../../platform/clock.ts'
import { RESTORE_PENDING } from '../audit/guard-check.ts'
import { ownRecord } from '../audit/own-record.ts'
import { headText, signHead } from '../checkpoints.ts'
import type { Guard } from '../contract.ts'
import type { AcceptRestore } from '../protocol.ts'
import { Sequencer } from '../sequencer.ts'
import type { Head } from '../types.ts'
import { openSigner, signingKeys } from './keys.ts'
import { type Examined, examineStart, headOf, type StartParts } from './start.ts'

const now = () => isoNow(systemClock)

export async function acceptRestore(parts: StartParts, guard: Guard | null, accept: AcceptRestore): Promise<void> {
  const found = await examineStart(parts, guard)
  assertAcceptable(found, accept)
  const { settings, store, logKey, record } = parts
  const origin = nextOrigin(laterOf(logKey.signer.name, found.guardCheckpoint?.origin ?? logKey.signer.name))
  const next = loadLogKey(settings.data, origin)
  const keys = signingKeys(settings, await openSigner(settings), store, record, now)
  await keys.settleKinds()
  await keys.enter(found.head.size)
  const sequencer = new Sequencer(
    {
      ...{ store, signer: keys, allowUnsigned: settings.allowUnsigned, nowMs: () => systemClock.now() },
      ...{ stampMs: () => performance.now(), onCommit: () => undefined, onReadOnly: () => undefined },
    },
    found.head,
  )
  const draft = draftOf(found, accept.reason, logKey, next)
  const outcome = await sequencer.append({
    ...{
      ns: draft.ns,
      chain: draft.chain,
      ts: draft.ts_utc,
      template: bodyTemplate(draft, keys.key()?.kind ?? null),
      idempotency: null,
    },
    alongside: (head) => beginGeneration(parts, next, found.head, head),
  })
  keys.close()
  if (!outcome.ok) throw new Error(outcome.message)
}

function assertAcceptable(
  { stop, restore, guardCheckpoint, head }: Examined,
  { guardHead, storeHead }: AcceptRestore,
): void {
  if (stop !== null) throw new Error(stop)
  if (restore === null) throw new Error('there is nothing to accept: the store continues what its guard holds')
  const [guard, store] = [headText(guardCheckpoint), headText(headOf(head))]
  if (guard !== guardHead || store !== storeHead)
    throw new Error(`this is not what was found: --guard-head is ${guard} and --store-head is ${store} now`)
}

const laterOf = (a: string, b: string): string => (generationOf(b).generation > generationOf(a).generation ? b : a)

/** The name of the log, its record and its first checkpoint commit with the receipt: there is no state in between. The
 *  guard hears of it when the ledger is opened, before anything is served or appended. */
async function beginGeneration({ store, record }: StartParts, next: LogKey, accepted: Head, head: Head): Promise<void> {
  if (head.size !== accepted.size + 1) throw new Error('the store grew meanwhile; stop every service that uses it')
  const own = await record.read()
  await store.putMeta('log_vkey', next.vkey)
  await ownRecord(store, next).begin(own ?? undefined)
  await store.putMeta(RESTORE_PENDING, next.signer.name)
  await store.putCheckpoint({ size: head.size, note: await signHead(head, next.signer) })
}

function draftOf({ guardCheckpoint, head }: Examined, reason: string, before: LogKey, next: LogKey): ReceiptDraft {
  const { size, root } = headOf(head)
  return {
    ...{ ns: 'public', chain: 'ledger', kind: 'restore', ts_utc: now(), policy: null },
    request_id: `accept-restore-${systemClock.now()}`,
    actor: { owner: 'operator', key_id: null, auth_mode: 'command-line' },
    payload: {
      reason,
      guard:
        guardCheckpoint === null
          ? null
          : { origin: guardCheckpoint.origin, size: guardCheckpoint.size, root: hexEncode(guardCheckpoint.root) },
      store: { origin: before.signer.name, size, root: hexEncode(root) },
      log: { origin: next.signer.name, vkey: next.vkey },
    },
  }
}
