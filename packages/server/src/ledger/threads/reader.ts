/** The reading thread: looks things up and re-walks the ledger without ever touching the one that writes. */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { onUnforeseen } from '../../platform/last-resort.ts'
import { breakReason } from '../audit/audit.ts'
import { recordReader } from '../audit/own-record.ts'
import type { FromReader, ReaderSettings } from '../protocol.ts'
import { SNAPSHOT_FOLDER, snapshotPace, takeSnapshots } from '../store/snapshots.ts'
import { mayFoldBesideWriter, openLogFolding } from '../store/sqlite/log-folding.ts'
import { openSqliteReader } from '../store/sqlite/reader.ts'
import { answersTo, answerWith, onMessages } from '../thread.ts'
import { openReading } from './reading.ts'

const FOLD_MS = 100

// A rejection that nobody waited for ended one walk or one look-up. After an exception the thread ends, and with it the
// right to append: what cannot be read back is not acknowledged.
onUnforeseen('reader', { unhandledRejection: () => undefined })

const settings = workerData as ReaderSettings
const port = parentPort!
const post = (message: FromReader) => port.postMessage(message)
const reader =
  settings.store === 'postgres'
    ? (await import('../store/postgres/reader.ts')).postgresReader({ url: settings.postgresUrl! })
    : openSqliteReader(settings.data, settings.files)
const answer = openReading({
  reader,
  record: recordReader((name) => reader.meta(name), settings.vkey),
  vkey: settings.vkey,
  onBreak: (broken) => post({ type: 'broken', reason: breakReason(broken) }),
})

const send = answersTo(port)
onMessages(port, ({ id, method, args }: { id: number; method: string; args: unknown[] }) =>
  answerWith(send, id, () => answer(method, args)),
)
keepSnapshots()
if (settings.store !== 'postgres' && mayFoldBesideWriter(process.versions.sqlite!)) keepLogFolded()

/** A durable ledger leaves a snapshot of every thousand receipts behind it. */
function keepSnapshots(): void {
  const folder = join(settings.data, SNAPSHOT_FOLDER)
  const pace = snapshotPace()
  const again = (tookMs: number, written: number) => setTimeout(look, pace.restMs(written, tookMs)).unref()
  let [before, lookedAt, missing, failed] = [0, performance.now(), 0, false]
  const look = async (): Promise<void> => {
    const begun = performance.now()
    let written = 0
    try {
      const { size } = await reader.head()
      const most = pace.most(size - before, begun - lookedAt, missing)
      before = size
      lookedAt = begun
      // What failed is tried again at every look, and is a fault until it was written.
      if (most === 1 || failed) {
        failed = true
        const taken = await takeSnapshots(reader, folder, size, 1)
        failed = false
        written = taken.written
        missing = taken.missing
        post({ type: 'snapshots', fault: null, missing })
      }
    } catch (error) {
      post({ type: 'snapshots', fault: (error as Error).message, missing })
    }
    again(performance.now() - begun, written)
  }
  again(0, 0)
}

/** Never a fault: what is not folded here is folded by the writer, and fails there. */
function keepLogFolded(): void {
  const { foldIfDue } = openLogFolding(settings.data, settings.files)
  const fold = () => {
    try {
      foldIfDue()
    } catch {
      // The disk is full or gone.
    }
  }
  setInterval(fold, FOLD_MS).unref()
}
