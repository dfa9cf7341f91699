import { randomFillSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../access.ts'
import type { Boundary } from '../operation.ts'
import type { RequestMeter, RequestSpan } from '../ports.ts'

/** What the HTTP layer knows of one request from its first byte to its log line. */
export class RequestContext {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The template of the path, or `unmatched`; never what the caller wrote. */
  readonly route: string
  readonly id: string
  readonly startedAt: number
  readonly span: RequestSpan
  readonly meter: RequestMeter
  /** Of the whole service: once it drains, every answer is the last on its connection. */
  readonly service: Readonly<{ draining: boolean }>
  caller: Caller | null = null
  /** Code of the refusal, for the log. */
  code: string | null = null
  /** Headers decided before the answer is: the operation's own and the state of the caller's rate. */
  headers: Readonly<Record<string, string>> | null = null
  /** What the operation's 422 says in addition to its faults. */
  validationExtras: Readonly<Record<string, unknown>> | null = null
  /** Of the operation that meets the wire by its own rules. */
  boundary: Boundary | null = null
  /** Set by the first answer. What comes later, from work that overran its limit, is dropped. */
  answered = false
  streaming = false
  /** Somebody opens this address in a browser: what is said to them is said on a page. */
  isNavigation = false
  /** Of a stream: what was left to send, and since when the client has taken nothing of it. */
  stalled: { left: number; since: number } | null = null
  /** Came on a connection whose answers are not read, or that had its last answer. */
  unwanted = false
  closed = false
  #abort: AbortController | null = null

  constructor(request: FastifyRequest, reply: FastifyReply, opened: Opened) {
    this.request = request
    this.reply = reply
    this.route = opened.route
    this.id = opened.id
    this.startedAt = opened.startedAt
    this.span = opened.span
    this.meter = opened.meter
    this.service = opened.service
  }

  /** Made only when somebody asks for it: most operations never wait on anything that could be called off. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    return this.#abort.signal
  }

  abort(reason: string): void {
    this.#abort?.abort(new Error(reason))
  }
}

type Opened = Pick<RequestContext, 'route' | 'id' | 'startedAt' | 'span' | 'meter' | 'service'>

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

// Random bytes come in blocks: one system call serves 256 requests.
const POOL = Buffer.alloc(4096)
const ID_BYTES = 16
let used = POOL.length

/** The caller's own id where it has the form of one, else a fresh 128-bit one. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && REQUEST_ID.test(given)) return given
  if (used === POOL.length) {
    randomFillSync(POOL)
    used = 0
  }
  used += ID_BYTES
  return POOL.toString('hex', used - ID_BYTES, used)
}
