// A restored store and its guard: on both stores, with a guard in a file elsewhere and with a witness process. Whatever is
// restored, no two checkpoints of one size are ever signed under one name.
import assert from 'node:assert/strict'
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseCheckpoint, parseNote, readBody, sha256Hex, utf8Encode } from '@orch/core'
import pg from 'pg'
import { fillLedger, receiptDraft, testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { startWitness, type WitnessProcess } from '#testing/witness.ts'
import { GUARD_FILE } from '../adapters/guard/guard.ts'
import type { Ledger } from '../ports.ts'
import { openLedger } from './ledger.ts'
import type { GuardSettings, LedgerSettings } from './protocol.ts'

let server: PostgresDatabases | null = null
after(() => server?.stop())

const draft = (text: string) => receiptDraft(0, { chain: 'guard', request_id: text, payload: { text } })
const folder = (t: TestContext) => testFolder(t, 'guard')
const fill = (settings: LedgerSettings, name: string, count: number) =>
  fillLedger(settings, 0, count, (n) => draft(`${name}-${n}`))

/** A place to guard from, and every checkpoint it ever held. */
interface Place {
  guard: GuardSettings
  /** The newest note it holds of a log, or null. */
  note(origin: string): Promise<string | null>
  lose(): Promise<void>
}

async function filePlace(t: TestContext): Promise<Place> {
  const at = join(folder(t), 'guard.txt')
  return {
    guard: { at, key: null, graceMs: 60_000 },
    note: async () => (existsSync(at) ? readFileSync(at, 'utf8') : null),
    lose: async () => rmSync(at),
  }
}

async function witnessPlace(t: TestContext): Promise<Place> {
  const data = folder(t)
  let witness = await startWitness(data)
  t.after(() => witness.kill9())
  const { url, vkey: key, port } = witness
  return {
    guard: { at: url, key, graceMs: 60_000 },
    async note(origin) {
      const reply = await fetch(`${url}/checkpoint/${sha256Hex(utf8Encode(origin))}`)
      return reply.status === 200 ? reply.text() : null
    },
    async lose() {
      await witness.kill9()
      for (const name of ['crash.test']) rmSync(join(data, `${sha256Hex(utf8Encode(name))}.json`))
      witness = await startWitness(data, port)
    },
  }
}

/** A store that can be backed up and put back as it was. */
interface Backup {
  settings: LedgerSettings
  backUp(): Promise<void>
  /** The settings under which the copy is started. */
  restore(): Promise<LedgerSettings>
}

async function sqliteBackup(t: TestContext, guard: GuardSettings | null): Promise<Backup> {
  const [data, copy] = [folder(t), join(folder(t), 'copy')]
  const settings = settingsFor(data, { guard })
  return {
    settings,
    backUp: async () => cpSync(data, copy, { recursive: true }),
    async restore() {
      rmSync(data, { recursive: true })
      cpSync(copy, data, { recursive: true })
      return settings
    },
  }
}

let databases = 0
async function postgresBackup(t: TestContext, guard: GuardSettings | null): Promise<Backup> {
  server ??= await sharedPostgres()
  databases += 1
  const postgresUrl = await server.createDatabase(`guarded_${databases}`)
  const name = new URL(postgresUrl).pathname.slice(1)
  const settings = settingsFor(folder(t), { store: 'postgres', postgresUrl, guard })
  const admin = async (statement: string) => {
    const url = new URL(postgresUrl)
    url.pathname = '/postgres'
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  return {
    settings,
    backUp: () => admin(`CREATE DATABASE ${name}_copy TEMPLATE ${name}`),
    async restore() {
      await admin(`DROP DATABASE ${name} WITH (FORCE)`)
      await admin(`ALTER DATABASE ${name}_copy RENAME TO ${name}`)
      return settings
    },
  }
}

const PLACES = { 'a file elsewhere': filePlace, 'a witness': witnessPlace }
const STORES = { SQLite: sqliteBackup, PostgreSQL: postgresBackup }

const refusedStart = async (settings: LedgerSettings): Promise<string> => {
  try {
    const ledger = await openLedger(settings)
    await ledger.close()
  } catch (error) {
    return (error as Error).message
  }
  return assert.fail('the start was not refused')
}

/** As the operator runs the printed command. */
function acceptedBy(sentence: string, reason = 'the disk was replaced'): LedgerSettings['acceptRestore'] {
  const [, guardHead, storeHead] = /--guard-head (\S+) --store-head (\S+) --reason 'WHY'$/.exec(sentence)!
  return { guardHead: guardHead!, storeHead: storeHead!, reason }
}

const headOf = (note: string) => {
  const { origin, size, root } = parseCheckpoint(parseNote(note)!.text)!
  return { origin, size, root: Buffer.from(root).toString('hex') }
}

async function newestCheckpoint(ledger: Ledger) {
  await ledger.checkpointNow()
  return headOf((await ledger.reader.checkpoint())!.note)
}

for (const [storeName, openBackup] of Object.entries(STORES))
  for (const [placeName, openPlace] of Object.entries(PLACES))
    test(`${storeName}, ${placeName}: a store restored from an older copy does not start, signs nothing, and goes on once accepted`, async (t) => {
      const unavailable = storeName === 'PostgreSQL' ? postgresUnavailable() : undefined
      if (unavailable) return t.skip(unavailable)
      const place = await openPlace(t)
      const { settings, backUp, restore } = await openBackup(t, place.guard)
      await fill(settings, 'first', 3)
      await backUp()
      await fill(settings, 'lost', 4)
      const before = headOf((await place.note('crash.test'))!)
      assert.equal(before.size, 7)
      const restored = await restore()
      const sentence = await refusedStart(restored)
      assert.match(
        sentence,
        /holds 3 receipts, but a checkpoint over 7 was signed.*orch ledger accept-restore --data '/,
      )
      assert.deepEqual(headOf((await place.note('crash.test'))!), before, 'the guard did not move')
      const acceptRestore = acceptedBy(sentence)!
      const ledger = await openLedger({ ...restored, acceptRestore })
      for (let n = 0; n < 5; n += 1) await ledger.append(draft(`after-${n}`))
      const published = await newestCheckpoint(ledger)
      assert.deepEqual([published.origin, published.size], ['crash.test/restored-1', 9])
      assert.deepEqual(
        headOf((await place.note('crash.test/restored-1'))!),
        published,
        'the guard holds what is served',
      )
      const receipt = readBody((await ledger.reader.byIndex(3))!.body)
      assert.ok(receipt.ok)
      assert.equal(receipt.body.kind, 'restore')
      assert.deepEqual(receipt.body.payload, {
        reason: 'the disk was replaced',
        guard: before,
        store: { origin: 'crash.test', size: 3, root: acceptRestore.storeHead.slice(2) },
        log: { origin: 'crash.test/restored-1', vkey: ledger.vkey },
        key_kind: 'demo',
      })
      await ledger.close()
      const again = await openLedger(restored)
      assert.equal(again.state().readOnly, null)
      await again.append(draft('later'))
      await again.close()
    })

for (const [storeName, openBackup] of Object.entries(STORES))
  for (const [placeName, openPlace] of Object.entries(PLACES))
    test(`${storeName}, ${placeName}: a guard that was lost stops the start of a ledger that has receipts`, async (t) => {
      const unavailable = storeName === 'PostgreSQL' ? postgresUnavailable() : undefined
      if (unavailable) return t.skip(unavailable)
      const place = await openPlace(t)
      const { settings } = await openBackup(t, place.guard)
      await fill(settings, 'first', 3)
      await place.lose()
      const sentence = await refusedStart(settings)
      assert.match(sentence, /holds 3 receipts and the guard has no checkpoint .* --guard-head none --store-head 3:/)
      const ledger = await openLedger({ ...settings, acceptRestore: acceptedBy(sentence)! })
      await ledger.append(draft('after'))
      assert.equal((await newestCheckpoint(ledger)).origin, 'crash.test/restored-1')
      await ledger.close()
    })

test('a guard file that was put back from an older copy stops the start', async (t) => {
  const place = await filePlace(t)
  const { settings } = await sqliteBackup(t, place.guard)
  await fill(settings, 'first', 3)
  const older = readFileSync(place.guard.at)
  await fill(settings, 'second', 4)
  writeFileSync(place.guard.at, older)
  assert.match(await refusedStart(settings), /over 3 receipts, and the store one over 7: the guard is older/)
})

test('in the data folder: a guard that was lost stops the start, and a restore of the whole folder is not noticed', async (t) => {
  const { settings, backUp, restore } = await sqliteBackup(t, null)
  await fill(settings, 'first', 3)
  await backUp()
  await fill(settings, 'lost', 4)
  await restore()
  const ledger = await openLedger(settings)
  assert.deepEqual(ledger.state().guard, { kind: 'data-folder', fault: null, blocking: false })
  await ledger.close()
  rmSync(join(settings.data, GUARD_FILE))
  assert.match(await refusedStart(settings), /the guard has no checkpoint of their log.*accept-restore/)
})

test('what is accepted is what was found: other heads, or a store that continues its guard, are refused', async (t) => {
  const place = await filePlace(t)
  const { settings, backUp, restore } = await sqliteBackup(t, place.guard)
  await fill(settings, 'first', 3)
  await backUp()
  await fill(settings, 'lost', 4)
  const sound = { ...settings, acceptRestore: { guardHead: 'none', storeHead: 'none', reason: 'x' } }
  assert.match(await refusedStart(sound), /nothing to accept/)
  await restore()
  const { guardHead, storeHead } = acceptedBy(await refusedStart(settings))!
  const others = [
    { guardHead: 'none', storeHead },
    { guardHead, storeHead: storeHead.replace('3:', '2:') },
  ]
  for (const heads of others)
    assert.match(await refusedStart({ ...settings, acceptRestore: { ...heads, reason: 'x' } }), /not what was found/)
  assert.match(await refusedStart(settings), /accept-restore/, 'nothing was recorded')
})

test('an acceptance that was cut short before the guard heard of it is completed by the next start', async (t) => {
  const place = await filePlace(t)
  const { settings, backUp, restore } = await sqliteBackup(t, place.guard)
  await fill(settings, 'first', 3)
  await backUp()
  await fill(settings, 'lost', 4)
  await restore()
  const before = readFileSync(place.guard.at)
  const accepting = await openLedger({ ...settings, acceptRestore: acceptedBy(await refusedStart(settings))! })
  await accepting.close()
  writeFileSync(place.guard.at, before)
  assert.match(await refusedStart(settings), /knows this log as crash\.test/, 'the guard had heard of it')
  const database = new DatabaseSync(join(settings.data, 'ledger.sqlite'))
  database.exec("UPDATE meta SET value = 'crash.test/restored-1' WHERE name = 'restore_pending'")
  database.close()
  const ledger = await openLedger(settings)
  await ledger.append(draft('after'))
  assert.deepEqual(await newestCheckpoint(ledger), headOf((await place.note(''))!))
  await ledger.close()
  // With more receipts behind it, the same guard is one that was put back.
  writeFileSync(place.guard.at, before)
  assert.match(await refusedStart(settings), /knows this log as crash\.test, and the store as crash\.test\/restored-1/)
})

test('a second restore, of a copy older than the first acceptance, gets a name of its own', async (t) => {
  for (const openPlace of Object.values(PLACES)) {
    const place = await openPlace(t)
    const { settings, backUp, restore } = await sqliteBackup(t, place.guard)
    await fill(settings, 'first', 3)
    await backUp()
    await fill(settings, 'lost', 4)
    for (const origin of ['crash.test/restored-1', 'crash.test/restored-2']) {
      await restore()
      const ledger = await openLedger({ ...settings, acceptRestore: acceptedBy(await refusedStart(settings))! })
      await ledger.append(draft(origin))
      assert.equal((await newestCheckpoint(ledger)).origin, origin)
      await ledger.close()
    }
  }
})

test('a guard that is named for the first time takes over from the data folder', async (t) => {
  const place = await filePlace(t)
  const data = folder(t)
  await fill(settingsFor(data), 'first', 3)
  await fill(settingsFor(data, { guard: place.guard }), 'second', 1)
  assert.equal(existsSync(join(data, GUARD_FILE)), false)
  assert.equal(headOf((await place.note(''))!).size, 4)
})

test('two copies of one ledger on one guard: the second to move it stops', async (t) => {
  for (const openPlace of Object.values(PLACES)) {
    const place = await openPlace(t)
    const { settings } = await sqliteBackup(t, place.guard)
    await fill(settings, 'first', 3)
    const clone = folder(t)
    cpSync(settings.data, clone, { recursive: true })
    const [one, two] = [await openLedger(settings), await openLedger({ ...settings, data: clone })]
    for (const [ledger, name] of [
      [one, 'one'],
      [two, 'two'],
    ] as const) {
      await ledger.append(draft(name))
      await ledger.checkpointNow()
    }
    assert.equal(one.state().readOnly, null)
    assert.match(two.state().readOnly ?? '', /another history than the one signed at 4 receipts/)
    assert.equal((await two.reader.checkpoint())?.size, 3, 'what the guard does not hold was not published')
    await Promise.all([one.close(), two.close()])
  }
})

test('PostgreSQL: two nodes move one witness on by turns, and neither stops', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const place = await witnessPlace(t)
  const { settings } = await postgresBackup(t, place.guard)
  await fill(settings, 'first', 1)
  const other = { ...settings, data: folder(t) }
  for (const name of ['log-key.pem', 'demo-key.pem'])
    if (existsSync(join(settings.data, name))) copyFileSync(join(settings.data, name), join(other.data, name))
  const nodes = [await openLedger(settings), await openLedger(other)]
  for (let iteration = 0; iteration < 10; iteration += 1)
    await Promise.all(
      nodes.map(async (node, at) => {
        await node.append(draft(`${iteration}-${at}`))
        await node.checkpointNow()
      }),
    )
  for (const node of nodes) {
    assert.equal(node.state().readOnly, null)
    assert.equal(node.state().guard.fault, null)
  }
  const { note } = (await nodes[0]!.reader.checkpoint())!
  assert.deepEqual(headOf(note), headOf((await place.note('crash.test'))!))
  await Promise.all(nodes.map((node) => node.close()))
})

const until = async (holds: () => boolean) => {
  for (let tries = 0; tries < 600 && !holds(); tries += 1) await pause(50)
  assert.ok(holds())
}

test('a witness that is killed: nothing is published, appends stop after the grace, and both resume with it', async (t) => {
  const data = folder(t)
  let witness: WitnessProcess = await startWitness(data)
  t.after(() => witness.kill9())
  const guard = { at: witness.url, key: witness.vkey, graceMs: 60_000 }
  const settings = settingsFor(folder(t), { guard })
  const ledger = await openLedger(settings)
  await ledger.append(draft('one'))
  await ledger.checkpointNow()
  await witness.kill9()
  await ledger.append(draft('two'))
  await ledger.checkpointNow()
  assert.deepEqual(ledger.state().guard, { kind: 'witness', fault: 'the witness does not answer', blocking: false })
  await ledger.append(draft('three'))
  assert.equal((await ledger.reader.checkpoint())?.size, 1)
  await ledger.close()
  const strict = await openLedger({ ...settings, guard: { ...guard, graceMs: 0 } })
  assert.equal(strict.state().guard.blocking, true)
  await assert.rejects(strict.append(draft('four')), { code: 'guard_unavailable' })
  assert.equal((await strict.reader.head()).size, 3, 'it can still be read')
  witness = await startWitness(data, witness.port)
  await until(() => strict.state().guard.fault === null)
  await strict.append(draft('four'))
  await until(() => strict.state().guard.fault === null)
  assert.equal((await newestCheckpoint(strict)).size, 4)
  await witness.kill9()
  await strict.append(draft('five'))
  await strict.checkpointNow()
  assert.equal(strict.state().guard.blocking, true, 'the grace is over at once')
  await assert.rejects(strict.append(draft('six')), { code: 'guard_unavailable' })
  witness = await startWitness(data, witness.port)
  await until(() => !strict.state().guard.blocking)
  await strict.append(draft('six'))
  await strict.close()
})

test('a witness that answers late about a store that was rolled back: it is stopped then', async (t) => {
  const data = folder(t)
  let witness: WitnessProcess = await startWitness(data)
  t.after(() => witness.kill9())
  const guard = { at: witness.url, key: witness.vkey, graceMs: 60_000 }
  const { settings, backUp, restore } = await sqliteBackup(t, guard)
  await fill(settings, 'first', 3)
  await backUp()
  await fill(settings, 'lost', 4)
  await restore()
  await witness.kill9()
  const ledger = await openLedger(settings)
  await assert.rejects(ledger.append(draft('x')), { code: 'guard_unavailable' })
  witness = await startWitness(data, witness.port)
  await until(() => ledger.state().readOnly !== null)
  assert.match(ledger.state().readOnly!, /holds 3 receipts, but a checkpoint over 7.*accept-restore/)
  assert.equal(ledger.state().rolledBack, true)
  await ledger.close()
})
