import { randomFillSync } from 'node:crypto'
import type { Caller } from '../access.ts'
import type { RequestMeter, RequestSpan } from '../ports.ts'

/** What the layer keeps of one request from its first byte to its log line. */
export interface Exchange {
  id: string
  startedAt: number
  span: RequestSpan
  meter: RequestMeter
  caller: Caller | null
  /** Code of the refusal, for the log. */
  code: string | null
  /** Aborts the work when the client leaves or the limit is over; made only when somebody asks for it. */
  abort: AbortController | null
}

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

// Random bytes come in blocks: one system call serves 256 requests.
const POOL = new Uint8Array(4096)
let used = POOL.length

/** The caller’s own id where it has the form of one, else a fresh 128-bit one. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && REQUEST_ID.test(given)) return given
  if (used === POOL.length) {
    randomFillSync(POOL)
    used = 0
  }
  used += 16
  return Buffer.from(POOL.buffer, used - 16, 16).toString('hex')
}
