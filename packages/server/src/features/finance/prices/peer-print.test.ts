import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { type Envelope, importPublicKey, RECEIPT_PAYLOAD_TYPE, signEnvelope } from '@orch/core'
import { envelopeIn, judgePeerPrint } from './peer-print.ts'

const NOW = Date.parse('2026-01-02T04:00:00.000Z')
const pair = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = importPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString())!
  const sign = async (pae: Uint8Array) => ({
    sig: new Uint8Array(createSign('sha256').update(pae).sign(privateKey)),
    keyid: key.keyid,
  })
  return { key, sign }
}
const [pinned, unknownPeer] = [pair(), pair()]

const PAYLOAD = {
  symbol: 'BTC',
  quote: 'USD',
  state: 'REVIEW',
  price: '100.05',
  observed_at: '2026-01-02T04:00:00.000Z',
}
const body = (payload: object = {}, more: object = {}) =>
  JSON.stringify({ schema: 'orch.receipt/v1', kind: 'price', payload: { ...PAYLOAD, ...payload }, ...more })
const envelope = (text: string, type = RECEIPT_PAYLOAD_TYPE, { sign } = pinned): Promise<Envelope> =>
  signEnvelope(type, new TextEncoder().encode(text), sign)
const judged = async (value: unknown, now = NOW) => {
  const found = await judgePeerPrint(value, [pinned.key], 'BTC', now)
  return found.ok ? found.price : found.reason
}

test('a fresh price receipt under a pinned key counts', async () => {
  assert.equal(await judged(await envelope(body())), '100.05')
  assert.equal(await judged(await envelope(body()), NOW + 30_000), '100.05')
  assert.equal(await judged(await envelope(body()), NOW - 2_000), '100.05')
})

test('everything else is rejected with its reason', async () => {
  const good = await envelope(body())
  const flipped = { ...good, payload: Buffer.from(body({ price: '100.06' })).toString('base64') }
  const cases: [value: unknown, reason: string][] = [
    [null, 'INVALID_ENVELOPE'],
    [{}, 'INVALID_ENVELOPE'],
    [{ ...good, signatures: [] }, 'UNSIGNED_PRINT'],
    [await envelope(body(), RECEIPT_PAYLOAD_TYPE, unknownPeer), 'UNKNOWN_KEY'],
    [flipped, 'SIGNATURE_INVALID'],
    [await envelope(body(), 'application/vnd.other'), 'SIGNATURE_INVALID'],
    [await envelope('not json'), 'NOT_A_PRICE_RECEIPT'],
    [await envelope('{"kind":"price","kind":"price"}'), 'NOT_A_PRICE_RECEIPT'],
    [await envelope(body({}, { kind: 'decision' })), 'NOT_A_PRICE_RECEIPT'],
    [await envelope(body({ price: '0.00' })), 'NOT_A_PRICE_RECEIPT'],
    [await envelope(body({ price: '-1' })), 'NOT_A_PRICE_RECEIPT'],
    [await envelope(body({ price: 100.05 })), 'NOT_A_PRICE_RECEIPT'],
    [await envelope(body({ state: 'ABSTAIN' })), 'NOT_A_PRICE_RECEIPT'],
    [await envelope(body({ observed_at: '2026-13-02T04:00:00.000Z' })), 'NOT_A_PRICE_RECEIPT'],
    [await envelope(body({ symbol: 'ETH' })), 'SYMBOL_MISMATCH'],
    [await envelope(body({ quote: 'EUR' })), 'SYMBOL_MISMATCH'],
  ]
  for (const [value, reason] of cases) assert.equal(await judged(value), reason)
  assert.equal(await judged(good, NOW + 30_001), 'STALE_PRINT')
  assert.equal(await judged(good, NOW - 2_001), 'FUTURE_PRINT')
})

test('a key that the envelope names or brings along does not count', async () => {
  const foreign = await envelope(body(), RECEIPT_PAYLOAD_TYPE, unknownPeer)
  const claimed = { ...foreign, signatures: [{ ...foreign.signatures[0]!, keyid: pinned.key.keyid }] }
  assert.equal(await judged(claimed), 'SIGNATURE_INVALID')
  assert.equal(await judged({ ...foreign, public_key_pem: 'x' }), 'INVALID_ENVELOPE')
})

test('the envelope is found in a reply of this service, in a receipt and by itself', async () => {
  const good = await envelope(body())
  for (const reply of [good, { dsse: good }, { print: { dsse: good } }]) assert.deepEqual(envelopeIn(reply), good)
  for (const reply of [null, 7, [], 'x']) assert.equal(envelopeIn(reply), null)
})
