/** How long the service waits for an unknown client and how much memory it gives it. Only tests lower these limits. */
export interface Limits {
  /** Request line and headers together. */
  headerBytes: number
  /** From the first byte to the end of the headers. */
  headersMs: number
  /** From the first byte to the end of the body. */
  bodyTimeoutMs: number
  /** An idle connection between two requests. */
  keepAliveMs: number
  /** From the end of the headers to the last byte of the answer; streams aside. */
  requestMs: number
  /** A stream whose client takes nothing of what waits for it. */
  streamStallMs: number
  /** Requests of one connection that wait for their answers: whoever does not read them must not fill our memory. */
  unanswered: number
  /** How often the limits above are looked at. */
  sweepMs: number
}

export const LIMITS: Readonly<Limits> = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  bodyTimeoutMs: 30_000,
  keepAliveMs: 65_000,
  requestMs: 60_000,
  streamStallMs: 60_000,
  unanswered: 100,
  sweepMs: 1_000,
}
