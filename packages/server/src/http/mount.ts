import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Caller } from '../access.ts'
import { InputError, type InputFault } from '../errors.ts'
import { type Call, DEFAULT_BODY_LIMIT, EXAMPLE_HEADER, type Operation, pathsOf, Reply } from '../operation.ts'
import type { BrowserPages } from '../ports.ts'
import { answerRedirect, pageAddress, shownResult } from './browser.ts'
import type { Guard } from './guard.ts'
import { clientKey } from './rate-limit.ts'
import type { RequestContext } from './request-context.ts'
import type { RequestTracker } from './request-tracker.ts'
import { answerResult } from './response.ts'
import { headerReader, queryReader, readJsonBody, readTogether, validator } from './validation.ts'

export type ReplyObserver = (op: Operation, reply: { status: number; body: unknown; type?: string }) => void

interface Mounting {
  tracker: RequestTracker
  guard: Guard
  observe: ReplyObserver | null
  pages: BrowserPages | null
}

/** Puts every operation on its paths; HEAD wherever there is GET. */
export function mount(app: FastifyInstance, operations: readonly Operation[], mounting: Mounting): void {
  for (const op of operations) {
    const handler = createHandler(op, mounting)
    for (const url of pathsOf(op))
      for (const method of op.method === 'GET' ? ['GET', 'HEAD'] : [op.method])
        app.route({
          method,
          url,
          exposeHeadRoute: false,
          bodyLimit: op.bodyLimit ?? DEFAULT_BODY_LIMIT,
          onRequest: opening(op, mounting, mounting.tracker.label(method, url, op.id)),
          handler,
        })
  }
}

/** The label is bound here, once per route, so that a request looks nothing up. */
export function opening(
  op: Operation,
  { tracker, guard, pages }: Omit<Mounting, 'observe'>,
  label: ReturnType<RequestTracker['label']>,
) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const exchange = tracker.open(request, reply, label)
    exchange.headers = op.headers ?? null
    exchange.validationExtras = op.validationExtras ?? null
    exchange.boundary = op.boundary ?? null
    const page = pageAddress(exchange, op, pages)
    if (page !== null) {
      // The page asks for a credential where one is needed.
      guard(exchange, null)
      return answerRedirect(exchange, page)
    }
    guard(exchange, op)
    if (op.bodyTimeoutMs !== undefined) tracker.limitBody(exchange, op.bodyTimeoutMs)
    done()
  }
}

/** Of an operation that answers for the whole: it declares no name, and refuses one that would seem to narrow it. */
const NO_QUERY = Type.Object({})

/** Validate, run, answer: the life of every operation. */
function createHandler(op: Operation, { tracker, observe, pages }: Mounting) {
  const readParams = op.params ? validator('path', op.params) : null
  const readQuery = op.query || op.narrows ? queryReader(op.query ?? NO_QUERY, op.narrows === true) : null
  const readBody = op.body ? bodyReader(op) : null
  const readHeaders = op.requestHeaders ? headerReader(op.requestHeaders) : null
  const answer = (exchange: RequestContext, result: object) => {
    if (exchange.answered) return
    if (observe !== null) observe(op, result instanceof Reply ? result : { status: 200, body: result })
    answerResult(exchange, shownResult(exchange, op, result, pages))
  }
  // No promise of the framework's stands between the operation and its answer, and a throw below is caught by it.
  return (request: FastifyRequest): void => {
    const { exchange } = request
    const read = () => {
      const body = readBody === null ? NO_BODY : readBody(request.body as Uint8Array | undefined)
      if (body.source === 'DEFAULT_EXAMPLE') exchange.headers = { ...exchange.headers, [EXAMPLE_HEADER]: '1' }
      const params = readParams === null ? request.params : readParams(request.params)
      const query = readQuery === null ? EMPTY : readQuery(request.query as Record<string, unknown>)
      return new RequestCall(exchange, params, query, body)
    }
    const call = readHeaders === null ? read() : readTogether(read, () => readHeaders(request.headers))
    const result = exchange.span.within(() => op.run(call))
    if (!(result instanceof Promise)) answer(exchange, result)
    else result.then((value) => answer(exchange, value)).catch((error: unknown) => tracker.refuse(exchange, error))
  }
}

interface ReadBody {
  value: unknown
  source: Call['inputSource']
  bytes?: Uint8Array
}

class RequestCall implements Call {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly inputSource: Call['inputSource']
  readonly bytes: Uint8Array | undefined
  readonly headers: Call['headers']
  readonly caller: Caller
  readonly requestId: string
  readonly #exchange: RequestContext

  constructor(exchange: RequestContext, params: unknown, query: unknown, body: ReadBody) {
    this.params = params
    this.query = query
    this.body = body.value
    this.inputSource = body.source
    this.bytes = body.bytes
    this.headers = exchange.request.headers
    this.caller = exchange.caller!
    this.requestId = exchange.id
    this.#exchange = exchange
  }

  get signal(): AbortSignal {
    return this.#exchange.signal
  }

  get client(): string {
    return clientKey(this.#exchange.request.ip)
  }

  get headOnly(): boolean {
    return this.#exchange.request.method === 'HEAD'
  }
}

const EMPTY = Object.freeze({})
const NO_BYTES = new Uint8Array(0)
const NO_BODY: ReadBody = { value: undefined, source: 'CALLER' }

/** An absent body is absent, not malformed: the operation decides whether its example runs instead. */
function bodyReader(op: Operation): (bytes: Uint8Array | undefined) => ReadBody {
  const read = op.boundary?.read
  if (read !== undefined) return (bytes = NO_BYTES) => ({ value: read(bytes), source: 'CALLER', bytes })
  const check = validator('body', op.body)
  const runsExample = op.emptyBody === 'example'
  return withExample(op, (bytes) => {
    const value = bytes === undefined || bytes.length === 0 ? undefined : readJsonBody(bytes, op.bodyValues)
    if (runsExample && (value === undefined || isEmptyObject(value)))
      // A copy: what one request does to its example must not be another's input.
      return { value: structuredClone(op.example?.body), source: 'DEFAULT_EXAMPLE' }
    if (value === undefined && op.emptyBody === 'optional') return { value: check({}), source: 'CALLER' }
    if (value === undefined)
      throw new InputError([{ loc: ['body'], msg: 'this operation needs a JSON body', type: 'missing' }])
    return { value: check(value), source: 'CALLER' }
  })
}

const MAX_EXAMPLE = 160

/** Where the body as a whole is at fault, the message ends with one that works. */
function withExample(op: Operation, read: (bytes: Uint8Array | undefined) => ReadBody): typeof read {
  const text = JSON.stringify(op.example?.body) ?? ''
  const example =
    text === '' || text.length > MAX_EXAMPLE ? 'GET /openapi.json has an example' : `send for example ${text}`
  return (bytes) => {
    try {
      return read(bytes)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const isWhole = ({ loc, type }: InputFault) => loc.length === 1 || type.startsWith('json_')
      throw new InputError(
        error.detail.map((fault) => (isWhole(fault) ? { ...fault, msg: `${fault.msg}; ${example}` } : fault)),
      )
    }
  }
}

const isEmptyObject = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
