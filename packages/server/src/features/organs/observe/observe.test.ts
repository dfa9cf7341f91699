import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import fc from 'fast-check'
import { runStored } from '#testing/organs/organ-stores.ts'
import { storeInMemory } from '#testing/organs/store-in-memory.ts'
import { countingGauges } from '#testing/organs/try-organ.ts'
import { analyzeSpans } from './analysis.ts'
import { observe } from './organ.ts'
import type { Span } from './otlp.ts'

const SEED = 10
const MAX_AGE_MS = 30 * 86_400_000
const MAX_STORED_SPANS = 50_000
const MAX_TRACE_SPANS = 2_000
const GOLDEN = '718267c0d7a382eafbdd8478fc7408b966599283f97671c5fbdee806da677789'
const TRACE = 'a'.repeat(32)
const absent = { code: 'record_not_found' }

function fresh(receipts: Record<string, string> = {}) {
  const store = storeInMemory()
  let now = Date.UTC(2026, 0, 1)
  const organ = observe({
    ledger: store,
    findReceipt: async ({ owner }, digest) => ({
      found: receipts[digest] === owner,
      verified: receipts[digest] === owner,
    }),
  })
  const gauges = { ...countingGauges(), clock: { now: () => now, monotonic: () => 0 } }
  return {
    store,
    later: (ms: number) => {
      now += ms
    },
    run: async (body: Record<string, unknown>, owner = 'local') =>
      (await runStored(store, organ, body, { gauges, owner })).answer,
  }
}

const id = (n: number, digits = 16) => (n + 1).toString(16).padStart(digits, '0')
const raw = (n: number, parent: number | null, start: number, end: number, more: Record<string, unknown> = {}) => ({
  traceId: TRACE,
  spanId: id(n),
  ...(parent === null ? {} : { parentSpanId: id(parent) }),
  name: `span ${n}`,
  startTimeUnixNano: `${start}000000`,
  endTimeUnixNano: `${end}000000`,
  ...more,
})
const ingest = (spans: unknown[]) => ({ op: 'ingest', resourceSpans: [{ scopeSpans: [{ spans }] }] })
const analyze = { op: 'analyze', trace_id: TRACE }
const codes = (result: { findings: { code: string }[] }) => result.findings.map(({ code }) => code)

test('the example has its golden digest', async () => {
  const { run } = fresh()
  assert.equal((await run({})).result_sha256, GOLDEN)
})

test('the critical path goes back into what ended last: root 40, b 60, and a is off it', async () => {
  const { run } = fresh()
  await run(ingest([raw(0, null, 0, 100), raw(1, 0, 10, 40), raw(2, 0, 30, 90)]))
  const { result } = await run(analyze)
  assert.deepEqual(result.critical_path, [
    { span: id(0), self_ms: 40 },
    { span: id(2), self_ms: 60 },
  ])
  assert.deepEqual(codes(result), [])
  assert.deepEqual(result.aggregates.latency_ms, { root: 100, p50: 60, p95: 100, p99: 100 })
})

test('the segments of the critical path always add up to the root', () => {
  const span = fc.record({
    parent: fc.integer({ min: 0, max: 30 }),
    start: fc.integer({ min: 0, max: 1000 }),
    length: fc.integer({ min: -50, max: 400 }),
  })
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), fc.integer({ min: 0, max: 800 }), (made, length) => {
      const toSpan = (n: number, parent: string | null, start: number, end: number): Span => ({
        ...{ span_id: id(n), parent_id: parent, name: '', service: null, status: 'unset', attributes: {} },
        ...{ start: String(start), end: String(Math.max(0, end)) },
      })
      const spans = [
        toSpan(0, null, 100, 100 + length),
        ...made.map(({ parent, start, length: own }, at) =>
          toSpan(at + 1, id(parent % (made.length + 1)), start, start + own),
        ),
      ]
      const { critical_path } = analyzeSpans(spans)
      const total = critical_path.reduce((sum, { self_ms }) => sum + Math.round(self_ms * 1e6), 0)
      assert.equal(total, length)
      assert.ok(critical_path.every(({ self_ms }) => self_ms >= 0))
    }),
    { seed: SEED, numRuns: 1000 },
  )
})

test('replaying an ingest stores nothing twice, and another span under the same id is rejected', async () => {
  const { run, store } = fresh()
  const body = ingest([raw(0, null, 0, 100), raw(1, 0, 10, 40)])
  const first = await run(body)
  assert.deepEqual([first.result.accepted, first.result.duplicates], [2, 0])
  const before = JSON.stringify([...store.rows.values()])
  const again = await run(body)
  assert.deepEqual([again.result.accepted, again.result.duplicates], [2, 2])
  assert.equal(JSON.stringify([...store.rows.values()]), before)
  assert.equal(again.evidence.state.before_sha256, again.evidence.state.after_sha256)
  const mixed = await run(ingest([raw(1, 0, 11, 40), raw(2, 0, 50, 60)]))
  assert.deepEqual(mixed.result.rejected, [{ index: 0, reason: 'another span of the trace has this id' }])
  assert.equal((await run(analyze)).result.spans, 3)
})

test('spans of the stock exporter come back as they were', async () => {
  const exporter = new InMemorySpanExporter()
  const resource = resourceFromAttributes({ 'service.name': 'shop' })
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const span = provider.getTracer('t').startSpan('chat', {
    kind: SpanKind.CLIENT,
    startTime: 1_767_225_600_000,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.provider.name': 'p',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 30,
      'gen_ai.usage.cost': 0.0021,
      list: ['a', 'b'],
      flag: true,
    },
  })
  span.addEvent('first token')
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'late' })
  span.end(1_767_225_600_250)
  const sent = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans())))
  const { run } = fresh()
  const stored = await run({ op: 'ingest', resourceSpans: sent.resourceSpans })
  assert.deepEqual([stored.result.accepted, stored.result.rejected, stored.limits[0].code], [1, [], 'EVENTS_NOT_KEPT'])
  const { result } = await run({ op: 'analyze', trace_id: span.spanContext().traceId })
  const [row] = result.tree
  assert.deepEqual(
    [row.span_id, row.name, row.service, row.status, row.duration_ms, result.start_unix_nano],
    [span.spanContext().spanId, 'chat', 'shop', 'error', 250, '1767225600000000000'],
  )
  assert.deepEqual(row.attributes.list, ['a', 'b'])
  assert.equal(row.attributes.flag, true)
  assert.deepEqual(result.aggregates.tokens, { input: 12, output: 30 })
  assert.deepEqual([result.aggregates.cost, result.aggregates.errors.count], ['0.0021', 1])
  assert.deepEqual(codes(result), [])
})

test('findings name orphans, cycles, times that cannot be and what a span about a model lacks', async () => {
  const { run } = fresh()
  const attributes = [{ key: 'gen_ai.request.model', value: { stringValue: 'm' } }]
  await run(
    ingest([
      raw(0, null, 100, 200),
      raw(1, 99, 110, 120),
      raw(2, 3, 110, 120),
      raw(3, 2, 110, 120),
      raw(4, 4, 110, 120),
      raw(5, 0, 150, 140),
      raw(6, 0, 90, 110),
      raw(7, 0, 150, 160, { attributes }),
      raw(8, null, 300, 310),
    ]),
  )
  const { result } = await run(analyze)
  const found = result.findings.map(
    ({ code, span }: Record<string, string>) => `${code} ${Number.parseInt(span!, 16) - 1}`,
  )
  assert.deepEqual(found.sort(), [
    'cycle 2',
    'cycle 3',
    'cycle 4',
    'end_before_start 5',
    'missing_gen_ai 7',
    'orphan 1',
    'outside_parent 6',
    'several_roots 8',
  ])
  assert.equal(result.root, id(0))
})

test('bad ids and times are rejected one by one with their index; where all are, the request is', async () => {
  const { run } = fresh()
  const bad = [
    raw(0, null, 0, 1, { traceId: 'xyz' }),
    raw(0, null, 0, 1, { traceId: '0'.repeat(32) }),
    raw(0, null, 0, 1, { spanId: 'g'.repeat(16) }),
    raw(0, null, 0, 1, { parentSpanId: 'ab' }),
    raw(0, null, 0, 1, { startTimeUnixNano: '-1' }),
    raw(0, null, 0, 1, { startTimeUnixNano: '1e9' }),
    raw(0, null, 0, 1, { endTimeUnixNano: 1.5 }),
    raw(0, null, 0, 1, { endTimeUnixNano: '18446744073709551616' }),
    raw(0, null, 0, 1, { name: 'x'.repeat(257) }),
    raw(0, null, 0, 1, { name: 7 }),
    raw(0, null, 0, 1, { attributes: [{ key: '' }] }),
    raw(0, null, 0, 1, {
      attributes: Array.from({ length: 65 }, (_, n) => ({ key: `k${n}`, value: { intValue: n } })),
    }),
    raw(0, null, 0, 1, { attributes: [{ key: 'a', value: { intValue: 'x' } }] }),
    null,
    [],
    'text',
  ]
  const { result } = await run(ingest([...bad, raw(0, null, 0, 1, { endTimeUnixNano: '18446744073709551615' })]))
  assert.deepEqual(
    [result.accepted, result.rejected.map(({ index }: { index: number }) => index)],
    [1, bad.map((_, at) => at)],
  )
  await assert.rejects(run(ingest(bad)), (error: { detail: unknown[] }) => error.detail.length === bad.length)
})

test('a refusal names the place of each fault down to its field', async () => {
  const { run } = fresh()
  const long = { attributes: [{ key: 'a' }, { key: 'b', value: { stringValue: 'v'.repeat(8193) } }] }
  const resourceSpans = [
    { scopeSpans: [{ spans: [] }, { spans: [raw(0, null, 0, 1, { traceId: 'xyz' })] }] },
    { scopeSpans: [{ spans: [7, raw(0, null, 0, 1, long)] }] },
    { scopeSpans: [{ spans: [raw(0, null, 0, 1, { attributes: [{ key: 'k', value: { intValue: 1.5 } }] })] }] },
    { scopeSpans: [{ spans: [raw(0, null, 0, 1, { endTimeUnixNano: '18446744073709551616' })] }] },
  ]
  await assert.rejects(run({ op: 'ingest', resourceSpans }), (error: { detail: { loc: unknown[]; msg: string }[] }) => {
    assert.deepEqual(
      error.detail.map(({ loc }) => loc.join('.')),
      [
        'body.resourceSpans.0.scopeSpans.1.spans.0.traceId',
        'body.resourceSpans.1.scopeSpans.0.spans.0',
        'body.resourceSpans.1.scopeSpans.0.spans.1.attributes.1.value',
        'body.resourceSpans.2.scopeSpans.0.spans.0.attributes.0.value.intValue',
        'body.resourceSpans.3.scopeSpans.0.spans.0.endTimeUnixNano',
      ],
    )
    assert.match(error.detail[0]!.msg, /^traceId must be .*32 hex digits that are not all zero/)
    return true
  })
})

test('numbers that JSON cannot write and counts that nobody counts break no analysis', async () => {
  const { run } = fresh()
  const attribute = (key: string, value: object) => ({ key, value })
  const attributes = [
    attribute('gen_ai.usage.input_tokens', { doubleValue: 1e308 }),
    attribute('gen_ai.usage.output_tokens', { intValue: '-5' }),
    attribute('gen_ai.usage.cost', { doubleValue: 'NaN' }),
    attribute('nan', { doubleValue: 'NaN' }),
    attribute('far', { doubleValue: '-Infinity' }),
    attribute('large', { intValue: '9223372036854775807' }),
    attribute('nested', { arrayValue: { values: [{ intValue: '1' }, { arrayValue: { values: [] } }] } }),
    attribute('map', { kvlistValue: { values: [] } }),
    attribute('__proto__', { stringValue: 'polluted' }),
    attribute('constructor', { boolValue: true }),
    attribute('none', {}),
  ]
  const spans = [0, 1].map((n) => raw(n, null, 0, 1, { attributes, parentSpanId: null, status: null, kind: 'odd' }))
  assert.deepEqual((await run(ingest(spans))).result.rejected, [])
  const { result } = await run(analyze)
  assert.deepEqual(result.aggregates.tokens, { input: 0, output: 0 })
  assert.equal(result.aggregates.cost, null)
  const stored = result.tree[0].attributes
  assert.deepEqual(
    [stored.nan, stored.far, stored.large, stored.none, stored.nested, stored.map],
    ['NaN', '-Infinity', '9223372036854775807', '', [1, '{"values":[]}'], '{"values":[]}'],
  )
  assert.equal(Object.getOwnPropertyDescriptor(stored, '__proto__')?.value, 'polluted')
})

test('parents in a ring and a clock that runs backwards leave a critical path that adds up', async () => {
  const { run } = fresh()
  const ring = Array.from({ length: 20 }, (_, n) => raw(n + 1, ((n + 1) % 20) + 1, n, n + 1))
  await run(ingest([raw(0, null, 900, 100), ...ring, raw(60, 0, 950, 10)]))
  const { result } = await run(analyze)
  assert.equal(codes(result).filter((code) => code === 'cycle').length, 20)
  assert.deepEqual(result.critical_path, [{ span: id(0), self_ms: 0 }])
  assert.equal(result.aggregates.latency_ms.root, 0)
})

test('every span of 500 is taken and 501 are refused, as is none', async () => {
  const { run } = fresh()
  const spans = (count: number) => Array.from({ length: count }, (_, n) => raw(n, n === 0 ? null : 0, 0, 1))
  assert.equal((await run(ingest(spans(500)))).result.accepted, 500)
  for (const count of [0, 501])
    await assert.rejects(run(ingest(spans(count))), (error: { detail: { loc: unknown[] }[] }) =>
      error.detail[0]!.loc.includes('resourceSpans'),
    )
  const { result } = await run(analyze)
  assert.deepEqual([result.tree.length, result.truncated_from], [500, undefined])
})

test('a trace grows over several requests to 2,000 spans, which are all analyzed, and not beyond', async () => {
  const { run } = fresh()
  for (let from = 0; from < MAX_TRACE_SPANS; from += 500)
    await run(ingest(Array.from({ length: 500 }, (_, n) => raw(from + n, from + n === 0 ? null : 0, n, n + 1))))
  const full = await run(ingest([raw(MAX_TRACE_SPANS, 0, 0, 1), raw(0, null, 0, 1)]))
  assert.equal(full.result.rejected[0].reason, 'the trace holds as much as one trace may')
  const { result } = await run(analyze)
  assert.equal(result.spans, MAX_TRACE_SPANS)
  assert.equal(result.truncated_from, result.tree.length < MAX_TRACE_SPANS ? MAX_TRACE_SPANS : undefined)
  assert.deepEqual((await run({ op: 'list' })).result.traces[0].spans, MAX_TRACE_SPANS)
})

test('what is longer than an answer may be is cut, and says from how many', async () => {
  const { run } = fresh()
  const named = (n: number) => ({ attributes: [{ key: 'orch.receipt', value: { stringValue: id(n, 64) } }] })
  await run(ingest(Array.from({ length: 120 }, (_, n) => raw(n, n === 0 ? null : 999, 0, 1, named(n)))))
  const { result } = await run(analyze)
  assert.deepEqual([result.findings.length, result.findings_truncated_from], [100, 119])
  assert.deepEqual([result.receipts.length, result.receipts_truncated_from], [50, 120])
})

test('a chain of the deepest and longest spans still fits into an answer', async () => {
  const { run } = fresh()
  for (let from = 0; from < MAX_TRACE_SPANS; from += 500)
    await run(
      ingest(
        Array.from({ length: 500 }, (_, n) =>
          raw(from + n, from + n === 0 ? null : from + n - 1, 0, 100_000 - from - n, { name: 'n'.repeat(90) }),
        ),
      ),
    )
  const { result } = await run(analyze)
  assert.deepEqual([result.critical_path.length, result.truncated_from], [MAX_TRACE_SPANS, MAX_TRACE_SPANS])
})

test('a trace of the longest names and attributes still fits into an answer, and says what is left out', async () => {
  const { run } = fresh()
  const long = (n: number) =>
    raw(n, n === 0 ? null : n - 1, 0, 1000 - n, {
      name: 'n'.repeat(256),
      attributes: [{ key: 'gen_ai.x', value: { stringValue: 'v'.repeat(90) } }],
    })
  for (let from = 0; from < 500; from += 100) await run(ingest(Array.from({ length: 100 }, (_, n) => long(from + n))))
  const { result } = await run(analyze)
  assert.equal(result.truncated_from, 500)
  assert.equal(result.critical_path.length, 500)
  assert.ok(JSON.stringify(result).length < 256 * 1024)
})

test('the oldest whole trace makes room, and what is older than 30 days is absent', async () => {
  const { run, later, store } = fresh()
  const many = (trace: number, count: number) =>
    ingest(Array.from({ length: count }, (_, n) => raw(n, null, 0, 1, { traceId: id(trace, 32) })))
  for (let trace = 0; trace < MAX_STORED_SPANS / 500; trace += 1) {
    await run(many(trace, 500))
    later(1)
  }
  const over = await run(many(1000, 1))
  assert.deepEqual(over.result.evicted, { traces: 1, spans: 500 })
  await assert.rejects(run({ op: 'analyze', trace_id: id(0, 32) }), absent)
  assert.equal((await run({ op: 'analyze', trace_id: id(1, 32) })).result.spans, 500)
  later(MAX_AGE_MS)
  await assert.rejects(run({ op: 'analyze', trace_id: id(1000, 32) }), absent)
  assert.deepEqual((await run({ op: 'list' })).result, { traces: [], next_cursor: null })
  const anew = await run(many(1000, 2))
  assert.deepEqual([anew.result.accepted, anew.result.duplicates], [2, 0])
  assert.equal((await run({ op: 'analyze', trace_id: id(1000, 32) })).result.spans, 2)
  // What there is, the trace and its spans.
  assert.equal(store.rows.size, 3)
  assert.match([...store.rows.values()].find(({ space }) => space === 'organ.n10.total')!.value, /"spans":2,/u)
})

test('a trace whose spans are gone from the store is absent', async () => {
  const { run, store } = fresh()
  await run(ingest([raw(0, null, 0, 1)]))
  for (const [at, { space }] of store.rows) if (space === 'organ.n10.spans') store.rows.delete(at)
  await assert.rejects(run(analyze), absent)
})

test('receipts that spans name are looked up for the caller alone', async () => {
  const [mine, theirs] = ['1'.repeat(64), '2'.repeat(64)]
  const { run } = fresh({ [mine]: 'local', [theirs]: 'other' })
  const named = (digest: string) => ({ attributes: [{ key: 'orch.receipt', value: { stringValue: digest } }] })
  await run(
    ingest([raw(0, null, 0, 1, named(mine)), raw(1, 0, 0, 1, named(theirs)), raw(2, 0, 0, 1, named('no digest'))]),
  )
  assert.deepEqual((await run(analyze)).result.receipts, [
    { digest: mine, found: true, verified: true },
    { digest: theirs, found: false, verified: false },
  ])
})

test('scores are replaced by name and listed; pages follow one another', async () => {
  const { run, later } = fresh()
  for (let n = 0; n < 5; n += 1) {
    await run(ingest([raw(n, null, 0, 100 + n, { traceId: id(n, 32), status: { code: n === 1 ? 2 : 0 } })]))
    later(1)
  }
  await run({ op: 'score', trace_id: id(1, 32), name: 'quality', value: 0.25 })
  await run({ op: 'score', trace_id: id(1, 32), name: 'quality', value: 0.5 })
  const first = await run({ op: 'list', limit: 3 })
  const second = await run({ op: 'list', limit: 3, cursor: first.result.next_cursor })
  const listed = [...first.result.traces, ...second.result.traces]
  assert.deepEqual(
    listed.map(({ trace_id }) => trace_id),
    [4, 3, 2, 1, 0].map((n) => id(n, 32)),
  )
  assert.deepEqual(listed[3], {
    ...{ trace_id: id(1, 32), spans: 1, name: 'span 1', duration_ms: 101, errors: 1 },
    scores: [{ name: 'quality', value: 0.5 }],
  })
  assert.equal(second.result.next_cursor, null)
  await assert.rejects(run({ op: 'score', trace_id: id(9, 32), name: 'x', value: 1 }), absent)
})

test('another tenant analyzes, scores and lists nothing', async () => {
  const { run } = fresh()
  await run(ingest([raw(0, null, 0, 1)]))
  await assert.rejects(run(analyze, 'other'), absent)
  await assert.rejects(run({ op: 'score', trace_id: TRACE, name: 'x', value: 1 }, 'other'), absent)
  const listed = await run({ op: 'list' }, 'other')
  assert.deepEqual([listed.result.traces, listed.evidence.readings[1].value], [[], 0])
  const own = await run(ingest([raw(0, null, 0, 1)]), 'other')
  assert.equal(
    own.evidence.state.before_sha256,
    (await fresh().run(ingest([raw(0, null, 0, 1)]), 'other')).evidence.state.before_sha256,
  )
})

test('a prompt records a note as a trace of this call, which is then there', async () => {
  const { run } = fresh()
  const answer = await run({ prompt: 'deployed build 412' })
  assert.deepEqual([answer.op, answer.deterministic, answer.result.spans], ['note', false, 1])
  assert.equal(answer.result.tree[0].attributes['orch.note'], 'deployed build 412')
  assert.equal((await run({ op: 'note', text: 'deployed build 412' })).input_sha256, answer.input_sha256)
  const stored = await run({ op: 'analyze', trace_id: answer.result.trace_id })
  assert.deepEqual(stored.result, answer.result)
  assert.equal((await run({ prompt: '\ud83d\ude80'.repeat(2048) })).ok, true)
  assert.equal((await run({ prompt: '\ud83d\ude80'.repeat(2049) })).status, 'NEEDS_INPUT')
})

test('bounds of the other ops are refused with their field', async () => {
  const { run } = fresh()
  await run(ingest([raw(0, null, 0, 1)]))
  const score = { op: 'score', trace_id: TRACE, name: 'n', value: 0 }
  const bounds: [Record<string, unknown>, Record<string, unknown>, string][] = [
    [analyze, { ...analyze, trace_id: 'a'.repeat(31) }, 'trace_id'],
    [{ ...score, name: 'n'.repeat(64) }, { ...score, name: 'n'.repeat(65) }, 'name'],
    [{ ...score, value: 1e9 }, { ...score, value: 1e9 + 1 }, 'value'],
    [{ op: 'list', limit: 50 }, { op: 'list', limit: 51 }, 'limit'],
    [{ op: 'list', limit: 1 }, { op: 'list', limit: 0 }, 'limit'],
    [{ op: 'note', text: 'x'.repeat(4096) }, { op: 'note', text: 'x'.repeat(4097) }, 'text'],
    [{ op: 'list' }, { op: 'list', cursor: '1.zz' }, 'cursor'],
  ]
  for (const [good, bad, place] of bounds) {
    assert.equal((await run(good)).ok, true)
    await assert.rejects(run(bad), (error: { detail: { loc: unknown[] }[] }) =>
      error.detail.some(({ loc }) => loc.includes(place)),
    )
  }
})
