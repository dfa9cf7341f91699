const BINS = 20

/** How often the features fire, as the logarithm of the share of rows; the bins reach from one row to all of them, and
 *  what never fired is in none. */
export function densityOf(fired: Uint32Array, rows: number) {
  const lowest = Math.log10(1 / rows)
  const counts = new Array<number>(BINS).fill(0)
  for (const times of fired) {
    if (times === 0) continue
    const at = Math.floor((1 - Math.log10(times / rows) / lowest) * BINS)
    counts[Math.min(BINS - 1, Math.max(0, at))]! += 1
  }
  const edges = Array.from({ length: BINS + 1 }, (_, at) => lowest * (1 - at / BINS) + 0)
  return { bin_edges_log10: edges, counts }
}
