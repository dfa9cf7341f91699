/** What the operations have besides the shared ports. */

import type { DocumentWrite } from '../../ledger/contract.ts'
import type { Call } from '../../operation.ts'
import type { Computed } from '../../platform/compute/job.ts'
import type { Computation } from './job.ts'
import type { ReplayVerdict } from './receipt.ts'
import type { Computing, ReplayReceipt } from './schemas.ts'

type Caller = Call['caller']

export interface QuantumUtilityPort {
  compute(operation: Computing, input: object, signal: AbortSignal): Promise<Computed<Computation>>
  replay(receipt: ReplayReceipt, signal: AbortSignal): Promise<Computed<ReplayVerdict>>
  /** Seconds, measured now; null where the receipt holds nothing that can be run. */
  timeBaseline(receipt: ReplayReceipt, signal: AbortSignal): Promise<number | null>
  /** Of these digests, those of receipts that the caller may read and whose bytes are what they were. */
  receiptsFound(caller: Caller, digests: readonly string[]): Promise<string[]>
  /** Whether this ledger recorded the computation of the receipt for this caller. */
  isRecorded(caller: Caller, receipt: ReplayReceipt): Promise<boolean>
  /** The writes by which it is found again; none where it is known already. */
  rememberBaseline(caller: Caller, receipt: ReplayReceipt): Promise<DocumentWrite[]>
}
