/** Whether the store can record: one row as long as the longest receipt is written, read back and rolled back. */
import { MAX_BODY_BYTES } from './place.ts'
import type { LedgerStore } from './store/store.ts'

const ROW = 'x'.repeat(MAX_BODY_BYTES)

type Probed = Pick<LedgerStore, 'lock' | 'spill' | 'putMeta' | 'meta' | 'rollback'>

/** Rejects where the row is not taken, by a full disk for one. A short row would not do: the last free bytes would take
 *  it, and the next receipt would still be refused. */
export async function probeStore(store: Probed): Promise<void> {
  await store.lock()
  try {
    store.spill(true)
    await store.putMeta('probe', ROW)
    if ((await store.meta('probe')) !== ROW) throw new Error('a row written was not there to read')
  } finally {
    store.spill(false)
    await store.rollback()
  }
}
