import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptRow } from '@orch/client'
import { changeRows, type Rows } from './rows.ts'

const rowAt = (node_index: number) => ({ node_index }) as ReceiptRow
const NO_PAGE = { rows: [rowAt(0)], cursor: null, count: 1, size: 1 }
const came = (state: Rows | null, index: number, isHeld: boolean) =>
  changeRows(state, { type: 'came', row: rowAt(index), isHeld })
const indexes = (rows: readonly ReceiptRow[] = []) => rows.map(({ node_index }) => node_index)

test('2a rows that come behind rows that wait wait too, and are taken once and in order', () => {
  let state = changeRows(null, { type: 'first', page: NO_PAGE })
  for (const index of [1, 2, 3]) state = came(state, index, true)
  for (const index of [4, 5, 5, 6]) state = came(state, index, false)
  assert.deepEqual([indexes(state?.rows), indexes(state?.fresh)], [[0], [6, 5, 4, 3, 2, 1]])
  state = changeRows(state, { type: 'take' })
  assert.deepEqual([indexes(state?.rows), indexes(state?.fresh)], [[6, 5, 4, 3, 2, 1, 0], []])
  assert.deepEqual(indexes(came(state, 7, false)?.rows).slice(0, 2), [7, 6])
})
