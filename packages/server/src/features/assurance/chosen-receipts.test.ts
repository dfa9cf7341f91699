import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { chosenReceipts } from './chosen-receipts.ts'

test('the receipt of another tenant is as little there as one that was never recorded', async () => {
  const row = (ns: string) => ({ ns, nodeIndex: 4, body: new Uint8Array() }) as unknown as StoredReceipt
  const source = (found: StoredReceipt | null) => ({
    reader: { byIndex: async () => found },
    queries: { newestReceipts: async () => [] },
  })
  const viewer = { namespace: 'a', owner: 'ann', authMode: 'registry', scopes: new Set(['receipts:audit']) }
  const chosen = (found: StoredReceipt | null) =>
    chosenReceipts(source(found), viewer, { receipts: 0, indexes: '4' }, 10)
  assert.equal((await chosen(row('a'))).length, 1)
  const notFound = /no receipt with node_index 4 that you may see/
  await assert.rejects(chosen(row('b')), notFound)
  await assert.rejects(chosen(null), notFound)
})
