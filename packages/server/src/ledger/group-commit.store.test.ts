// What the disk is asked for when much is written at once, through the whole service and not the sequencer alone.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { moveOf, writeOf } from '#testing/ledger-stores.ts'
import type { Ledger } from '../ports.ts'
import { openLedger } from './ledger.ts'
import { LEDGER_FILE } from './store/sqlite/store.ts'

const folder = (t: TestContext) => testFolder(t, 'commits')

/** Closed in any case: an open ledger would keep a failed test from ending. */
async function within<T>(data: string, use: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(settingsFor(data))
  return use(ledger).finally(() => ledger.close())
}

/** Commits in SQLite's write-ahead log: the last frame of each, and no other, states the size of the database. Every
 *  commit is one sync of the disk. */
function commitsIn(data: string): number {
  const log = readFileSync(join(data, `${LEDGER_FILE}-wal`))
  const frame = 24 + log.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) !== 0) commits += 1
  return commits
}

test('100 document writes at once cost a handful of syncs, not 100', async (t) => {
  const data = folder(t)
  await within(data, async (ledger) => {
    const before = commitsIn(data)
    await Promise.all(Array.from({ length: 100 }, (_, n) => ledger.writeDocuments([writeOf(`d${n}`)], [moveOf('all')])))
    const commits = commitsIn(data) - before
    t.diagnostic(`${commits} commits for 100 writes`)
    assert.ok(commits >= 1 && commits <= 5, `${commits} commits`)
    assert.equal(await ledger.reader.countDocuments({ space: 'test.thing' }), 100)
    const rest = commitsIn(data)
    for (let n = 0; n < 10; n += 1) await ledger.writeDocuments([writeOf(`e${n}`)])
    assert.equal(commitsIn(data) - rest, 10, 'one after the other they are one each')
  })
})

test('counters and documents are there after a restart', async (t) => {
  const data = folder(t)
  const { space, key } = moveOf('a')
  await within(data, (ledger) => ledger.writeDocuments([writeOf('d')], [moveOf('a', { add: 3, limit: 4 })]))
  await within(data, async (ledger) => {
    assert.equal(await ledger.reader.counter(space, key), 3)
    assert.equal(await ledger.reader.countDocuments({ space: 'test.thing' }), 1)
    await assert.rejects(ledger.writeDocuments([], [moveOf('a', { add: 2, limit: 4 })]), {
      code: 'quota_exceeded',
      extra: { quota: { space, key, limit: 4 } },
    })
  })
})
