/** The time that effects are due, leased and retried by. Nodes whose own clocks differ must not end each other's leases:
 *  where the store has a clock of its own, that one counts, and elsewhere all processes run on one machine. */
import type { LedgerReader } from '../../../ledger/contract.ts'
import type { Clock } from '../../../ports.ts'

/** Milliseconds since the epoch. */
export type StoreTime = () => Promise<number>

export const storeTime =
  (reader: Pick<LedgerReader, 'time'>, clock: Pick<Clock, 'now'>): StoreTime =>
  async () =>
    (await reader.time()) ?? clock.now()
