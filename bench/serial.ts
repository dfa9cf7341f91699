// No two requests of any scenario are the same: nothing can be answered from memory, and the load costs the same for what
// is measured as for what it is measured against.

/** Becomes a word that no request before it had. */
export const SERIAL = '{serial}'
/** One word for eight requests, no two of which are under way at once. */
export const SESSION = '{session}'

// Starts at the clock, so that a later round does not repeat an earlier one.
let next = Date.now() * 1000

export function numbered(body: string): string {
  next += 1
  return body.replaceAll(SERIAL, next.toString(36)).replaceAll(SESSION, sessionOf(next))
}

const AT_A_TIME = 512
const REQUESTS_EACH = 8

/** So many sessions have their first request, then each its second, and so on. */
const sessionOf = (serial: number): string =>
  `${Math.floor(serial / (AT_A_TIME * REQUESTS_EACH)).toString(36)}-${(serial % AT_A_TIME).toString(36)}`
