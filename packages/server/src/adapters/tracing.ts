import { type Context, context, ROOT_CONTEXT, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { RequestSpan, Tracing } from '../ports.ts'

interface Settings {
  endpoint: string | null
  headers: Record<string, string> | null
  ratio: number
  version: string
}

const propagator = new W3CTraceContextPropagator()
const fromHeaders = {
  get: (carrier: unknown, key: string) => (carrier as Record<string, string | undefined>)[key],
  keys: (carrier: unknown) => Object.keys(carrier as object),
}

/** The real SDK in every case. Without a collector nothing is recorded, yet ids are made and passed on, so a trace that
 *  crosses this service is never cut. */
export function createTracing(settings: Settings): Tracing {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'orch', 'service.version': settings.version }),
    sampler:
      settings.endpoint === null
        ? new AlwaysOffSampler()
        : new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.ratio) }),
    spanProcessors: settings.endpoint === null ? [] : [exporter(settings.endpoint, settings.headers)],
  })
  // A process may build several services (tests do): only the storage of the current context is process-wide.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracer = provider.getTracer('orch', settings.version)
  const recording = settings.endpoint !== null
  return {
    request: (name, headers) => openRequest(tracer, recording, name, headers),
    child: (name, work) => (recording ? inChild(tracer, name, work) : work()),
    stop: () => provider.shutdown(),
  }
}

const exporter = (endpoint: string, headers: Record<string, string> | null) =>
  new BatchSpanProcessor(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: headers ?? {}, timeoutMillis: 5_000 }),
    {
      maxQueueSize: 2048,
    },
  )

function openRequest(
  tracer: Tracer,
  recording: boolean,
  name: string,
  headers: Record<string, string | string[] | undefined>,
): RequestSpan {
  const parent: Context =
    headers.traceparent === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, headers, fromHeaders)
  const span: Span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent)
  const ids = span.spanContext()
  return {
    traceId: ids.traceId,
    traceparent: `00-${ids.traceId}-${ids.spanId}-0${ids.traceFlags & 1}`,
    within: (work) => (recording ? context.with(trace.setSpan(parent, span), work) : work()),
    set: (key, value) => span.setAttribute(key, value),
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
