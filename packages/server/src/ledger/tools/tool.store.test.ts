import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { editLedger, receiptDraft, testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { moveOf, writeOf } from '#testing/ledger-stores.ts'
import { postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import type { AppendOptions } from '../../ports.ts'
import type { LedgerReader } from '../contract.ts'
import { openLedger } from '../ledger.ts'
import { postgresReader } from '../store/postgres/reader.ts'
import { openSqliteReader } from '../store/sqlite/reader.ts'

const TOOL = fileURLToPath(new URL('./tool.ts', import.meta.url))

function tool(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [TOOL, ...args], { maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

const folder = (t: TestContext) => testFolder(t, 'tool')

const mint = (n: number) =>
  receiptDraft(n, {
    chain: `c${n % 3}`,
    payload: { n, text: 'grüße 你好', ...(n === 7 ? { deep: nested(62) } : {}) },
  })

/** As deep as a caller may nest what it has signed. */
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

async function filled(t: TestContext, count: number): Promise<{ data: string; root: string }> {
  const data = folder(t)
  const ledger = await openLedger(settingsFor(data))
  await Promise.all(Array.from({ length: count }, (_, n) => ledger.append(mint(n))))
  const { root } = ledger.state()
  await ledger.close()
  return { data, root }
}

/** One digest over every byte that matters, so that two ledgers can be compared whole. */
async function bytesOf(reader: LedgerReader): Promise<string> {
  const hash = createHash('sha256')
  const { size } = await reader.head()
  for (const row of await reader.range(0, size)) {
    hash.update(row.body)
    hash.update(row.signature ?? 'unsigned')
    hash.update(`${row.nodeIndex} ${row.digest} ${row.lake} ${row.keyid} ${row.keyKind}`)
  }
  await reader.close()
  return hash.digest('hex')
}

test('an export imported into an empty folder is the same ledger, byte for byte', async (t) => {
  const { data, root } = await filled(t, 700)
  const exported = await tool('export', '--data', data)
  assert.equal(exported.code, 0, exported.stderr)
  const file = join(folder(t), 'ledger.jsonl')
  writeFileSync(file, exported.stdout)
  const copy = folder(t)
  const imported = await tool('import', '--data', copy, '--from', file)
  assert.equal(imported.code, 0, imported.stderr)
  const counts = { signed: 700, unsigned: 0, log_verified: null }
  assert.deepEqual(JSON.parse(imported.stdout), { ok: true, size: 700, root, ...counts })
  assert.equal(await bytesOf(openSqliteReader(copy)), await bytesOf(openSqliteReader(data)))
})

test('an export with one receipt altered, removed or doubled is refused, with its place', async (t) => {
  const { data } = await filled(t, 20)
  const lines = (await tool('export', '--data', data)).stdout.trimEnd().split('\n')
  const cases: [string, string[], RegExp][] = [
    ['removed', lines.toSpliced(8, 1), /line 9: .* at index 7/],
    ['doubled', lines.toSpliced(8, 0, lines[8]!), /line 10: .* at index 8/],
    ['cut short', lines.slice(0, -1), /line 21: the file is cut short/],
    ['another root', lines.with(21, lines[21]!.replace(/"root":"../, '"root":"00')), /line 22: the 20 receipts/],
    ['no JSON', lines.with(8, 'x'), /line 9: this is no receipt/],
    ['doubled end', [...lines, lines[21]!], /line 23: the export ended/],
    ['lake altered', lines.with(8, lines[8]!.replace(/"l":"../, '"l":"00')), /line 9: .* at index 7/],
  ]
  for (const [name, altered, reason] of cases) {
    const file = join(folder(t), 'ledger.jsonl')
    writeFileSync(file, `${altered.join('\n')}\n`)
    const fresh = join(folder(t), 'fresh')
    const { code, stderr } = await tool('import', '--data', fresh, '--from', file)
    assert.equal(code, 3, name)
    assert.match(stderr, reason, name)
    assert.doesNotMatch(stderr, /\bF\d+\b/, name)
    assert.equal(existsSync(fresh), false, 'what it made it takes away')
  }
  const given = folder(t)
  const file = join(folder(t), 'ledger.jsonl')
  writeFileSync(file, lines.toSpliced(8, 1).join('\n'))
  assert.equal((await tool('import', '--data', given, '--from', file)).code, 3)
  assert.equal(existsSync(given), true, 'a folder that was there stays')
  assert.deepEqual(readdirSync(given), [], 'and nothing in it')
})

test('a ledger moved to PostgreSQL keeps every byte and goes on there', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const postgresUrl = await server.createDatabase('moved')
  const { data, root } = await filled(t, 600)
  const moved = await tool('migrate', '--data', data, '--to', postgresUrl)
  assert.equal(moved.code, 0, moved.stderr)
  assert.deepEqual(JSON.parse(moved.stdout), { ok: true, size: 600, root, signed: 600, checkpoint: 600 })
  assert.equal(await bytesOf(postgresReader({ url: postgresUrl })), await bytesOf(openSqliteReader(data)))
  assert.equal(
    (await tool('migrate', '--data', data, '--to', postgresUrl)).code,
    1,
    'a target that is not empty is refused',
  )
  const ledger = await openLedger(settingsFor(data, { store: 'postgres', postgresUrl }))
  assert.equal(ledger.state().readOnly, null)
  assert.equal(ledger.state().root, root)
  await ledger.close()
})

const keyed = (n: number) => ({
  key: new Uint8Array(32).fill(n),
  request: new Uint8Array(32).fill(n),
  answer: `{"n":${n}}`,
})

/** Sixty documents, each third one changed since, each fifth one removed, fifty counters and forty idempotency answers. */
async function working(t: TestContext): Promise<string> {
  const data = folder(t)
  const ledger = await openLedger(settingsFor(data))
  const append = (n: number, options: AppendOptions) => ledger.append(mint(n), options)
  const names = Array.from({ length: 60 }, (_, n) => n)
  const value = JSON.stringify('gr\u00fc\u00dfe \u4f60\u597d \u0000')
  for (const n of names) {
    const documents = [writeOf(`d${n}`, { value, rank: n * 1000 })]
    const counters = [moveOf(`c${n % 50}`, { add: n + 1 })]
    await append(n, { documents, counters, idempotency: n < 40 ? keyed(n) : null })
  }
  await ledger.writeDocuments(
    names.filter((n) => n % 3 === 0).map((n) => writeOf(`d${n}`, { expect: 1, state: 'DONE' })),
  )
  const removed = names.filter((n) => n % 5 === 0)
  await ledger.writeDocuments(removed.map((n) => writeOf(`d${n}`, { expect: n % 3 === 0 ? 2 : 1, value: null })))
  await ledger.close()
  return data
}

async function readSideWrites(reader: LedgerReader): Promise<unknown[][]> {
  const sideWrites = [
    await reader.documentsAfter(null, 1000),
    await reader.countersAfter(null, 1000),
    await reader.answersAfter(null, 1000),
  ]
  await reader.close()
  return sideWrites
}

test('a ledger that moves takes its documents, counters and answers along and goes on where it was', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const postgresUrl = await server.createDatabase('moved_whole')
  const data = await working(t)
  const moved = await tool('migrate', '--data', data, '--to', postgresUrl)
  assert.equal(moved.code, 0, moved.stderr)
  const sideWrites = await readSideWrites(openSqliteReader(data))
  assert.deepEqual(
    sideWrites.map((rows) => rows.length),
    [60, 50, 40],
  )
  assert.deepEqual(await readSideWrites(postgresReader({ url: postgresUrl })), sideWrites)
  const ledger = await openLedger(settingsFor(data, { store: 'postgres', postgresUrl }))
  assert.equal((await ledger.append(mint(7), { idempotency: keyed(7) })).replayed, '{"n":7}')
  const stale = { documents: [writeOf('d3', { expect: 1 })] }
  await assert.rejects(ledger.append(mint(60), stale), { code: 'state_conflict' })
  await ledger.append(mint(60), { documents: [writeOf('d3', { expect: 2 }), writeOf('d5')] })
  // c9 was moved by 10 and by 60: of a limit of 71 one is left.
  const last = { counters: [moveOf('c9', { limit: 71 })] }
  await ledger.append(mint(61), last)
  await assert.rejects(ledger.append(mint(62), last), { code: 'quota_exceeded' })
  const { space, key } = writeOf('d5')
  assert.equal((await ledger.reader.document(space, key))?.version, 3, 'a removed document kept its version')
  await ledger.close()
  const back = folder(t)
  assert.equal((await tool('migrate', '--data', postgresUrl, '--to', back)).code, 0)
  assert.deepEqual(
    await readSideWrites(openSqliteReader(back)),
    await readSideWrites(postgresReader({ url: postgresUrl })),
  )
})

test('what a move that was cut short left behind is not taken for an empty target', async (t) => {
  const target = folder(t)
  const left = await openLedger(settingsFor(target))
  await left.writeDocuments([], [moveOf('rest')])
  await left.close()
  const { code, stderr } = await tool('migrate', '--data', await working(t), '--to', target)
  assert.equal(code, 1)
  assert.match(stderr, /cut short/)
})

test('an export holds receipts and nothing of the documents and counters beside them', async (t) => {
  const exported = await tool('export', '--data', await working(t))
  assert.equal(exported.code, 0, exported.stderr)
  const file = join(folder(t), 'ledger.jsonl')
  writeFileSync(file, exported.stdout)
  const copy = folder(t)
  assert.equal((await tool('import', '--data', copy, '--from', file)).code, 0)
  assert.deepEqual(await readSideWrites(openSqliteReader(copy)), [[], [], []])
})

test('a snapshot with four shards of each segment lost is restored whole; with five it is refused', async (t) => {
  const { data, root } = await filled(t, 2_300)
  const out = join(folder(t), 'snapshots')
  assert.equal((await tool('snapshot', '--data', data, '--out', out)).code, 0)
  const segments = readdirSync(out).sort()
  assert.equal(segments.length, 3)
  segments.forEach((segment, at) => {
    for (const shard of [0, 3, 6, 9]) rmSync(join(out, segment, `shard-${(shard + at) % 10}.rs`))
  })
  const copy = folder(t)
  const restored = await tool('restore', '--data', copy, '--from', out)
  assert.equal(restored.code, 0, restored.stderr)
  const result = JSON.parse(restored.stdout)
  assert.equal(result.root, root)
  assert.equal(result.repaired.length, 3)
  assert.equal(await bytesOf(openSqliteReader(copy)), await bytesOf(openSqliteReader(data)))
  rmSync(join(out, segments[1]!, 'shard-2.rs'))
  const refused = await tool('restore', '--data', folder(t), '--from', out)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /insufficient_shards/)
})

test('a broken ledger is not backed up: nothing is written, and the exit code says that it is broken', async (t) => {
  const { data } = await filled(t, 30)
  editLedger(data, 'UPDATE receipts SET body = zeroblob(length(body)) WHERE node_index = 7')
  const out = join(folder(t), 'backup')
  const refused = await tool('snapshot', '--data', data, '--out', out)
  assert.equal(refused.code, 3, refused.stderr)
  assert.match(refused.stderr, /receipt 7 is broken/)
  assert.equal(existsSync(out), false)
})

test('a snapshot is taken every night of a running ledger: each adds what is new, all copies verify, old ones go', async (t) => {
  const data = folder(t)
  const out = join(folder(t), 'backup')
  const ledger = await openLedger(settingsFor(data))
  let count = 0
  const more = async (wanted: number) => {
    while (count < wanted) {
      const next = Math.min(wanted, count + 500)
      await Promise.all(Array.from({ length: next - count }, (_, n) => ledger.append(mint(count + n))))
      count = next
    }
  }
  const nights: { size: number; segments: number; database: string }[] = []
  for (const size of [40, 990, 990, 1_010, 2_000]) {
    await more(size)
    const { code, stdout, stderr } = await tool('snapshot', '--data', data, '--out', out, '--database', '--keep', '2')
    assert.equal(code, 0, stderr)
    nights.push(JSON.parse(stdout))
  }
  await ledger.close()
  assert.deepEqual(
    nights.map(({ size, segments }) => [size, segments]),
    [
      [40, 1],
      [990, 1],
      [990, 0],
      [1_010, 2],
      [2_000, 1],
    ],
  )
  assert.deepEqual(
    readdirSync(out)
      .filter((name) => !name.startsWith('database-'))
      .sort(),
    ['000000000000000', '000000000001000'],
  )
  const copies = readdirSync(out).filter((name) => name.startsWith('database-'))
  assert.deepEqual(
    copies.map((name) => join(out, name)).sort(),
    nights
      .slice(-2)
      .map(({ database }) => database)
      .sort(),
  )
  assert.deepEqual(readdirSync(nights.at(-1)!.database), ['ledger.sqlite'], 'no private key is in a copy')
  const copy = folder(t)
  assert.equal((await tool('restore', '--data', copy, '--from', out)).code, 0)
  assert.equal(await bytesOf(openSqliteReader(copy)), await bytesOf(openSqliteReader(data)))
  const proven = JSON.parse((await tool('prove', '--data', nights.at(-1)!.database)).stdout)
  assert.equal(proven.size, 2_000)
})

test('a snapshot of a folder without a ledger, or with a count that is none, says so and ends in 2', async (t) => {
  const empty = folder(t)
  const absent = await tool('snapshot', '--data', empty, '--out', join(empty, 'out'))
  assert.equal(absent.code, 2)
  assert.match(absent.stderr + absent.stdout, /holds no ledger\.sqlite; name the data folder/)
  const { data } = await filled(t, 3)
  const refused = await tool('snapshot', '--data', data, '--out', join(empty, 'out'), '--database', '--keep', '0')
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /--keep is a whole number from 1 to 9999/)
})

test('the full re-walk of a sound ledger gives its root', async (t) => {
  const { data, root } = await filled(t, 50)
  const proven = { ok: true, size: 50, root, signed: 50, unsigned: 0, checkpoint: 50 }
  assert.deepEqual(JSON.parse((await tool('prove', '--data', data)).stdout), proven)
  assert.ok(readFileSync(join(data, 'last-checkpoint.txt'), 'utf8').startsWith('crash.test\n50\n'))
})
