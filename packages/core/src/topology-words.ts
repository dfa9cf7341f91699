/** The facts of the operator's topology in words: those the page is sent with, and those its script finds on a reload. */
export const stateOf = (healthy: boolean | null): string =>
  healthy === null ? 'not checked' : healthy ? 'healthy' : 'failing'

export interface Whole {
  core: { reason: string | null; evidence: Record<string, unknown>; since: string }
  counts: { healthy: number; failing: number; unknown: number }
}

/** What one look must tell: whether the service works, what is broken, and since when. */
export function verdictOf({ core: { reason, evidence, since } }: Pick<Whole, 'core'>): string {
  const word = evidence.ready === true ? 'Ready' : 'Not ready'
  return reason === null ? `${word} since ${since}` : `${word}: ${reason}, since ${since}`
}

export const countsOf = ({ counts: { healthy, failing, unknown } }: Pick<Whole, 'counts'>): string =>
  `${healthy} healthy, ${failing} failing, ${unknown} not checked`

export const latencyOf = (ms: number | null): string => (ms === null ? 'none' : `${ms} ms`)

export function evidenceOf({ reason, evidence }: { reason: string | null; evidence: Record<string, unknown> }): string {
  const facts = Object.entries(evidence).map(([name, value]) => `${name}: ${wordOf(value)}`)
  return [...(reason === null ? [] : [reason]), ...facts].join('; ')
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const callsOf = (calls: number): string => (calls === 1 ? '1 call' : `${calls} calls`)

export const timesOf = ({ p50_ms, p99_ms }: { p50_ms: number | null; p99_ms: number | null }): string =>
  p50_ms === null ? 'none' : `${p50_ms} ms / ${p99_ms} ms`
