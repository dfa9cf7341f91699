/** The only place that writes a response: so no answer, not even a refusal, can go out without the default headers. */
import { pipeline, Readable } from 'node:stream'
import { ERRORS, type ErrorCode, InputError, ReceiptAltered, ServiceError, TreeDamaged } from '../errors.ts'
import { type Refused, Reply } from '../operation.ts'
import type { RequestContext } from './request-context.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'
export const HTML_TYPE = 'text/html; charset=utf-8'

/** Headers that never change. Pages set their own content policy; everything else may not be rendered at all. */
const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // Whoever opens a page by any of these addresses gets one.
  vary: 'Accept',
}
const DEFAULT_HEADER_PAIRS = Object.entries(DEFAULT_HEADERS).flat()

/** The answer of an operation: a plain object is 200 JSON, a `Reply` says for itself. */
export function answerResult(exchange: RequestContext, result: object): void {
  if (!(result instanceof Reply)) answerText(exchange, 200, JSON_TYPE, JSON.stringify(result), null)
  else if (isStream(result.body)) answerStream(exchange, result, result.body)
  else answerText(exchange, result.status, result.type, bytesOf(result.body), result.headers)
}

export const isStream = (body: Reply['body']): body is AsyncIterable<string | Uint8Array> =>
  body !== null && typeof body === 'object' && Symbol.asyncIterator in body

function bytesOf(body: object | string | Uint8Array | null): string | Uint8Array {
  if (body === null) return ''
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
}

/** A second answer to the same request is dropped: the first one may already be on the wire. */
export function answerText(
  exchange: RequestContext,
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Record<string, string> | null,
): void {
  if (exchange.answered) return
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  const pairs = headerPairs(exchange, type, headers)
  pairs.push('content-length', String(length))
  const { raw } = exchange.reply
  raw.writeHead(status, pairs)
  // Only now: a header that cannot be sent throws above, and then a refusal must still find its way out.
  exchange.answered = true
  // As many bytes as characters is plain ASCII, which is written without the cost of encoding it.
  const encoding = length === body.length ? 'latin1' : 'utf8'
  if (status === 413) drainThenEnd(exchange, body, encoding)
  else raw.end(body, encoding)
}

/** A client that is still sending would never see an answer followed by a closed connection: it is written, and what
 *  still comes is read and dropped for a while. */
function drainThenEnd({ request, reply }: RequestContext, body: string | Uint8Array, encoding: BufferEncoding): void {
  reply.raw.write(body, encoding)
  let left = MAX_DROPPED_BYTES
  const end = () => {
    clearTimeout(patience)
    reply.raw.end()
  }
  const patience = setTimeout(end, DROPPING_MS).unref()
  request.raw.on('data', (part: Buffer) => {
    left -= part.length
    if (left < 0) end()
  })
  request.raw.once('close', end)
  if (request.raw.complete) end()
  else request.raw.once('end', end).resume()
}

const MAX_DROPPED_BYTES = 32 * 1024 * 1024
const DROPPING_MS = 5_000

function answerStream(
  exchange: RequestContext,
  { status, type, headers }: Reply,
  source: AsyncIterable<string | Uint8Array>,
): void {
  if (exchange.answered) return
  const { raw } = exchange.reply
  raw.writeHead(status, headerPairs(exchange, type, headers))
  exchange.answered = true
  exchange.streaming = true
  if (exchange.request.method === 'HEAD') return void raw.end()
  // The status is on the wire: a source that fails midway can only show by a body that ends without its last chunk.
  pipeline(Readable.from(within(exchange, source), { objectMode: false }), raw, (error) => {
    if (error) raw.destroy()
  })
}

/** The source works for this request. The writing does not: the timer of an idle connection would keep the request. No
 *  generator: a source that waits is told at once that nobody reads any more. */
const within = <Part>({ span }: RequestContext, source: AsyncIterable<Part>): AsyncIterable<Part> => ({
  [Symbol.asyncIterator]() {
    const parts = span.within(() => source[Symbol.asyncIterator]())
    return {
      next: () => span.within(() => parts.next()),
      return: async () => span.within(() => parts.return?.() ?? { done: true, value: undefined }),
    }
  },
})

function headerPairs(exchange: RequestContext, type: string, headers: Record<string, string> | null): string[] {
  const own = ['content-type', type, 'x-request-id', exchange.id, 'traceparent', exchange.span.traceparent]
  // Without this a connection that was busy when the shutdown began would be waited for until it is idle for long.
  if (exchange.service.draining) own.push('connection', 'close')
  const { headers: earlier } = exchange
  if (isEmpty(headers) && earlier === null) return DEFAULT_HEADER_PAIRS.concat(own)
  const merged: Record<string, string> = { ...DEFAULT_HEADERS, ...earlier }
  for (const name in headers) merged[name.toLowerCase()] = headers[name]!
  return Object.entries(merged).flat().concat(own)
}

function isEmpty(headers: Record<string, string> | null): boolean {
  for (const _ in headers) return false
  return true
}

/** A header as every answer to this request will carry it; null where none will. */
export function replyHeader(exchange: RequestContext, name: string): string | null {
  const pairs = headerPairs(exchange, JSON_TYPE, null)
  const at = pairs.findIndex((text, index) => index % 2 === 0 && text === name)
  return at === -1 ? null : (pairs[at + 1] ?? null)
}

/** A whole response for a socket on which there is no request to answer. */
export function bareResponse(status: number, code: string, body: string, ids: Record<string, string>): string {
  const headers = {
    ...DEFAULT_HEADERS,
    ...ids,
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${code}\r\n${lines.join('')}\r\n${body}`
}

const MAX_SHOWN_TYPE = 100

export function foreignType(sent: string | undefined): ServiceError {
  const said = sent === undefined ? 'none was sent' : `${JSON.stringify(sent.slice(0, MAX_SHOWN_TYPE))} was sent`
  return new ServiceError(
    'unsupported_media_type',
    `the header Content-Type has to name JSON and the body has to be JSON; ${said}: send Content-Type: application/json`,
  )
}

/** Faults raised by the HTTP framework itself, in the words of the closed list. */
const FRAMEWORK = new Map<string, [ErrorCode, string]>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', ['request_body_too_large', 'the body is larger than this operation reads']],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    [
      'malformed_request',
      'the body does not have the length that its header Content-Length says; send for example Content-Length: 12 for 12 bytes',
    ],
  ],
  [
    'FST_ERR_BAD_URL',
    ['malformed_request', 'the path is not valid percent-encoded UTF-8; write for example %C3%BC for ü'],
  ],
  // The body ended before it was whole: the client left, and this is said to the log alone.
  ['ECONNRESET', ['malformed_request', 'the body ended before it was whole']],
  [
    'FST_ERR_MAX_PARAM_LENGTH',
    ['uri_too_long', 'a path segment is longer than the 4096 characters that the service reads'],
  ],
])

const TREE_DAMAGED = 'the stored log is damaged, so nothing can be proven from it; read /api/readyz'

export function toErrorResponse(
  error: unknown,
  requestId: string,
  validationExtras: Readonly<Record<string, unknown>> | null = null,
  bodyLimit?: number,
): Refused {
  if (error instanceof InputError) {
    const body = { detail: error.detail, ...validationExtras }
    return { status: 422, code: 'validation_error', headers: {}, body, unexpected: false }
  }
  if (error instanceof ServiceError)
    // An organ that failed is our fault, whatever was sent: the operator's log gets the cause.
    return { ...refuse(error.code, error.message, requestId, error), unexpected: error.code === 'organ_failed' }
  if (error instanceof TreeDamaged) return refuse('ledger_unavailable', TREE_DAMAGED, requestId)
  if (error instanceof ReceiptAltered) return refuse('ledger_unavailable', error.message, requestId)
  const known = FRAMEWORK.get(String((error as { code?: unknown } | null)?.code))
  if (known) return refuse(known[0], withLimit(...known, bodyLimit), requestId)
  return {
    ...refuse('internal_error', 'the service failed to answer; report the request id', requestId),
    unexpected: true,
  }
}

const withLimit = (code: ErrorCode, message: string, bodyLimit: number | undefined): string =>
  code === 'request_body_too_large' && bodyLimit !== undefined ? `${message}; send at most ${bodyLimit} bytes` : message

function refuse(code: ErrorCode, message: string, requestId: string, more?: ServiceError): Refused {
  return {
    status: ERRORS[code].status,
    code,
    headers: more?.headers ?? {},
    body: { error: { code, message, request_id: requestId, ...more?.extra } },
    unexpected: false,
  }
}
