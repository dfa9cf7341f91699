/** Traces as the operations and the composition root see them. */

/** Closed: a child span is called by what it stands around, never by what a caller sent. */
export const SPAN_NAMES = ['gate', 'policy', 'ledger.append', 'signer', 'upstream', 'store', 'telemetry'] as const
export type SpanName = (typeof SPAN_NAMES)[number]

/** The span of one request. Without a collector nothing is recorded, yet ids are made and passed on. */
export interface RequestSpan {
  traceparent: string
  traceId: string
  /** Digest of the newest receipt this request left; null before the first. */
  receipt: string | null
  /** The `traceparent` among the headers that will be written for this request, set by whoever writes them; null where
   *  nothing is written. */
  replied: (() => string | null) | null
  /** Runs the request's work with this span as the current one, so that child spans find their parent. */
  within<T>(work: () => T): T
  set(name: string, value: string | number): void
  end(status: number): void
}

export interface Tracing {
  request(name: string, headers: Record<string, string | string[] | undefined>): RequestSpan
  /** A child span around some work of the current request; around work of no request there is none. Attributes MUST be
   *  names of ours: no body, token, prompt or text of a caller. */
  child<T>(name: SpanName, work: () => T, attributes?: Readonly<Record<string, string>>): T
  /** A child span for work that is over and was done elsewhere; times in milliseconds since the epoch. */
  past(name: SpanName, from: number, to: number): void
  /** Marks the current span and its request with the receipt they left. */
  receipt(digest: string): void
  stop(): Promise<void>
}

/** Child spans of one name that ended in the window. */
export interface SpanActivity {
  name: SpanName
  calls: number
  /** Of the newest of them, at most 1024, oldest first. */
  durationsMs: readonly number[]
}

/** Counted around the real exporter. Times in milliseconds since the epoch. */
interface ExporterState {
  /** SHA-256 of the collector's origin: its address is nobody's business. Null where none is configured. */
  originSha256: string | null
  exported: number
  failed: number
  /** Spans that found the queue full. */
  dropped: number
  lastSuccessAt: number | null
  lastFailureAt: number | null
  lastErrorCode: string | null
}

export interface CollectorProbe {
  at: number
  ok: boolean
}

/** What this process can say about its own traces. Opens no socket, except `probe`, which is for the background task. */
export interface Telemetry {
  /** Opens a span in the current request and looks for its trace again after an asynchronous hop and in the reply. */
  roundTrip(): Promise<{ afterHop: boolean; inReply: boolean }>
  counts(): { started: number; ended: number }
  windowSeconds: number
  /** Every name, called or not. */
  activity(): readonly SpanActivity[]
  exporter(): ExporterState
  /** Posts an empty, valid trace request to the collector. Never rejects for what the collector does. */
  probe(): Promise<void>
  newestProbe(): CollectorProbe | null
}
