/** The way of a span out of the process, counted at both ends: what found the queue full, what the collector took and
 *  what it did not. A dead collector costs spans, never a request. */
import type { Context } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { openExchange } from '../outbound/transport.ts'

export const QUEUE = 2048
const SAMPLED = 1

export class ExportCounts {
  exported = 0
  failed = 0
  dropped = 0
  lastSuccessAt: number | null = null
  lastFailureAt: number | null = null
  lastErrorCode: string | null = null
  /** Ended and not yet handed to the exporter. */
  queued = 0
  readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  delivered(spans: number, { code, error }: ExportResult): void {
    if (code === ExportResultCode.SUCCESS) {
      this.exported += spans
      this.lastSuccessAt = this.now()
      return
    }
    this.failed += spans
    this.lastFailureAt = this.now()
    this.lastErrorCode = exportErrorCode(error)
  }
}

/** A closed code: what the collector wrote into its refusal is the collector's text. */
export function exportErrorCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  if (typeof code === 'number' && code >= 100 && code <= 599) return `HTTP_${code}`
  if (typeof code === 'string' && /^E[A-Z_]{2,24}$/.test(code)) return code
  return /time/i.test((error as Error | undefined)?.message ?? '') ? 'EXPORT_TIMEOUT' : 'EXPORT_FAILED'
}

function countedExporter(exporter: SpanExporter, counts: ExportCounts): SpanExporter {
  return {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      counts.queued -= spans.length
      exporter.export(spans, (result) => {
        counts.delivered(spans.length, result)
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}

/** The bound is kept here: the library drops what does not fit without saying how much it was. */
export function countedProcessor(exporter: SpanExporter, counts: ExportCounts): SpanProcessor {
  const batches = new BatchSpanProcessor(countedExporter(exporter, counts), { maxQueueSize: QUEUE })
  return {
    onStart: (span: Span, parent: Context) => batches.onStart(span, parent),
    onEnd(span: ReadableSpan) {
      if ((span.spanContext().traceFlags & SAMPLED) === 0) return
      if (counts.queued >= QUEUE) {
        counts.dropped += 1
        return
      }
      counts.queued += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
}

const DEADLINE_MS = 5_000
const EMPTY_REQUEST = '{"resourceSpans":[]}'

/** Whether the collector takes trace requests: an empty one, valid in itself, is posted and only its status is read. It
 *  stands inside the operator's network as often as not, so its own host may resolve to a private address. */
export async function collectorAnswers(url: string, headers: Record<string, string>): Promise<boolean> {
  const signal = AbortSignal.timeout(DEADLINE_MS)
  try {
    const response = await openExchange({ url, body: EMPTY_REQUEST, headers, signal }, [new URL(url).hostname])
    response.destroy()
    const { statusCode = 0 } = response
    return statusCode >= 200 && statusCode < 300
  } catch {
    // Refused, denied or too slow: for the reader all of it is one thing, no answer.
    return false
  }
}
