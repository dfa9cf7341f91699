// Work on a ledger at rest whose source somebody prepared: edited exports, edited stores, a service that is still running.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { importPublicKey, type ReceiptDraft, readReceiptLine, receiptLine } from '@orch/core'
import { INCOMING } from '../../src/ledger/import.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { LEDGER_FILE, sqliteStore } from '../../src/ledger/store/sqlite/store.ts'
import { settingsFor } from '../ledger/crashes.ts'
import { freshFolder } from '../private-folder.ts'

const TOOL = fileURLToPath(new URL('../../src/ledger/tools/tool.ts', import.meta.url))

function tool(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [TOOL, ...args], { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

function folder(t: TestContext): string {
  const made = freshFolder('attack')
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const mint = (n: number): ReceiptDraft => ({
  ns: 'public',
  chain: 'mint',
  kind: 'mint',
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: `r${n}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { n },
})

async function filled(t: TestContext, count: number, first = 0): Promise<string> {
  const data = folder(t)
  const ledger = await openLedger(settingsFor(data))
  for (let n = 0; n < count; n += 1) await ledger.append(mint(first + n))
  await ledger.close()
  return data
}

function edit(data: string, statements: string): void {
  const db = new DatabaseSync(join(data, LEDGER_FILE))
  for (const table of ['receipts', 'checkpoints'])
    db.exec(`DROP TRIGGER IF EXISTS ${table}_never_change; DROP TRIGGER IF EXISTS ${table}_never_leave`)
  db.exec(statements)
  db.close()
}

const linesOf = async (data: string): Promise<string[]> =>
  (await tool('export', '--data', data)).stdout.trimEnd().split('\n')

async function importLines(t: TestContext, lines: readonly string[], ...more: string[]) {
  const [file, data] = [join(folder(t), 'ledger.jsonl'), folder(t)]
  writeFileSync(file, `${lines.join('\n')}\n`)
  return { data, ...(await tool('import', '--data', data, '--from', file, ...more)) }
}

const line = (text: string) => readReceiptLine(text)!

test('an export with two signatures swapped, or one taken off, is refused at the exact line and leaves nothing', async (t) => {
  const lines = await linesOf(await filled(t, 8))
  const [a, b] = [line(lines[3]!), line(lines[5]!)]
  const swapped = lines
    .with(3, receiptLine({ ...a, signature: b.signature }))
    .with(5, receiptLine({ ...b, signature: a.signature }))
  const stripped = lines.with(5, receiptLine({ ...b, signature: null, keyid: null }))
  for (const [altered, reason] of [
    [swapped, /line 4: the signature of receipt 2 does not verify/],
    [stripped, /line 6: receipt 4 carries no signature/],
  ] as const) {
    const { code, stderr, data } = await importLines(t, altered)
    assert.equal(code, 3)
    assert.match(stderr, reason)
    assert.deepEqual(readdirSync(data), [])
    const ledger = await openLedger(settingsFor(data))
    assert.equal(ledger.state().size, 0, 'a service that starts there starts a ledger of its own')
    await ledger.close()
  }
})

test('an export whose checkpoint states another root, or that the pinned log did not sign, is refused', async (t) => {
  const data = await filled(t, 4)
  const [lines, other] = [await linesOf(data), await linesOf(await filled(t, 4, 100))]
  const header = JSON.parse(lines[0]!) as Record<string, unknown>
  const foreign = { ...header, checkpoint: (JSON.parse(other[0]!) as { checkpoint: string }).checkpoint }
  const { code, stderr } = await importLines(t, lines.with(0, JSON.stringify(foreign)))
  assert.equal(code, 3)
  assert.match(stderr, /line 1: the first 4 receipts do not have the root/)
  const { vkey: pinned } = await vkeyOf(data)
  const good = await importLines(t, lines, '--log-key', pinned)
  assert.equal(JSON.parse(good.stdout).log_verified, true)
  const { vkey: another } = await vkeyOf(await filled(t, 1))
  assert.match(
    (await importLines(t, lines, '--log-key', another)).stderr,
    /was not signed by the pinned key of its log/,
  )
})

async function vkeyOf(data: string): Promise<{ vkey: string }> {
  const db = new DatabaseSync(join(data, LEDGER_FILE), { readOnly: true })
  const { value } = db.prepare("SELECT value FROM meta WHERE name = 'log_vkey'").get() as { value: string }
  db.close()
  return { vkey: value }
}

test('an export that calls its demo key production imports it as a demo key, unless the operator trusts it', async (t) => {
  const lines = await linesOf(await filled(t, 3))
  const { data, code, stderr } = await importLines(
    t,
    lines.with(0, lines[0]!.replace('"kind":"demo"', '"kind":"production"')),
  )
  assert.equal(code, 0, stderr)
  const { keyid, pem } = (JSON.parse(lines[0]!) as { keys: { keyid: string; pem: string }[] }).keys[0]!
  const key = importPublicKey(pem)!
  for (const [trusted, kind] of [
    [[], 'demo'],
    [[{ key, kind: 'production' as const }], 'production'],
    [[], 'demo'],
  ] as const) {
    const ledger = await openLedger(settingsFor(data), trusted)
    assert.equal(ledger.state().readOnly, null)
    assert.equal((await ledger.reader.keys()).find((row) => row.keyid === keyid)?.kind, kind)
    assert.equal((await ledger.reader.byIndex(0))?.keyKind, kind)
    assert.equal((await ledger.audit()).broken, null)
    await ledger.close()
  }
})

test('a ledger that ran without a signer can be moved by file and goes on', async (t) => {
  const data = folder(t)
  const ledger = await openLedger(settingsFor(data, { signer: 'none' }))
  for (let n = 0; n < 3; n += 1) await ledger.append(mint(n))
  await ledger.close()
  const { data: copy, code } = await importLines(t, await linesOf(data))
  assert.equal(code, 0)
  const moved = await openLedger(settingsFor(copy))
  await moved.append(mint(3))
  assert.deepEqual([(await moved.walk(true)).broken, moved.state().readOnly], [null, null])
  await moved.close()
})

test('a ledger that is imported goes on with what its sessions have spent, the newest charge of each within a day', async (t) => {
  const data = folder(t)
  const ledger = await openLedger(settingsFor(data))
  const charge = (session: string, spent_after: number, ageHours: number, kind: ReceiptDraft['kind'] = 'decision') =>
    ledger.append({
      ...mint(0),
      ...{ chain: kind, kind, ts_utc: new Date(Date.now() - ageHours * 3_600_000).toISOString() },
      payload: { session_budget: { session, spent_before: 0, spent_after } },
    })
  const [fresh, idle, minted] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string]
  await charge(idle, 7, 25)
  await charge(fresh, 10, 2)
  const { nodeIndex } = await charge(fresh, 30, 1)
  await charge(minted, 5, 1, 'mint')
  await charge('no digest', 5, 1)
  await ledger.close()
  const { data: copy, code, stderr } = await importLines(t, await linesOf(data))
  assert.equal(code, 0, stderr)
  const moved = await openLedger(settingsFor(copy))
  const budgets = await moved.reader.documents({ space: 'session-budget', order: 'asc', limit: 10 })
  assert.deepEqual(
    budgets.map((row) => [row.key, row.value, row.owner, row.nodeIndex]),
    [[fresh, '{"spent_micro":30}', 'public/local', nodeIndex]],
  )
  await moved.close()
})

test('the proof of a data folder finds swapped and missing signatures, a forged ring and a forged checkpoint', async (t) => {
  const cases: [string, RegExp][] = [
    [
      'UPDATE receipts SET sig = (SELECT o.sig FROM receipts o WHERE o.node_index = 1) WHERE node_index = 2',
      /receipt 2 is broken: the signature does not verify/,
    ],
    [
      'UPDATE receipts SET sig = NULL, key_id = NULL WHERE node_index = 2',
      /receipt 2 is broken: the receipt carries no/,
    ],
    ["UPDATE keys SET kind = 'production'", /says kind production/],
    [
      "UPDATE checkpoints SET note = replace(note, 'crash.test', 'crush.test')",
      /checkpoint was not signed by this log/,
    ],
  ]
  for (const [change, reason] of cases) {
    const data = await filled(t, 4)
    edit(data, change)
    const { code, stderr } = await tool('prove', '--data', data)
    assert.equal(code, 3, stderr)
    assert.match(stderr, reason)
    const moved = await tool('migrate', '--data', data, '--to', join(folder(t), 'moved'))
    assert.notEqual(moved.code, 0, 'nor is it moved')
  }
})

test('a ledger that a service is using is not moved', async (t) => {
  const data = await filled(t, 3)
  const ledger = await openLedger(settingsFor(data))
  const target = join(folder(t), 'moved')
  const { code, stderr } = await tool('migrate', '--data', data, '--to', target)
  assert.equal(code, 1)
  assert.match(stderr, /another orch process uses this data folder/)
  await ledger.append(mint(3))
  await ledger.close()
  const moved = await tool('migrate', '--data', data, '--to', target)
  assert.equal(JSON.parse(moved.stdout).size, 4)
})

test('no service starts on what an import that was killed left behind', async (t) => {
  const data = folder(t)
  const store = sqliteStore(data)
  await store.open()
  await store.putMeta(INCOMING, 'receipts')
  await store.close()
  await assert.rejects(openLedger(settingsFor(data)), /part of an import, a restore or a move that was cut short/)
  const file = join(folder(t), 'ledger.jsonl')
  writeFileSync(file, (await linesOf(await filled(t, 2))).join('\n'))
  assert.match((await tool('import', '--data', data, '--from', file)).stderr, /cut short/)
})
