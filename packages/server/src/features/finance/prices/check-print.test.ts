// The stored receipt of a print, verified over a ledger that holds it, and over rows that somebody changed.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import type { Row } from '../../../ledger/contract.ts'
import { checkPrint, type VerifyingLedger } from './check-print.ts'
import type { Estimate } from './estimate.ts'
import { type Print, pricePayload } from './publisher.ts'

const AT = '2026-01-02T04:00:00.000Z'
const venue = (name: string, mid: string): Estimate['venues'][number] => ({
  ...{ venue: name, bid: mid, ask: mid, mid, last: null, venue_time: null, time_basis: 'RETRIEVAL_TIME', kept: true },
  ...{ fetched_at: AT, bytes_sha256: 'a'.repeat(64), reason: null },
})
const ESTIMATE: Estimate = {
  ...{ method: 'median-of-midpoints', price: '100.05', dispersion_bps: '9.9950', dispersion_before_drop_bps: '9.9950' },
  interval: { lower: '100', upper: '100.1' },
  venues: [venue('a', '100'), venue('b', '100.05'), venue('c', '100.1')],
}

const { app } = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_PRICE_PUBLISHER: 'off' }, [])
const { ledger } = app.ports
const draft = {
  ...{ ns: 'default', chain: 'finance.prices', kind: 'price' as const, ts_utc: AT, request_id: 'price', policy: null },
  actor: { owner: 'orch', key_id: null, auth_mode: 'internal' },
  payload: pricePayload('BTC', ESTIMATE, Date.parse(AT)),
}
const { digest } = await ledger.append(draft)
const PRINT: Print = { receiptId: digest, observedAt: Date.parse(AT), estimate: ESTIMATE }
const outcomeOf = async (print: Print, over: VerifyingLedger = ledger) => {
  const { signature, digest: found, keyKind } = await checkPrint(over, 'BTC', print)
  return [signature, found, keyKind]
}

test('a print as it was stored is verified under the key of this ledger', async () => {
  assert.deepEqual(await outcomeOf(PRINT), ['VERIFIED', 'MATCHES', 'demo'])
})

test('a print that says something else than its receipt does not match', async () => {
  assert.deepEqual(await outcomeOf({ ...PRINT, estimate: { ...ESTIMATE, price: '100.06' } }), [
    'VERIFIED',
    'MISMATCH',
    'demo',
  ])
  assert.deepEqual(await outcomeOf({ ...PRINT, observedAt: PRINT.observedAt + 1 }), ['VERIFIED', 'MISMATCH', 'demo'])
  const venues = [venue('a', '99'), ...ESTIMATE.venues.slice(1)]
  assert.deepEqual(await outcomeOf({ ...PRINT, estimate: { ...ESTIMATE, venues } }), ['VERIFIED', 'MISMATCH', 'demo'])
  assert.deepEqual(await outcomeOf({ ...PRINT, receiptId: '0'.repeat(64) }), ['INVALID', 'MISMATCH', null])
})

/** The ledger with one row as whoever can write to the store left it. */
const edited = (change: (row: Row) => Row): VerifyingLedger => ({
  ...{ vkey: ledger.vkey, state: () => ledger.state(), reportBreak: () => undefined },
  reader: new Proxy(ledger.reader, {
    get: (target, name) =>
      name === 'byDigest'
        ? async (wanted: string) => change((await target.byDigest(wanted))!)
        : Reflect.get(target, name).bind(target),
  }),
})

test('one flipped byte, a foreign signature and a signature taken off are noticed', async () => {
  const flipped = edited((row) => ({
    ...row,
    body: Buffer.from(Buffer.from(row.body).toString().replace('100.05', '900.05')),
  }))
  assert.deepEqual(await outcomeOf(PRINT, flipped), ['INVALID', 'MISMATCH', 'demo'])
  const forged = edited((row) => ({ ...row, signature: row.signature!.toReversed() }))
  assert.equal((await outcomeOf(PRINT, forged))[0], 'INVALID')
  const stripped = edited((row) => ({ ...row, signature: null, keyid: null, keyKind: null }))
  assert.notEqual((await outcomeOf(PRINT, stripped))[0], 'VERIFIED')
})
