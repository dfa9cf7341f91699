import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiptDraft, testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { openLedger } from './ledger.ts'
import { logStop } from './stop-log.ts'

test('a reading thread that ends takes the right to append with it, whatever the writing one still says', async (t) => {
  const ledger = await openLedger(settingsFor(testFolder(t, 'dead-reader')))
  t.after(() => ledger.close())
  await ledger.append(receiptDraft(0))
  const { readerThread } = ledger as unknown as { readerThread: { worker: { terminate(): Promise<number> } } }
  const states: (string | null)[] = []
  const lines: object[] = []
  logStop(ledger, { error: (line: object) => lines.push(line) })
  ledger.onState(({ readOnly }) => states.push(readOnly))
  // The batch on its way tells its state after the reader is gone.
  const onItsWay = ledger.append(receiptDraft(1)).then(
    () => null,
    () => null,
  )
  await Promise.all([readerThread.worker.terminate(), onItsWay])
  await ledger.checkpointNow().catch(() => undefined)
  assert.match(ledger.state().readOnly ?? '', /^the reading thread ended/)
  await assert.rejects(ledger.append(receiptDraft(2)), { code: 'ledger_read_only' })
  assert.deepEqual(
    lines.map((line) => ({ ...line, size: null })),
    [{ reason: ledger.state().readOnly, size: null }],
  )
  assert.ok(states.every((readOnly) => readOnly === null || readOnly.startsWith('the reading thread ended')))
})
