/** The facts of the operator's topology in words: those the page is sent with, and those its script finds on a reload. */
export const stateOf = (healthy: boolean | null): string =>
  healthy === null ? 'not checked' : healthy ? 'healthy' : 'failing'

/** To the second: what a person compares with a clock. */
export const momentOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`

export interface Whole {
  core: { reason: string | null; evidence: Record<string, unknown>; since: string }
  counts: { healthy: number; failing: number; unknown: number }
}

/** What one look must tell: whether the service works, what is broken, and since when. */
export function verdictOf({ core: { reason, evidence, since } }: Pick<Whole, 'core'>): string {
  const word = evidence.ready === true ? 'Ready' : 'Not ready'
  return reason === null ? `${word} since ${momentOf(since)}` : `${word}: ${reason}, since ${momentOf(since)}`
}

export const countsOf = ({ counts: { healthy, failing, unknown } }: Pick<Whole, 'counts'>): string =>
  `${healthy} healthy, ${failing} failing, ${unknown} not checked`

const millis = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`

export const latencyOf = (ms: number | null): string => (ms === null ? 'none' : millis(ms))

/** One fact a line. */
export const evidenceOf = ({ evidence }: { evidence: Record<string, unknown> }): string =>
  Object.entries(evidence)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${wordOf(value)}`)
    .join('\n')

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const callsOf = (calls: number): string => (calls === 1 ? '1 call' : `${calls} calls`)

export const timesOf = ({ p50_ms, p99_ms }: { p50_ms: number | null; p99_ms: number | null }): string =>
  p50_ms === null || p99_ms === null ? 'none' : `${millis(p50_ms)} / ${millis(p99_ms)}`
