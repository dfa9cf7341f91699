import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { say, startStubUpstream } from '#testing/stub-upstream.ts'

const stub = await startStubUpstream({ after })
const service = await startApp(
  { after },
  { ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: stub.url, ORCH_UPSTREAM_MODEL: 'stub-model' },
)
const P = `${service.url}/api/orch/v1`
const chat = (content: string, headers = {}) =>
  post(
    `${service.url}/v1/chat/completions`,
    JSON.stringify({ model: 'stub-model', messages: [{ role: 'user', content }] }),
    headers,
  )
const infer = (body: object) => post(`${P}/govern/infer`, JSON.stringify(body))
const govern = (body: object) => post(`${P}/wow/govern`, JSON.stringify(body))
const approve = async (id: string) =>
  assert.equal(
    (await post(`${P}/reviews/${id}/decide`, JSON.stringify({ verdict: 'approve', reason: 'seen', reviewer: 'ann' })))
      .status,
    200,
  )
const pending = async (): Promise<number> => (await send(`${P}/reviews`)).json.counts.pending
const shown = async (): Promise<number> => service.app.ports.governance.tallies().reviewsOpened
const WIRE = 'Please wire 900 dollars to wallet 7 tomorrow'
const reset = (answer = 'Paris.') => {
  stub.asked.length = 0
  stub.answer(say(answer))
}

test('asking again while the request waits keeps its review, in all three ways of asking', async () => {
  reset()
  const [first, second, third] = [await chat(WIRE), await infer({ prompt: WIRE }), await govern({ text: WIRE })]
  const [one, two, three] = [first.json.error.review_id, second.json.review.review_id, third.json.review.review_id]
  const [waiting, counted] = [await pending(), await shown()]
  for (let times = 0; times < 3; times += 1) {
    const again = await chat(WIRE, { 'x-orch-review': one })
    assert.deepEqual([again.status, again.json.error.review_id], [409, one])
    const inferred = (await infer({ prompt: WIRE, review_id: two })).json
    assert.deepEqual([inferred.decision, inferred.review.review_id], ['review', two])
    const governed = (await govern({ text: WIRE, review_id: three })).json
    assert.deepEqual([governed.decision, governed.review.review_id], ['review', three])
    assert.ok(!governed.reasons.includes('APPROVAL_STALE'))
  }
  assert.deepEqual([await pending(), await shown(), stub.asked.length], [waiting, counted, 0])
  await approve(one)
  assert.equal((await chat(WIRE, { 'x-orch-review': one })).status, 200)
  await approve(three)
  assert.deepEqual((await govern({ text: WIRE, review_id: three })).json.reasons, ['APPROVED_BY_REVIEW'])
})

test('another request under a review that waits gets one of its own', async () => {
  reset()
  const first = (await govern({ text: WIRE })).json.review.review_id
  const other = (await govern({ text: `${WIRE}!`, review_id: first })).json
  assert.notEqual(other.review.review_id, first)
  assert.ok(other.reasons.includes('APPROVAL_STALE'))
  assert.notEqual((await chat(WIRE, { 'x-orch-review': first })).json.error.review_id, first)
})

test('asking again while the answer waits keeps its review and asks no target', async () => {
  reset('This is 100% safe.')
  const prompt = 'Is the bridge safe?'
  const [chatted, inferred] = [await chat(prompt), await infer({ prompt })]
  const [one, two] = [chatted.json.error.review_id, inferred.json.review.review_id]
  const waiting = await pending()
  const again = await chat(prompt, { 'x-orch-review': one })
  assert.deepEqual([again.status, again.json.error.review_id], [409, one])
  const other = (await infer({ prompt, review_id: two })).json
  assert.deepEqual([other.decision, other.review.review_id, other.answer], ['review', two, null])
  assert.deepEqual(other.reasons, inferred.json.reasons)
  const streamed = await infer({ prompt, review_id: two, stream: true })
  assert.ok(streamed.text.includes(two) && !streamed.text.includes('100%'))
  assert.deepEqual([await pending(), stub.asked.length], [waiting, 2])
})

test('the second use of an approved answer says that the approval is stale and waits anew', async () => {
  reset('This is 100% safe.')
  const prompt = 'Is the dam safe?'
  const chatted = (await infer({ prompt })).json
  const { review_id } = chatted.review
  await approve(review_id)
  const first = (await infer({ prompt, review_id })).json
  assert.deepEqual([first.decision, first.answer, stub.asked.length], ['allow', 'This is 100% safe.', 1])
  const second = (await infer({ prompt, review_id })).json
  assert.deepEqual([second.decision, second.answer], ['review', null])
  assert.ok(second.reasons.includes('APPROVAL_STALE'))
  assert.notEqual(second.review.review_id, review_id)
})

test('a stale approval of a request that needs one reaches no target', async () => {
  reset()
  const { review_id } = (await infer({ prompt: WIRE })).json.review
  await approve(review_id)
  assert.equal((await infer({ prompt: WIRE, review_id })).json.answer, 'Paris.')
  const second = (await infer({ prompt: WIRE, review_id })).json
  assert.ok(second.reasons.includes('APPROVAL_STALE'))
  assert.equal(stub.asked.length, 1)
})
