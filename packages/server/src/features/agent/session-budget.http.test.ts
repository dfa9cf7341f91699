import assert from 'node:assert/strict'
import { after } from 'node:test'
import { calmly, inTime } from '#testing/late-gates.ts'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'

// An observation costs 12,500: here a session cannot afford a single one.
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_SESSION_RISK_BUDGET: '10000' })
const run = async (body: object) => inTime(await post(`${service.url}/api/orch/v1/agent/loop`, JSON.stringify(body)))
const approve = (reviewId: string) =>
  post(
    `${service.url}/api/orch/v1/reviews/${reviewId}/decide`,
    JSON.stringify({ verdict: 'approve', reason: 'looked at it', reviewer: 'ada' }),
  )
let sessions = 0
const session = () => `session-${++sessions}`

calmly('an observation beyond the budget waits with the reviewer, and the approved one is given out', async () => {
  const request = { goal: 'hash "x"', session_id: session() }
  const pending = (await run(request)).json
  assert.deepEqual([pending.status, pending.halt.step, pending.steps[1].reasons], ['review', 1, ['BUDGET_EXCEEDED']])
  assert.deepEqual([pending.observations[0].dropped, pending.observations[0].output], [true, null])
  assert.equal((await approve(pending.review.review_id)).status, 200)
  const resumed = (await run({ ...request, review_id: pending.review.review_id })).json
  assert.deepEqual([resumed.status, resumed.steps.length], ['completed', 1], JSON.stringify(resumed.halt))
  assert.equal(resumed.observations.at(-1).output.algorithm, 'sha256')
})

calmly('a note beyond the budget is not written until a person says so, and then once', async () => {
  const request = { goal: 'remember "the harbour" as n', session_id: session() }
  const pending = (await run(request)).json
  assert.deepEqual([pending.status, pending.steps[1].executed], ['review', false])
  assert.equal((await approve(pending.review.review_id)).status, 200)
  const resumed = (await run({ ...request, review_id: pending.review.review_id })).json
  assert.deepEqual([resumed.status, resumed.steps[0].executed], ['completed', true], JSON.stringify(resumed.halt))
  const again = (await run({ ...request, review_id: pending.review.review_id })).json
  assert.equal(again.status, 'review')
})
