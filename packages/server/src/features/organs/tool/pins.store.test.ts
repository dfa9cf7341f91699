import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { openLedger } from '../../../ledger/ledger.ts'
import { driftOf, pinTool, readPins } from './pins.ts'
import { BUILT_IN, type ToolDefinition } from './tools.ts'

type Store = Awaited<ReturnType<typeof openLedger>>
const [hash, time] = [...BUILT_IN] as unknown as [ToolDefinition, ToolDefinition]
const named = (at: number): ToolDefinition => ({ ...hash, name: `tool-${at}` })

async function pin(ledger: Store, partition: string, tool: ToolDefinition) {
  const { writes, ...pinned } = await pinTool(ledger.reader, partition, tool, 1)
  await ledger.writeDocuments(writes.documents!, writes.counters)
  return pinned
}

async function suite(t: TestContext, open: () => Promise<Store>) {
  let ledger = await open()
  t.after(() => ledger.close())
  await pin(ledger, 'team/a', hash)
  await pin(ledger, 'team/a', time)

  // Another tenant sees nothing of it, whatever the names of the two have in common.
  for (const other of ['team/b', 'team/a/', 'team', 'tea/m/a', 'TEAM/a'])
    assert.deepEqual(await readPins(ledger.reader, other), [])
  assert.equal((await pinTool(ledger.reader, 'team/b', hash, 1)).previous, null)

  // A pin survives a restart, and is replaced and not doubled.
  await ledger.close()
  ledger = await open()
  const pinned = await readPins(ledger.reader, 'team/a')
  assert.deepEqual(
    pinned.map(({ name }) => name),
    ['hash', 'time'],
  )
  const changed = { ...hash, description: `${hash.description}.` }
  assert.deepEqual(
    driftOf(pinned, [changed, time]).map(({ name }) => name),
    ['hash'],
  )
  assert.equal((await pin(ledger, 'team/a', changed)).previous, pinned[0]!.definition_sha256)
  assert.equal((await readPins(ledger.reader, 'team/a')).length, 2)

  // Of two who pin the same tool at once, one is told to look again.
  const both = await Promise.all([1, 2].map(() => pinTool(ledger.reader, 'team/c', hash, 1)))
  const written = await Promise.allSettled(
    both.map(({ writes }) => ledger.writeDocuments(writes.documents!, writes.counters)),
  )
  assert.deepEqual(written.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])

  // The cap holds also for those who looked before it was reached.
  for (let at = 0; at < 199; at += 1) await pin(ledger, 'team/d', named(at))
  const late = await Promise.all([named(199), named(200)].map((tool) => pinTool(ledger.reader, 'team/d', tool, 1)))
  await ledger.writeDocuments(late[0]!.writes.documents!, late[0]!.writes.counters)
  await assert.rejects(ledger.writeDocuments(late[1]!.writes.documents!, late[1]!.writes.counters), {
    code: 'quota_exceeded',
  })
  await assert.rejects(pinTool(ledger.reader, 'team/d', named(200), 1), { code: 'tenant_quota_exceeded' })
  assert.equal((await pin(ledger, 'team/d', named(0))).after.length, 200)
}

test('pins are of one tenant, last, and have a cap, on SQLite', async (t) => {
  const folder = testFolder(t, 'pins')
  await suite(t, () => openLedger(settingsFor(folder)))
})

test('pins are of one tenant, last, and have a cap, on PostgreSQL', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const postgresUrl = await server.createDatabase('pins')
  const folder = testFolder(t, 'pins')
  await suite(t, () => openLedger(settingsFor(folder, { store: 'postgres', postgresUrl })))
})
