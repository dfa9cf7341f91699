/** What the sequencer needs of the thread it runs in. */
import type { BatchSigner } from './batch-signer.ts'
import type { Appended } from './contract.ts'
import type { LedgerStore } from './store/store.ts'
import type { Head } from './types.ts'

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
