import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReceiptDraft } from '@orch/core'
import { testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { freshFolder } from '#testing/private-folder.ts'
import type { AuditBreak } from '../contract.ts'
import { openLedger } from '../ledger.ts'
import { openSqliteReader } from '../store/sqlite/reader.ts'
import { LEDGER_FILE } from '../store/sqlite/store.ts'
import { KnownBreaks } from './known-breaks.ts'
import { AuditRing, recordReader } from './own-record.ts'
import { RecentWalk } from './recent-walk.ts'

const [SIZE, MAX] = [600, 300]
const data = freshFolder('recent-walk')
const ledger = await openLedger({
  ...{ data, store: 'sqlite', postgresUrl: null, signer: 'demo', signerUrl: null, signerPublicKey: null },
  ...{ allowUnsigned: false, logOrigin: null, defaultOrigin: 'localhost' },
})
/** `old` ends before the newest 300 begin, `both` goes through, `late` begins within them. */
const chainAt = (at: number): string => (at % 2 === 0 ? 'both' : at < 250 ? 'old' : at < 320 ? 'both' : 'late')
const draft = (at: number): ReceiptDraft => ({
  ...{ ns: 'public', chain: chainAt(at), kind: 'mint', ts_utc: '2027-01-15T08:00:00.000Z', request_id: `r${at}` },
  ...{ actor: { owner: 'local', key_id: null, auth_mode: 'open' }, policy: null, payload: { n: at } },
})
await Promise.all(Array.from({ length: SIZE }, (_, at) => ledger.append(draft(at))))
const { vkey } = ledger
await ledger.close()
const reader = openSqliteReader(data)
after(() => reader.close())

function walkOver(size = MAX, source = reader, logKey = vkey) {
  const seen = { now: 0, rows: 0, breaks: [] as AuditBreak[] }
  const counting: typeof reader = {
    ...source,
    range: async (from, limit) => {
      const rows = await source.range(from, limit)
      seen.rows += rows.length
      return rows
    },
  }
  const walk = new RecentWalk({
    ...{ reader: counting, maxWalked: size, turn: () => nextTurn(), monotonic: () => seen.now },
    ring: new AuditRing(
      () => source.keys(),
      recordReader((name) => source.meta(name), logKey),
    ),
    known: new KnownBreaks((broken) => seen.breaks.push(broken)),
    fullWalkAt: () => null,
  })
  return { walk, seen }
}

for (const size of [SIZE - 1, SIZE, SIZE + 1])
  test(`with room for ${size} receipts a ledger of ${SIZE} is walked ${size < SIZE ? 'without its first' : 'whole'}`, async () => {
    const { walk, broken } = await walkOver(size).walk.report(false)
    const from = Math.max(0, SIZE - size)
    assert.equal(broken, null)
    assert.deepEqual([walk.from_index, walk.to_index, walk.walked_now, walk.size], [from, SIZE - 1, SIZE - from, SIZE])
    assert.equal(walk.full_walk_ended_at, from === 0 ? walk.walked_at : null)
  })

test('the newest part of a longer ledger holds with chains that end before it, go through it and begin in it', async () => {
  const { walk, seen } = walkOver()
  const report = await walk.report(false)
  assert.deepEqual([report.broken, report.walk.from_index, report.walk.walked_now], [null, SIZE - MAX, MAX])
  assert.deepEqual(
    report.chains.map(({ organ, links_intact }) => [organ, links_intact]),
    [
      ['both', true],
      ['old', true],
      ['late', true],
    ],
  )
  assert.ok(seen.rows < MAX + 256, `${seen.rows} rows were read`)
})

test('requests in flight share one walk, and it counts for ten seconds and no longer', async () => {
  const { walk, seen } = walkOver()
  const reports = await Promise.all(Array.from({ length: 16 }, () => walk.report(false)))
  assert.equal(new Set(reports.map((report) => report.walk.walked_at)).size, 1)
  const once = seen.rows
  seen.now = 9_999
  await walk.report(false)
  assert.equal(seen.rows, once, 'no row was read again')
  seen.now = 10_000
  await walk.report(false)
  assert.equal(seen.rows, 2 * once)
  assert.equal((await walk.report(true)).walk.signatures_checked_now, MAX)
})

test('a walk that goes on with new receipts ends later, and one over none has no end', async (t) => {
  const folder = testFolder(t, 'growing-walk')
  const growing = await openLedger(settingsFor(folder))
  const source = openSqliteReader(folder)
  t.after(() => Promise.all([source.close(), growing.close()]))
  const { walk, seen } = walkOver(MAX, source, growing.vkey)
  const grow = () => Promise.all(Array.from({ length: 10 }, (_, at) => growing.append(draft(at))))
  const dateOf = (at: number) => new Date(performance.timeOrigin + at).toISOString()
  const figuresAt = async (now: number) => {
    seen.now = now
    const { size, walked_at, full_walk_ended_at } = (await walk.report(false)).walk
    return [size, walked_at, full_walk_ended_at]
  }
  assert.deepEqual(await figuresAt(0), [0, dateOf(0), null])
  await grow()
  assert.deepEqual(await figuresAt(1_000), [10, dateOf(1_000), dateOf(1_000)])
  await grow()
  assert.deepEqual(await figuresAt(2_000), [20, dateOf(1_000), dateOf(2_000)])
  assert.deepEqual(await figuresAt(3_000), [20, dateOf(1_000), dateOf(2_000)])
})

test('a break in the part that is walked is told with its index before the report comes, one outside is not seen', async () => {
  const db = new DatabaseSync(join(data, LEDGER_FILE))
  db.exec('DROP TRIGGER receipts_never_change')
  const change = (at: number) =>
    db
      .prepare(
        `UPDATE receipts SET body = CAST(replace(CAST(body AS TEXT), '"n":', '"m":') AS BLOB) WHERE node_index = ?`,
      )
      .run(at)
  change(100)
  assert.equal((await walkOver().walk.report(false)).broken, null)
  change(SIZE - MAX)
  change(450)
  const { walk, seen } = walkOver()
  const { broken, verified_to } = await walk.report(false)
  assert.deepEqual([broken?.node_index, verified_to, seen.breaks[0]?.node_index], [SIZE - MAX, SIZE - MAX, SIZE - MAX])
  assert.equal((await walkOver(SIZE).walk.report(false)).broken?.node_index, 100)
  db.close()
})
