import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InputError, ServiceError } from '../errors.ts'
import { type Call, DEFAULT_BODY_LIMIT, type Operation, pathsOf, Reply } from '../operation.ts'
import { queryReader, readJsonBody, validator } from './validation.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export type ReplyObserver = (op: Operation, reply: { status: number; body: unknown }) => void

/** Puts every operation on its paths, and on each path a 405 for the methods it does not have. */
export function mount(app: FastifyInstance, operations: readonly Operation[], observe: ReplyObserver | null): void {
  const taken = new Map<string, Set<string>>()
  for (const op of operations) {
    const handler = handlerOf(op, observe)
    for (const path of pathsOf(op)) {
      app.route({
        method: op.method,
        url: path,
        bodyLimit: op.bodyLimit ?? DEFAULT_BODY_LIMIT,
        config: { op, route: path },
        handler,
      })
      const methods = taken.get(path) ?? new Set()
      taken.set(path, methods.add(op.method))
    }
  }
  for (const [path, methods] of taken) refuseOtherMethods(app, path, methods)
}

function refuseOtherMethods(app: FastifyInstance, path: string, methods: Set<string>): void {
  const allow = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].sort().join(', ')
  const refuse = async () => {
    throw new ServiceError('method_not_allowed', `this path answers ${allow}`, { headers: { allow } })
  }
  const others = METHODS.filter((method) => !methods.has(method))
  app.route({
    method: methods.has('GET') ? [...others] : [...others, 'HEAD'],
    url: path,
    exposeHeadRoute: false,
    config: { route: path },
    onRequest: refuse,
    handler: refuse,
  })
}

/** Validate, run, answer: the life of every operation. */
function handlerOf(op: Operation, observe: ReplyObserver | null) {
  const readParams = op.params ? validator('path', op.params) : null
  const readQuery = op.query ? queryReader(op.query) : null
  const readBody = op.body ? bodyReader(op) : null
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const exchange = request.exchange
    const body = readBody === null ? NO_BODY : readBody(request.body as Uint8Array | undefined)
    const call: Call = {
      params: readParams === null ? request.params : readParams(request.params),
      query: readQuery === null ? EMPTY : readQuery(request.query as Record<string, unknown>),
      body: body.value,
      inputSource: body.source,
      headers: request.headers,
      caller: exchange.caller!,
      requestId: exchange.id,
      get signal() {
        exchange.abort ??= new AbortController()
        return exchange.abort.signal
      },
    }
    const result = await exchange.span.within(() => op.run(call))
    if (observe !== null) observe(op, result instanceof Reply ? result : { status: 200, body: result })
    return send(reply, result)
  }
}

const EMPTY = Object.freeze({})
const NO_BODY = { value: undefined, source: 'CALLER' } as const

/** An absent body is absent, not malformed: the operation decides whether its example runs instead. */
function bodyReader(op: Operation): (bytes: Uint8Array | undefined) => { value: unknown; source: Call['inputSource'] } {
  const check = validator('body', op.body)
  const runsExample = op.emptyBody === 'example'
  return (bytes) => {
    const value = bytes === undefined || bytes.length === 0 ? undefined : readJsonBody(bytes)
    if (runsExample && (value === undefined || isEmptyObject(value)))
      return { value: op.example?.body, source: 'DEFAULT_EXAMPLE' }
    if (value === undefined)
      throw new InputError([{ loc: ['body'], msg: 'this operation needs a JSON body', type: 'missing' }])
    return { value: check(value), source: 'CALLER' }
  }
}

const isEmptyObject = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0

function send(reply: FastifyReply, result: object): unknown {
  if (!(result instanceof Reply)) {
    reply.header('content-type', JSON_TYPE)
    return JSON.stringify(result)
  }
  reply.code(result.status).header('content-type', result.type).headers(result.headers)
  const { body } = result
  if (body === null) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (Symbol.asyncIterator in body) return streamOf(body as AsyncIterable<string | Uint8Array>)
  return JSON.stringify(body)
}

const streamOf = (source: AsyncIterable<string | Uint8Array>) => Readable.from(source, { objectMode: false })
