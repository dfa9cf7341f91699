/** Places in the ledger as the service takes them: `3,8-12`. */
export function indexesText(indexes: readonly number[]): string {
  const spans: [from: number, to: number][] = []
  for (const index of [...new Set(indexes)].sort((a, b) => a - b)) {
    const last = spans.at(-1)
    if (last !== undefined && last[1] === index - 1) last[1] = index
    else spans.push([index, index])
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}

const DAY_MS = 86_400_000
const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

interface Span {
  since?: string
  until?: string
}

/** Whole days in UTC, the last one included. */
export function spanBetween(from: string, to: string): Span {
  return {
    ...(isDay(from) ? { since: new Date(Date.parse(from)).toISOString() } : {}),
    ...(isDay(to) ? { until: new Date(Date.parse(to) + DAY_MS).toISOString() } : {}),
  }
}
