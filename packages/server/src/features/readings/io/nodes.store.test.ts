import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { settingsFor } from '#testing/ledger/crashes.ts'
import { postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'

import { freshFolder } from '#testing/private-folder.ts'
import { localHosts, PATHS, SPACE_SHA } from '#testing/readings/local-hosts.ts'
import { movedClock, openReader } from '#testing/readings/reader.ts'
import { openLedger } from '../../../ledger/ledger.ts'

const unavailable = postgresUnavailable()

test('of two nodes on one PostgreSQL one reads a round, both serve it, and a restart still does', async (t) => {
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const postgresUrl = await server.createDatabase('readings')
  const node = (name: string) => settingsFor(freshFolder(name), { store: 'postgres', postgresUrl })
  const [a, b] = [node('a'), node('b')]
  t.after(() => [a, b].forEach(({ data }) => void rmSync(data, { recursive: true, force: true })))
  const one = await openLedger(a)
  copyFileSync(join(a.data, 'log-key.pem'), join(b.data, 'log-key.pem'))
  const two = await openLedger(b)
  const [hosts, clock] = [await localHosts(), movedClock()]
  t.after(() => hosts.close())
  const open = (store: typeof one) =>
    openReader({ hosts, clock, store: Object.assign(store, { rows: new Map() }), shared: true })
  const readers = [await open(one), await open(two)]
  const asked = () => hosts.seen.filter(({ path }) => path === PATHS.space).length

  await Promise.all(readers.map(({ background }) => background.run('readiness-round')))
  assert.equal(asked(), 1)
  await Promise.all(readers.map(({ background }) => background.run('readings-adopt')))
  assert.deepEqual(
    readers.map(({ readings }) => readings.space().sha),
    [SPACE_SHA, SPACE_SHA],
  )
  clock.forward(240)
  await Promise.all(readers.map(({ background }) => background.run('readiness-round')))
  assert.equal(asked(), 2)

  const late = await open(two)
  assert.deepEqual([late.readings.snapshot().served_from, late.readings.space().mode], ['persisted-snapshot', 'cached'])
  await Promise.all([...readers, late].map(({ stop }) => stop()))
  await Promise.all([one.close(), two.close()])
})
