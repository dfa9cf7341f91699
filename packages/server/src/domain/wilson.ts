export interface Interval {
  low: number
  high: number
}

const Z = 1.959963984540054

/** The 95% interval of a proportion after Wilson (1927). */
export function wilson(hits: number, of: number): Interval {
  const share = hits / of
  const scale = 1 + Z ** 2 / of
  const middle = (share + Z ** 2 / (2 * of)) / scale
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2))
  return { low: Math.max(0, Math.min(share, middle - half)), high: Math.min(1, Math.max(share, middle + half)) }
}
