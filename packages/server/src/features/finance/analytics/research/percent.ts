/** Six decimals; null where there is nothing to divide by. */
export const percent = (part: number, whole: number): string | null =>
  whole === 0 ? null : ((100 * part) / whole).toFixed(6)
