/** The life of a request around its work: opened with its first header, closed when it can no longer be answered. */
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { type Link, LinkedList } from '../platform/linked-list.ts'
import type { RequestMeter } from '../ports.ts'
import type { Limits } from './limits.ts'
import { RequestContext, requestId } from './request-context.ts'
import { answerText, HTML_TYPE, JSON_TYPE, replyHeader, toErrorResponse } from './response.ts'
import type { HttpDeps } from './server.ts'

/** nginx's word for a client that left before it was answered; it is counted and logged, never sent. */
const CLIENT_LEFT = 499
const CLOSING = { headers: { connection: 'close' } }
const BODY_TOO_SLOW = 'the body did not arrive in time; send it again, faster or smaller'

interface RouteLabel {
  method: string
  route: string
  meter: RequestMeter
}

export class RequestTracker {
  readonly #deps: HttpDeps
  readonly #limits: Limits
  readonly #inFlight = new LinkedList<RequestContext>()
  /** Sockets whose last answer went out before the body was in: what still arrives belongs to no request. */
  readonly #spent = new WeakSet<Socket>()
  /** Sockets on which no further request is begun. */
  readonly #ending = new WeakSet<Socket>()
  readonly #unanswered = new WeakMap<Socket, number>()
  readonly #sweep: NodeJS.Timeout

  constructor(deps: HttpDeps, limits: Limits) {
    this.#deps = deps
    this.#limits = limits
    // One sweep over all costs less than a timer for each.
    this.#sweep = setInterval(() => this.#endOverdue(), limits.sweepMs).unref()
  }

  stop(): void {
    clearInterval(this.#sweep)
  }

  /** A stream has no end of its own: its signal aborts when the service closes, and it writes its own last words. Its headers
   *  left the connection open for more, so the connection ends with it. */
  abortStreams(reason: string): void {
    for (const exchange of this.#inFlight) {
      if (!exchange.streaming) continue
      exchange.reply.raw.once('finish', () => exchange.request.raw.socket.end())
      exchange.abort(reason)
    }
  }

  label(method: string, route: string, operation?: string): RouteLabel {
    return { method, route, meter: this.#deps.metrics.request(method, route, operation) }
  }

  open(request: FastifyRequest, reply: FastifyReply, { method, route, meter }: RouteLabel): RequestContext {
    const { headers } = request
    const span = this.#deps.tracing.request(`${method} ${route}`, headers)
    span.set('http.request.method', request.method)
    span.set('http.route', route)
    span.set('url.scheme', request.protocol)
    const id = requestId(headers['x-request-id'])
    const { clock, state: service } = this.#deps
    const exchange = new RequestContext(request, reply, {
      route,
      id,
      startedAt: clock.monotonic(),
      span,
      meter,
      service,
    })
    request.exchange = exchange
    exchange.isNavigation = this.#isNavigation(request)
    // Named first: V8 makes a function that is written into an assignment to a property an old object at once, and all that
    // it sees, the whole request, would live until the next full collection.
    const replied = () => replyHeader(exchange, 'traceparent')
    span.replied = replied
    meter.begin()
    const place = this.#inFlight.add(exchange)
    this.#countUnanswered(exchange, 1)
    // Neither `finish` nor the request's own events come for a client that leaves; this one always does.
    reply.raw.on('close', () => this.#close(exchange, place))
    return exchange
  }

  #isNavigation({ method, headers }: FastifyRequest): boolean {
    return (method === 'GET' || method === 'HEAD') && this.#deps.pages?.isNavigation(headers) === true
  }

  /** A connection that sends on and on without reading what it is answered is closed. */
  #countUnanswered(exchange: RequestContext, change: 1 | -1): void {
    const { socket } = exchange.request.raw
    const count = (this.#unanswered.get(socket) ?? 0) + change
    this.#unanswered.set(socket, count)
    exchange.unwanted = count > this.#limits.unanswered || this.#ending.has(socket)
  }

  /** Every refusal and every failure ends here. */
  refuse(exchange: RequestContext, error: unknown): void {
    if (exchange.answered) return
    const { log, metrics } = this.#deps
    const standard = toErrorResponse(
      error,
      exchange.id,
      exchange.validationExtras,
      exchange.request.routeOptions.bodyLimit,
    )
    const refusal = exchange.boundary?.refuse(standard, error, exchange.id) ?? standard
    exchange.code = refusal.code
    if (refusal.status === 413 || refusal.status === 415) metrics.bodyRejected(refusal.code)
    if (refusal.unexpected) log.error({ request_id: exchange.id, err: error }, 'unexpected failure')
    const page = exchange.isNavigation ? this.#deps.pages?.showRefusal(refusal) : undefined
    const { status, headers } = refusal
    if (page !== undefined) answerText(exchange, status, HTML_TYPE, page.html, { ...headers, ...page.headers })
    else answerText(exchange, status, JSON_TYPE, JSON.stringify(refusal.body), headers)
  }

  /** For an operation that waits less long for its body than the service does. */
  limitBody(exchange: RequestContext, milliseconds: number): void {
    const { raw } = exchange.request
    const overdue = setTimeout(() => {
      if (!raw.complete) this.refuse(exchange, new ServiceError('request_timeout', BODY_TOO_SLOW, CLOSING))
    }, milliseconds).unref()
    raw.once('end', () => clearTimeout(overdue)).once('close', () => clearTimeout(overdue))
  }

  /** Whether a request ever came by it. */
  knows(socket: Socket): boolean {
    return this.#unanswered.has(socket)
  }

  /** What can still be said on a socket that brought unreadable bytes or was too slow: to the request whose body is not in yet,
   *  or to nobody while others are at work. */
  socketState(socket: Socket): RequestContext | 'free' | 'at work' | 'spent' {
    if (this.#spent.has(socket)) return 'spent'
    if ((this.#unanswered.get(socket) ?? 0) === 0) return 'free'
    const last = this.#requestsOf(socket).at(-1)
    if (last === undefined) return 'free'
    if (last.request.raw.complete) return 'at work'
    return last.answered ? 'spent' : last
  }

  beginNoMore(socket: Socket): void {
    this.#ending.add(socket)
  }

  isEnding(socket: Socket): boolean {
    return this.#ending.has(socket)
  }

  /** The requests at work on it get their answers, in their order, and the connection ends with the last one. */
  endWhenAnswered(socket: Socket): void {
    const last = this.#requestsOf(socket).at(-1)
    if (last === undefined) return void socket.destroySoon()
    const { raw } = last.reply
    raw.shouldKeepAlive = false
    raw.once('finish', () => socket.destroySoon())
  }

  #requestsOf(socket: Socket): RequestContext[] {
    return [...this.#inFlight].filter((exchange) => exchange.request.raw.socket === socket)
  }

  #endOverdue(): void {
    const limit = this.#deps.clock.monotonic() - this.#limits.requestMs
    for (const exchange of this.#inFlight) {
      // In the order they were opened, so the first that is young enough ends the walk.
      if (exchange.startedAt > limit) break
      if (!exchange.streaming) this.#end(exchange)
    }
    for (const exchange of this.#inFlight) if (exchange.streaming) this.#endStalled(exchange)
  }

  /** A stream lasts as long as its client reads. One that stopped holds a connection, a place among the streams and what
   *  waits for it: after a while it loses them, and comes back where it was. */
  #endStalled(exchange: RequestContext): void {
    const { socket } = exchange.request.raw
    const [left, now] = [socket.writableLength, this.#deps.clock.monotonic()]
    if (left === 0 || exchange.stalled?.left !== left) exchange.stalled = left === 0 ? null : { left, since: now }
    else if (now - exchange.stalled.since > this.#limits.streamStallMs) socket.destroy()
  }

  #end(exchange: RequestContext): void {
    exchange.abort('the request limit is over')
    // Answered long ago and still not read: the client holds our memory, so it loses its connection.
    if (exchange.answered) return void exchange.request.raw.socket.destroy()
    this.refuse(
      exchange,
      new ServiceError(
        'request_timeout',
        'the request was not answered in time; send it again or ask for less',
        CLOSING,
      ),
    )
  }

  #close(exchange: RequestContext, place: Link<RequestContext>): void {
    if (exchange.closed) return
    exchange.closed = true
    this.#inFlight.remove(place)
    this.#countUnanswered(exchange, -1)
    const { raw } = exchange.request
    if (!raw.complete) this.#spent.add(raw.socket)
    if (!exchange.reply.raw.writableFinished) exchange.abort('the client left')
    this.#record(exchange, exchange.answered ? exchange.reply.raw.statusCode : CLIENT_LEFT)
  }

  #record(exchange: RequestContext, status: number): void {
    const { clock, log } = this.#deps
    const elapsed = clock.monotonic() - exchange.startedAt
    exchange.meter.end(status, elapsed / 1000, exchange.code)
    exchange.span.end(status)
    const level = status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'
    if (!log.isLevelEnabled(level)) return
    log[level](
      {
        request_id: exchange.id,
        trace_id: exchange.span.traceId,
        route: exchange.route,
        method: exchange.request.method,
        status,
        duration_ms: Math.round(elapsed * 1000) / 1000,
        code: exchange.code ?? undefined,
        actor_key_id: exchange.caller?.keyId ?? undefined,
        receipt: exchange.span.receipt ?? undefined,
      },
      'request',
    )
  }
}
