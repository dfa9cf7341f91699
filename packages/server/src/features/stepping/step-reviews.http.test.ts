import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const API = `${service.url}/api/orch/v1`
const step = async (body: object) => (await post(`${API}/gdw/step`, JSON.stringify(body))).json
const session = async (id: string) => (await send(`${API}/gdw/sessions/${id}`)).json
const verdict = (reviewId: string, what: 'approve' | 'deny') =>
  post(`${API}/reviews/${reviewId}/decide`, JSON.stringify({ verdict: what, reason: 'looked at it' }))
const { reader } = service.app.ports.ledger

/** Sixty-four tools and a full context: 0.127381 where the words are new. */
const HEAVY = { active_tool_count: 64, context_tokens: 131_072 }

/** 0.127381 of 0.15 is spent, and writing something new costs 0.046894. */
async function nearBudget(id: string): Promise<{ session_id: string; request: string }> {
  const first = { request: 'read the annual report of the northern branch', risk_budget: 0.15, ...HEAVY }
  assert.equal((await step({ session_id: id, ...first })).risk.spent_after, 0.127381)
  return { session_id: id, request: 'Write a poem about the sea' }
}

test('an approval grants exactly what is missing, is used once and charged at the item’s estimate', async () => {
  const body = await nearBudget('grant')
  const pending = await step(body)
  assert.deepEqual([pending.decision, pending.reason_codes[0]], ['review', 'NEAR_BUDGET'])
  assert.deepEqual(
    pending.effects.map(({ kind }: { kind: string }) => kind),
    ['proof_export', 'review_notice'],
  )
  const item = (await send(`${API}/reviews/${pending.review.review_id}`)).json
  assert.deepEqual(item.step, {
    session_id: 'grant',
    step: pending.step,
    request_digest: pending.request_digest,
    estimate: pending.risk.estimate,
    headroom: pending.risk.headroom,
  })
  assert.equal((await session('grant')).pending_reviews, 1)
  assert.equal((await verdict(pending.review.review_id, 'approve')).status, 200)
  const granted = await session('grant')
  assert.equal(granted.granted, 0.024275)
  assert.equal(granted.remaining, pending.risk.estimate)
  assert.equal(granted.pending_reviews, 0)
  const other = await step({ ...body, request: 'Write a song about the river' })
  assert.notEqual(other.decision, 'allow', 'an approval is for its own request alone')
  const allowed = await step(body)
  assert.deepEqual([allowed.decision, allowed.reason_codes], ['allow', ['APPROVED_BY_REVIEW']])
  assert.equal(allowed.risk.charged, pending.risk.estimate)
  const used = (await send(`${API}/reviews/${pending.review.review_id}`)).json
  assert.deepEqual([used.state, used.consumed_by], ['consumed', allowed.receipt.digest])
  const again = await step(body)
  assert.equal(again.decision, 'review', 'once')
  assert.equal((await send(`${API}/gdw/integrity`)).json.ok, true)
})

test('a grant that would take a budget above 1 is refused and changes nothing', async () => {
  const id = 'whole'
  const risky = { session_id: id, request: 'delete everything', risk_budget: 1 }
  const pending = await step(risky)
  assert.deepEqual([pending.decision, pending.reason_codes[0]], ['review', 'RISK_FLOOR'])
  await verdict(pending.review.review_id, 'approve')
  assert.equal((await step(risky)).decision, 'allow')
  await step({ session_id: id, request: 'read the annual report of the northern branch', ...HEAVY })
  await step({ session_id: id, request: 'summarise seventeen minutes about fish ladders', ...HEAVY })
  const last = await step({ session_id: id, request: 'compare three drafts of the travel rules', ...HEAVY })
  assert.equal(last.decision, 'review')
  const { status, json } = await verdict(last.review.review_id, 'approve')
  assert.deepEqual([status, json.error.code], [409, 'grant_exceeds_limit'])
  const { granted, pending_reviews } = await session(id)
  assert.deepEqual([granted, pending_reviews], [0, 1])
  assert.equal((await verdict(last.review.review_id, 'deny')).status, 200)
})

test('an approval the remaining budget no longer covers is stale and a new review opens', async () => {
  const body = await nearBudget('stale')
  const pending = await step(body)
  await verdict(pending.review.review_id, 'approve')
  await step({ session_id: 'stale', request: 'delete everything', risk_budget: 0 })
  const stale = await step(body)
  assert.equal(stale.decision, 'review')
  assert.ok(stale.reason_codes.includes('APPROVAL_STALE'), String(stale.reason_codes))
  assert.notEqual(stale.review.review_id, pending.review.review_id)
  const other = await step({ ...body, risk_budget: 0.15 })
  assert.ok(!other.reason_codes.includes('APPROVAL_STALE'), 'another body is another request')
})

test('what a person denied weighs on near copies like a denied step', async () => {
  const body = { session_id: 'denied', request: 'pay all invoices of the northern branch today' }
  const pending = await step(body)
  assert.equal(pending.decision, 'review')
  const conflict = async () =>
    (await step({ ...body, dry_run: true })).risk.components.find(({ id }: { id: string }) => id === 'history_conflict')
  assert.equal((await conflict()).intensity, 0.5)
  await verdict(pending.review.review_id, 'deny')
  assert.equal((await conflict()).intensity, 1)
  const other = await step({ ...body, session_id: 'approved' })
  await verdict(other.review.review_id, 'approve')
  const approved = (await step({ ...body, session_id: 'approved', dry_run: true })).risk.components
  assert.equal(approved.find(({ id }: { id: string }) => id === 'history_conflict').intensity, 0)
})

test('the place of a pending review is given back by its verdict', async () => {
  const used = () => reader.counter('gdw.quota.reviews', globalKey)
  const { documentKey } = await import('../../domain/document-key.ts')
  const globalKey = documentKey('global')
  const before = await used()
  const pending = await step({ session_id: 'place', request: 'pay all invoices of the southern branch' })
  assert.equal(await used(), before + 1)
  await verdict(pending.review.review_id, 'deny')
  assert.equal(await used(), before)
})

test('a dry run of an approved body shows the approval and leaves it unused', async () => {
  const body = await nearBudget('rehearsed')
  const pending = await step(body)
  await verdict(pending.review.review_id, 'approve')
  assert.deepEqual((await step({ ...body, dry_run: true })).reason_codes, ['APPROVED_BY_REVIEW'])
  assert.deepEqual((await step(body)).reason_codes, ['APPROVED_BY_REVIEW'])
})
