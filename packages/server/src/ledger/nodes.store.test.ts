import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { newJournal, settingsFor, settleAccounts, startWriter } from '#testing/ledger/crashes.ts'
import { type PostgresServer, postgresUnavailable, startPostgres } from '#testing/postgres.ts'

import { freshFolder } from '#testing/private-folder.ts'
import { openLedger } from './ledger.ts'
import { postgresReader } from './store/postgres/reader.ts'

const unavailable = postgresUnavailable()
let server: PostgresServer

before(async () => {
  if (!unavailable) server = await startPostgres()
})
after(async () => {
  await server?.stop()
})

function folder(t: TestContext, name: string): string {
  const data = freshFolder(name)
  t.after(() => rmSync(data, { recursive: true, force: true }))
  return data
}

/** Two nodes share the key of the log, as an operator sets them up. */
async function twoNodes(t: TestContext, database: string) {
  const postgresUrl = await server.createDatabase(database)
  const node = (name: string) => settingsFor(folder(t, name), { store: 'postgres', postgresUrl })
  const [a, b] = [node('a'), node('b')]
  await (await openLedger(a)).close()
  copyFileSync(join(a.data, 'log-key.pem'), join(b.data, 'log-key.pem'))
  return { a, b, postgresUrl }
}

test('two processes, 16 writers each, 10,000 appends: dense indexes, one successor per receipt, both heard everywhere', async (t) => {
  if (unavailable) return t.skip(unavailable)
  const { a, b, postgresUrl } = await twoNodes(t, 'two_nodes')
  const journal = newJournal()
  const listener = await openLedger(a)
  t.after(() => listener.close())
  const sizes: number[] = []
  listener.onState(({ size }) => sizes.push(size))
  const one = startWriter(a, journal, 16, '5000', 'a')
  const two = startWriter(b, journal, 16, '5000', 'b')
  await Promise.all([one.done, two.done])
  assert.deepEqual([...journal.refusals], [])
  assert.equal(journal.acknowledged.size, 10_000)
  const reader = postgresReader({ url: postgresUrl })
  const { size } = await settleAccounts(reader, journal)
  await reader.close()
  assert.equal(size, 10_000)
  // The listening node appended nothing itself: what it heard came from the other two processes.
  for (let tries = 0; tries < 600 && sizes.at(-1) !== 10_000; tries += 1) await pause(100)
  assert.equal(sizes.at(-1), 10_000)
})

test('a node stopped in mid-flight and woken past its lease acknowledges nothing wrong, and the other goes on', async (t) => {
  if (unavailable) return t.skip(unavailable)
  const { a, b, postgresUrl } = await twoNodes(t, 'stopped_node')
  const journal = newJournal()
  const one = startWriter(a, journal, 16, '4000', 'a')
  await one.ready
  await pause(300)
  one.child.kill('SIGSTOP')
  const two = startWriter(b, journal, 16, '500', 'b')
  await two.done
  one.child.kill('SIGCONT')
  await one.done
  const reader = postgresReader({ url: postgresUrl })
  await settleAccounts(reader, journal)
  await reader.close()
  assert.ok(journal.acknowledged.size > 500)
})

test('a node with another log key is refused with a sentence', async (t) => {
  if (unavailable) return t.skip(unavailable)
  const postgresUrl = await server.createDatabase('other_key')
  await (await openLedger(settingsFor(folder(t, 'first'), { store: 'postgres', postgresUrl }))).close()
  await assert.rejects(
    openLedger(settingsFor(folder(t, 'second'), { store: 'postgres', postgresUrl })),
    /another log key or origin/,
  )
})
