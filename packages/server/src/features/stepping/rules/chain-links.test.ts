import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lakeHash, sha256Hex } from '@orch/core'
import { type ChainPlace, chainStart, isAtEnd, isEnd, type LinkedRow, linkFault } from './chain-links.ts'

const AT = '2026-01-01T00:00:00.000Z'

function chain(length: number): LinkedRow[] {
  const rows: LinkedRow[] = []
  for (let seq = 0; seq < length; seq++) {
    const [digest, before] = [sha256Hex(`receipt ${seq}`), rows.at(-1)]
    const prev_hash = before?.lake ?? chainStart().lake
    const lake = lakeHash({ organ: 'gdw', chain_index: seq + 1, prev_hash, receipt_digest: digest, ts_utc: AT })
    rows.push({ ns: 'public', chain: 'gdw', seq, prev: before?.digest ?? chainStart().digest, digest, lake })
  }
  return rows
}

function faults(rows: readonly LinkedRow[]): { found: (string | null)[]; place: ChainPlace } {
  let place = chainStart()
  const found = rows.map((row) => {
    const fault = linkFault(place, row, AT)
    place = { seq: row.seq + 1, digest: row.digest, lake: row.lake }
    return fault
  })
  return { found, place }
}

test('receipts that follow each other have no fault, and end where the ledger says', () => {
  const rows = chain(4)
  const { found, place } = faults(rows)
  assert.deepEqual(found, [null, null, null, null])
  const end = { depth: 4, head: rows[3]!.digest, lake: rows[3]!.lake }
  assert.deepEqual([isAtEnd(place, end), isEnd(place, end)], [true, true])
  assert.equal(isEnd(place, { ...end, head: 'ff'.repeat(32) }), false)
  assert.equal(isEnd(place, { ...end, lake: 'ff'.repeat(32) }), false)
})

test('a place that is empty, another receipt before and another lake hash are each found at their place', () => {
  assert.deepEqual(faults(chain(4).toSpliced(1, 1)).found, [null, 'missing_receipt', null])
  const edits: Partial<LinkedRow>[] = [{ prev: 'ab'.repeat(32) }, { lake: 'ab'.repeat(32) }]
  for (const edit of edits)
    assert.equal(faults(chain(3).map((row, at) => (at === 1 ? { ...row, ...edit } : row))).found[1], 'link')
})
