import { type Context, context, ROOT_CONTEXT, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { parseTraceParent, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { RequestSpan, Tracing } from '../ports.ts'

interface Settings {
  endpoint: string | null
  headers: Record<string, string> | null
  ratio: number
  version: string
}

type Headers = Record<string, string | string[] | undefined>

/** With a collector the real SDK records. Without one nothing is recorded, yet ids are made and passed on, so a trace
 *  that crosses this service is never cut. */
export const createTracing = (settings: Settings): Tracing =>
  settings.endpoint === null ? passing() : recording(settings, settings.endpoint)

function passing(): Tracing {
  const ids = new RandomIdGenerator()
  return {
    request(_name, headers) {
      const given = headers.traceparent
      const parent = typeof given === 'string' ? parseTraceParent(given) : null
      return new PassingSpan(parent?.traceId ?? ids.generateTraceId(), ids.generateSpanId(), parent?.traceFlags ?? 0)
    },
    child: (_name, work) => work(),
    stop: async () => undefined,
  }
}

class PassingSpan implements RequestSpan {
  readonly traceId: string
  readonly traceparent: string

  constructor(traceId: string, spanId: string, flags: number) {
    this.traceId = traceId
    // The parent’s wish to be sampled is handed on: the next service may have a collector.
    this.traceparent = `00-${traceId}-${spanId}-0${flags & 1}`
  }

  within<T>(work: () => T): T {
    return work()
  }

  set(): void {
    // Nothing is recorded.
  }

  end(): void {
    // Nothing is recorded.
  }
}

const FLUSH_MS = 2_000
const propagator = new W3CTraceContextPropagator()
const fromHeaders = {
  get: (carrier: unknown, key: string) => (carrier as Record<string, string | undefined>)[key],
  keys: (carrier: unknown) => Object.keys(carrier as object),
}

function recording(settings: Settings, endpoint: string): Tracing {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'orch', 'service.version': settings.version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.ratio) }),
    spanProcessors: [exporter(endpoint, settings.headers)],
  })
  // A process may build several services (tests do): only the storage of the current context is process-wide.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracer = provider.getTracer('orch', settings.version)
  return {
    request: (name, headers) => openRequest(tracer, name, headers),
    child: (name, work) => inChild(tracer, name, work),
    stop: () => withinTime(provider.shutdown(), FLUSH_MS),
  }
}

/** A dead collector may cost the spans that were not sent yet, never the shutdown. */
async function withinTime(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => undefined), overdue])
  clearTimeout(timer)
}

const exporter = (endpoint: string, headers: Record<string, string> | null) =>
  new BatchSpanProcessor(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: headers ?? {}, timeoutMillis: 5_000 }),
    { maxQueueSize: 2048 },
  )

function openRequest(tracer: Tracer, name: string, headers: Headers): RequestSpan {
  const parent: Context =
    headers.traceparent === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, headers, fromHeaders)
  const span: Span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent)
  const ids = span.spanContext()
  return {
    traceId: ids.traceId,
    traceparent: `00-${ids.traceId}-${ids.spanId}-0${ids.traceFlags & 1}`,
    within: (work) => context.with(trace.setSpan(parent, span), work),
    set: (key, value) => void span.setAttribute(key, value),
    end(status) {
      span.setAttribute('http.response.status_code', status)
      span.end()
    },
  }
}

async function inChild<T>(tracer: Tracer, name: string, work: () => Promise<T>): Promise<T> {
  const span = tracer.startSpan(name)
  try {
    return await context.with(trace.setSpan(context.active(), span), work)
  } finally {
    span.end()
  }
}
