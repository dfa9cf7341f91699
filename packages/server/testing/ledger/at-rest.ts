// A ledger on disk for one test: its folder, its receipts, and somebody who edits its file past the service.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReceiptDraft } from '@orch/core'
import { openLedger } from '../../src/ledger/ledger.ts'
import type { LedgerSettings } from '../../src/ledger/protocol.ts'
import { LEDGER_FILE } from '../../src/ledger/store/sqlite/store.ts'
import type { Ledger } from '../../src/ports.ts'
import { freshFolder } from '../private-folder.ts'

/** A folder that goes with the test. */
export function testFolder(t: Pick<TestContext, 'after'>, purpose: string): string {
  const folder = freshFolder(purpose)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const receiptDraft = (n: number, more: Partial<ReceiptDraft> = {}): ReceiptDraft => ({
  ns: 'public',
  chain: 'test',
  kind: 'mint',
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: `r${n}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { n },
  ...more,
})

/** Appends receipts from `from` to one before `to` and stops cleanly. */
export async function fillLedger(
  settings: LedgerSettings,
  from: number,
  to: number,
  draft: (n: number) => ReceiptDraft = receiptDraft,
): Promise<void> {
  const ledger = await openLedger(settings)
  for (let n = from; n < to; n += 1) await ledger.append(draft(n))
  await ledger.close()
}

/** Whoever can open the file can drop its triggers; the service has to find what was done. */
export function editLedger(data: string, statements: string): void {
  const db = new DatabaseSync(join(data, LEDGER_FILE))
  for (const table of ['receipts', 'tiles', 'checkpoints'])
    db.exec(`DROP TRIGGER IF EXISTS ${table}_never_change; DROP TRIGGER IF EXISTS ${table}_never_leave`)
  db.exec(statements)
  db.close()
}

/** Why nothing is appended any more. What only the walk of the reading thread can find comes a moment after the start. */
export async function stopReason(ledger: Ledger): Promise<string> {
  for (let tries = 0; tries < 400 && ledger.state().readOnly === null; tries += 1) await pause(25)
  return ledger.state().readOnly ?? ''
}
