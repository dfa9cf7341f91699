import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { editLedger, receiptDraft, testFolder } from '#testing/ledger/at-rest.ts'
import { newJournal, settingsFor, settleAccounts } from '#testing/ledger/crashes.ts'
import { freshFolder } from '#testing/private-folder.ts'
import type { Ledger } from '../ports.ts'
import { openLedger } from './ledger.ts'
import { logStop } from './stop-log.ts'
import { readSegments, SNAPSHOT_FOLDER } from './store/snapshots.ts'
import { openSqliteReader } from './store/sqlite/reader.ts'
import { LEDGER_FILE } from './store/sqlite/store.ts'

const draft = (n: number) => receiptDraft(n, { chain: 'faults' })
async function appendMany(ledger: Ledger, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await ledger.append(draft(n))
}

const folder = (t: TestContext) => testFolder(t, 'faults')

test('a restart keeps every receipt, the log and the key', async (t) => {
  const data = folder(t)
  const first = await openLedger(settingsFor(data))
  await appendMany(first, 5)
  const before = { ...first.state(), vkey: first.vkey, keyid: first.signer.keyid }
  await first.close()
  const second = await openLedger(settingsFor(data))
  assert.deepEqual({ ...second.state(), vkey: second.vkey, keyid: second.signer.keyid }, before)
  assert.equal((await second.append(draft(5))).seq, 5)
  await second.close()
})

test('a store restored from an older copy does not start and says both sizes', async (t) => {
  const data = folder(t)
  const old = join(freshFolder('backup'), 'old.sqlite')
  const first = await openLedger(settingsFor(data))
  await appendMany(first, 3)
  await first.close()
  copyFileSync(join(data, LEDGER_FILE), old)
  const second = await openLedger(settingsFor(data))
  await appendMany(second, 4)
  await second.close()
  copyFileSync(old, join(data, LEDGER_FILE))
  await assert.rejects(openLedger(settingsFor(data)), /holds 3 receipts, but a checkpoint over 7/)
})

test('another history of the same length is refused', async (t) => {
  const [data, other] = [folder(t), folder(t)]
  const first = await openLedger(settingsFor(data))
  await appendMany(first, 3)
  await first.close()
  // The same log key, other receipts: what an operator with two sets of books would have.
  copyFileSync(join(data, 'log-key.pem'), join(other, 'log-key.pem'))
  const second = await openLedger(settingsFor(other))
  for (let n = 10; n < 13; n += 1) await second.append(draft(n))
  await second.close()
  copyFileSync(join(other, LEDGER_FILE), join(data, LEDGER_FILE))
  await assert.rejects(openLedger(settingsFor(data)), /another history/)
})

for (const [name, statements, broken] of [
  [
    'altered',
    `UPDATE receipts SET body = CAST(replace(CAST(body AS TEXT), '"n":1', '"n":9') AS BLOB) WHERE node_index = 4`,
    4,
  ],
  ['removed', 'DELETE FROM receipts WHERE node_index = 4', 4],
  ['re-linked', `UPDATE receipts SET prev = randomblob(32) WHERE node_index = 5`, 5],
  ['given another lake hash', `UPDATE receipts SET lake = zeroblob(32) WHERE node_index = 6`, 6],
] as const) {
  test(`a receipt ${name} after the last checkpoint stops the ledger at start, at that index`, async (t) => {
    const data = folder(t)
    const first = await openLedger(settingsFor(data))
    await appendMany(first, 3)
    await first.checkpointNow()
    await appendMany(first, 5)
    // As after a crash: no closing checkpoint covers the tail.
    const db = join(data, LEDGER_FILE)
    await first.close()
    const trim = new DatabaseSync(db)
    trim.exec('DROP TRIGGER checkpoints_never_leave; DELETE FROM checkpoints WHERE size > 3')
    trim.close()
    rmSync(join(data, 'last-checkpoint.txt'))
    editLedger(data, statements)
    const second = await openLedger(settingsFor(data))
    const lines: unknown[] = []
    logStop(second, { error: (...line: unknown[]) => lines.push(line) })
    assert.equal(second.tail.broken?.nodeIndex, broken)
    assert.match(second.state().readOnly ?? '', new RegExp(`receipt ${broken} is broken`))
    await assert.rejects(second.append(draft(9)), { code: 'ledger_read_only' })
    // One line, however often it is found again.
    second.reportBreak('found again')
    assert.deepEqual(lines, [
      [
        { reason: second.state().readOnly, size: 8 },
        'the ledger is read-only: nothing more is recorded until a restart',
      ],
    ])
    await second.close()
    assert.equal(lines.length, 1)
  })
}

test('two processes on one data folder: the second is refused with a sentence', async (t) => {
  const data = folder(t)
  const first = await openLedger(settingsFor(data))
  await assert.rejects(openLedger(settingsFor(data)), /another orch process uses this data folder/)
  await first.close()
})

test('a full disk: nothing more is acknowledged, the ledger turns read-only and recovers after a restart', async (t) => {
  if (process.platform === 'win32') return t.skip('SKIPPED: needs a file-size limit')
  const data = folder(t)
  const journal = newJournal()
  const writer = fileURLToPath(new URL('../../testing/ledger/writer.ts', import.meta.url))
  // The limit makes write(2) fail with EFBIG where a full disk gives ENOSPC; the signal it also sends is ignored.
  const child = spawn(
    'sh',
    [
      '-c',
      'trap "" XFSZ; ulimit -f 1500; exec "$0" "$@"',
      process.execPath,
      writer,
      JSON.stringify(settingsFor(data)),
      '32',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const refused = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [first, second] = line.split(' ')
      if (first === 'refused') resolve(second!)
      else if (first !== 'ready') journal.acknowledged.set(Number(first), second!)
    })
    child.once('exit', () => resolve('the process died'))
  })
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  assert.equal(refused, 'ledger_read_only')
  assert.ok(journal.acknowledged.size > 100)
  // The data folder is its own until then.
  await ended
  const again = await openLedger(settingsFor(data))
  assert.equal(again.state().readOnly, null)
  await again.append(draft(1))
  await again.close()
  const reader = openSqliteReader(data)
  await settleAccounts(reader, journal)
  await reader.close()
})

test('a durable ledger leaves a snapshot of every thousand receipts, and one that lost four shards restores them', async (t) => {
  const data = folder(t)
  const ledger = await openLedger(settingsFor(data))
  await Promise.all(Array.from({ length: 2_100 }, (_, n) => ledger.append(draft(n))))
  const snapshots = join(data, SNAPSHOT_FOLDER)
  for (let tries = 0; tries < 150 && !existsSync(join(snapshots, '000000000001000')); tries += 1) await pause(100)
  await ledger.close()
  for (const shard of [1, 4, 6, 8]) rmSync(join(snapshots, '000000000000000', `shard-${shard}.rs`))
  const segments = [...readSegments(snapshots)]
  assert.deepEqual(
    segments.map(({ receipts, erased }) => [receipts.length, erased]),
    [
      [1000, [1, 4, 6, 8]],
      [1000, []],
    ],
  )
})
