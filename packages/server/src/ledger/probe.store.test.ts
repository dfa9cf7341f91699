import assert from 'node:assert/strict'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { storeSuite } from '#testing/ledger-stores.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { probeStore } from './probe.ts'
import { LEDGER_FILE, sqliteStore } from './store/sqlite/store.ts'

const everyStore = storeSuite()

everyStore('a probe leaves nothing behind, and the store records as before', async ({ store, reader }) => {
  const before = await store.head()
  await probeStore(store)
  await probeStore(store)
  assert.equal(await store.meta('probe'), null)
  assert.deepEqual(await store.head(), before)
  await store.putMeta('log_vkey', 'one')
  assert.equal(await reader.meta('log_vkey'), 'one')
})

everyStore('a store says itself how it keeps what it is given', async ({ store }) => {
  const { engine, journal_mode, synchronous } = await store.modes()
  if (engine === 'sqlite')
    assert.deepEqual([journal_mode, synchronous], [store.durability === 'EPHEMERAL' ? 'memory' : 'wal', 'full'])
  // The suite's server runs without fsync, and has to say so.
  else assert.deepEqual([engine, journal_mode, synchronous], ['postgresql', 'wal, fsync off', 'on'])
})

test('a store that was told to be careless says so', async (t) => {
  const folder = freshFolder('modes')
  const store = sqliteStore(folder)
  await store.open()
  t.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  store.database().exec('PRAGMA synchronous = OFF')
  assert.equal((await store.modes()).synchronous, 'off')
})

everyStore('a store that takes no row fails the probe and is free again after it', async ({ store }) => {
  const full = { ...store, putMeta: () => Promise.reject(new Error('database or disk is full')) }
  await assert.rejects(probeStore(full), /disk is full/)
  await assert.rejects(probeStore({ ...store, meta: async () => null }), /not there to read/)
  await probeStore(store)
})

test('a probe writes to the disk and does not stop at the cache', async (t) => {
  const folder = freshFolder('probe')
  const store = sqliteStore(folder)
  await store.open()
  t.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const logged = () => statSync(join(folder, `${LEDGER_FILE}-wal`)).size
  const before = logged()
  await probeStore(store)
  assert.ok(logged() - before > 60_000, `${logged() - before} bytes`)
})
