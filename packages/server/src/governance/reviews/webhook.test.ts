import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { ExchangeRequest, FailureCode, JsonExchange } from '../../adapters/outbound/contract.ts'
import { noticeBody, type ReviewNotice } from './notice.ts'
import { reviewWebhook } from './webhook.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')
const notice: ReviewNotice = {
  review_id: 'rev_1',
  url: 'https://orch.example/api/orch/v1/reviews/rev_1',
  expires_at: '2026-11-17T12:00:00.000Z',
  operation: 'governance.govern',
  question: 'Refund <!channel> & [P02]',
  tool: 'refund',
  tool_sha256: 'a'.repeat(64),
  agent: 'billing-bot',
  reasons: ['POLICY_REVIEW'],
}
const webhook = { url: 'https://hooks.example/', secret: null as string | null, format: 'json' as 'json' | 'slack' }

/** Answers with each code in turn, the last one for good; null is a delivery. */
function receiver(codes: (FailureCode | null)[], settings = webhook, closing = new AbortController()) {
  const [sent, waits, warned]: [ExchangeRequest[], number[], object[]] = [[], [], []]
  const exchange: JsonExchange = async (request) => {
    const code = codes[Math.min(sent.push(request), codes.length) - 1]!
    return code === null ? { ok: true, value: {} } : { ok: false, code }
  }
  const clock = { now: () => NOW }
  const log = { warn: (fields: object) => warned.push(fields) }
  const wait = async (ms: number) => waits.push(ms)
  const notify = reviewWebhook(settings, { exchange, log: log as never, clock, signal: closing.signal, wait })
  return { sent, waits, warned, clock, notify }
}

test('9.2: a notice that is not delivered is sent again with growing waits until it is', async () => {
  const { sent, waits, warned, notify } = receiver(['TRANSPORT_UNAVAILABLE', 'UPSTREAM_HTTP_503', 'UPSTREAM_HTTP_204'])
  await notify(notice)
  assert.deepEqual([sent.length, warned], [3, []])
  assert.ok(waits[0]! >= 1500 && waits[1]! > waits[0]!, String(waits))
})

test('9.2: after five tries it is given up, and the log says so', async () => {
  const { sent, warned, notify } = receiver(['UPSTREAM_HTTP_429'])
  await notify(notice)
  assert.equal(sent.length, 5)
  assert.deepEqual(warned, [{ code: 'UPSTREAM_HTTP_429', tries: 5, review_id: 'rev_1' }])
})

test('9.2: what would be refused again is not sent again', async () => {
  for (const code of ['UPSTREAM_HTTP_404', 'UPSTREAM_HTTP_301', 'DESTINATION_DENIED', 'TRANSPORT_DISABLED'] as const) {
    const { sent, notify } = receiver([code])
    await notify(notice)
    assert.equal(sent.length, 1, code)
  }
})

test('9.2: tries end with the review and with the service', async () => {
  const ended = receiver(['UPSTREAM_HTTP_500'])
  ended.clock.now = () => Date.parse(notice.expires_at)
  await ended.notify(notice)
  const closing = new AbortController()
  const stopped = receiver(['UPSTREAM_HTTP_500'], webhook, closing)
  closing.abort()
  await stopped.notify(notice)
  assert.deepEqual([ended.sent.length, stopped.sent.length, stopped.warned.length], [1, 1, 1])
})

test('9.2: a receiver that never answers does not fill the memory with notices', async () => {
  const { sent, notify } = receiver(['RESPONSE_DEADLINE'])
  await Promise.all(Array.from({ length: 300 }, () => notify(notice)))
  assert.equal(sent.length, 200 * 5 + 100)
})

test('an exchange that rejects or throws leaves the decision and the process alone', async () => {
  for (const exchange of [() => Promise.reject(new Error('planted')), () => assert.fail('planted')] as JsonExchange[]) {
    const warned: object[] = []
    const log = { warn: (fields: object) => warned.push(fields) } as never
    const parts = { exchange, log, clock: { now: () => NOW }, signal: AbortSignal.abort() }
    await reviewWebhook(webhook, parts)(notice)
    assert.deepEqual(warned, [{ code: 'NOTICE_FAILED', tries: 1, review_id: 'rev_1' }])
  }
})

test('9.2: every try is signed anew over its time and its body, and without a secret nothing claims to be signed', async () => {
  const secret = '0123456789abcdef'
  const { sent, clock, notify } = receiver(['UPSTREAM_HTTP_500', null], { ...webhook, secret })
  let calls = 0
  clock.now = () => NOW + 60_000 * calls++
  await notify(notice)
  const times = sent.map(({ headers, body }) => {
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers!['x-orch-signature']!)!
    assert.equal(v1, createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'))
    return Number(t)
  })
  assert.ok(times[1]! > times[0]!)
  const unsigned = receiver([null])
  await unsigned.notify(notice)
  assert.deepEqual(unsigned.sent[0]!.headers, {})
})

test('9.2: the plain body tells question, tool, agent, link and the reasons in words', () => {
  const { explanations, ...body } = JSON.parse(noticeBody(notice, 'json'))
  assert.deepEqual(body, { schema: 'orch.review-notice/v1', ...notice })
  assert.equal(explanations[0].code, 'POLICY_REVIEW')
})

test('9.2: the Slack message shows the question as plain text and links to the review', () => {
  const { text, blocks } = JSON.parse(noticeBody(notice, 'slack'))
  assert.match(text, /^A decision waits for a person: /)
  assert.deepEqual(blocks[1].text, { type: 'plain_text', text: notice.question, emoji: false })
  assert.match(blocks[2].elements[0].text, /^refund · agent billing-bot · governance\.govern · until 2026-11-17/)
  assert.equal(blocks[3].text.text, `<${notice.url}|Open the review>`)
  const elsewhere = JSON.parse(noticeBody({ ...notice, url: '/api/x', question: null, tool: null }, 'slack')).blocks
  assert.equal(elsewhere[3].text.text, 'orch review show rev_1')
  assert.match(elsewhere[1].text.text, /not shown/)
  assert.match(elsewhere[2].elements[0].text, /^unregistered tool aaaaaaaaaaaa/)
})
