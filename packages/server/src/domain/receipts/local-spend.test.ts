import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredReceipt } from '../stored-receipt.ts'
import { LocalSpend } from './local-spend.ts'

const body = (payload: object) => new TextEncoder().encode(JSON.stringify({ kind: 'inference', actor: {}, payload }))
const called = { target: 'near', usage: { prompt_tokens: 2, completion_tokens: 1 } }

function ledger(depth: Record<string, number>) {
  const asked: number[] = []
  const reader = {
    chains: async () =>
      Object.entries(depth).map(([ns, size]) => ({
        ns,
        chain: 'governance',
        depth: size,
        head: '',
        headIndex: size - 1,
      })),
    async chainRange(ns: string, _chain: string, from: number, limit: number) {
      asked.push(limit)
      const count = Math.min(limit, depth[ns]! - from)
      return Array.from({ length: count }, () => ({ body: body(called) }) as StoredReceipt)
    },
  }
  return { spend: new LocalSpend(() => reader), asked }
}

test('a long ledger is counted over several requests, and what was counted is not read again', async () => {
  const depth = { public: 12_000 }
  const { spend, asked } = ledger(depth)
  const count = () => spend.count(() => true)
  assert.deepEqual([(await count()).receipts_walked, (await count()).receipts_walked], [5000, 10_000])
  const { receipts_walked, receipts_total, model_calls, tokens_in, tokens_out } = await count()
  assert.deepEqual(
    [receipts_walked, receipts_total, model_calls, tokens_in, tokens_out],
    [12_000, 12_000, 12_000, 24_000, 12_000],
  )
  asked.length = 0
  await count()
  assert.deepEqual(asked, [])
  depth.public += 1
  assert.equal((await count()).model_calls, 12_001)
})

test('of other namespaces nothing is counted, and nothing of theirs is read', async () => {
  const { spend, asked } = ledger({ mine: 3, theirs: 5 })
  assert.equal((await spend.count((ns) => ns === 'mine')).model_calls, 3)
  assert.equal(
    asked.reduce((sum, limit) => sum + limit, 0),
    3,
  )
})

test('damaged receipts and odd usage count no tokens', async () => {
  const rows = [
    { target: 'x', usage: { prompt_tokens: -1, completion_tokens: 2 } },
    { target: 'x', usage: 'many' },
    { target: 7 },
  ]
  const bodies = [...rows.map(body), new TextEncoder().encode('{broken')]
  const spend = new LocalSpend(() => ({
    chains: async () => [{ ns: 'public', chain: 'governance', depth: 4, head: '', headIndex: 3 }],
    chainRange: async (_ns, _chain, from, limit) =>
      bodies.slice(from, from + limit).map((bytes) => ({ body: bytes }) as StoredReceipt),
  }))
  const { model_calls, tokens_in, tokens_out, calls_without_usage } = await spend.count(() => true)
  assert.deepEqual([model_calls, tokens_in, tokens_out, calls_without_usage], [2, 0, 0, 2])
})

test('counts beyond what a double holds exactly are booked without loss, over namespaces as well', async () => {
  const huge = { target: 'near', usage: { prompt_tokens: 2 ** 52, completion_tokens: 1 } }
  const reader = {
    chains: async () => ['one', 'two'].map((ns) => ({ ns, chain: 'governance', depth: 1, head: '', headIndex: 0 })),
    chainRange: async () => [{ body: body(huge) } as StoredReceipt],
  }
  const { tokens_in, tokens_out, model_calls } = await new LocalSpend(() => reader).count(() => true)
  assert.deepEqual([tokens_in, tokens_out, model_calls], [2 ** 53, 2, 2])
})
