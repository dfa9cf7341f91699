import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'

const P = '/api/orch/v1'
const measuredAt = async (url: string) => (await send(`${url}${P}/wow/roi`)).json.measured
const FOR_REVIEW = 'Please wire 900 dollars to wallet 7 tomorrow'

test('reviews are those of the store also after a restart, where every count since the start is nought', async (t) => {
  const data = freshFolder('roi')
  t.after(() => rmSync(data, { recursive: true, force: true }))
  const env = { ORCH_DATA: data }
  const first = await startApp(t, env, [])
  const underReview = await post(`${first.url}${P}/wow/govern`, JSON.stringify({ text: FOR_REVIEW }))
  assert.equal(underReview.json.decision, 'review')
  const before = await measuredAt(first.url)
  assert.deepEqual([before.reviews.pending, before.since_start.reviews_opened], [1, 1])
  await first.stop()
  const second = await startApp(t, env, [])
  const after = await measuredAt(second.url)
  assert.deepEqual([after.reviews.pending, after.since_start.reviews_opened], [1, 0])
  assert.deepEqual(after.since_start.decisions, { allow: 0, review: 0, deny: 0 })
  assert.deepEqual(after.reviews, (await send(`${second.url}${P}/reviews`)).json.counts)
  const { review_id } = underReview.json.review
  await post(
    `${second.url}${P}/reviews/${review_id}/decide`,
    JSON.stringify({ verdict: 'deny', reason: 'not this quarter', reviewer: 'ann' }),
  )
  const decided = await measuredAt(second.url)
  assert.deepEqual([decided.reviews.pending, decided.reviews.denied], [0, 1])
})

test('a decision is one receipt of kind decision; steps and scans of tool output are counted apart', async (t) => {
  const { url, app } = await startApp(t, { ORCH_STORE: 'memory' }, [])
  await post(`${url}${P}/wow/govern`, JSON.stringify({ text: 'What is the capital of France?' }))
  const run = await post(`${url}${P}/agent/loop`, JSON.stringify({ goal: 'calculate 2+3*4 then hash "hello"' }))
  assert.equal(run.json.status, 'completed')
  const { since_start: counted } = await measuredAt(url)
  const rows = (await send(`${url}/api/orch/khipu/ledger?limit=50`)).json.receipts as { kind: string }[]
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind).length
  assert.equal(sum(counted.decisions), ofKind('decision'))
  assert.equal(sum(counted.verdicts), ofKind('agent-step'))
  assert.equal(sum(counted.output_scans), run.json.observations.length)
  const text = await app.ports.metrics.text()
  assert.match(text, /orch_decisions_total\{decision="allow",surface="agent"\} 3\n/)
  assert.match(text, /orch_output_scans_total\{decision="allow",surface="agent"\} 2\n/)
})

test('the cost of governance is the caller’s only where the caller sent it', async (t) => {
  const { url } = await startApp(t, { ORCH_STORE: 'memory' }, [])
  const source = async (query: string) => {
    const { total } = (await send(`${url}${P}/wow/roi${query}`)).json.modeled
    return [total.governance_cost, total.governance_cost_source]
  }
  assert.deepEqual(await source(''), ['0.00', 'DEFAULT'])
  assert.deepEqual(await source('?governance_cost_usd=0'), ['0.00', 'CALLER'])
  assert.deepEqual(await source('?governance_cost_usd=5'), ['5.00', 'CALLER'])
})

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0)
