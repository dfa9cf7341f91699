import { DEFAULT_BODY_LIMIT, MAX_DEPTH } from '../operation.ts'

/** How long the service waits for an unknown client and how much memory it gives it. Only tests lower these limits. */
export const LIMITS = {
  /** Request line and headers together. */
  headerBytes: 16 * 1024,
  /** From the first byte to the end of the headers. */
  headersMs: 10_000,
  /** From the first byte to the end of the body. */
  bodyTimeoutMs: 30_000,
  /** An idle connection between two requests. */
  keepAliveMs: 65_000,
  /** From the end of the headers to the last byte of the answer; streams aside. */
  requestMs: 60_000,
  /** A stream whose client takes nothing of what waits for it. */
  streamStallMs: 60_000,
  /** Requests of one connection that wait for their answers: whoever does not read them must not fill our memory. */
  unanswered: 100,
  /** How often the limits above are looked at. */
  sweepMs: 1_000,
}
export type Limits = typeof LIMITS

const TITLES: Record<keyof Limits, string> = {
  headerBytes: 'bytes of the request line and the headers together',
  headersMs: 'milliseconds from the first byte to the end of the headers',
  bodyTimeoutMs: 'milliseconds from the first byte to the end of the body',
  keepAliveMs: 'milliseconds that an idle connection is kept',
  requestMs: 'milliseconds from the end of the headers to the last byte of the answer',
  streamStallMs: 'milliseconds that a stream waits for a client that takes nothing',
  unanswered: 'requests of one connection that wait for their answers',
  sweepMs: 'milliseconds between two looks at the limits',
}

/** The limits that every request meets, for whoever looks them up. */
export const LIMIT_ROWS = [
  ...(Object.keys(TITLES) as (keyof Limits)[]).map((id) => ({ id, title: TITLES[id], value: LIMITS[id] })),
  { id: 'bodyBytes', title: 'bytes of a body, where the operation does not say otherwise', value: DEFAULT_BODY_LIMIT },
  { id: 'bodyDepth', title: 'levels of nesting in a body', value: MAX_DEPTH },
]
