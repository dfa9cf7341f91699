// The files of a running SQLite ledger are removed, renamed or replaced: nothing more is acknowledged, and nothing is read
// from what was put in their place.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { receiptDraft, testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { post, send } from '#testing/raw-http.ts'
import { startService } from '#testing/service.ts'
import { openLedger } from '../ledger.ts'
import { StoreReplaced } from './own-files.ts'
import { openSqliteReader } from './sqlite/reader.ts'
import { LEDGER_FILE, sqliteStore } from './sqlite/store.ts'

const draft = (n: number) => receiptDraft(n, { chain: 'files' })
function folder(t: TestContext): string {
  const top = testFolder(t, 'own-files')
  mkdirSync(join(top, 'data'), { mode: 0o700 })
  return join(top, 'data')
}

const file = (data: string) => join(data, LEDGER_FILE)

const ATTACKS: [name: string, attack: (data: string) => void][] = [
  ['removed', (data) => rmSync(file(data))],
  ['renamed', (data) => renameSync(file(data), `${file(data)}.old`)],
  [
    'replaced by a copy of itself',
    (data) => {
      copyFileSync(file(data), `${file(data)}.copy`)
      renameSync(`${file(data)}.copy`, file(data))
    },
  ],
  ['moved with its folder', (data) => renameSync(data, `${data}.moved`)],
  [
    'moved with its folder, and a folder with a copy put there',
    (data) => {
      renameSync(data, `${data}.moved`)
      mkdirSync(data)
      for (const name of [LEDGER_FILE, `${LEDGER_FILE}-wal`, `${LEDGER_FILE}-shm`])
        copyFileSync(join(`${data}.moved`, name), join(data, name))
    },
  ],
  ['robbed of its write-ahead log', (data) => rmSync(`${file(data)}-wal`)],
  ['robbed of its shared memory', (data) => rmSync(`${file(data)}-shm`)],
  ['robbed of the lock that keeps a second process out', (data) => rmSync(join(data, 'in-use.sqlite'))],
]

for (const [name, attack] of ATTACKS)
  test(`a ledger whose file is ${name} acknowledges nothing more and says why`, async (t) => {
    const data = folder(t)
    const ledger = await openLedger(settingsFor(data))
    t.after(() => ledger.close())
    const { digest } = await ledger.append(draft(0))
    assert.equal((await ledger.reader.head()).size, 1)
    attack(data)
    await assert.rejects(ledger.append(draft(1)), { code: 'ledger_read_only' })
    assert.match(
      ledger.state().readOnly ?? '',
      /^(?:ledger\.sqlite(?:-wal|-shm)?|in-use\.sqlite) in the data folder is no longer the file this service opened: .*put the file back/,
    )
    // What was acknowledged before is still served, from the file it was recorded in.
    assert.equal((await ledger.reader.byIndex(0))?.digest, digest)
  })

test('a ledger that nobody appends to finds out by itself', async (t) => {
  const data = folder(t)
  const ledger = await openLedger(settingsFor(data))
  t.after(() => ledger.close())
  await ledger.append(draft(0))
  assert.equal((await ledger.reader.head()).size, 1)
  rmSync(file(data))
  const stopped = new Promise<string>((resolve) => {
    ledger.onState(({ readOnly }) => readOnly !== null && resolve(readOnly))
  })
  assert.match(await stopped, /no longer the file/)
})

test('a file taken away between the check and the commit: the batch is not acknowledged', async (t) => {
  const data = folder(t)
  const store = sqliteStore(data)
  await store.open()
  t.after(() => store.close())
  await store.lock()
  await store.putMeta('a', 'b')
  const db = store.database()
  const { exec } = db
  db.exec = (sql) => {
    if (sql === 'COMMIT') rmSync(file(data))
    exec.call(db, sql)
  }
  await assert.rejects(store.commit(), StoreReplaced)
})

const ALONE: [name: string, write: (store: ReturnType<typeof sqliteStore>) => Promise<unknown>][] = [
  ['putMeta', (store) => store.putMeta('a', 'b')],
  ['putCheckpoint', (store) => store.putCheckpoint({ size: 1, note: 'one' })],
  ['forgetAnswers', (store) => store.forgetAnswers(1)],
  [
    'putKey',
    (store) =>
      store.putKey({
        keyid: 'k',
        spki: Buffer.of(1),
        kind: 'demo',
        fromIndex: 0,
        toIndex: null,
        from: '2026-01-01',
        to: null,
      }),
  ],
]

for (const [name, write] of ALONE)
  test(`${name}, which commits by itself, writes nothing where the file was taken away`, async (t) => {
    const data = folder(t)
    const store = sqliteStore(data)
    await store.open()
    t.after(() => store.close())
    await write(store)
    const db = store.database()
    const changes = () => db.prepare('SELECT total_changes() AS n').get()
    const before = changes()
    renameSync(file(data), `${file(data)}.taken`)
    await assert.rejects(write(store), StoreReplaced)
    assert.deepEqual(changes(), before)
  })

test('a file taken away while a write commits by itself: the write is not acknowledged', async (t) => {
  const data = folder(t)
  const store = sqliteStore(data)
  await store.open()
  t.after(() => store.close())
  store.database().function('take_away', () => {
    rmSync(file(data))
    return null
  })
  store.database().exec('CREATE TEMP TRIGGER taking AFTER INSERT ON meta BEGIN SELECT take_away(); END')
  await assert.rejects(store.putMeta('a', 'b'), StoreReplaced)
})

test('a reader does not open a file that was put in the place of the one that is written', async (t) => {
  const data = folder(t)
  const store = sqliteStore(data)
  await store.open()
  t.after(() => store.close())
  copyFileSync(file(data), `${file(data)}.copy`)
  renameSync(`${file(data)}.copy`, file(data))
  assert.throws(() => openSqliteReader(data, store.files()), StoreReplaced)
})

test('over HTTP: the mint is refused, readiness is 503 with one sentence, the receipt is still served, liveness stays', async (t) => {
  const data = folder(t)
  const service = await startService({ data })
  t.after(() => service.close())
  const minted = await post(`${service.url}/api/orch/khipu/sign`, '{"n":1}')
  assert.equal(minted.status, 200)
  rmSync(file(data))
  const ready = await send(`${service.url}/api/readyz`)
  assert.equal(ready.status, 503)
  const { state, detail } = ready.json.components.store
  assert.deepEqual([state, detail.code], ['FAILED', 'STORE_REPLACED'])
  assert.match(detail.reason, /^ledger\.sqlite in the data folder is no longer the file this service opened: /)
  const refused = await post(`${service.url}/api/orch/khipu/sign`, '{"n":2}')
  assert.deepEqual([refused.status, refused.json.error.code], [503, 'ledger_read_only'])
  assert.equal((await send(`${service.url}/api/orch/v1/receipts/${minted.json.digest}`)).status, 200)
  assert.equal((await send(`${service.url}/api/livez`)).status, 200)
})

test('every file that a running ledger makes is its owner’s alone, whatever the umask', async (t) => {
  if (process.platform === 'win32') return t.skip('SKIPPED: no permission bits here')
  const data = folder(t)
  const service = await startService({ data })
  t.after(() => service.close())
  await post(`${service.url}/api/orch/khipu/sign`, '{"n":1}')
  const open = readdirSync(data).filter((name) => (statSync(join(data, name)).mode & 0o077) !== 0)
  assert.deepEqual(open, [])
  assert.ok(readdirSync(data).includes(`${LEDGER_FILE}-wal`))
})
