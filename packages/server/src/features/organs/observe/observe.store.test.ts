// Traces of N10 on every store: many writers lose no span, receipts of the ledger are found and verified.
import assert from 'node:assert/strict'
import { receiptDraft } from '#testing/ledger/at-rest.ts'
import { onEachStore } from '#testing/organs/organ-stores.ts'
import { observe } from './organ.ts'
import { receiptFinder } from './receipts.ts'

const everyStore = onEachStore('observe', (ledger) => observe({ ledger, findReceipt: receiptFinder(ledger) }))
const TRACE = 'b'.repeat(32)
const span = (n: number, digest: string) => ({
  traceId: TRACE,
  spanId: (n + 1).toString(16).padStart(16, '0'),
  ...(n === 0 ? {} : { parentSpanId: '0'.repeat(15).concat('1') }),
  name: `span ${n}`,
  startTimeUnixNano: '1000',
  endTimeUnixNano: '2000',
  attributes: [{ key: 'orch.receipt', value: { stringValue: digest } }],
})

everyStore('spans of many writers are all there after a restart, with the receipts they name', async (runs) => {
  const { digest } = await runs.ledger.append(receiptDraft(1))
  const unknown = 'f'.repeat(64)
  await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      runs.run({ op: 'ingest', resourceSpans: [{ scopeSpans: [{ spans: [span(n, n < 4 ? digest : unknown)] }] }] }),
    ),
  )
  await runs.restart()
  const { result } = (await runs.run({ op: 'analyze', trace_id: TRACE })).answer
  assert.equal(result.spans, 8)
  assert.deepEqual(
    result.receipts.toSorted((a: { found: boolean }) => (a.found ? -1 : 1)),
    [
      { digest, found: true, verified: true },
      { digest: unknown, found: false, verified: false },
    ],
  )
  await assert.rejects(runs.run({ op: 'analyze', trace_id: TRACE }, { owner: 'other' }), { code: 'record_not_found' })
})
