/** A proportion with its 95% interval after Wilson, which stays honest for few cases and for none or all of them. */
export interface Proportion {
  hits: number
  of: number
  /** Null where there was nothing to count. */
  value: number | null
  low: number | null
  high: number | null
}

const Z = 1.959963984540054

export function wilson(hits: number, of: number): Proportion {
  if (of === 0) return { hits, of, value: null, low: null, high: null }
  const share = hits / of
  const scale = 1 + Z ** 2 / of
  const middle = (share + Z ** 2 / (2 * of)) / scale
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2))
  const round = (n: number) => Number(Math.min(1, Math.max(0, n)).toFixed(4))
  return { hits, of, value: round(share), low: round(middle - half), high: round(middle + half) }
}

export const printed = ({ hits, of, value, low, high }: Proportion): string =>
  value === null ? `${hits}/${of}` : `${value.toFixed(3)} [${low?.toFixed(3)}, ${high?.toFixed(3)}] ${hits}/${of}`
