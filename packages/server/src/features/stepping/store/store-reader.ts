/** Reads of the store for this service: one that does not answer is told as what it is, and never as a failure of ours. */
import { ServiceError } from '../../../errors.ts'
import type { LedgerReader } from '../../../ledger/contract.ts'
import type { Clock } from '../../../ports.ts'

const BELIEVED_MS = 5_000

export function watchedReader(reader: LedgerReader, clock: Pick<Clock, 'monotonic'>) {
  let failedAt: number | null = null
  const names = Object.keys(reader).filter((name) => name !== 'close') as Exclude<keyof LedgerReader, 'close'>[]
  const reads = names.map((name) => {
    const read = reader[name].bind(reader) as (...args: unknown[]) => Promise<unknown>
    const watched = async (...args: unknown[]) => {
      try {
        const value = await read(...args)
        failedAt = null
        return value
      } catch (error) {
        failedAt = clock.monotonic()
        if (error instanceof ServiceError) throw error
        throw new ServiceError('store_unavailable', 'the store cannot be read now; nothing was recorded, retry later')
      }
    }
    return [name, watched]
  })
  return {
    reader: { ...(Object.fromEntries(reads) as LedgerReader), close: () => reader.close() },
    /** Whether the newest answer of the store was none. Believed for a few seconds only: while it is, nobody may ask the
     *  store, and so nobody would find out that it is back. */
    isAway: () => failedAt !== null && clock.monotonic() - failedAt < BELIEVED_MS,
  }
}

/** The time that effects are due, leased and retried by. Nodes whose own clocks differ must not end each other's leases:
 *  where the store has a clock of its own, that one counts, and elsewhere all processes run on one machine.
 *  Milliseconds since the epoch. */
export type StoreTime = () => Promise<number>

export const storeTime =
  (reader: Pick<LedgerReader, 'time'>, clock: Pick<Clock, 'now'>): StoreTime =>
  async () =>
    (await reader.time()) ?? clock.now()
