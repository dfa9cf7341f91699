// Fills the ledger of a data folder up to the size given with signed receipts of the size of a decision, as the service
// with its default settings would find it. Arguments: folder, size.
import { readConfig } from '../../packages/server/src/config/config.ts'
import { ledgerSettings } from '../../packages/server/src/config/ledger-settings.ts'
import { openLedger } from '../../packages/server/src/ledger/ledger.ts'
import { draftOf } from './receipts.ts'

/** Enough for a full batch on its way to the disk, one being signed and one waiting. */
const CALLERS = 1_024

const [data = '', size = '0'] = process.argv.slice(2)
const ledger = await openLedger(ledgerSettings(readConfig({ ORCH_DATA: data }), data))
let next = ledger.state().size
await Promise.all(
  Array.from({ length: CALLERS }, async () => {
    while (next < Number(size)) await ledger.append(draftOf(next++))
  }),
)
await ledger.close()
