// The publisher and the reader over venues on this machine that speak the formats of the real ones, with a clock and turns
// of the test's own.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  bitstampTicker as bitstamp,
  coinbaseTicker as coinbase,
  geminiTicker as gemini,
  JSON_HEAD,
  krakenTicker as kraken,
  sent,
  startVenues,
  type VenueAnswer,
  type VenueName,
} from '#testing/finance/venues.ts'
import { documentStore, movedClock } from '#testing/readings/reader.ts'
import { StoreCache } from '../../../adapters/outbound/cache.ts'
import { openOutbound } from '../../../adapters/outbound/outbound.ts'
import { provider } from '../../../adapters/outbound/providers.ts'
import { ServiceError } from '../../../errors.ts'
import type { Appended } from '../../../ledger/contract.ts'
import type { SignerStatus } from '../../../ports.ts'
import { decidePrice, type PrintCheck } from './decision.ts'
import type { Estimate } from './estimate.ts'
import { savedPrints } from './io/saved-prints.ts'
import { readVenues } from './io/venues.ts'
import { PricePublisher, type PublisherMode } from './publisher.ts'
import type { PriceSymbol, ThirdParty } from './schemas.ts'

const NOW = Date.parse('2026-01-02T04:00:00.000Z')

async function venues(t: TestContext, answers: Partial<Record<VenueName, VenueAnswer>> = {}) {
  const { asked, origins } = await startVenues(t, {
    ...{ coinbase: sent(coinbase()), kraken: sent(kraken()), bitstamp: sent(bitstamp()), gemini: sent(gemini()) },
    ...answers,
  })
  const rows = Object.entries(origins).map(([name, origin]) => provider({ id: name.toUpperCase(), origins: [origin] }))
  const clock = movedClock()
  const times = { connectMs: 3000, firstByteMs: 6000, wholeMs: 1500 }
  const outbound = openOutbound({ enabled: true, privateHosts: [] }, rows, { store: documentStore(), clock, times })
  return { asked, clock, outbound }
}

test('four venues are read in their own formats, and each says what its freshness rests on', async (t) => {
  const { asked, outbound } = await venues(t)
  const quotes = await readVenues(outbound, 'BTC')
  assert.deepEqual(
    quotes.map(({ venue, bid, ask, venue_time, time_basis, reason }) => [
      venue,
      bid,
      ask,
      venue_time,
      time_basis,
      reason,
    ]),
    [
      ['coinbase', '100', '100', '2026-01-02T03:59:58.935Z', 'VENUE_TIME_OF_LAST_TRADE', null],
      ['kraken', '100.05', '100.05', null, 'RETRIEVAL_TIME', null],
      ['bitstamp', '100.1', '100.1', '2026-01-02T03:59:59.000Z', 'VENUE_TIME_OF_TICKER', null],
      ['gemini', '100.05', '100.05', '2026-01-02T04:00:00.000Z', 'VENUE_END_OF_VOLUME_WINDOW', null],
    ],
  )
  assert.deepEqual(asked.toSorted(), [
    'bitstamp /api/v2/ticker/btcusd/',
    'coinbase /products/BTC-USD/ticker',
    'gemini /v1/pubticker/btcusd',
    'kraken /0/public/Ticker?pair=XBTUSD',
  ])
})

test('the pairs of the other symbols', async (t) => {
  const { asked, outbound } = await venues(t)
  await readVenues(outbound, 'ETH')
  await readVenues(outbound, 'SOL')
  for (const path of [
    'coinbase /products/ETH-USD/ticker',
    'kraken /0/public/Ticker?pair=ETHUSD',
    'bitstamp /api/v2/ticker/solusd/',
    'gemini /v1/pubticker/solusd',
  ])
    assert.ok(asked.includes(path), path)
})

const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString()
const HOSTILE: readonly [name: VenueName, what: string, reason: string, answer: VenueAnswer][] = [
  ['coinbase', 'a page', 'NON_JSON_RESPONSE', sent('<html>', 200, { 'content-type': 'text/html' })],
  [
    'coinbase',
    'an encoded body',
    'ENCODED_RESPONSE_DENIED',
    sent('x', 200, { ...JSON_HEAD, 'content-encoding': 'gzip' }),
  ],
  ['coinbase', 'more than 64 KiB', 'RESPONSE_TOO_LARGE', sent(`"${'x'.repeat(2 ** 16)}"`)],
  ['coinbase', 'no number', 'INVALID_SOURCE_NUMBER', sent(coinbase('NaN'))],
  ['coinbase', 'NaN itself', 'NONFINITE_JSON', sent('{"bid":NaN}')],
  ['coinbase', 'a key twice', 'DUPLICATE_JSON_KEY', sent('{"bid":"1","bid":"2"}')],
  ['coinbase', 'a point', 'ONE_SIDED', sent(coinbase('.', '100', { price: '1' }))],
  ['coinbase', 'no ask', 'ONE_SIDED', sent(coinbase('100', '100', { ask: null }))],
  ['coinbase', 'a crossed book', 'CROSSED', sent(coinbase('100.1', '100'))],
  ['coinbase', 'nothing for a price', 'NON_POSITIVE', sent(coinbase('0', '100'))],
  ['coinbase', 'a price below zero', 'NON_POSITIVE', sent(coinbase('-1', '100'))],
  ['coinbase', 'a list', 'INVALID_SOURCE_SCHEMA', sent([])],
  ['coinbase', 'no time', 'INVALID_SOURCE_TIMESTAMP', sent(coinbase('1', '1', { time: 'now' }))],
  ['coinbase', 'a time 301 s ago', 'VENUE_CLOCK', sent(coinbase('1', '1', { time: at(-301) }))],
  ['coinbase', 'a time 3 s ahead', 'VENUE_CLOCK', sent(coinbase('1', '1', { time: at(3) }))],
  ['coinbase', 'no such product', 'NOT_LISTED', sent({ message: 'NotFound' }, 404)],
  ['coinbase', 'a limit', 'UPSTREAM_HTTP_429', sent({}, 429)],
  ['coinbase', 'a redirect elsewhere', 'REDIRECT_DENIED', sent('', 302, { location: 'http://169.254.169.254/' })],
  ['coinbase', 'no answer', 'RESPONSE_DEADLINE', () => undefined],
  ['kraken', 'an unknown pair', 'NOT_LISTED', sent({ error: ['EQuery:Unknown asset pair'] })],
  ['kraken', 'an error and a result', 'VENUE_ERROR', sent({ ...kraken(), error: ['EService:Busy'] })],
  ['kraken', 'another pair', 'IDENTITY_MISMATCH', sent(kraken('1', '1', 'XETHZUSD'))],
  ['kraken', 'two pairs', 'IDENTITY_MISMATCH', sent({ error: [], result: { ...kraken().result, SOLUSD: {} } })],
  ['kraken', 'no list of errors', 'INVALID_SOURCE_SCHEMA', sent({ result: kraken().result })],
  ['bitstamp', 'another pair', 'IDENTITY_MISMATCH', sent(bitstamp('1', '1', { pair: 'ETH/USD' }))],
  ['bitstamp', 'an old ticker', 'VENUE_CLOCK', sent(bitstamp('1', '1', { timestamp: '1767326099' }))],
  ['gemini', 'another pair', 'IDENTITY_MISMATCH', sent(gemini('1', '1', { BTC: undefined, ETH: '1' }))],
  ['gemini', 'no volume', 'INVALID_SOURCE_SCHEMA', sent({ bid: '1', ask: '1', last: '1' })],
]
for (const [name, what, reason, answer] of HOSTILE)
  test(`${name} with ${what} counts for nothing: ${reason}`, async (t) => {
    const { outbound, clock } = await venues(t, { [name]: answer })
    const { publisher, appended } = publisherOver(outbound, clock)
    publisher.mark('BTC')
    await publisher.turn()
    const rows = publisher.newest('BTC').attempt!.estimate.venues
    const row = rows.find(({ venue }) => venue === name)!
    assert.deepEqual([row.kept, row.reason, row.mid], [false, reason, null])
    // Three are left and agree.
    assert.equal(appended.length, 1)
  })

test('the clock of a venue at its bounds counts', async (t) => {
  for (const time of [at(-300), at(2)]) {
    const { outbound } = await venues(t, { coinbase: sent(coinbase('1', '1', { time })) })
    assert.equal((await readVenues(outbound, 'BTC'))[0]!.reason, null)
  }
})

test('the end of a volume window may be six minutes old, and not a second older', async (t) => {
  for (const [age, reason] of [
    [301, null],
    [360, null],
    [361, 'VENUE_CLOCK'],
    [-3, 'VENUE_CLOCK'],
  ] as const) {
    const { outbound } = await venues(t, { gemini: sent(gemini('1', '1', { timestamp: NOW - age * 1000 })) })
    assert.equal((await readVenues(outbound, 'BTC'))[3]!.reason, reason, `${age}`)
  }
})

const SIGNER: SignerStatus = {
  ...{ status: 'DEMO', signingAvailable: true, keyKind: 'demo', fingerprint: null, testedAt: null },
}
type Draft = { chain: string; kind: string; payload: Record<string, unknown> }
function publisherOver(
  outbound: Parameters<typeof readVenues>[0],
  clock: ReturnType<typeof movedClock>,
  {
    mode = 'demand' as PublisherMode,
    signer = SIGNER,
    refuse = null as ServiceError | null,
    saved = savedPrints(new StoreCache(documentStore(), clock)),
    maxDispersionBps = 50,
  } = {},
) {
  const appended: Draft[] = []
  const append = async (draft: Draft) => {
    if (refuse !== null) throw refuse
    appended.push(draft)
    return { digest: String(appended.length).padStart(64, '0') } as Appended
  }
  const publisher = new PricePublisher(
    { mode, maxDispersionBps },
    {
      clock,
      ledger: { append: append as never },
      signer: () => signer,
      readVenues: (one) => readVenues(outbound, one),
      saved,
    },
  )
  return { publisher, appended }
}

test('on demand a symbol is printed while it is read, at most every 15 s, and no longer than 120 s after', async (t) => {
  const { outbound, clock, asked } = await venues(t)
  const { publisher, appended } = publisherOver(outbound, clock)
  await publisher.turn()
  assert.equal(asked.length, 0, 'nobody reads it')
  publisher.mark('BTC')
  await publisher.turn()
  await publisher.turn()
  assert.equal(appended.length, 1)
  clock.forward(14.999)
  await publisher.turn()
  assert.equal(appended.length, 1)
  clock.forward(0.001)
  await publisher.turn()
  assert.equal(appended.length, 2)
  clock.forward(105)
  await publisher.turn()
  assert.equal(appended.length, 3, '120 s after it was read')
  clock.forward(15)
  await publisher.turn()
  assert.equal(appended.length, 3)
})

test('a print says the price, its bounds and the digests of what it rests on, and not the readings', async (t) => {
  const { outbound, clock } = await venues(t)
  const { publisher, appended } = publisherOver(outbound, clock)
  publisher.mark('BTC')
  await publisher.turn()
  const { chain, kind, payload } = appended[0]!
  assert.deepEqual([chain, kind], ['finance.prices', 'price'])
  assert.deepEqual(
    [payload.symbol, payload.quote, payload.price, payload.dispersion_bps, payload.interval, payload.venues_kept],
    ['BTC', 'USD', '100.05', '9.9950', { lower: '100', upper: '100.1' }, ['coinbase', 'kraken', 'bitstamp', 'gemini']],
  )
  assert.deepEqual([payload.observed_at, payload.expires_at], [at(0), at(30)])
  assert.match(String(payload.inputs_sha256), /^[0-9a-f]{64}$/)
  assert.ok(!JSON.stringify(payload).includes('fetched_at'))
})

test('always prints all three in turn without anybody reading, and off prints nothing', async (t) => {
  const { outbound, clock, asked } = await venues(t)
  const off = publisherOver(outbound, clock, { mode: 'off' })
  off.publisher.mark('BTC')
  await off.publisher.turn()
  assert.deepEqual([off.appended.length, asked.length], [0, 0])
  const { publisher } = publisherOver(outbound, clock, { mode: 'always' })
  for (let turn = 0; turn < 4; turn += 1) await publisher.turn()
  assert.deepEqual(asked.filter((one) => one.startsWith('coinbase')).toSorted(), [
    'coinbase /products/BTC-USD/ticker',
    'coinbase /products/ETH-USD/ticker',
    'coinbase /products/SOL-USD/ticker',
  ])
})

test('two venues, venues that disagree and a missing signer leave no print and say why', async (t) => {
  const down = sent({}, 503)
  const cases: [Partial<Record<VenueName, VenueAnswer>>, SignerStatus, string[]][] = [
    [{ kraken: down, gemini: down }, SIGNER, ['INSUFFICIENT_VENUES']],
    [
      { coinbase: sent(coinbase('100')), kraken: sent(kraken('101')), bitstamp: sent(bitstamp('102')), gemini: down },
      SIGNER,
      ['INSUFFICIENT_VENUES', 'DISPERSION_EXCEEDED'],
    ],
    [{ coinbase: sent(coinbase('99.7')), bitstamp: sent(bitstamp('100.4')) }, SIGNER, ['DISPERSION_EXCEEDED']],
    [{}, { ...SIGNER, signingAvailable: false }, ['SIGNER_UNAVAILABLE']],
    [{ coinbase: down, kraken: down, bitstamp: down, gemini: down }, SIGNER, ['INSUFFICIENT_VENUES']],
  ]
  for (const [answers, signer, reasons] of cases) {
    const { outbound, clock } = await venues(t, answers)
    const { publisher, appended } = publisherOver(outbound, clock, { signer })
    publisher.mark('BTC')
    await publisher.turn()
    assert.deepEqual([publisher.newest('BTC').attempt!.reasons, appended.length], [reasons, 0])
  }
})

test('a ledger that refuses leaves no print', async (t) => {
  const { outbound, clock } = await venues(t)
  for (const [code, reason] of [
    ['signer_unavailable', 'SIGNER_UNAVAILABLE'],
    ['ledger_read_only', 'NO_PRINT_YET'],
  ] as const) {
    const { publisher } = publisherOver(outbound, clock, { refuse: new ServiceError(code, 'no') })
    publisher.mark('BTC')
    await publisher.turn()
    assert.deepEqual([publisher.newest('BTC').print, publisher.newest('BTC').attempt!.reasons], [null, [reason]])
  }
})

test('a print outlives the process that took it, and the next one is due 15 s after it', async (t) => {
  const { outbound, clock, asked } = await venues(t)
  const saved = savedPrints(new StoreCache(documentStore(), clock))
  const before = publisherOver(outbound, clock, { saved })
  before.publisher.mark('BTC')
  await before.publisher.turn()
  clock.forward(10)
  const { publisher, appended } = publisherOver(outbound, clock, { saved })
  await publisher.restore('BTC')
  assert.deepEqual(publisher.newest('BTC'), { print: before.publisher.newest('BTC').print, attempt: null })
  await publisher.restore('ETH')
  assert.deepEqual(publisher.newest('ETH'), { print: null, attempt: null })
  publisher.mark('BTC')
  await publisher.turn()
  assert.deepEqual([appended.length, asked.length], [0, 4])
  clock.forward(5)
  await publisher.turn()
  assert.deepEqual([appended.length, asked.length], [1, 8])
})

test('of two nodes one prints, and whoever waits at the other is woken by that print', async (t) => {
  const { outbound, clock, asked } = await venues(t)
  const saved = savedPrints(new StoreCache(documentStore(), clock))
  const [one, two] = [publisherOver(outbound, clock, { saved }), publisherOver(outbound, clock, { saved })]
  for (const { publisher } of [one, two]) publisher.mark('BTC')
  const woken = two.publisher.nextAttempt('BTC')
  await one.publisher.turn()
  await two.publisher.turn()
  await woken
  assert.deepEqual([one.appended.length, two.appended.length, asked.length], [1, 0, 4])
  assert.deepEqual(two.publisher.newest('BTC').print, one.publisher.newest('BTC').print)
})

test('a saved print counts only where it is newer than the newest attempt, within the bound and not ahead', async (t) => {
  const { outbound, clock } = await venues(t)
  const saved = savedPrints(new StoreCache(documentStore(), clock))
  const { publisher } = publisherOver(outbound, clock, { saved })
  publisher.mark('BTC')
  await publisher.turn()
  const stricter = publisherOver(outbound, clock, { saved, maxDispersionBps: 9 })
  await stricter.publisher.restore('BTC')
  assert.equal(stricter.publisher.newest('BTC').print, null)
  const off = publisherOver(outbound, clock, { saved, mode: 'off' })
  await off.publisher.restore('BTC')
  assert.equal(off.publisher.newest('BTC').print, null)
  clock.setBack(2.001)
  const behind = publisherOver(outbound, clock, { saved })
  await behind.publisher.restore('BTC')
  assert.equal(behind.publisher.newest('BTC').print, null)
})

test('a store that does not answer or holds something else has no print, and takes none away', async (t) => {
  const { outbound, clock } = await venues(t)
  const broken = async () => {
    throw new ServiceError('store_unavailable', 'no')
  }
  const { publisher } = publisherOver(outbound, clock, { saved: savedPrints({ read: broken, write: broken }) })
  publisher.mark('BTC')
  await publisher.turn()
  assert.equal(publisher.newest('BTC').print!.estimate.price, '100.05')
  const odd = savedPrints({ read: async (key) => ({ key, at: 1, value: { receiptId: 'x' } }), write: broken })
  assert.equal(await odd.read('BTC'), null)
})

test('whoever waits is woken by the end of the attempt, also by one that failed', async (t) => {
  const { outbound, clock } = await venues(t, { kraken: sent({}, 503), gemini: sent({}, 503) })
  const { publisher } = publisherOver(outbound, clock)
  publisher.mark('BTC')
  const woken = publisher.nextAttempt('BTC')
  assert.equal(publisher.isRecent('BTC'), false)
  await publisher.turn()
  await woken
  assert.equal(publisher.isRecent('BTC'), true)
})

const CHECK: PrintCheck = { signature: 'VERIFIED', digest: 'MATCHES', keyid: 'k', keyKind: 'demo', dsse: null }
const NO_PEER: ThirdParty = {
  ...{ state: 'NOT_CONFIGURED', mode: 'unreachable', reason: null, price: null },
  ...{ difference_bps: null, observed_at: null, keyid: null },
}
const venueRow = (venue: string, mid: string): Estimate['venues'][number] => ({
  ...{ venue, bid: mid, ask: mid, mid, last: null, venue_time: null, time_basis: 'RETRIEVAL_TIME', kept: true },
  ...{ fetched_at: at(0), bytes_sha256: 'a'.repeat(64), reason: null },
})
const ESTIMATE = {
  ...{ method: 'median-of-midpoints' as const, price: '100.05', dispersion_bps: '9.9950' },
  ...{ dispersion_before_drop_bps: '9.9950', interval: { lower: '100', upper: '100.1' } },
  venues: [venueRow('a', '100'), venueRow('b', '100.05'), venueRow('c', '100.1')],
}
const FACTS = {
  ...{ symbol: 'BTC' as PriceSymbol, mode: 'demand' as PublisherMode, maxDispersionBps: 50, check: CHECK },
  print: { receiptId: 'b'.repeat(64), observedAt: NOW, estimate: ESTIMATE },
  attempt: { estimate: ESTIMATE, reasons: [] },
  ...{ isSignerAvailable: true, begun: NOW, now: NOW, thirdParty: NO_PEER },
}

test('a print is a price up to 30 s and 2 s ahead, and not one millisecond further', () => {
  const stateAt = (ms: number) => {
    const { state, price, decision_reasons } = decidePrice({ ...FACTS, now: NOW + ms })
    return [state, price, decision_reasons]
  }
  assert.deepEqual(stateAt(0), ['REVIEW', '100.05', []])
  assert.deepEqual(stateAt(30_000), ['REVIEW', '100.05', []])
  assert.deepEqual(stateAt(30_001), ['ABSTAIN', null, ['STALE_PRINT']])
  assert.deepEqual(stateAt(-2_000), ['REVIEW', '100.05', []])
  assert.deepEqual(stateAt(-2_001), ['ABSTAIN', null, ['FUTURE_PRINT']])
})

test('every other reason is an abstention without a price', () => {
  const cases: [Partial<Parameters<typeof decidePrice>[0]>, string[]][] = [
    [{ mode: 'off', print: null, attempt: null, check: null }, ['PUBLISHER_OFF']],
    [{ print: null, attempt: null, check: null }, ['NO_PRINT_YET']],
    [{ check: { ...CHECK, signature: 'UNSIGNED' } }, ['UNSIGNED_PRINT']],
    [{ check: { ...CHECK, signature: 'INVALID' } }, ['SIGNATURE_INVALID']],
    [{ check: { ...CHECK, digest: 'MISMATCH' } }, ['SIGNATURE_INVALID']],
    [{ isSignerAvailable: false }, ['SIGNER_UNAVAILABLE']],
    [{ attempt: { estimate: ESTIMATE, reasons: ['INSUFFICIENT_VENUES'] } }, ['INSUFFICIENT_VENUES']],
  ]
  for (const [change, reasons] of cases) {
    const reply = decidePrice({ ...FACTS, ...change })
    assert.deepEqual(
      [reply.state, reply.label, reply.price, reply.estimate?.price ?? null, reply.decision_reasons],
      ['ABSTAIN', 'UNAVAILABLE', null, null, reasons],
    )
    assert.equal(reply.can_authorize, false)
  }
})

test('what was read before the request began is a sample for it', () => {
  const [live, later] = [decidePrice(FACTS), decidePrice({ ...FACTS, begun: NOW + 1, now: NOW + 2 })]
  assert.deepEqual([live.mode, live.label, live.estimate!.venues[0]!.label], ['live', 'MODELED', 'LIVE'])
  assert.deepEqual([later.mode, later.label, later.estimate!.venues[0]!.label], ['cached', 'MODELED', 'SAMPLE'])
  const nothing = { ...ESTIMATE, venues: ESTIMATE.venues.map((row) => ({ ...row, kept: false, fetched_at: null })) }
  const unread = decidePrice({
    ...FACTS,
    print: null,
    check: null,
    attempt: { estimate: nothing, reasons: ['INSUFFICIENT_VENUES'] },
  })
  assert.deepEqual([unread.mode, unread.print, unread.estimate!.venues[0]!.label], ['unreachable', null, 'UNAVAILABLE'])
})

test('the print of another service is shown with its distance and changes nothing', () => {
  const verified = { ...NO_PEER, state: 'VERIFIED' as const, price: '101.0505' }
  const reply = decidePrice({ ...FACTS, thirdParty: verified })
  assert.deepEqual([reply.third_party.difference_bps, reply.price], ['100.0000', '100.05'])
  const abstained = decidePrice({ ...FACTS, print: null, check: null, attempt: null, thirdParty: verified })
  assert.deepEqual([abstained.state, abstained.third_party.difference_bps, abstained.price], ['ABSTAIN', null, null])
})
