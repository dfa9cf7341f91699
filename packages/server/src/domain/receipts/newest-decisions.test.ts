import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredReceipt } from '../stored-receipt.ts'
import { MAX_DECISIONS, MAX_SCANNED, readDecisions } from './newest-decisions.ts'

const VIEWER = { namespace: 'team', owner: 'ann', authMode: 'registry', scopes: new Set(['receipts:read']) }
const OPEN = { ...VIEWER, authMode: 'open' }

function stored(nodeIndex: number, payload: object | null, more: { owner?: string; ns?: string; kind?: string } = {}) {
  const { owner = 'ann', ns = 'team', kind = 'decision' } = more
  const body = { kind, ts_utc: '2026-01-02T03:04:05.678Z', actor: { owner }, payload }
  return {
    ...{ nodeIndex, ns, chain: 'governance', seq: nodeIndex, prev: '', lake: '', keyid: null, keyKind: null },
    digest: nodeIndex.toString(16).padStart(64, '0'),
    body: new TextEncoder().encode(payload === null ? '{' : JSON.stringify(body)),
    signature: null,
    signatureState: 'UNSIGNED',
  } satisfies StoredReceipt
}

function reading(rows: StoredReceipt[], viewer = OPEN) {
  const asked: number[] = []
  const reader = {
    head: async () => ({ size: rows.length, frontier: [] }),
    range: async (from: number, limit: number) => {
      asked.push(limit)
      return rows.slice(from, from + limit)
    },
  }
  return { asked, found: readDecisions(reader, viewer) }
}
const allow = { decision: 'ALLOW', reasons: ['ALL_STAGES_PASSED'] }
const many = (count: number, payload: object | null) => Array.from({ length: count }, (_, at) => stored(at, payload))

test('the newest twenty come first and the rest stay away', async () => {
  const { items, scanned } = await reading(many(600, allow)).found
  assert.deepEqual([items.length, items[0]?.seq, items.at(-1)?.seq], [MAX_DECISIONS, 599, 580])
  assert.equal(scanned, 250)
})

test('receipts that decide nothing are passed over, and no more of them than the bound are read', async () => {
  const { asked, found } = reading([stored(0, allow), ...many(MAX_SCANNED, { statement: {} })])
  const { items, scanned, size } = await found
  assert.deepEqual([items, scanned, size], [[], MAX_SCANNED, MAX_SCANNED + 1])
  assert.equal(
    asked.reduce((sum, one) => sum + one, 0),
    MAX_SCANNED,
  )
})

test('a sample, a word that is no decision and a decision that is no text are not decisions', async () => {
  const rows = [
    stored(0, allow, { kind: 'sample' }),
    stored(1, { decision: 'allow' }),
    stored(2, { decision: 'PERMIT' }),
    stored(3, { decision: ['ALLOW'] }),
  ]
  assert.deepEqual((await reading(rows).found).items, [])
})

test('of another owner and of another namespace nothing is shown where a registry tells them apart', async () => {
  const rows = [stored(0, allow, { owner: 'bob' }), stored(1, allow, { ns: 'other' }), stored(2, allow)]
  const seqs = async (viewer: typeof VIEWER) => (await reading(rows, viewer).found).items.map(({ seq }) => seq)
  assert.deepEqual(await seqs(VIEWER), [2])
  assert.deepEqual(await seqs({ ...VIEWER, scopes: new Set(['receipts:read', 'receipts:audit']) }), [2, 0])
  assert.deepEqual(await seqs(OPEN), [2, 1, 0])
})

test('stored bytes that are no receipt are counted and hide no other row', async () => {
  const { items, unreadable } = await reading([stored(0, allow), stored(1, null)]).found
  assert.deepEqual([items.length, unreadable], [1, 1])
})

test('a receipt with endless reasons takes a bounded room', async () => {
  const reasons = Array.from({ length: 1000 }, () => 'x'.repeat(5000))
  const { items } = await reading([stored(0, { decision: 'DENY', reasons })]).found
  assert.deepEqual([items[0]?.reasons.length, items[0]?.reasons_total, items[0]?.reasons[0]?.length], [16, 1000, 201])
})
