/** The store beside what its guard holds. Whoever restores the store controls all of it but the log key and the guard, so a
 *  guard that is missing or behind says as much as one that is ahead: this may not be the history that was signed. */
import { type Checkpoint, generationOf, hexEncode, parseStrictJson } from '@orch/core'
import { headText } from '../checkpoints.ts'
import type { LedgerReader } from '../contract.ts'
import type { Head } from '../types.ts'

interface GuardInputs {
  reader: Pick<LedgerReader, 'byIndex'>
  head: Head
  root: Uint8Array
  /** Name of the log in the store. */
  origin: string
  /** The newest checkpoint in the store, where our log key signed it. */
  signed: Checkpoint | null
  /** The one in the guard, of any generation of our log. */
  guardCheckpoint: Checkpoint | null
  /** Why the store does not continue that one, or null. */
  rollback: string | null
  /** The log key was made by this start: it has signed nothing yet. */
  isNewLog: boolean
  /** The store says that the guard has not heard of its last restore. Nothing by itself: the receipt must bear it out. */
  isRestorePending: boolean
  /** The guard sees every checkpoint before it is published, whichever node signed it. */
  seesAll: boolean
}

/** Names the generation whose first checkpoint the guard has not seen; empty once it has. A copy that is taken later does
 *  not say so any more, and is no restore that was cut short. */
export const RESTORE_PENDING = 'restore_pending'

/** Why nothing may be appended before the operator has accepted the store as it is, or null. */
export async function guardFault(inputs: GuardInputs): Promise<string | null> {
  const { head, origin, signed, guardCheckpoint, rollback, isNewLog, seesAll } = inputs
  if (guardCheckpoint !== null && guardCheckpoint.origin === origin) {
    if (rollback !== null) return rollback
    if (!seesAll || signed === null || guardCheckpoint.size >= signed.size) return null
    return `the guard holds a checkpoint over ${guardCheckpoint.size} receipts, and the store one over ${signed.size}: the guard is older than what it guards`
  }
  if (await completesRestore(inputs)) return null
  if (guardCheckpoint !== null)
    return `the guard knows this log as ${guardCheckpoint.origin}, and the store as ${origin}`
  if (head.size === 0 || isNewLog || !seesAll) return null
  return `the store holds ${head.size} receipts and the guard has no checkpoint of their log: it is missing or was emptied`
}

/** What stops the start and how the operator goes on. The command names both heads: what is accepted is what was found. */
export const restoreSentence = (
  reason: string,
  data: string,
  guardCheckpoint: Checkpoint | null,
  store: { size: number; root: Uint8Array },
): string =>
  `${reason}; put the newest copy of the store and the guard back or, if this store is the one to go on with, run, with the settings of this service: orch ledger accept-restore --data '${data.replaceAll("'", `'\\''`)}' --guard-head ${headText(guardCheckpoint)} --store-head ${headText(store)} --reason 'WHY'`

/** An acceptance that was cut short after its receipt: the newest receipt is the one that began this generation, and the
 *  checkpoint over it, which the log key signed, is not in the guard yet. */
async function completesRestore(inputs: GuardInputs): Promise<boolean> {
  const { reader, head, root, origin, signed, guardCheckpoint, isRestorePending } = inputs
  if (!isRestorePending) return false
  if (signed === null || signed.size !== head.size || hexEncode(signed.root) !== hexEncode(root)) return false
  if (guardCheckpoint !== null && generationOf(guardCheckpoint.origin).generation > generationOf(origin).generation)
    return false
  const row = await reader.byIndex(head.size - 1)
  const body = row === null ? null : (parseStrictJson(row.body) as { kind?: unknown; payload?: { log?: unknown } })
  return body?.kind === 'restore' && (body.payload?.log as { origin?: unknown } | undefined)?.origin === origin
}
