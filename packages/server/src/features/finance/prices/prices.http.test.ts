// Signed prices of the whole service, over venues on this machine.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { importPublicKey, RECEIPT_PAYLOAD_TYPE, verifyAny, verifyEnvelope } from '@orch/core'
import { describedOperations } from '#testing/every-operation.ts'
import { sent, startVenues, tickersOfNow, type VenueAnswer, type VenueName } from '#testing/finance/venues.ts'
import { type Scope, startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'

const P = '/api/orch/v1/finance/signed-prices'
const AGREEING = { coinbase: '100.00', kraken: '100.05', bitstamp: '100.10', gemini: '100.05' }

async function service(scope: Scope, answers: Partial<Record<VenueName, VenueAnswer>> = {}, env = {}) {
  const current = { ...tickersOfNow(AGREEING), ...answers }
  const venues = await startVenues(scope as { after(clean: () => unknown): void }, current)
  const app = await startApp(scope, { ORCH_STORE: 'memory', ...venues.env, ...env }, [])
  return { ...app, ...venues, current }
}
const sizeOf = ({ app }: Awaited<ReturnType<typeof startApp>>): number => app.ports.ledger.state().size
const plain = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_OUTBOUND: 'off' }, [])

test('three venues that agree are a price with a receipt that verifies offline, and the GET signed nothing', async (t) => {
  const running = await service(t, { gemini: sent({}, 503) })
  const before = sizeOf(running)
  const { status, json } = await send(`${running.url}${P}/BTC`)
  assert.deepEqual([status, json.state, json.label, json.price], [200, 'REVIEW', 'MODELED', '100.05'])
  assert.deepEqual([json.mode, json.decision_reasons, json.can_authorize], ['live', [], false])
  assert.deepEqual([json.execution_enabled, json.trading_enabled, json.advisory_only], [false, false, true])
  assert.deepEqual(
    json.estimate.venues.map(({ venue, kept: isKept, label, reason }: Record<string, unknown>) => [
      venue,
      isKept,
      label,
      reason,
    ]),
    [
      ['coinbase', true, 'LIVE', null],
      ['kraken', true, 'LIVE', null],
      ['bitstamp', true, 'LIVE', null],
      ['gemini', false, 'UNAVAILABLE', 'UPSTREAM_HTTP_503'],
    ],
  )
  assert.deepEqual(
    [json.verification.signature, json.verification.digest, json.verification.fresh],
    ['VERIFIED', 'MATCHES', true],
  )
  assert.equal(json.verification.key_kind, 'demo')
  const key = importPublicKey((await send(`${running.url}/cosign.pub?keyid=${json.verification.keyid}`)).text)!
  assert.equal((await verifyEnvelope(json.print.dsse, [key], RECEIPT_PAYLOAD_TYPE)).status, 'VERIFIED')
  const body = JSON.parse(Buffer.from(json.print.dsse.payload, 'base64').toString('utf8'))
  assert.deepEqual(
    [body.kind, body.chain, body.payload.price, body.payload.key_kind, body.actor.auth_mode],
    ['price', 'finance.prices', '100.05', 'demo', 'internal'],
  )
  assert.equal(sizeOf(running), before + 1)
  const again = await send(`${running.url}${P}/BTC`)
  assert.deepEqual([again.json.mode, again.json.print.receipt_id], ['cached', json.print.receipt_id])
  assert.deepEqual([again.json.estimate.venues[0].label, sizeOf(running)], ['SAMPLE', before + 1])
})

test('after a restart the newest print is shown and verified, though no venue answers any more', async (t) => {
  const folder = join(freshFolder('prints'), 'data')
  const closing: (() => unknown)[] = []
  const first = await service(
    { after: (close) => void closing.push(close) },
    {},
    { ORCH_STORE: 'sqlite', ORCH_DATA: folder },
  )
  const { json: taken } = await send(`${first.url}${P}/BTC`)
  assert.equal(taken.state, 'REVIEW')
  for (const close of closing.toReversed()) await close()
  const down = sent({}, 503)
  const answers = { coinbase: down, kraken: down, bitstamp: down, gemini: down }
  const second = await service(t, answers, { ORCH_STORE: 'sqlite', ORCH_DATA: folder })
  const { json: shown } = await send(`${second.url}${P}/BTC`)
  assert.deepEqual([shown.print.receipt_id, shown.print.dsse], [taken.print.receipt_id, taken.print.dsse])
  assert.deepEqual([shown.verification.signature, shown.verification.digest], ['VERIFIED', 'MATCHES'])
})

test('a saved reply is evidence: offline it holds but for the demo key, and a price told otherwise contradicts it', async (t) => {
  const running = await service(t)
  const { json, text } = await send(`${running.url}${P}/BTC`)
  const key = importPublicKey((await send(`${running.url}/cosign.pub?keyid=${json.verification.keyid}`)).text)!
  const trust = { keys: [{ key, kind: 'production' as const }], checkedAt: json.served_at }
  const judged = async (reply: unknown) => {
    const { verdict, kind, checks } = await verifyAny(reply, trust)
    return [verdict, kind, checks[0]!.status, checks[0]!.reason]
  }
  const holds = 'a canonical receipt body, and the price that is told is the one it signs'
  assert.deepEqual(await judged(text), ['PARTIAL', 'reply', 'VERIFIED', holds])
  const { print, estimate } = json
  const [first, ...venues] = estimate.venues
  const changes: [what: string, change: object][] = [
    ['symbol', { symbol: 'ETH' }],
    ['price', { price: '100.06' }],
    ['price', { state: 'ABSTAIN' }],
    ['print.receipt_id', { print: { ...print, receipt_id: '0'.repeat(64) } }],
    ['print.observed_at', { print: { ...print, observed_at: '2020-01-01T00:00:00.000Z' } }],
    ['print.expires_at', { print: { ...print, expires_at: '2099-01-01T00:00:00.000Z' } }],
    ['estimate.interval', { estimate: { ...estimate, interval: null } }],
    ['estimate.venues', { estimate: { ...estimate, venues: [{ ...first, bid: '99' }, ...venues] } }],
    ['estimate.venues', { estimate: { ...estimate, venues } }],
  ]
  for (const [what, change] of changes)
    assert.deepEqual(await judged({ ...json, ...change }), [
      ...['FAIL', 'reply', 'MISMATCH', `${what} of this reply is not what was signed`],
    ])
  const later = { ...json, state: 'ABSTAIN', price: null, estimate: null, decision_reasons: ['INSUFFICIENT_VENUES'] }
  assert.deepEqual(await judged(later), ['PARTIAL', 'reply', 'VERIFIED', holds], 'an abstention tells no price')
  const { print: _, ...renamed } = json
  assert.equal((await judged({ ...renamed, Print: print }))[0], 'FAIL')
  const foreign = (await post(`${running.url}/api/orch/v1/wow/govern?envelope=1`, '{"text":"What is 2 + 2?"}')).json
  const wrapped = { ...json, print: { ...print, dsse: foreign.receipt.dsse } }
  assert.deepEqual((await judged(wrapped)).slice(0, 3), ['FAIL', 'reply', 'MISMATCH'])
})

test('a hundred readers at once make one request to each venue and one print', async (t) => {
  const running = await service(t)
  const before = sizeOf(running)
  const replies = await Promise.all(Array.from({ length: 100 }, () => send(`${running.url}${P}/BTC`)))
  assert.ok(
    replies.every(({ json }) => json.state === 'REVIEW' && json.print.receipt_id === replies[0]!.json.print.receipt_id),
  )
  assert.deepEqual([running.asked.length, sizeOf(running)], [4, before + 1])
})

test('two venues and venues that disagree are an abstention without a price or a receipt', async (t) => {
  const down = sent({}, 503)
  const short = await service(t, { kraken: down, gemini: down })
  const far = tickersOfNow({ coinbase: '100', kraken: '101', bitstamp: '102', gemini: '101' })
  const apart = await service(t, { ...far, gemini: down })
  for (const [running, reasons] of [
    [short, ['INSUFFICIENT_VENUES']],
    [apart, ['INSUFFICIENT_VENUES', 'DISPERSION_EXCEEDED']],
  ] as const) {
    const before = sizeOf(running)
    const { status, json } = await send(`${running.url}${P}/BTC`)
    assert.deepEqual([status, json.state, json.price, json.label], [200, 'ABSTAIN', null, 'UNAVAILABLE'])
    assert.deepEqual([json.decision_reasons, json.print, json.estimate.price], [reasons, null, null])
    assert.equal(sizeOf(running), before)
  }
})

test('without a network the price is unreachable, and says so', async (t) => {
  const running = await startApp(t, { ORCH_STORE: 'memory', ORCH_OUTBOUND: 'off' }, [])
  const { status, json } = await send(`${running.url}${P}/SOL`)
  assert.deepEqual([status, json.state, json.mode, json.price], [200, 'ABSTAIN', 'unreachable', null])
  assert.deepEqual(json.decision_reasons, ['INSUFFICIENT_VENUES'])
  assert.ok(json.estimate.venues.every(({ reason }: { reason: string }) => reason === 'TRANSPORT_DISABLED'))
})

test('with the publisher off nothing is asked, and a sweep over every GET leaves the ledger as it was', async (t) => {
  const running = await service(t, {}, { ORCH_PRICE_PUBLISHER: 'off', ORCH_OUTBOUND: 'off' })
  const description = (await send(`${running.url}/openapi.json`)).json
  const paths: { get?: { operationId: string } }[] = Object.values(description.paths)
  const reads = new Set(paths.map(({ get }) => get?.operationId))
  const before = sizeOf(running)
  let called = 0
  for (const { id, call } of await describedOperations(running.url)) {
    if (!reads.has(id)) continue
    await call({})
    called += 1
  }
  assert.ok(called > 80, `${called} operations`)
  assert.equal(sizeOf(running), before)
  const { json } = await send(`${running.url}${P}/BTC`)
  assert.deepEqual([json.decision_reasons, json.publisher, running.asked.length], [['PUBLISHER_OFF'], 'off', 0])
})

test('HEAD leaves no mark that somebody reads the price', async (t) => {
  const running = await service(t)
  assert.equal((await send(`${running.url}${P}/BTC`, { method: 'HEAD' })).status, 200)
  const first = await send(`${running.url}${P}/ETH`)
  assert.equal(first.status, 200)
  assert.ok(
    running.asked.every((path) => !/btc/i.test(path)),
    'the turn after it asked for the other symbol alone',
  )
})

test('symbols that are none are 422, unknown ones 404, and any query is 422', async () => {
  for (const [path, status, name] of [
    ['btc', 422, 'symbol_name'],
    ['B', 422, 'symbol_name'],
    ['ABCDEFGHIJK', 422, 'symbol_name'],
    ['BTC-USD', 422, 'symbol_name'],
    ['BT1', 422, 'symbol_name'],
    ['BTC?fresh=1', 422, 'fresh'],
    ['model?x=1', 422, 'x'],
  ] as const) {
    const { status: found, json } = await send(`${plain.url}${P}/${path}`)
    assert.deepEqual([found, json.detail?.[0]?.loc.at(-1)], [status, name], path)
  }
  for (const symbol of ['XX', 'DOGE', 'ABCDEFGHIJ']) {
    const { status, json } = await send(`${plain.url}${P}/${symbol}`)
    assert.deepEqual([status, json.error.code], [404, 'unknown_symbol'])
  }
})

test('the model is a simulation of two cases, the same for everybody', async () => {
  const [{ status, json }, again] = [await send(`${plain.url}${P}/model`), await send(`${plain.url}${P}/model`)]
  assert.deepEqual([status, json.label, json.now], [200, 'SIMULATED', 1000])
  assert.deepEqual(
    json.cases.map(({ case: name, venue_median, reference, groups, group_mad_bps }: Record<string, unknown>) => [
      ...[name, venue_median, reference, groups, group_mad_bps],
    ]),
    [
      ['single_outlier', '100.5', '100.5', 4, '99.50248756'],
      ['correlated_venue_cluster', '1000', '100.5', 4, '99.50248756'],
    ],
  )
  assert.deepEqual(again.json.computation, json.computation)
  assert.deepEqual([json.computation.signed, json.computation.persistence], [false, 'CALLER_HELD'])
  const verify = `${plain.url}/api/orch/v1/finance/analytics/v2/receipts/verify`
  const verdict = async (envelope: object) => (await post(verify, JSON.stringify({ envelope }))).json.integrity.verdict
  assert.equal(await verdict(json), 'VALID')
  assert.equal(await verdict({ ...json, now: 1001 }), 'INVALID')
})

test('the print of another service counts under a pinned key alone, and is shown beside our own', async (t) => {
  const peer = await service(t)
  const first = await send(`${peer.url}${P}/BTC`)
  const pem = (await send(`${peer.url}/cosign.pub?keyid=${first.json.verification.keyid}`)).text
  const folder = freshFolder('price-peer')
  const pinned = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return { ORCH_PRICE_PEER_URL: `${peer.url}${P}/BTC`, ORCH_PRICE_PEER_KEYS: join(folder, name) }
  }
  const prices = { coinbase: '101.0505', kraken: '101.0505', bitstamp: '101.0505', gemini: '101.0505' }
  const trusting = await service(t, tickersOfNow(prices), pinned('peer.pem', pem))
  const { json } = await send(`${trusting.url}${P}/BTC`)
  assert.deepEqual([json.state, json.price], ['REVIEW', '101.0505'])
  assert.deepEqual([json.third_party.state, json.third_party.price], ['VERIFIED', '100.05'])
  assert.equal(json.third_party.difference_bps, '-99.0099')
  const other = await send(`${trusting.url}${P}/ETH`)
  assert.deepEqual([other.json.third_party.state, other.json.third_party.reason], ['REJECTED', 'SYMBOL_MISMATCH'])
  const ownKey = (await send(`${trusting.url}/cosign.pub`)).text
  const untrusted = await service(t, { kraken: sent({}, 503), gemini: sent({}, 503) }, pinned('own.pem', ownKey))
  const refused = await send(`${untrusted.url}${P}/BTC`)
  assert.deepEqual([refused.json.third_party.state, refused.json.third_party.reason], ['REJECTED', 'UNKNOWN_KEY'])
  assert.deepEqual([refused.json.state, refused.json.third_party.price, refused.json.price], ['ABSTAIN', null, null])
})
