import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'

import { crashIterations, settingsFor, settleAccounts, settleCounters } from '#testing/ledger/crashes.ts'
import { postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'

import { freshFolder } from '#testing/private-folder.ts'
import { openSqliteReader } from './store/sqlite/reader.ts'

const SEED = 20_261_115

test('kill -9 in ten rounds under 32 writers loses nothing acknowledged on SQLite', async (t) => {
  const data = freshFolder('crash')
  t.after(() => rmSync(data, { recursive: true, force: true }))
  t.diagnostic(`seed ${SEED}`)
  const journal = await crashIterations(settingsFor(data), 10, SEED)
  const reader = openSqliteReader(data)
  const { size } = await settleAccounts(reader, journal)
  await reader.close()
  t.diagnostic(`${journal.acknowledged.size} acknowledged, ${size} stored`)
  assert.ok(journal.acknowledged.size > 100, 'the writers wrote')
  assert.ok(size >= journal.acknowledged.size)
})

test('kill -9 in five rounds under 32 writers loses nothing acknowledged on PostgreSQL', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  const data = freshFolder('crash-pg')
  t.after(async () => {
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  })
  t.diagnostic(`seed ${SEED}`)
  const postgresUrl = await server.createDatabase('crash')
  const journal = await crashIterations(settingsFor(data, { store: 'postgres', postgresUrl }), 5, SEED)
  const { postgresReader } = await import('./store/postgres/reader.ts')
  const reader = postgresReader({ url: postgresUrl })
  const { size } = await settleAccounts(reader, journal)
  await reader.close()
  t.diagnostic(`${journal.acknowledged.size} acknowledged, ${size} stored`)
  assert.ok(journal.acknowledged.size > 50, 'the writers wrote')
  assert.ok(size >= journal.acknowledged.size)
})

for (const store of ['sqlite', 'postgres'] as const)
  test(`after kill -9 in five rounds every document stands where its receipts left it (${store})`, async (t) => {
    const unavailable = store === 'postgres' ? postgresUnavailable() : undefined
    if (unavailable) return t.skip(unavailable)
    const data = freshFolder('crash-documents')
    t.after(() => rmSync(data, { recursive: true, force: true }))
    const server = store === 'postgres' ? await sharedPostgres() : null
    t.after(() => server?.stop())
    const postgresUrl = (await server?.createDatabase('counters')) ?? null
    t.diagnostic(`seed ${SEED}`)
    const journal = await crashIterations(settingsFor(data, { store, postgresUrl }), 5, SEED, 32, true)
    const { postgresReader } = await import('./store/postgres/reader.ts')
    const reader = postgresUrl === null ? openSqliteReader(data) : postgresReader({ url: postgresUrl })
    const { size } = await settleAccounts(reader, journal)
    assert.equal(await settleCounters(reader, 32), size)
    await reader.close()
    t.diagnostic(`${journal.acknowledged.size} acknowledged, ${size} stored`)
    assert.ok(journal.acknowledged.size > 0, 'the writers wrote')
    assert.equal(journal.refused, 0, 'nobody writes to the document of another')
  })
