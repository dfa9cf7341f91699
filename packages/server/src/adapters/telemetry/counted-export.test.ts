import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { countedProcessor, ExportCounts, exportErrorCode, QUEUE } from './counted-export.ts'

type Done = (result: ExportResult) => void

/** An exporter that answers when the test says so, and to everything once the test is over. */
function pendingExporter(t: TestContext) {
  const taken: { spans: number; done: Done }[] = []
  let isOver = false
  const exporter = {
    export(spans: ReadableSpan[], done: Done) {
      taken.push({ spans: spans.length, done })
      if (isOver) done({ code: ExportResultCode.SUCCESS })
    },
    shutdown: async () => undefined,
  }
  const counts = new ExportCounts(() => 7)
  const provider = new BasicTracerProvider({ spanProcessors: [countedProcessor(exporter, counts)] })
  const tracer = provider.getTracer('test')
  t.after(() => {
    isOver = true
    for (const { done } of taken) done({ code: ExportResultCode.SUCCESS })
    return provider.shutdown()
  })
  return { taken, counts, end: (spans: number) => times(spans, () => tracer.startSpan('x').end()) }
}

const times = (count: number, work: () => void) => {
  for (let n = 0; n < count; n += 1) work()
}

test('what finds the queue full is dropped and counted to the span', (t) => {
  const { taken, counts, end } = pendingExporter(t)
  end(512)
  assert.deepEqual([taken.length, taken[0]?.spans, counts.queued], [1, 512, 0])
  // The collector is silent now: what follows waits, up to the queue and not one more.
  end(QUEUE + 10)
  assert.deepEqual([counts.queued, counts.dropped, counts.exported], [QUEUE, 10, 0])
})

test('taken and refused spans are counted by what the collector said', (t) => {
  const { taken, counts, end } = pendingExporter(t)
  end(512)
  taken[0]!.done({ code: ExportResultCode.SUCCESS })
  assert.deepEqual([counts.exported, counts.failed, counts.lastSuccessAt, counts.lastFailureAt], [512, 0, 7, null])
  const refused = pendingExporter(t)
  refused.end(512)
  const error = Object.assign(new Error('secret words of a collector'), { code: 503 })
  refused.taken[0]!.done({ code: ExportResultCode.FAILED, error })
  assert.deepEqual([refused.counts.failed, refused.counts.lastErrorCode], [512, 'HTTP_503'])
})

const codes: [error: unknown, code: string][] = [
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [Object.assign(new Error('x'), { code: 'secret words' }), 'EXPORT_FAILED'],
  [Object.assign(new Error('x'), { code: 99_999 }), 'EXPORT_FAILED'],
  [new Error('Request timed out'), 'EXPORT_TIMEOUT'],
  [undefined, 'EXPORT_FAILED'],
]
for (const [error, code] of codes)
  test(`an export that failed with ${JSON.stringify((error as { code?: unknown })?.code ?? String(error))} is ${code}`, () => {
    assert.equal(exportErrorCode(error), code)
  })
