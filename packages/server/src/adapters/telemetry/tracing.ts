import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import {
  type Context,
  context,
  createContextKey,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { parseTraceParent, W3CTraceContextPropagator } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { systemClock } from '../../platform/clock.ts'
import { withDeadline } from '../../platform/deadline.ts'
import type { CollectorProbe, RequestSpan, SpanName, Telemetry, Tracing } from './contract.ts'
import { collectorAnswers, countedProcessor, ExportCounts } from './counted-export.ts'
import { SpanStats, WINDOW_SECONDS } from './span-activity.ts'

interface Settings {
  endpoint: string | null
  /** False: the operator switched off every request of ours, and spans go nowhere. */
  outbound: boolean
  headers: Record<string, string> | null
  ratio: number
  version: string
}

type Headers = Record<string, string | string[] | undefined>

/** Where the current request is found again, whatever its work waited for. */
interface Carrier extends Tracing {
  current(): RequestSpan | null
}

/** With a collector the real SDK records. Without one nothing is recorded, yet ids are made and passed on, so a trace
 *  that crosses this service is never cut; what the spans stood around is counted either way. */
export function createTracing(settings: Settings): Tracing & Telemetry {
  const book = new SpanStats(() => systemClock.monotonic())
  const counts = new ExportCounts(() => systemClock.now())
  const url = settings.endpoint === null ? null : tracesUrl(settings.endpoint)
  const sendsTo = settings.outbound ? url : null
  const carrier = sendsTo === null ? passing(book) : recording(settings, sendsTo, book, counts)
  if (url !== null && sendsTo === null) counts.lastErrorCode = 'TRANSPORT_DISABLED'
  let newest: CollectorProbe | null = null
  return {
    ...carrier,
    roundTrip: () => roundTrip(carrier),
    counts: () => ({ started: book.started, ended: book.ended }),
    windowSeconds: WINDOW_SECONDS,
    activity: () => book.activity(),
    exporter() {
      const { exported, failed, dropped, lastSuccessAt, lastFailureAt, lastErrorCode } = counts
      const seen = { exported, failed, dropped, lastSuccessAt, lastFailureAt, lastErrorCode }
      return { originSha256: url === null ? null : sha256(new URL(url).origin), ...seen }
    },
    async probe() {
      if (sendsTo === null) return
      const ok = await collectorAnswers(sendsTo, settings.headers ?? {})
      newest = { at: systemClock.now(), ok }
    },
    newestProbe: () => newest,
  }
}

const TRACES = '/v1/traces'

/** Operators write the collector's address with or without the path of its traces; it is there once. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith(TRACES) ? path : `${path}${TRACES}`
  return url.href
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

async function roundTrip({ child, current }: Carrier): Promise<{ afterHop: boolean; inReply: boolean }> {
  const opened = current()
  const found = await child('telemetry', async () => {
    await new Promise(setImmediate)
    return current()
  })
  // Asked of whoever writes the reply, not of the span: the reply is what the caller sees.
  const replied = opened?.replied?.()?.split('-')[1]
  return {
    afterHop: opened !== null && found?.traceId === opened.traceId,
    inReply: found !== null && replied === found.traceId,
  }
}

/** Ends when the work does, whether it gives its result at once or later. */
function around<T>(work: () => T, end: (failed: boolean) => void): T {
  let result: T
  try {
    result = work()
  } catch (error) {
    end(true)
    throw error
  }
  if (result instanceof Promise)
    return result.then(
      (value) => {
        end(false)
        return value
      },
      (error: unknown) => {
        end(true)
        throw error
      },
    ) as T
  end(false)
  return result
}

function passing(book: SpanStats): Carrier {
  const ids = new RandomIdGenerator()
  const requests = new AsyncLocalStorage<RequestSpan>()
  const current = () => requests.getStore() ?? null
  return {
    current,
    request(_name, headers) {
      const given = headers.traceparent
      const parent = typeof given === 'string' ? parseTraceParent(given) : null
      const traceId = parent?.traceId ?? ids.generateTraceId()
      book.started += 1
      return new PassingSpan(traceId, ids.generateSpanId(), parent?.traceFlags ?? 0, requests, book)
    },
    child(name, work) {
      if (requests.getStore() === undefined) return work()
      return around(work, book.begin(name))
    },
    past(name, from, to) {
      if (requests.getStore() !== undefined) book.past(name, to - from)
    },
    receipt(digest) {
      const span = current()
      if (span !== null) span.receipt = digest
    },
    stop: async () => undefined,
  }
}

class PassingSpan implements RequestSpan {
  readonly traceId: string
  readonly traceparent: string
  receipt: string | null = null
  replied: RequestSpan['replied'] = null
  readonly #requests: AsyncLocalStorage<RequestSpan>
  readonly #book: SpanStats

  constructor(
    traceId: string,
    spanId: string,
    flags: number,
    requests: AsyncLocalStorage<RequestSpan>,
    book: SpanStats,
  ) {
    this.traceId = traceId
    // The parent's wish to be sampled is handed on: the next service may have a collector.
    this.traceparent = `00-${traceId}-${spanId}-0${flags & 1}`
    this.#requests = requests
    this.#book = book
  }

  within<T>(work: () => T): T {
    return this.#requests.run(this, work)
  }

  set(): void {
    // Nothing is recorded.
  }

  end(): void {
    this.#book.ended += 1
  }
}

const FLUSH_MS = 2_000
const REQUEST = createContextKey('orch.request')
const RECEIPT = 'orch.receipt'
const propagator = new W3CTraceContextPropagator()
const fromHeaders = {
  get: (carrier: unknown, key: string) => (carrier as Record<string, string | undefined>)[key],
  keys: (carrier: unknown) => Object.keys(carrier as object),
}

type Exporter = typeof import('@opentelemetry/exporter-trace-otlp-http')
const require = createRequire(import.meta.url)

function recording(settings: Settings, url: string, book: SpanStats, counts: ExportCounts): Carrier {
  // A hundred files that only a service with a collector needs.
  const { OTLPTraceExporter }: Exporter = require('@opentelemetry/exporter-trace-otlp-http')
  const exporter = new OTLPTraceExporter({ url, headers: settings.headers ?? {}, timeoutMillis: 5_000 })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'orch', 'service.version': settings.version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.ratio) }),
    spanProcessors: [countedProcessor(exporter, counts)],
  })
  // A process may build several services (tests do): only the storage of the current context is process-wide.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracer = provider.getTracer('orch', settings.version)
  const current = () => (context.active().getValue(REQUEST) as RequestSpan | undefined) ?? null
  return {
    current,
    request(name, headers) {
      book.started += 1
      return openRequest(tracer, name, headers, book)
    },
    child: (name, work, attributes) => (current() === null ? work() : inChild(tracer, book, name, work, attributes)),
    past(name, from, to) {
      if (current() === null) return
      book.past(name, to - from)
      tracer.startSpan(name, { startTime: from }).end(to)
    },
    receipt(digest) {
      const request = current()
      if (request === null) return
      request.receipt = digest
      request.set(RECEIPT, digest)
      trace.getActiveSpan()?.setAttribute(RECEIPT, digest)
    },
    // A dead collector may cost the spans that were not sent yet, never the shutdown.
    stop: () =>
      withDeadline(
        FLUSH_MS,
        () => provider.shutdown(),
        () => undefined,
      ).catch(() => undefined),
  }
}

function openRequest(tracer: Tracer, name: string, headers: Headers, book: SpanStats): RequestSpan {
  const parent: Context =
    headers.traceparent === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, headers, fromHeaders)
  const span: Span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent)
  const ids = span.spanContext()
  const request: RequestSpan = {
    traceId: ids.traceId,
    traceparent: `00-${ids.traceId}-${ids.spanId}-0${ids.traceFlags & 1}`,
    receipt: null,
    replied: null,
    within: (work) => context.with(trace.setSpan(parent, span).setValue(REQUEST, request), work),
    set: (key, value) => void span.setAttribute(key, value),
    end(status) {
      book.ended += 1
      span.setAttribute('http.response.status_code', status)
      span.end()
    },
  }
  return request
}

function inChild<T>(
  tracer: Tracer,
  book: SpanStats,
  name: SpanName,
  work: () => T,
  attributes: Readonly<Record<string, string>> = {},
): T {
  const span = tracer.startSpan(name, { attributes })
  const counted = book.begin(name)
  return around(
    () => context.with(trace.setSpan(context.active(), span), work),
    (failed) => {
      counted()
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  )
}
