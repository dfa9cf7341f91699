/** The assignment problem: one column for each row, none twice, so that the sum is greatest. */

/** Shortest augmenting paths with potentials (Jonker and Volgenant 1987), O(rows^2 columns). `rows` must not be more than
 *  `columns`. Returns the column of each row. */
export function assignGreatest(
  rows: number,
  columns: number,
  gain: (row: number, column: number) => number,
): Int32Array {
  if (rows > columns) throw new RangeError('there are more rows than columns')
  // Row 0 and column 0 stand for "none", so that indices begin with 1.
  const rowPotential = new Float64Array(rows + 1)
  const columnPotential = new Float64Array(columns + 1)
  const rowOf = new Int32Array(columns + 1)
  const cameFrom = new Int32Array(columns + 1)
  const least = new Float64Array(columns + 1)
  const visited = new Uint8Array(columns + 1)
  for (let row = 1; row <= rows; row++) {
    rowOf[0] = row
    least.fill(Infinity)
    visited.fill(0)
    let column = 0
    while (rowOf[column] !== 0) {
      visited[column] = 1
      const from = rowOf[column]!
      let [delta, next] = [Infinity, 0]
      for (let candidate = 1; candidate <= columns; candidate++) {
        if (visited[candidate] === 1) continue
        const slack = -gain(from - 1, candidate - 1) - rowPotential[from]! - columnPotential[candidate]!
        if (slack < least[candidate]!) {
          least[candidate] = slack
          cameFrom[candidate] = column
        }
        if (least[candidate]! < delta) {
          delta = least[candidate]!
          next = candidate
        }
      }
      for (let each = 0; each <= columns; each++)
        if (visited[each] === 1) {
          rowPotential[rowOf[each]!]! += delta
          columnPotential[each]! -= delta
        } else least[each]! -= delta
      column = next
    }
    while (column !== 0) {
      const before = cameFrom[column]!
      rowOf[column] = rowOf[before]!
      column = before
    }
  }
  const columnOf = new Int32Array(rows)
  for (let column = 1; column <= columns; column++) if (rowOf[column] !== 0) columnOf[rowOf[column]! - 1] = column - 1
  return columnOf
}
