import assert from 'node:assert/strict'
import { test } from 'node:test'
import Big from 'big.js'
import fc from 'fast-check'
import { estimatePrice, median, type VenueQuote } from './estimate.ts'

const quote = (
  venue: string,
  bid: string | null,
  ask: string | null = bid,
  reason: string | null = null,
): VenueQuote => ({
  ...{ venue, bid, ask, reason, last: null, venue_time: null, time_basis: 'RETRIEVAL_TIME' },
  ...{ fetched_at: '2026-01-02T04:00:00.000Z', bytes_sha256: 'a'.repeat(64) },
})
const of = (prices: readonly string[], bound = 50) =>
  estimatePrice(
    prices.map((price, at) => quote(`v${at}`, price)),
    bound,
  )
const summaryOf = ({ estimate, reasons }: ReturnType<typeof of>) => [
  estimate.price,
  estimate.dispersion_bps,
  estimate.venues.filter(({ kept: isKept }) => isKept).length,
  reasons,
]

test('the vectors of the contract', () => {
  assert.deepEqual(summaryOf(of(['100.00', '100.05', '100.10'])), ['100.05', '9.9950', 3, []])
  const outlier = of(['100.00', '100.05', '100.10', '1000'])
  assert.deepEqual(summaryOf(outlier), ['100.05', '9.9950', 3, []])
  assert.deepEqual([outlier.estimate.venues[3]!.kept, outlier.estimate.venues[3]!.reason], [false, 'OUTLIER_DROPPED'])
  assert.equal(median(['100.00', '100.05', '100.10', '1000'].map((text) => new Big(text)))!.toFixed(), '100.075')
  const four = of(['67890.10', '67895.55', '67899.00', '67901.25'])
  assert.deepEqual(summaryOf(four), ['67897.275', '1.6422', 4, []])
  assert.deepEqual(four.estimate.interval, { lower: '67890.1', upper: '67901.25' })
  assert.deepEqual(of(['100', '100']).reasons, ['INSUFFICIENT_VENUES'])
  const apart = of(['100', '101', '102'])
  assert.deepEqual(summaryOf(apart), ['101', '0.0000', 1, ['INSUFFICIENT_VENUES', 'DISPERSION_EXCEEDED']])
  assert.equal(apart.estimate.dispersion_before_drop_bps, '198.0198')
})

test('a venue is at the bound when its distance is exactly the bound, and one step further it is dropped', () => {
  assert.deepEqual(of(['100', '100', '100.5']).reasons, [])
  assert.deepEqual(of(['100', '100', '100.500000000000000001']).reasons, ['INSUFFICIENT_VENUES', 'DISPERSION_EXCEEDED'])
  assert.deepEqual(of(['100', '100', '100', '100.500000000000000001']).reasons, [])
  // Each end is within the bound of the median and the two are further apart than it.
  assert.deepEqual(summaryOf(of(['99.6', '100', '100.4'])), ['100', '80.0000', 3, ['DISPERSION_EXCEEDED']])
})

test('nothing to go by is no price', () => {
  assert.deepEqual(summaryOf(of([])), [null, null, 0, ['INSUFFICIENT_VENUES']])
  assert.deepEqual(summaryOf(of(['1', '1000'])), [null, null, 0, ['INSUFFICIENT_VENUES', 'DISPERSION_EXCEEDED']])
})

test('a midpoint is exact to the last digit', () => {
  const { estimate } = estimatePrice(
    [quote('a', '0.000000000000000000000000000001', '0.000000000000000000000000000002')],
    50,
  )
  assert.equal(estimate.venues[0]!.mid, '0.0000000000000000000000000000015')
  assert.equal(
    estimatePrice([quote('a', '999999999999999999999999999999.1', '999999999999999999999999999999.2')], 50).estimate
      .price,
    '999999999999999999999999999999.15',
  )
})

test('crossed, one-sided, non-positive and rejected quotes count for nothing and say why', () => {
  const { estimate, reasons } = estimatePrice(
    [
      quote('crossed', '101', '100'),
      quote('no-ask', '100', null),
      quote('no-bid', null, '100'),
      quote('zero', '0', '100'),
      quote('failed', null, null, 'RESPONSE_DEADLINE'),
      quote('late', '100', '100', 'VENUE_CLOCK'),
    ],
    50,
  )
  assert.deepEqual(
    estimate.venues.map(({ venue, mid, kept: isKept, reason }) => [venue, mid, isKept, reason]),
    [
      ['crossed', null, false, 'CROSSED'],
      ['no-ask', null, false, 'ONE_SIDED'],
      ['no-bid', null, false, 'ONE_SIDED'],
      ['zero', null, false, 'NON_POSITIVE'],
      ['failed', null, false, 'RESPONSE_DEADLINE'],
      ['late', null, false, 'VENUE_CLOCK'],
    ],
  )
  assert.deepEqual([estimate.price, reasons], [null, ['INSUFFICIENT_VENUES']])
})

const SEED = 20260117
const price = fc.integer({ min: 1, max: 10_000_000 }).map((units) => new Big(units).times('0.01').toFixed())
const near = fc.integer({ min: 9_980, max: 10_020 }).map((units) => new Big(units).times('0.01').toFixed())
const prices = fc.oneof(fc.array(price, { maxLength: 9 }), fc.array(near, { maxLength: 9 }))

test('the order of the venues changes nothing', () => {
  fc.assert(
    fc.property(prices, fc.infiniteStream(fc.nat()), (list, keys) => {
      const shuffled = list
        .map((value) => [keys.next().value, value] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, value]) => value)
      assert.deepEqual(summaryOf(of(shuffled)), summaryOf(of(list)))
    }),
    { seed: SEED },
  )
})

test('where no venue is dropped, one more at the median never turns a print into an abstention', () => {
  let counted = 0
  fc.assert(
    fc.property(prices, (list) => {
      const before = of(list)
      if (before.reasons.length > 0 || before.estimate.venues.some(({ kept: isKept }) => !isKept)) return
      counted += 1
      const after = of([...list, before.estimate.price!])
      assert.deepEqual([after.reasons, after.estimate.price], [[], before.estimate.price])
    }),
    { seed: SEED, numRuns: 500 },
  )
  assert.ok(counted > 50, `only ${counted} cases were printed`)
})

test('scaling all prices scales the estimate and leaves the dispersion', () => {
  fc.assert(
    fc.property(prices, fc.integer({ min: 2, max: 1000 }), (list, factor) => {
      const [plain, scaled] = [of(list), of(list.map((value) => new Big(value).times(factor).toFixed()))]
      assert.deepEqual(scaled.reasons, plain.reasons)
      assert.equal(scaled.estimate.dispersion_bps, plain.estimate.dispersion_bps)
      if (plain.estimate.price !== null)
        assert.equal(scaled.estimate.price, new Big(plain.estimate.price).times(factor).toFixed())
    }),
    { seed: SEED },
  )
})
