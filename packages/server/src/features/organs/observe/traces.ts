/** The traces of a partition in the document store: one document for each, and one that says how much there is. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { collection } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import type { DocumentWrite } from '../../../ledger/contract.ts'
import type { Ledger } from '../../../ports.ts'
import { type ReadSpan, Span } from './otlp.ts'

const MAX_STORED_SPANS = 50_000
export const MAX_AGE_MS = 30 * 86_400_000
const MAX_TRACE_SPANS = 500
const MAX_TRACE_BYTES = 256 * 1024
/** Traces that leave in one commit. */
const MAX_EVICTED = 600
const PAGE = 25
const EMPTY_SHA256 = sha256Hex('')

export const Score = Type.Object({ name: Type.String(), value: Type.Number() }, { additionalProperties: false })
const Trace = Type.Object({
  trace_id: Type.String(),
  spans: Type.Array(Span),
  scores: Type.Array(Score),
  /** When it was first met, in milliseconds since the epoch. */
  since: Type.Number(),
})
export type Trace = Static<typeof Trace>

const Summary = Type.Object({ spans: Type.Integer(), sha256: Type.String() })

const heads = collection({
  space: 'organ.n10',
  key: (partition: string) => documentKey('organ.n10', partition),
  owner: (partition) => partition,
  rank: (_value, now) => now,
  schema: Summary,
})

interface TraceId {
  partition: string
  traceId: string
}

export const traces = collection({
  space: 'organ.n10.trace',
  key: ({ partition, traceId }: TraceId) => documentKey('organ.n10.trace', partition, traceId),
  owner: ({ partition }) => partition,
  rank: ({ since }) => since,
  schema: Trace,
})
type StoredTrace = NonNullable<Awaited<ReturnType<typeof traces.get>>>
type Reader = Ledger['reader']

export async function readSummary(reader: Reader, partition: string) {
  const stored = await heads.get(reader, partition)
  return { stored, value: stored?.value ?? { spans: 0, sha256: EMPTY_SHA256 } }
}

/** Null where there is none, or it is older than traces are kept. */
export async function readTrace(reader: Reader, id: TraceId, now: number): Promise<StoredTrace | null> {
  const found = await traces.get(reader, id)
  return found === null || found.value.since <= now - MAX_AGE_MS ? null : found
}

/** The writes that add spans to their traces; what is known already is not stored twice. */
export async function addSpans(
  reader: Reader,
  partition: string,
  added: readonly (ReadSpan & { index: number })[],
  now: number,
) {
  const { stored, value: before } = await readSummary(reader, partition)
  const ids = [...new Set(added.map(({ traceId }) => traceId))]
  const found = await Promise.all(ids.map((traceId) => traces.get(reader, { partition, traceId })))
  const known = new Map(ids.map((traceId, at) => [traceId, found[at]!]))
  const isCurrent = (one: StoredTrace | null | undefined) => one != null && one.value.since > now - MAX_AGE_MS
  const currentSpans = (traceId: string) => (isCurrent(known.get(traceId)) ? known.get(traceId)!.value.spans : [])
  const growing = new Map(ids.map((traceId) => [traceId, new GrowingTrace(currentSpans(traceId))]))
  const rejected: { index: number; reason: string }[] = []
  let duplicates = 0
  for (const { traceId, span, index } of added) {
    const outcome = growing.get(traceId)!.add(span)
    if (outcome === 'known') duplicates += 1
    else if (outcome !== 'added') rejected.push({ index, reason: outcome })
  }
  const fresh = [...growing].flatMap(([traceId, { added: spans }]) => (spans.length === 0 ? [] : [{ traceId, spans }]))
  const stays = new Set(ids)
  const count = fresh.reduce((sum, { spans }) => sum + spans.length, 0)
  const gone = await outdated(reader, partition, before.spans + count - MAX_STORED_SPANS, stays, now)
  const begunAnew = fresh.flatMap(({ traceId }) => (isCurrent(known.get(traceId)) ? [] : (known.get(traceId) ?? [])))
  const lost = [...gone, ...begunAnew].reduce((sum, { value }) => sum + value.spans.length, 0)
  const after = {
    spans: before.spans + count - lost,
    sha256: digest([before.sha256, fresh, gone.map(({ value }) => value.trace_id)]),
  }
  const documents: DocumentWrite[] =
    count === 0
      ? []
      : [
          heads.write(partition, stored, after, now),
          ...fresh.map(({ traceId, spans }) => {
            const old = known.get(traceId) ?? null
            const value = isCurrent(old) ? old!.value : { trace_id: traceId, spans: [], scores: [], since: now }
            return traces.write({ partition, traceId }, old, { ...value, spans: [...value.spans, ...spans] }, now)
          }),
          ...gone.map((one) => traces.removal(one)),
        ]
  return {
    documents,
    state: { before_sha256: before.sha256, after_sha256: count === 0 ? before.sha256 : after.sha256 },
    traceIds: ids,
    stored: count,
    duplicates,
    rejected,
    evicted: count === 0 ? { traces: 0, spans: 0 } : { traces: gone.length, spans: lost },
  }
}

/** The spans of a trace while more are added to it. */
class GrowingTrace {
  readonly added: Span[] = []
  readonly #byId: Map<string, Span>
  #bytes: number

  constructor(spans: readonly Span[]) {
    this.#byId = new Map(spans.map((span) => [span.span_id, span]))
    this.#bytes = JSON.stringify(spans).length
  }

  /** Why it was not added, where it was not. */
  add(span: Span): 'added' | 'known' | `${'another' | 'the'} ${string}` {
    const same = this.#byId.get(span.span_id)
    if (same !== undefined) return digest(same) === digest(span) ? 'known' : 'another span of the trace has this id'
    const bytes = JSON.stringify(span).length
    if (this.#byId.size >= MAX_TRACE_SPANS || this.#bytes + bytes > MAX_TRACE_BYTES)
      return 'the trace holds as much as one trace may'
    this.#byId.set(span.span_id, span)
    this.#bytes += bytes
    this.added.push(span)
    return 'added'
  }
}

/** The oldest traces: those over their age, and as many more as make room for `over` spans. */
async function outdated(reader: Reader, partition: string, over: number, stays: ReadonlySet<string>, now: number) {
  const gone: StoredTrace[] = []
  let room = 0
  let after: { rank: number; key: string } | undefined
  while (gone.length + PAGE <= MAX_EVICTED) {
    const query = { owner: partition, order: 'asc', limit: PAGE, ...(after && { after }) } as const
    const page = await traces.list(reader, { ...query, ...(room < over ? {} : { upTo: now - MAX_AGE_MS }) })
    for (const one of page) {
      if (stays.has(one.value.trace_id) || (room >= over && one.value.since > now - MAX_AGE_MS)) continue
      gone.push(one)
      room += one.value.spans.length
    }
    if (page.length < PAGE) break
    after = { rank: page.at(-1)!.row.rank, key: page.at(-1)!.row.key }
  }
  return gone
}

/** The writes that give a trace a score; one of the same name is replaced. */
export async function addScore(
  reader: Reader,
  partition: string,
  trace: StoredTrace,
  score: Static<typeof Score>,
  now: number,
) {
  const { stored, value: before } = await readSummary(reader, partition)
  const { value } = trace
  const scores = [...value.scores.filter(({ name }) => name !== score.name), score]
  const after = { ...before, sha256: digest([before.sha256, value.trace_id, score]) }
  const documents = [
    heads.write(partition, stored, after, now),
    traces.write({ partition, traceId: value.trace_id }, trace, { ...value, scores }, now),
  ]
  return { documents, scores, state: { before_sha256: before.sha256, after_sha256: after.sha256 } }
}

const digest = (value: unknown): string => sha256Hex(canonicalBytes(value))
