import assert from 'node:assert/strict'
import { copyFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { testFolder } from '#testing/ledger/at-rest.ts'
import { StoreReplaced } from '../own-files.ts'
import { mayFoldBesideWriter, openLogFolding } from './log-folding.ts'
import { LEDGER_FILE, sqliteStore } from './store.ts'

async function opened(t: TestContext) {
  const data = testFolder(t, 'log-folding')
  const store = sqliteStore(data)
  await store.open()
  t.after(() => store.close())
  return { data, store }
}

/** Some pages of the log for each. */
async function commitTexts(store: ReturnType<typeof sqliteStore>, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await store.begin()
    await store.putMeta(`text ${at}`, 'x'.repeat(40_000))
    await store.commit()
  }
}

test('the log is folded beside an open batch of the writer, and what was committed is in the one file', async (t) => {
  const { data, store } = await opened(t)
  const folding = openLogFolding(data, store.files())
  t.after(() => folding.close())
  assert.equal(folding.foldIfDue(), false, 'nothing is due in a new ledger')
  await commitTexts(store, 60)
  const { log, checkpointed } = folding.pages()
  assert.ok(log - checkpointed >= 500, `${log} pages of which ${checkpointed} are folded`)
  await store.begin()
  await store.putMeta('under way', 'not committed')
  assert.equal(folding.foldIfDue(), true)
  assert.deepEqual({ ...folding.pages() }, { busy: 0, log, checkpointed: log })
  await store.commit()
  const copy = join(testFolder(t, 'log-folding-copy'), LEDGER_FILE)
  copyFileSync(join(data, LEDGER_FILE), copy)
  const db = new DatabaseSync(copy, { readOnly: true })
  t.after(() => db.close())
  const names = db.prepare("SELECT count(*) AS n FROM meta WHERE name LIKE 'text %'").get() as { n: number }
  assert.equal(names.n, 60)
})

test('a log that is folded all the time begins anew and does not grow without end', async (t) => {
  const { data, store } = await opened(t)
  const folding = openLogFolding(data, store.files())
  t.after(() => folding.close())
  let longest = 0
  for (let round = 0; round < 30; round += 1) {
    await commitTexts(store, 50)
    folding.foldIfDue()
    longest = Math.max(longest, folding.pages().log)
  }
  assert.ok(longest < 9_000, `the log had ${longest} pages`)
  assert.equal(await store.meta('text 49'), 'x'.repeat(40_000))
})

test('the log of a file that was put in the place of the one that is written is not folded', async (t) => {
  const { data, store } = await opened(t)
  const file = join(data, LEDGER_FILE)
  copyFileSync(file, `${file}.copy`)
  renameSync(`${file}.copy`, file)
  assert.throws(() => openLogFolding(data, store.files()), StoreReplaced)
})

test('the log is left to the writer where SQLite has the fault of a log that begins anew', () => {
  for (const version of ['3.51.3', '3.53.4', '4.0.0']) assert.equal(mayFoldBesideWriter(version), true, version)
  for (const version of ['3.51.2', '3.50.4', '3.9.9']) assert.equal(mayFoldBesideWriter(version), false, version)
})
