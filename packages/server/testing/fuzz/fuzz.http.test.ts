// The short form of the fuzz; `npm run soak` sends twenty times as many to each store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeReport } from './campaign.ts'
import { fuzzService } from './fuzz-service.ts'

test('a thousand fuzzed requests bring no server error, no hang, no leak and no answer that misfits its schema', async (t) => {
  // How long an answer takes is the soak’s to judge: here only one that never comes counts.
  const report = await fuzzService({ seed: 1, requests: 1000, store: 'memory', slowMs: 60_000 })
  t.diagnostic(describeReport(report))
  assert.deepEqual(report.findings, [], describeReport(report))
  assert.equal(report.sent, 1000)
  assert.ok((report.statuses[200] ?? 0) > 100, 'operations were reached, not only refusals')
})
