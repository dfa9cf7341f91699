/** What a start has to find before anything is appended: the store beside what was signed over it. Whoever can edit the
 *  store or the data folder controls every input here but the log key, so each note counts only if that key signed it. */
import { type Checkpoint, EMPTY_RECORD, frontierRoot, type LedgerRecord, parseVkey } from '@orch/core'
import { TreeDamaged } from '../../errors.ts'
import { checkpointOfAnyGeneration, type OwnCheckpoint, readCheckpoint, rollbackReason } from '../checkpoints.ts'
import type { CheckpointRow, GuardKind, LedgerReader, TailReport } from '../contract.ts'
import { rootAt, verifyTail } from '../tail.ts'
import type { Head } from '../types.ts'
import { guardFault } from './guard-check.ts'
import { NO_RECORD, ringFault, steadyRing } from './own-record.ts'
import { Signatures } from './signatures.ts'

interface StartInputs {
  reader: LedgerReader
  head: Head
  vkey: string
  /** The newest checkpoint in the store. */
  newest: CheckpointRow | null
  /** What is kept outside the store; null where nothing is, or where it does not answer. */
  guard: GuardNote | null
  /** The log key was made by this start. */
  isNewLog: boolean
  /** What the ledger says of itself, where the log key signed it. */
  record(): Promise<LedgerRecord | null>
}

interface GuardNote {
  kind: GuardKind
  note: string | null
  isRestorePending: boolean
  /** It sees every checkpoint before it is published, whichever node signed it. */
  seesAll: boolean
}

export interface StartReport {
  tail: TailReport
  /** The newest checkpoint in the store, where it verifies. */
  signed: OwnCheckpoint | null
  /** In the guard. */
  guardCheckpoint: Checkpoint | null
  /** Why the operator has to accept the store before anything is appended; null where something else is broken. */
  restore: string | null
  /** Why the ledger may be read but not appended to. */
  stop: string | null
  rolledBack: boolean
}

/** `rolledBack`: the store is behind what was signed, or holds another history. */
export interface Fault {
  reason: string
  rolledBack: boolean
}

export const damage = (reason: string): Fault => ({ reason, rolledBack: false })

export const foreignGuard = (kind: GuardKind): Fault =>
  damage(
    kind === 'witness'
      ? 'the witness holds another log under the name of this one; give this one a name of its own with ORCH_LOG_ORIGIN'
      : `${kind === 'file' ? 'the file that ORCH_GUARD names' : 'last-checkpoint.txt in the data folder'} is not a checkpoint of this log; restore it or, if you are sure, remove it`,
  )

export async function checkStart(inputs: StartInputs): Promise<StartReport> {
  const { reader, head, vkey, newest, guard, isNewLog, record: readRecord } = inputs
  const stored = newest === null ? null : await readCheckpoint(newest, vkey)
  const signed = typeof stored === 'string' ? null : stored
  const note = guard?.note ?? null
  const guardCheckpoint = note === null ? null : await checkpointOfAnyGeneration(note, vkey)
  const origin = parseVkey(vkey)!.name
  const unlike = guardCheckpoint?.origin === origin ? await historyFault(reader, head, guardCheckpoint) : null
  const { keys: ring, record } = await steadyRing(() => reader.keys(), readRecord)
  const signatures = new Signatures(record ?? EMPTY_RECORD, ring)
  const from = Math.min(signed?.checkpoint.size ?? 0, head.size)
  const { tail, fault } = await readTail(reader, head, from, signatures)
  const faults = [
    await historyFault(reader, head, signed?.checkpoint ?? null),
    unlike?.rolledBack ? null : unlike,
    typeof stored === 'string' ? damage(stored) : null,
    guard !== null && note !== null && guardCheckpoint === null ? foreignGuard(guard.kind) : null,
    record === null ? damage(NO_RECORD) : ringDamage(ringFault(ring, record)),
    fault,
  ].filter((found) => found !== null)
  const rolledBack = faults.find((found) => found.rolledBack)
  const restore =
    guard === null || faults.length > 0
      ? null
      : await guardFault({
          ...{ reader, head, origin, guardCheckpoint, isNewLog, seesAll: guard.seesAll },
          signed: signed?.checkpoint ?? null,
          isRestorePending: guard.isRestorePending,
          root: frontierRoot(head.frontier),
          rollback: unlike?.reason ?? null,
        })
  return {
    ...{ tail, signed, guardCheckpoint, restore },
    stop: (rolledBack ?? faults[0])?.reason ?? null,
    rolledBack: rolledBack !== undefined,
  }
}

/** Why the store does not continue what was signed, or null. */
export async function historyFault(
  reader: LedgerReader,
  head: { size: number },
  signed: Checkpoint | null,
): Promise<Fault | null> {
  if (signed === null) return null
  const root = head.size < signed.size ? null : await orDamaged(rootAt(reader, signed.size))
  if (root instanceof TreeDamaged) return holeIn(root)
  const reason = rollbackReason(signed, head, root)
  return reason === null ? null : { reason, rolledBack: true }
}

async function readTail(
  reader: LedgerReader,
  head: Head,
  from: number,
  signatures: Signatures,
): Promise<{ tail: TailReport; fault: Fault | null }> {
  const tail = await orDamaged(verifyTail(reader, from, head, signatures))
  if (tail instanceof TreeDamaged)
    return { tail: { verifiedFrom: from, verifiedTo: from, broken: null }, fault: holeIn(tail) }
  const { broken } = tail
  return { tail, fault: broken === null ? null : damage(`receipt ${broken.nodeIndex} is broken: ${broken.reason}`) }
}

const ringDamage = (sentence: string | null): Fault | null =>
  sentence === null ? null : damage(`the ring of keys was altered: ${sentence}`)

const holeIn = ({ message }: TreeDamaged): Fault =>
  damage(`the stored tree is damaged (${message}); restore the store from a copy, its receipts can still be read`)

/** Only the hole is a finding; a store that does not answer is no evidence of anything. */
const orDamaged = <T>(work: Promise<T>): Promise<T | TreeDamaged> =>
  work.catch((error: unknown) => {
    if (error instanceof TreeDamaged) return error
    throw error
  })
