// What somebody who can edit the database, and holds no key, does to signatures, to the ring and to the heads. The service
// may be running, or stopped by kill -9 between two checkpoints.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { LedgerExportVerifier, type ReceiptDraft } from '@orch/core'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { trustedKeys } from '../domain/keys.ts'
import type { Ledger } from '../ports.ts'
import { RECORD_META } from './audit/own-record.ts'
import { openLedger } from './ledger.ts'
import { LEDGER_FILE } from './store/sqlite/store.ts'

const draft = (n: number, kind: ReceiptDraft['kind'] = 'mint'): ReceiptDraft => ({
  ns: 'public',
  chain: kind,
  kind,
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: `r${n}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { n },
})

function folder(t: TestContext): string {
  const data = freshFolder('stripped')
  t.after(() => rmSync(data, { recursive: true, force: true }))
  return data
}

async function fill(data: string, count: number, more = {}): Promise<void> {
  const ledger = await openLedger(settingsFor(data, more))
  for (let n = 0; n < count; n += 1) await ledger.append(draft(n))
  await ledger.close()
}

function edit(data: string, statements: string): void {
  const db = new DatabaseSync(join(data, LEDGER_FILE))
  db.exec('DROP TRIGGER receipts_never_change; DROP TRIGGER receipts_never_leave')
  db.exec(statements)
  db.close()
}

/** What a kill -9 leaves: the folder as it is on the disk while the service runs, no checkpoint over the newest. */
async function killed(t: TestContext, count: number): Promise<string> {
  const [data, copy] = [folder(t), join(folder(t), 'copy')]
  const ledger = await openLedger(settingsFor(data))
  for (let n = 0; n < count; n += 1) await ledger.append(draft(n))
  mkdirSync(copy, { mode: 0o700 })
  for (const name of readdirSync(data, { withFileTypes: true }))
    if (name.isFile() && !name.name.startsWith('in-use')) copyFileSync(join(data, name.name), join(copy, name.name))
  await ledger.close()
  return copy
}

async function stopped(ledger: Ledger): Promise<string> {
  for (let tries = 0; tries < 200 && ledger.state().readOnly === null; tries += 1) await pause(25)
  return ledger.state().readOnly ?? ''
}

test('a signature set to NULL below the last checkpoint is a break of the walk, with or without its key', async (t) => {
  for (const columns of ['sig = NULL, key_id = NULL', 'sig = NULL']) {
    const data = folder(t)
    await fill(data, 6)
    edit(data, `UPDATE receipts SET ${columns} WHERE node_index = 3`)
    const ledger = await openLedger(settingsFor(data))
    assert.match(await stopped(ledger), /^receipt 3 is broken: the receipt carries no signature/)
    const { broken } = await ledger.audit()
    assert.deepEqual([broken?.node_index, broken?.reason], [3, 'signature_missing'])
    await ledger.close()
  }
})

test('an unsigned receipt in the tail that a kill left behind is never signed over', async (t) => {
  const data = await killed(t, 5)
  edit(data, 'UPDATE receipts SET sig = NULL, key_id = NULL WHERE node_index = 4')
  const ledger = await openLedger(settingsFor(data))
  assert.deepEqual(ledger.tail.broken, {
    nodeIndex: 4,
    reason: 'it carries no signature, and nothing says that it was recorded without one',
  })
  assert.match(ledger.state().readOnly ?? '', /receipt 4 is broken/)
  await ledger.checkpointNow()
  assert.equal((await ledger.reader.checkpoint())?.size ?? 0, 0)
  await ledger.close()
})

test('a tail signed anew with a key of one’s own, put into the ring, is not taken', async (t) => {
  const [data, foreign] = [await killed(t, 4), folder(t)]
  await fill(foreign, 4)
  edit(
    data,
    `ATTACH '${join(foreign, LEDGER_FILE)}' AS other;
     INSERT INTO keys (id, keyid, spki, kind, from_index, from_ts) SELECT 9, keyid, spki, 'production', 0, from_ts FROM other.keys;
     UPDATE receipts SET key_id = 9, sig = (SELECT o.sig FROM other.receipts o WHERE o.node_index = receipts.node_index)`,
  )
  const ledger = await openLedger(settingsFor(data))
  assert.match(ledger.state().readOnly ?? '', /the ring of keys was altered: the store holds a key [0-9a-f]{64} that/)
  assert.equal(ledger.tail.broken?.nodeIndex, 0)
  await ledger.close()
})

test('a tail that was signed, killed and left alone goes on', async (t) => {
  const data = await killed(t, 5)
  const ledger = await openLedger(settingsFor(data))
  assert.deepEqual([ledger.tail.broken, ledger.state().readOnly], [null, null])
  assert.equal((await ledger.append(draft(9))).nodeIndex, 5)
  await ledger.close()
})

test('a demo key that the database calls production stays a demo key and stops the ledger', async (t) => {
  const data = folder(t)
  await fill(data, 2)
  edit(data, "UPDATE keys SET kind = 'production'")
  const ledger = await openLedger(settingsFor(data))
  assert.match(
    ledger.state().readOnly ?? '',
    /the store says kind production of the key [0-9a-f]{64}, .* recorded demo/,
  )
  assert.equal((await ledger.reader.byIndex(0))?.keyKind, 'demo')
  assert.deepEqual(
    trustedKeys(await ledger.reader.keys()).map(({ kind }) => kind),
    ['demo'],
  )
  assert.equal((await ledger.audit()).broken?.reason, 'ring_mismatch')
  await ledger.close()
})

test('while the service runs an edited ring is found by the next report and never shown', async (t) => {
  for (const change of [
    "kind = 'production'",
    'from_index = 1',
    'to_index = 1',
    "from_ts = '2020-01-01T00:00:00.000Z'",
  ]) {
    const data = folder(t)
    const ledger = await openLedger(settingsFor(data))
    await ledger.append(draft(0))
    assert.equal((await ledger.audit()).broken, null)
    edit(data, `UPDATE keys SET ${change}`)
    assert.equal((await ledger.reader.byIndex(0))?.keyKind, 'demo')
    assert.equal((await ledger.audit()).broken?.reason, 'ring_mismatch', change)
    assert.match(await stopped(ledger), /the ledger is broken: the store says/)
    await ledger.close()
  }
})

test('without its own record, or with an edited one, a ledger is read-only', async (t) => {
  for (const change of [
    `DELETE FROM meta WHERE name = '${RECORD_META}'`,
    `UPDATE meta SET value = replace(value, 'demo', 'production') WHERE name = '${RECORD_META}'`,
    `DELETE FROM meta`,
  ]) {
    const data = folder(t)
    await fill(data, 2)
    edit(data, change)
    const opening = openLedger(settingsFor(data))
    if (change === 'DELETE FROM meta') {
      await assert.rejects(opening, /the store does not know its log, and its guard says that it had one/)
      continue
    }
    const ledger = await opening
    assert.match(ledger.state().readOnly ?? '', /of its keys and its unsigned receipts is missing or was not signed/)
    await ledger.close()
  }
})

test('a ledger that ran unsigned by choice verifies, and only there', async (t) => {
  const data = folder(t)
  await fill(data, 2)
  await fill(data, 3, { signer: 'none' })
  await fill(data, 2)
  const ledger = await openLedger(settingsFor(data))
  assert.deepEqual([(await ledger.walk(true)).broken, ledger.state().readOnly], [null, null])
  const trust = { keys: trustedKeys(await ledger.reader.keys()), logKeys: [ledger.vkey] }
  const verifier = new LedgerExportVerifier(trust)
  for await (const line of ledger.exportLines()) await verifier.push(line.trimEnd())
  const report = await verifier.finish()
  const signature = report.checks.find(({ check }) => check === 'signature')!
  assert.deepEqual([signature.status, signature.details.unsigned, report.verdict], ['UNSIGNED', 3, 'INCONCLUSIVE'])
  await ledger.close()
  edit(data, 'UPDATE receipts SET sig = NULL, key_id = NULL WHERE node_index = 5')
  const again = await openLedger(settingsFor(data))
  assert.match(await stopped(again), /^receipt 5 is broken: the receipt carries no signature/)
  await again.close()
})

test('edited columns beside the receipts are found: predecessor, depth, head and number of chains', async (t) => {
  const cases: [string, RegExp][] = [
    [
      `UPDATE receipts SET prev = x'${'ab'.repeat(32)}' WHERE node_index = 3`,
      /does not follow the head of its chain at index 3/,
    ],
    ['UPDATE chains SET depth = 2', /counts 2 receipts of 5/],
    ['UPDATE chains SET head_index = 1', /newest receipt of the chain mint is 4, its head says 1/],
    ['UPDATE head SET chains = 7', /counts 7 chains and holds 1/],
  ]
  for (const [change, reason] of cases) {
    const data = folder(t)
    await fill(data, 5)
    const ledger = await openLedger(settingsFor(data))
    edit(data, change)
    assert.match((await ledger.walk(true)).broken?.sentence ?? '', reason, change)
    await ledger.close()
  }
})
