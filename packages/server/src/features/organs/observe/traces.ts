/** The traces of a partition in the document store: for each what lists show and, apart from it, its spans; and one document
 *  that says how much there is. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static, type TSchema } from 'typebox'
import { collection } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { closed, Nullable, Text } from '../../../domain/wire.ts'
import type { DocumentWrite } from '../../../ledger/contract.ts'
import type { Ledger } from '../../../ports.ts'
import { analyzeSpans } from './analysis.ts'
import { MAX_SPANS, type PlacedSpan, type RejectedSpan, Span } from './otlp.ts'

const MAX_STORED_SPANS = 50_000
export const MAX_AGE_MS = 30 * 86_400_000
/** What one document holds, and what an answer can show. */
const MAX_TRACE_SPANS = 2_000
const MAX_TRACE_BYTES = 960 * 1024
const EMPTY_SHA256 = sha256Hex('')

export const Score = closed({ name: Type.String(), value: Type.Number() })
export const ListedTrace = closed({
  trace_id: Type.String(),
  spans: Type.Integer(),
  name: Text,
  duration_ms: Nullable(Type.Number()),
  errors: Type.Integer(),
  scores: Type.Array(Score),
})
/** `since`: when it was first met, in milliseconds since the epoch. */
const Head = Type.Object({ ...ListedTrace.properties, since: Type.Number() })
type Head = Static<typeof Head>

interface TraceKey {
  partition: string
  traceId: string
}

const stored = <S extends TSchema>(space: string, schema: S, rank: (value: Static<S>, now: number) => number) =>
  collection({
    ...{ space, schema, rank },
    key: ({ partition, traceId }: TraceKey) => documentKey(space, partition, traceId),
    owner: ({ partition }) => partition,
  })
export const heads = stored('organ.n10.head', Head, ({ since }) => since)
const bodies = stored('organ.n10.spans', Type.Object({ spans: Type.Array(Span) }), (_value, now) => now)
const totals = stored(
  'organ.n10.total',
  Type.Object({ spans: Type.Integer(), sha256: Type.String() }),
  (_value, now) => now,
)
type StoredHead = NonNullable<Awaited<ReturnType<typeof heads.get>>>
type Reader = Ledger['reader']

const totalOf = (partition: string): TraceKey => ({ partition, traceId: '' })

export async function readTotal(reader: Reader, partition: string) {
  const found = await totals.get(reader, totalOf(partition))
  return { stored: found, value: found?.value ?? { spans: 0, sha256: EMPTY_SHA256 } }
}

const isCurrent = ({ value }: StoredHead, now: number): boolean => value.since > now - MAX_AGE_MS

/** Null where there is none, or it is older than traces are kept. */
export async function readHead(reader: Reader, key: TraceKey, now: number): Promise<StoredHead | null> {
  const found = await heads.get(reader, key)
  return found !== null && isCurrent(found, now) ? found : null
}

/** Null where there are none: somebody else's spans may have pushed them out a moment ago. */
export const readTraceSpans = async (reader: Reader, key: TraceKey): Promise<Span[] | null> =>
  (await bodies.get(reader, key))?.value.spans ?? null

/** The writes that add spans to their traces; what is known already is not stored twice. */
export async function addSpans(reader: Reader, partition: string, spans: readonly PlacedSpan[], now: number) {
  const { stored: total, value: before } = await readTotal(reader, partition)
  const byTrace = Map.groupBy(spans, ({ traceId }) => traceId)
  const traces = await Promise.all(
    [...byTrace].map(([traceId, own]) => growTrace(reader, { partition, traceId }, own, now)),
  )
  const grown = traces.filter(({ added }) => added.length > 0)
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)
  const count = sum(grown.map(({ added }) => added.length))
  const facts = {
    traceIds: [...byTrace.keys()],
    stored: count,
    duplicates: sum(traces.map(({ duplicates }) => duplicates)),
    rejected: traces.flatMap(({ rejected }) => rejected),
  }
  const unchanged = { before_sha256: before.sha256, after_sha256: before.sha256 }
  if (count === 0) return { ...facts, documents: [], state: unchanged, evicted: { traces: 0, spans: 0 } }
  const gone = await outdated(reader, partition, before.spans + count - MAX_STORED_SPANS, byTrace, now)
  const lost = sum([...gone.map(({ value }) => value.spans), ...grown.map(({ outlived }) => outlived)])
  const fresh = grown.map(({ key, added }) => ({ traceId: key.traceId, spans: added }))
  const after = {
    spans: before.spans + count - lost,
    sha256: digest([before.sha256, fresh, gone.map(({ value }) => value.trace_id)]),
  }
  const goneBodies = await Promise.all(
    gone.map(({ value }) => bodies.get(reader, { partition, traceId: value.trace_id })),
  )
  const documents: DocumentWrite[] = [
    totals.write(totalOf(partition), total, after, now),
    ...grown.flatMap(({ writes }) => writes()),
    ...gone.map((head) => heads.removal(head)),
    ...goneBodies.flatMap((body) => (body === null ? [] : [bodies.removal(body)])),
  ]
  const state = { ...unchanged, after_sha256: after.sha256 }
  return { ...facts, documents, state, evicted: { traces: gone.length, spans: lost } }
}

/** What becomes of a trace when these spans come to it. */
async function growTrace(reader: Reader, key: TraceKey, spans: readonly PlacedSpan[], now: number) {
  const [head, body] = await Promise.all([heads.get(reader, key), bodies.get(reader, key)])
  // One that is over its age begins anew.
  const current = head !== null && isCurrent(head, now) ? head.value : null
  const byId = new Map(current && body?.value.spans.map((span) => [span.span_id, span]))
  let bytes = current === null ? 0 : Buffer.byteLength(body?.row.value ?? '')
  let duplicates = 0
  const added: Span[] = []
  const rejected: RejectedSpan[] = []
  for (const { span, index, place } of spans) {
    const same = byId.get(span.span_id)
    const size = Buffer.byteLength(JSON.stringify(span)) + 1
    const isFull = byId.size >= MAX_TRACE_SPANS || bytes + size > MAX_TRACE_BYTES
    if (same !== undefined && digest(same) === digest(span)) duplicates += 1
    else if (same !== undefined || isFull) {
      const reason = isFull && same === undefined ? IS_FULL : 'another span of the trace has this id'
      rejected.push({ index, place: [...place, 'spanId'], reason })
    } else {
      byId.set(span.span_id, span)
      bytes += size
      added.push(span)
    }
  }
  const writes = (): DocumentWrite[] => {
    const all = [...byId.values()]
    const { root, aggregates } = analyzeSpans(all)
    const next: Head = {
      trace_id: key.traceId,
      spans: all.length,
      name: all.find(({ span_id }) => span_id === root)?.name ?? null,
      duration_ms: aggregates.latency_ms.root,
      errors: aggregates.errors.count,
      scores: current?.scores ?? [],
      since: current?.since ?? now,
    }
    return [heads.write(key, head, next, now), bodies.write(key, body, { spans: all }, now)]
  }
  const outlived = current === null ? (head?.value.spans ?? 0) : 0
  return { key, added, duplicates, rejected, outlived, writes }
}

const IS_FULL = 'the trace holds as much as one trace may'

/** The oldest traces: those over their age, and as many more as make room for `over` spans. */
async function outdated(
  reader: Reader,
  partition: string,
  over: number,
  growing: ReadonlyMap<string, unknown>,
  now: number,
): Promise<StoredHead[]> {
  // As many as one request can push out, and those that it adds to, which stay.
  const oldest = await heads.list(reader, {
    ...{ owner: partition, order: 'asc', limit: MAX_SPANS + growing.size },
    ...(over > 0 ? {} : { upTo: now - MAX_AGE_MS }),
  })
  let room = 0
  return oldest
    .filter((head) => {
      if (growing.has(head.value.trace_id) || (room >= over && isCurrent(head, now))) return false
      room += head.value.spans
      return true
    })
    .slice(0, MAX_SPANS)
}

/** The writes that give a trace a score; one of the same name is replaced. */
export async function addScore(
  reader: Reader,
  key: TraceKey,
  head: StoredHead,
  score: Static<typeof Score>,
  now: number,
) {
  const { stored: total, value: before } = await readTotal(reader, key.partition)
  const scores = [...head.value.scores.filter(({ name }) => name !== score.name), score]
  const after = { ...before, sha256: digest([before.sha256, key.traceId, score]) }
  const documents = [
    totals.write(totalOf(key.partition), total, after, now),
    heads.write(key, head, { ...head.value, scores }, now),
  ]
  return { documents, scores, state: { before_sha256: before.sha256, after_sha256: after.sha256 } }
}

const digest = (value: unknown): string => sha256Hex(canonicalBytes(value))
