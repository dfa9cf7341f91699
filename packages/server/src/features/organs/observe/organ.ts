/** N10 Observe: keeps the traces that a caller sends, says where their time went and ties them to receipts. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { AnyObject, exactly, Nullable, Text, words } from '../../../domain/wire.ts'
import { InputError, ServiceError } from '../../../errors.ts'
import type { Ledger } from '../../../ports.ts'
import { type Organ, type Outcome, op, type RunContext } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import { analyzeSpans, receiptsNamed } from './analysis.ts'
import { ATTRIBUTES } from './conventions.ts'
import { countSpans, MAX_SPANS, ResourceSpans, readSpans } from './otlp.ts'
import { addScore, addSpans, MAX_AGE_MS, readSummary, readTrace, Score, type Trace, traces } from './traces.ts'

const MAX_RECEIPTS = 50
const MAX_SCORES = 50
const MAX_LISTED = 50
const MAX_NOTE = 4096

const TraceId = Type.String({ pattern: '^[0-9a-f]{32}$', description: '32 lower-case hex digits' })
const Ms = Type.Number()

const Analysis = Type.Object(
  {
    trace_id: Type.String(),
    spans: Type.Integer(),
    root: Text,
    start_unix_nano: Text,
    tree: Type.Array(
      Type.Object(
        {
          span_id: Type.String(),
          parent_id: Text,
          depth: Type.Integer(),
          name: Type.String(),
          service: Text,
          status: words(['unset', 'ok', 'error']),
          start_ms: Ms,
          duration_ms: Ms,
          attributes: Nullable(AnyObject),
        },
        exactly,
      ),
    ),
    truncated_from: Type.Optional(Type.Integer()),
    critical_path: Type.Array(Type.Object({ span: Type.String(), self_ms: Ms }, exactly)),
    findings: Type.Array(Type.Object({ code: Type.String(), span: Type.String(), detail: Type.String() }, exactly)),
    aggregates: Type.Object(
      {
        source: Type.Literal('CALLER_SPANS'),
        latency_ms: Type.Object({ root: Nullable(Ms), p50: Ms, p95: Ms, p99: Ms }, exactly),
        tokens: Type.Object({ input: Type.Number(), output: Type.Number() }, exactly),
        cost: Text,
        errors: Type.Object({ count: Type.Integer(), ratio: Type.Number() }, exactly),
      },
      exactly,
    ),
    receipts: Type.Array(
      Type.Object({ digest: Type.String(), found: Type.Boolean(), verified: Type.Boolean() }, exactly),
    ),
    scores: Type.Array(Score),
  },
  exactly,
)

/** Whether the ledger has a receipt that the caller may see, and whether bytes and signature hold. */
export type FindReceipt = (
  caller: RunContext['caller'],
  digest: string,
) => Promise<{ found: boolean; verified: boolean }>

interface ObserveNeeds {
  ledger: Pick<Ledger, 'reader'>
  findReceipt: FindReceipt
}

const shared = { isolation: 'inline', deadlineMs: 1000, maxWork: MAX_SPANS } as const

export function observe({ ledger: { reader }, findReceipt }: ObserveNeeds): Organ {
  const find = async (traceId: string, { partition, now }: RunContext) => {
    const found = await readTrace(reader, { partition, traceId }, now())
    if (found !== null) return found
    throw new ServiceError('record_not_found', 'the caller has no such trace')
  }
  const analyze = async ({ trace_id, spans, scores }: Trace, { caller }: RunContext) => ({
    trace_id,
    ...analyzeSpans(spans),
    receipts: await Promise.all(
      receiptsNamed(spans)
        .slice(0, MAX_RECEIPTS)
        .map(async (digest) => ({ digest, ...(await findReceipt(caller, digest)) })),
    ),
    scores,
  })
  const ingest = async (resourceSpans: Static<typeof ResourceSpans>, context: RunContext) => {
    const { partition, now, timed, reading } = context
    const read = readSpans(resourceSpans)
    const added = await timed('ingest', () => addSpans(reader, partition, read.accepted, now()))
    reading('bytes', JSON.stringify(resourceSpans).length, 'bytes', 'length of the spans as JSON')
    reading('rows', added.stored, 'spans', 'spans stored')
    const rejected = [...read.rejected, ...added.rejected].sort((a, b) => a.index - b.index)
    const limits: Limit[] =
      read.surplus === 0
        ? []
        : [{ code: 'EVENTS_NOT_KEPT', detail: `${read.surplus} events and links of spans were read and not kept` }]
    return { ...added, rejected, limits }
  }

  return {
    id: 'N10',
    version: '1.0.0',
    ops: {
      ingest: op({
        ...shared,
        summary: 'Stores spans of OTLP in JSON; one that is wrong is rejected by itself',
        request: Type.Object({ resourceSpans: ResourceSpans }, exactly),
        result: Type.Object(
          {
            accepted: Type.Integer(),
            duplicates: Type.Integer(),
            rejected: Type.Array(Type.Object({ index: Type.Integer(), reason: Type.String() }, exactly)),
            traces: Type.Array(Type.String()),
            evicted: Type.Object({ traces: Type.Integer(), spans: Type.Integer() }, exactly),
          },
          exactly,
        ),
        writesState: true,
        estimate: ({ resourceSpans }) => countSpans(resourceSpans),
        check({ resourceSpans }) {
          const count = countSpans(resourceSpans)
          if (count >= 1 && count <= MAX_SPANS) return []
          return [{ place: ['resourceSpans'], message: `must hold 1 to ${MAX_SPANS} spans, and holds ${count}` }]
        },
        async run({ resourceSpans }, context) {
          const { documents, state, limits, stored, duplicates, rejected, traceIds, evicted } = await ingest(
            resourceSpans,
            context,
          )
          if (stored + duplicates === 0) throw allRejected(rejected)
          const result = { accepted: stored + duplicates, duplicates, rejected, traces: traceIds, evicted }
          return { documents, state, limits, result }
        },
      }),
      analyze: op({
        ...shared,
        summary: 'The tree of a trace, its critical path, findings, totals, receipts and scores',
        request: Type.Object({ trace_id: TraceId }, exactly),
        result: Analysis,
        estimate: () => 1,
        async run({ trace_id: traceId }, context) {
          const { value } = await find(traceId, context)
          const { sha256 } = (await readSummary(reader, context.partition)).value
          const result = await context.timed('analyze', () => analyze(value, context))
          context.reading('rows', value.spans.length, 'spans', 'spans read')
          return { result, state: { before_sha256: sha256, after_sha256: sha256 } }
        },
      }),
      score: op({
        ...shared,
        summary: 'Gives a trace a score; one of the same name is replaced',
        request: Type.Object(
          {
            trace_id: TraceId,
            name: Type.String({ minLength: 1, maxLength: 64 }),
            value: Type.Number({ minimum: -1e9, maximum: 1e9 }),
          },
          exactly,
        ),
        result: Type.Object({ trace_id: Type.String(), scores: Type.Array(Score) }, exactly),
        writesState: true,
        estimate: () => 1,
        async run({ trace_id: traceId, name, value }, context) {
          const trace = await find(traceId, context)
          const { scores: known } = trace.value
          if (known.length >= MAX_SCORES && known.every((score) => score.name !== name))
            throw new ServiceError('tenant_quota_exceeded', `a trace has at most ${MAX_SCORES} scores`)
          const { documents, state, scores } = await context.timed('score', () =>
            addScore(reader, context.partition, trace, { name, value }, context.now()),
          )
          context.reading('rows', 1, 'scores', 'scores written')
          return { documents, state, result: { trace_id: traceId, scores } }
        },
      }),
      list: op({
        ...shared,
        summary: 'The traces of the caller, newest first',
        request: Type.Object(
          {
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LISTED, default: 20 })),
            cursor: Type.Optional(
              Type.String({ pattern: '^\\d{1,15}\\.[0-9a-f]{64}$', description: '`next_cursor` of the page before' }),
            ),
          },
          exactly,
        ),
        result: Type.Object(
          {
            traces: Type.Array(
              Type.Object(
                {
                  trace_id: Type.String(),
                  spans: Type.Integer(),
                  name: Text,
                  duration_ms: Nullable(Ms),
                  errors: Type.Integer(),
                  scores: Type.Array(Score),
                },
                exactly,
              ),
            ),
            next_cursor: Text,
          },
          exactly,
        ),
        estimate: () => 1,
        async run({ limit = 20, cursor }, { partition, now, timed, reading }) {
          const [rank, key] = cursor?.split('.') ?? []
          const after = key === undefined ? {} : { after: { rank: Number(rank), key } }
          const found = await timed('list', () =>
            traces.list(reader, { owner: partition, order: 'desc', limit, ...after }),
          )
          const current = found.filter(({ value }) => value.since > now() - MAX_AGE_MS)
          reading('rows', current.length, 'traces', 'traces read')
          const last = current.length === limit ? found.at(-1)!.row : null
          return {
            result: {
              traces: current.map(({ value }) => toListed(value)),
              next_cursor: last === null ? null : `${last.rank}.${last.key}`,
            },
          }
        },
      }),
      note: op({
        ...shared,
        summary: 'Records a note as a one-span trace of this very call and analyzes it',
        request: Type.Object({ text: Type.String({ minLength: 1, maxLength: MAX_NOTE }) }, exactly),
        result: Analysis,
        writesState: true,
        volatile: 'the span holds the time of this call',
        estimate: () => 1,
        async run({ text }, context): Promise<Outcome<Static<typeof Analysis>>> {
          const { partition, inputSha256, now, micros } = context
          const began = micros()
          const { stored } = await readSummary(reader, partition)
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
          const { documents, state, rejected } = await ingest([{ scopeSpans: [{ spans: [span] }] }], context)
          if (rejected.length > 0) throw allRejected(rejected)
          const { accepted } = readSpans([{ scopeSpans: [{ spans: [span] }] }])
          const trace = { trace_id: span.traceId, spans: [accepted[0]!.span], scores: [], since: now() }
          return { documents, state, result: await analyze(trace, context) }
        },
      }),
    },
    fromPrompt(prompt) {
      const text = prompt.slice(0, MAX_NOTE)
      return { op: 'note', text: text.isWellFormed() || !prompt.isWellFormed() ? text : text.slice(0, -1) }
    },
    example: { request: { op: 'ingest', resourceSpans: EXAMPLE }, prompt: 'deployed build 412 to staging' },
    evidence: {},
  }
}

const at = (id: string, parent: string, name: string, start: number, end: number) => ({
  traceId: '5b8efff798038103d269b633813fc60c',
  spanId: id.repeat(16),
  parentSpanId: parent.repeat(16),
  name,
  startTimeUnixNano: `${1_767_225_600_000 + start}000000`,
  endTimeUnixNano: `${1_767_225_600_000 + end}000000`,
})
const EXAMPLE = [
  {
    resource: { attributes: [{ key: 'service.name', value: { stringValue: 'example' } }] },
    scopeSpans: [
      { spans: [at('a', '', 'answer', 0, 100), at('b', 'a', 'search', 10, 40), at('c', 'a', 'chat', 30, 90)] },
    ],
  },
]

const allRejected = (rejected: readonly { index: number; reason: string }[]): InputError =>
  new InputError(
    rejected.map(({ index, reason }) => ({ loc: ['body', 'resourceSpans', index], msg: reason, type: 'value' })),
  )

function toListed({ trace_id, spans, scores }: Trace) {
  const { root, aggregates } = analyzeSpans(spans)
  return {
    trace_id,
    spans: spans.length,
    name: spans.find(({ span_id }) => span_id === root)?.name ?? null,
    duration_ms: aggregates.latency_ms.root,
    errors: aggregates.errors.count,
    scores,
  }
}
