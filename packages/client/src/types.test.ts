// Held by the compiler: each line below an expected error must be one, or `npm run check` fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, isOperationId } from './index.ts'

const client = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 })

export async function wrongFieldsDoNotCompile(): Promise<unknown[]> {
  const health = await client.call('runtime.health')
  return [
    health.signer.signing_available,
    // @ts-expect-error the reply has no such field
    health.signer.signing_avialable,
    // @ts-expect-error no operation has this id
    await client.call('runtime.heatlh'),
    // @ts-expect-error the operation takes no such parameter
    await client.call('runtime.health', { params: { id: 1 } }),
    // @ts-expect-error the receipt must be named
    await client.call('receipts.get'),
    // @ts-expect-error the parameter is called digest
    await client.call('receipts.get', { params: { receipt: 'd' } }),
    // @ts-expect-error a limit is a number
    await client.call('khipu.ledger', { query: { limit: '20' } }),
    // @ts-expect-error the group has no such operation
    await client.runtime.heatlh(),
  ]
}

test('ids are told apart from other words, inherited names included', () => {
  assert.equal(isOperationId('runtime.health'), true)
  assert.equal(isOperationId('constructor'), false)
  assert.equal(typeof wrongFieldsDoNotCompile, 'function')
})
