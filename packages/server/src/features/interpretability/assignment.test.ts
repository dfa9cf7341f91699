import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assignGreatest } from './assignment.ts'

/** Every way to give each row a column of its own. */
function bestByBruteForce(gains: readonly (readonly number[])[]): number {
  const columns = gains[0]!.length
  const from = (row: number, taken: ReadonlySet<number>): number => {
    if (row === gains.length) return 0
    const rest = Array.from({ length: columns }, (_, column) => column).filter((column) => !taken.has(column))
    return Math.max(...rest.map((column) => gains[row]![column]! + from(row + 1, new Set([...taken, column]))))
  }
  return from(0, new Set())
}

const gainMatrix = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 2 })).chain(([rows, more]) => {
  const row = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: rows + more, maxLength: rows + more })
  return fc.array(row, { minLength: rows, maxLength: rows })
})

test('the sum is that of the best of all assignments, and no column is given twice', () => {
  fc.assert(
    fc.property(gainMatrix, (gains) => {
      const columns = [...assignGreatest(gains.length, gains[0]!.length, (row, column) => gains[row]![column]!)]
      assert.equal(new Set(columns).size, gains.length)
      const sum = columns.reduce((total, column, row) => total + gains[row]![column]!, 0)
      assert.ok(Math.abs(sum - bestByBruteForce(gains)) < 1e-9)
    }),
    { seed: 16, numRuns: 300 },
  )
})

test('a row gives up its favourite where the whole gains by it', () => {
  const gains = [
    [10, 9],
    [10, 1],
  ]
  assert.deepEqual([...assignGreatest(2, 2, (row, column) => gains[row]![column]!)], [1, 0])
})

test('more rows than columns are refused', () => {
  assert.throws(() => assignGreatest(2, 1, () => 0), RangeError)
})
