/** What the sequencer needs of the thread it runs in. */

import { pae, RECEIPT_PAYLOAD_TYPE } from '@orch/core'
import type { Appended, KeyKind } from './contract.ts'
import type { LedgerStore } from './store/store.ts'
import type { Head, Placed } from './types.ts'

/** `broken`: what is stored was found not to hold. `rolledBack`: it is behind what was recorded, or has another history. */
export interface StopCause {
  broken?: boolean
  rolledBack?: boolean
}

export interface SequencerDeps {
  store: LedgerStore
  signer: BatchSigner
  /** Stored unsigned rather than refused when the signer does not answer. */
  allowUnsigned: boolean
  nowMs(): number
  /** Milliseconds since the epoch, finer than `nowMs`; for how long things took. */
  stampMs(): number
  /** Receipts from the first index to one before the last are about to be stored without a signature. Runs under the lock
   *  and commits with them. */
  declareUnsigned?(from: number, to: number): Promise<void>
  /** A batch is durable. */
  onCommit(head: Head, appended: readonly Appended[]): void
  /** The ledger stopped taking appends; the rest says what was found of the store. */
  onReadOnly(reason: string, found: StopCause): void
}

/** Signs a batch. Resolves with one signature per message, or null for all when there is no key; rejects when a
 *  configured signer cannot sign. */
export interface BatchSigner {
  key(): { keyid: string; kind: KeyKind } | null
  sign(messages: readonly Uint8Array[]): Promise<readonly (Uint8Array | null)[]>
  /** A batch of any size is signed on this thread, before `sign` returns. */
  signsHere?(): boolean
}

/** By position in the batch. What is unsigned by choice never reaches the signer, so nobody can be asked for it. */
export async function signaturesOf(
  signer: BatchSigner,
  placed: readonly Placed[],
): Promise<readonly (Uint8Array | null)[]> {
  const due = placed.filter((row) => !row.unsigned)
  if (due.length === 0) return placed.map(() => null)
  const made = await signer.sign(due.map(({ body }) => pae(RECEIPT_PAYLOAD_TYPE, body)))
  if (due.length === placed.length) return made
  const byRow = new Map(due.map((row, at) => [row, made[at] ?? null]))
  return placed.map((row) => byRow.get(row) ?? null)
}
