import type { Socket } from 'node:net'
import { ERRORS, type ErrorCode, ServiceError } from '../errors.ts'
import { requestId } from './request-context.ts'
import type { RequestTracker } from './request-tracker.ts'
import { bareResponse } from './response.ts'
import type { HttpDeps } from './server.ts'

const FAULTS: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Unreadable bytes, or none in time. Whatever is said now must not pass for the answer to another request of the same
 *  socket: a proxy that shares the connection would hand it to somebody else. So requests that are at work are answered, the
 *  bytes behind them are not, and nothing that comes later is begun. */
export function answerClientError(tracker: RequestTracker, deps: HttpDeps, headersMs: number) {
  const answer = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    // Its last word is said or on its way, whatever it sends on.
    if (tracker.isEnding(socket)) return
    const state = tracker.socketState(socket)
    const code = FAULTS[error.code ?? ''] ?? 'malformed_request'
    if (!socket.writable || state === 'spent') return void socket.destroy()
    tracker.beginNoMore(socket)
    if (state === 'at work') tracker.endWhenAnswered(socket)
    else if (state === 'free') answerOnSocket(socket, code, deps)
    else tracker.refuse(state, new ServiceError(code, ERRORS[code].action, { headers: { connection: 'close' } }))
  }
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const answerUnlessBegun = () => tracker.knows(socket) || answer(error, socket)
    const answerUnlessRead = () => {
      if (socket.bytesRead === 0) answer(error, socket)
      // Node looks at this connection no more, unless what it brought begins a request.
      else setTimeout(answerUnlessBegun, headersMs).unref()
    }
    // Limits are looked at before sockets are read: where this process was late, a request may lie there unread.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) setImmediate(answerUnlessRead)
    else answer(error, socket)
  }
}

/** A client that is still sending is given so long to read its answer. */
const LINGERING_MS = 1_000

/** The last word on a connection, which is not waited for. */
export function answerOnSocket(socket: Socket, code: ErrorCode, deps: HttpDeps): void {
  const id = requestId(undefined)
  const span = deps.tracing.request('unreadable', {})
  const { status, action } = ERRORS[code]
  const body = JSON.stringify({ error: { code, message: action, request_id: id } })
  const allow: Record<string, string> = code === 'method_not_allowed' ? { allow: 'GET, HEAD, POST' } : {}
  socket.end(bareResponse(status, code, body, { 'x-request-id': id, traceparent: span.traceparent, ...allow }))
  setTimeout(() => socket.destroy(), LINGERING_MS).unref()
  span.end(status)
  const meter = deps.metrics.request('OTHER', 'unreadable')
  meter.begin()
  meter.end(status, 0)
  deps.log.info({ request_id: id, trace_id: span.traceId, route: 'unreadable', status, code }, 'request')
}
