/** N10 Observe: keeps the traces that a caller sends, says where their time went and ties them to receipts. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { AnyObject, closed, Nullable, Text, words } from '../../../domain/wire.ts'
import { InputError, ServiceError } from '../../../errors.ts'
import type { Ledger } from '../../../ports.ts'
import { fitting, type Organ, type Outcome, op, type RunContext } from '../organ.ts'
import { analyzeSpans, receiptsNamed } from './analysis.ts'
import { ATTRIBUTES } from './conventions.ts'
import example from './example.json' with { type: 'json' }
import { countSpans, MAX_SPANS, type RejectedSpan, ResourceSpans, readSpans, type Span } from './otlp.ts'
import * as traces from './traces.ts'

const MAX_RECEIPTS = 50
const MAX_SCORES = 50
const MAX_LISTED = 50
const MAX_NOTE = 4096

const TraceId = Type.String({ pattern: '^[0-9a-f]{32}$', description: '32 lower-case hex digits' })
const Ms = Type.Number()
const Cut = Type.Optional(Type.Integer({ description: 'how many there are, where the list was cut' }))
const Scores = Type.Array(traces.Score)

const TreeRow = closed({
  span_id: Type.String(),
  parent_id: Text,
  depth: Type.Integer(),
  name: Type.String(),
  service: Text,
  status: words(['unset', 'ok', 'error']),
  start_ms: Ms,
  duration_ms: Ms,
  attributes: Nullable(AnyObject),
})
const Aggregates = closed({
  source: Type.Literal('CALLER_SPANS'),
  latency_ms: closed({ root: Nullable(Ms), p50: Ms, p95: Ms, p99: Ms }),
  tokens: closed({ input: Type.Number(), output: Type.Number() }),
  cost: Text,
  errors: closed({ count: Type.Integer(), ratio: Type.Number() }),
})
const Analysis = closed({
  trace_id: Type.String(),
  spans: Type.Integer(),
  root: Text,
  start_unix_nano: Text,
  tree: Type.Array(TreeRow),
  truncated_from: Cut,
  critical_path: Type.Array(closed({ span: Type.String(), self_ms: Ms })),
  findings: Type.Array(closed({ code: Type.String(), span: Type.String(), detail: Type.String() })),
  findings_truncated_from: Cut,
  aggregates: Aggregates,
  receipts: Type.Array(closed({ digest: Type.String(), found: Type.Boolean(), verified: Type.Boolean() })),
  receipts_truncated_from: Cut,
  scores: Scores,
})
const Ingested = closed({
  accepted: Type.Integer(),
  duplicates: Type.Integer(),
  rejected: Type.Array(closed({ index: Type.Integer(), reason: Type.String() })),
  traces: Type.Array(Type.String()),
  evicted: closed({ traces: Type.Integer(), spans: Type.Integer() }),
})

interface ObserveNeeds {
  ledger: Pick<Ledger, 'reader'>
  /** Whether the ledger has a receipt that the caller may see, and whether bytes and signature hold. */
  findReceipt(caller: RunContext['caller'], digest: string): Promise<{ found: boolean; verified: boolean }>
}
export type FindReceipt = ObserveNeeds['findReceipt']

const shared = { isolation: 'inline', deadlineMs: 1000, maxWork: MAX_SPANS } as const
const one = { ...shared, estimate: () => 1 }

export function observe({ ledger: { reader }, findReceipt }: ObserveNeeds): Organ {
  const findHead = async (traceId: string, { partition, now }: RunContext) => {
    const found = await traces.readHead(reader, { partition, traceId }, now())
    if (found === null) throw notFound()
    return found
  }
  /** Of an op that only reads. */
  const stateNow = async ({ partition }: RunContext) => {
    const { sha256 } = (await traces.readTotal(reader, partition)).value
    return { before_sha256: sha256, after_sha256: sha256 }
  }
  const analyze = async (
    trace_id: string,
    spans: Span[],
    scores: Static<typeof Scores>,
    { caller }: RunContext,
  ): Promise<Static<typeof Analysis>> => {
    const named = receiptsNamed(spans)
    const receipts = await Promise.all(
      named.slice(0, MAX_RECEIPTS).map(async (digest) => ({ digest, ...(await findReceipt(caller, digest)) })),
    )
    const cut = named.length > MAX_RECEIPTS ? { receipts_truncated_from: named.length } : {}
    return { trace_id, ...analyzeSpans(spans), receipts, ...cut, scores }
  }
  const ingest = async (resourceSpans: Static<typeof ResourceSpans>, context: RunContext) => {
    const { partition, now, timed, reading } = context
    const read = readSpans(resourceSpans)
    const added = await timed('ingest', () => traces.addSpans(reader, partition, read.accepted, now()))
    reading('bytes', JSON.stringify(resourceSpans).length, 'bytes', 'length of the spans as JSON')
    reading('rows', context.dryRun ? 0 : added.stored, 'spans', 'spans stored')
    const rejected = [...read.rejected, ...added.rejected].sort((a, b) => a.index - b.index)
    if (added.stored + added.duplicates === 0) throw allRejected(rejected)
    const detail = `${read.surplus} events and links of spans were read and not kept`
    const limits = read.surplus === 0 ? [] : [{ code: 'EVENTS_NOT_KEPT', detail }]
    return { ...added, rejected, limits, read: read.accepted }
  }

  return {
    id: 'N10',
    version: '1.1.0',
    ops: {
      ingest: op({
        ...shared,
        summary: 'Stores spans of OTLP in JSON; one that is wrong is rejected by itself',
        request: closed({ resourceSpans: ResourceSpans }),
        result: Ingested,
        writesState: true,
        estimate: ({ resourceSpans }) => countSpans(resourceSpans),
        check({ resourceSpans }) {
          const count = countSpans(resourceSpans)
          if (count >= 1 && count <= MAX_SPANS) return []
          return [{ place: ['resourceSpans'], message: `must hold 1 to ${MAX_SPANS} spans, and holds ${count}` }]
        },
        async run({ resourceSpans }, context) {
          const done = await ingest(resourceSpans, context)
          const { documents, state, limits, stored, duplicates, traceIds, evicted } = done
          const rejected = done.rejected.map(({ index, reason }) => ({ index, reason }))
          const result = { accepted: stored + duplicates, duplicates, rejected, traces: traceIds, evicted }
          return { documents, state, limits, result }
        },
      }),
      analyze: op({
        ...one,
        summary: 'The tree of a trace, its critical path, findings, totals, receipts and scores',
        request: closed({ trace_id: TraceId }),
        result: Analysis,
        async run({ trace_id: traceId }, context) {
          const { value } = await findHead(traceId, context)
          const state = await stateNow(context)
          const spans = await traces.readTraceSpans(reader, { partition: context.partition, traceId })
          if (spans === null) throw notFound()
          const result = await context.timed('analyze', () => analyze(traceId, spans, value.scores, context))
          context.reading('rows', spans.length, 'spans', 'spans read')
          return { result, state }
        },
      }),
      score: op({
        ...one,
        summary: 'Gives a trace a score; one of the same name is replaced',
        request: closed({
          trace_id: TraceId,
          name: Type.String({ minLength: 1, maxLength: 64 }),
          value: Type.Number({ minimum: -1e9, maximum: 1e9 }),
        }),
        result: closed({ trace_id: Type.String(), scores: Scores }),
        writesState: true,
        async run({ trace_id: traceId, name, value }, context) {
          const head = await findHead(traceId, context)
          const { scores: known } = head.value
          if (known.length >= MAX_SCORES && known.every((score) => score.name !== name))
            throw new ServiceError('tenant_quota_exceeded', `a trace has at most ${MAX_SCORES} scores`)
          const key = { partition: context.partition, traceId }
          const { documents, state, scores } = await context.timed('score', () =>
            traces.addScore(reader, key, head, { name, value }, context.now()),
          )
          context.reading('rows', context.dryRun ? 0 : 1, 'scores', 'scores written')
          return { documents, state, result: { trace_id: traceId, scores } }
        },
      }),
      list: op({
        ...one,
        summary: 'The traces of the caller, newest first',
        request: closed({
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LISTED, default: 20 })),
          cursor: Type.Optional(
            Type.String({ pattern: '^\\d{1,15}\\.[0-9a-f]{64}$', description: '`next_cursor` of the page before' }),
          ),
        }),
        result: closed({ traces: Type.Array(traces.ListedTrace), next_cursor: Text }),
        async run({ limit = 20, cursor }, context) {
          const [rank, key] = cursor?.split('.') ?? []
          const after = key === undefined ? {} : { after: { rank: Number(rank), key } }
          const state = await stateNow(context)
          const found = await context.timed('list', () =>
            traces.heads.list(reader, { owner: context.partition, order: 'desc', limit, ...after }),
          )
          const current = found.filter(({ value }) => value.since > context.now() - traces.MAX_AGE_MS)
          context.reading('rows', current.length, 'traces', 'traces read')
          const last = current.length === limit ? found.at(-1)!.row : null
          const listed = current.map(({ value: { since: _, ...row } }) => row)
          return { state, result: { traces: listed, next_cursor: last === null ? null : `${last.rank}.${last.key}` } }
        },
      }),
      note: op({
        ...one,
        summary: 'Records a note as a one-span trace of this very call and analyzes it',
        request: closed({ text: Type.String({ minLength: 1, maxLength: MAX_NOTE }) }),
        result: Analysis,
        writesState: true,
        volatile: 'the span holds the time of this call',
        async run({ text }, context): Promise<Outcome<Static<typeof Analysis>>> {
          const { partition, inputSha256, now, micros } = context
          const began = micros()
          const { stored } = await traces.readTotal(reader, partition)
          const made = sha256Hex(canonicalBytes([partition, inputSha256, now(), began, stored?.row.version ?? 0]))
          const start = BigInt(now()) * 1_000_000n
          const span = {
            traceId: made.slice(0, 32),
            spanId: made.slice(32, 48),
            name: 'note',
            startTimeUnixNano: String(start),
            endTimeUnixNano: String(start + BigInt(micros() - began) * 1000n),
            attributes: [{ key: ATTRIBUTES.note[0], value: { stringValue: text } }],
          }
          const { documents, state, read } = await ingest([{ scopeSpans: [{ spans: [span] }] }], context)
          return { documents, state, result: await analyze(span.traceId, [read[0]!.span], [], context) }
        },
      }),
    },
    fromPrompt: (prompt) =>
      fitting(prompt, { field: 'text', max: MAX_NOTE, example: 'deployed build 412' }, (text) => ({
        op: 'note',
        text,
      })),
    example: { request: example, prompt: 'deployed build 412 to staging' },
    evidence: {},
  }
}

const notFound = () => new ServiceError('record_not_found', 'the caller has no such trace')

const allRejected = (rejected: readonly RejectedSpan[]): InputError =>
  new InputError(rejected.map(({ place, reason }) => ({ loc: ['body', ...place], msg: reason, type: 'value' })))
