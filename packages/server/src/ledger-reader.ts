/** The reading thread: looks things up and re-walks the ledger without ever touching the one that writes. */
import { parentPort, workerData } from 'node:worker_threads'
import { LedgerAudit } from './ledger/audit.ts'
import type { LedgerSettings } from './ledger/protocol.ts'
import { openSqliteReader } from './ledger/reader-sqlite.ts'

const REWALK_MS = 3_600_000

const settings = workerData as LedgerSettings
const port = parentPort!
const reader =
  settings.store === 'postgres'
    ? (await import('./ledger/reader-postgres.ts')).postgresReader({ url: settings.postgresUrl! })
    : openSqliteReader(settings.data)
const audit = new LedgerAudit(reader, () => performance.now())
const methods = { ...reader, audit: (startOver: boolean) => audit.report(startOver) } as unknown as Record<
  string,
  (...args: unknown[]) => Promise<unknown>
>

port.on('message', ({ id, method, args }: { id: number; method: string; args: unknown[] }) => {
  methods[method]!(...args).then(
    (value) => port.postMessage({ type: 'returned', id, value }),
    (error: Error) => port.postMessage({ type: 'returned', id, error: error.message }),
  )
})
audit.walkOn()
setInterval(() => audit.startOver(), REWALK_MS).unref()
