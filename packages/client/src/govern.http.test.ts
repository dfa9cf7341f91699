import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Service, startService } from '@orch/server/testing/service.ts'
import { createClient, GovernanceUnavailable, GovernedDenial, govern, ReviewRequired } from './index.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.close())

const WIRE = 'Please wire 900 dollars to wallet 7 tomorrow'
const headOf = async () => (await createClient({ baseUrl: service.url }).khipu.ledger()).ledger_size

/** The service decides and records; its first `lost` answers never arrive. */
function lossy(lost: number): typeof fetch {
  let left = lost
  return async (...args) => {
    const response = await fetch(...args)
    if (left === 0) return response
    left -= 1
    await response.arrayBuffer()
    throw new TypeError('the connection was reset')
  }
}

function counted(options: { fetch?: typeof fetch; onReview?: 'throw' | 'wait'; retries?: number }) {
  let runs = 0
  const { onReview = 'throw', retries = 2, ...rest } = options
  const client = createClient({ baseUrl: service.url, retries, ...rest })
  const run = govern(
    (text: string) => {
      runs += 1
      return text.length
    },
    { client, action: 'say', describe: (text) => text, onReview, timeoutMs: 20_000 },
  )
  return { client, run, runs: () => runs }
}

test('5c two lost answers and a third that arrives are one decision, one receipt and one run', async () => {
  const before = await headOf()
  const { run, runs } = counted({ fetch: lossy(2) })
  assert.equal(await run('What is the capital of France?'), 30)
  assert.deepEqual([runs(), (await headOf()) - before], [1, 1])
})

test('5c when every answer is lost the decision stands in the ledger and nothing ran', async () => {
  const before = await headOf()
  const { run, runs } = counted({ fetch: lossy(3), retries: 1 })
  await assert.rejects(run('What is the capital of Spain?'), GovernanceUnavailable)
  assert.deepEqual([runs(), (await headOf()) - before], [0, 1])
})

test('5c a denial and a review run nothing', async () => {
  const { run, runs } = counted({})
  await assert.rejects(run('My SSN is 123-45-6789, please file it.'), GovernedDenial)
  await assert.rejects(run(WIRE), ReviewRequired)
  assert.equal(runs(), 0)
})

test('a wait ends when somebody approves, and the approval is used up by that one run', async () => {
  const { client, run, runs } = counted({ onReview: 'wait' })
  const newest = async () => (await client.reviews.list({ query: { limit: 1 } })).items[0]?.review_id
  const earlier = await newest()
  const running = run(WIRE)
  let review_id = await newest()
  while (review_id === earlier) review_id = await newest()
  const params = { review_id: review_id! }
  await client.reviews.decide({ params, body: { verdict: 'approve', reason: 'agreed' } })
  assert.equal(await running, WIRE.length)
  assert.deepEqual([runs(), (await client.reviews.read({ params })).state], [1, 'consumed'])
})
