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
