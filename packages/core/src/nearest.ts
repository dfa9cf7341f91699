// The word that was probably meant.

/** The nearest of the known words, unless all of them are far away. */
export function nearest(word: string, known: readonly string[]): string | null {
  const farthest = Math.max(2, Math.floor(word.length / 3))
  const [best] = known
    // Two words differ by at least the difference of their lengths, which costs nothing to know.
    .filter((one) => Math.abs(one.length - word.length) <= farthest)
    .map((one) => ({ one, distance: distance(word, one) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= farthest ? best.one : null
}

/** Edits between two words, a swap of neighbours counting as one. */
export function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const above = rows[i - 1] as number[]
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const best = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + same)
      row.push(swapped ? Math.min(best, rows[i - 2]![j - 2]! + 1) : best)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
