import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '@orch/core'
import fc from 'fast-check'
import { FORMULAS } from './formulas.ts'
import {
  betaOf,
  convergence,
  exponentialAverages,
  indicatorsOf,
  MAX_PRICE,
  MIN_PRICE,
  maxDrawdown,
  relativeStrength,
  returnsOf,
  seriesFault,
  sharpeOf,
  simpleAverage,
  volatilityOf,
  votesOf,
  zScore,
} from './indicators.ts'
import { meanOf, toText } from './statistics.ts'
import { V1, V2 } from './vectors.ts'
import { walkPrices, walkSeed } from './walk.ts'

const SEED = { seed: 20_261_116, numRuns: 300 }

function near(got: number | null, wanted: number, tolerance = 1e-12): void {
  assert.ok(got !== null && Math.abs(got - wanted) <= tolerance, `${got} is not ${wanted}`)
}

test('the indicators of the vector are those of the contract', () => {
  near(simpleAverage(V1, 10), 125.35682972721789)
  near(simpleAverage(V1, 30), 121.51079392100132)
  near(exponentialAverages(V1, 12).at(-1)!, 126.46516626369974)
  near(exponentialAverages(V1, 26).at(-1)!, 122.85363634552228)
  near(relativeStrength(V1), 81.63813677638434)
  near(zScore(V1), 2.4710705117205416)
  const { macd, signal, histogram } = convergence(V1)
  near(macd, 3.6115299182, 1e-10)
  near(signal, 3.0598326993, 1e-10)
  near(histogram, 0.5516972189, 1e-10)
  assert.deepEqual(votesOf(indicatorsOf(V1), Math.max(...V1)), {
    votes: { sma: 1, macd: 1, rsi: -1, z: -1 },
    vote_score: 0,
    verdict: 'NEUTRAL',
  })
})

test('the risk figures of the vectors are those of the contract', () => {
  const [a, b] = [returnsOf(V1), returnsOf(V2)]
  near(volatilityOf(a, 252), 0.1668113377694029)
  near(volatilityOf(a, 365), 0.20075747608163605)
  near(sharpeOf(a, 252), 7.429482140730445)
  near(maxDrawdown(V1), -0.05292185539620556)
  near(betaOf(a, b), 0.29519091659459684)
  near(volatilityOf(b, 252), 0.10173602840635797)
  near(sharpeOf(b, 252), 6.518173790881427)
  near(maxDrawdown(V2), -0.03458468354504787)
  const short = [100, 110, 99, 108.9]
  near(volatilityOf(returnsOf(short), 1), 0.11547005383792519)
  near(maxDrawdown(short), -0.1)
  near(sharpeOf(returnsOf(short), 252), 4.582575694955848)
})

test('every formula that is published gives what its vector says', () => {
  for (const { id, vector } of FORMULAS) assert.equal(vector.computed, vector.expected, id)
  assert.ok(FORMULAS.length >= 22)
})

test('the simulated walk is the one of the contract, to the last decimal', () => {
  assert.equal(walkSeed('BTC-USD'), 0x2fd1a09ed73e3665n)
  const prices = walkPrices('BTC-USD')
  assert.deepEqual(prices.slice(0, 5), ['100.0000', '100.0609', '99.3340', '100.8633', '101.2619'])
  assert.deepEqual([prices.length, prices.at(-1)], [260, '99.8922'])
  assert.equal(sha256Hex(prices.join(',')), 'f5e536c1c4ad19d25d6e36ee95c627023ab90e08b0e13f4b71bb1bfa2071c24a')
})

test('what cannot be computed is null or zero, never a figure made of rounding', () => {
  // Twenty times 0.1 sum to a little more than 2 in doubles.
  assert.equal(zScore(Array(20).fill(0.1)), null)
  const growth = Array.from({ length: 40 }, (_, at) => 100 * 1.01 ** at)
  assert.equal(volatilityOf(returnsOf(growth), 252), 0)
  assert.equal(sharpeOf(returnsOf(growth), 252), null)
  assert.equal(betaOf(returnsOf(V1).slice(0, 39), returnsOf(growth)), null)
  const line = Array.from({ length: 60 }, (_, at) => 0.3 + 0.1 * at)
  assert.equal(votesOf(indicatorsOf(line), Math.max(...line)).votes.macd, 0)
})

test('relative strength knows only rises, only falls and neither', () => {
  const rising = Array.from({ length: 35 }, (_, at) => 1 + at)
  assert.equal(relativeStrength(rising), 100)
  assert.equal(relativeStrength(rising.toReversed()), 0)
  assert.equal(relativeStrength(Array(35).fill(7)), null)
})

test('votes change sides exactly beyond their bounds', () => {
  const at = (rsi_14: number | null, bollinger_z_20: number | null) =>
    votesOf(
      {
        sma_fast: 1,
        sma_slow: 1,
        ema_12: 1,
        ema_26: 1,
        rsi_14,
        bollinger_z_20,
        macd: { macd: 0, signal: 0, histogram: 0 },
      },
      1,
    ).votes
  assert.deepEqual(
    [30, 29.999, 70, 70.001, null].map((rsi) => at(rsi, null).rsi),
    [0, 1, 0, -1, 0],
  )
  assert.deepEqual(
    [-2, -2.001, 2, 2.001, null].map((z) => at(null, z).z),
    [0, 1, 0, -1, 0],
  )
})

test('a series is refused one point and one step beyond each bound', () => {
  const series = (points: number, over: Record<number, number> = {}) =>
    Array.from({ length: points }, (_, at) => over[at] ?? 1 + at)
  assert.deepEqual(
    [34, 35, 300, 301].map((points) => seriesFault(series(points))),
    ['TOO_FEW_POINTS', null, null, 'TOO_MANY_POINTS'],
  )
  assert.equal(seriesFault(series(35, { 3: MIN_PRICE })), null)
  assert.equal(seriesFault(series(35, { 3: MIN_PRICE / 2 })), 'PRICE_OUT_OF_RANGE')
  assert.equal(seriesFault(series(35, { 3: MAX_PRICE })), null)
  assert.equal(seriesFault(series(35, { 3: MAX_PRICE * 1.0001 })), 'PRICE_OUT_OF_RANGE')
  assert.equal(seriesFault(series(35, { 3: Number.NaN })), 'PRICE_OUT_OF_RANGE')
  assert.equal(seriesFault(Array(35).fill(5)), 'NO_PRICE_VARIATION')
})

test('a statistic has twelve decimals, no exponent and no negative zero', () => {
  assert.deepEqual([0, -0, -1e-13, 1e-13].map(toText), Array(4).fill('0.000000000000'))
  assert.equal(toText(1e22), '10000000000000000000000.000000000000')
  assert.equal(toText(-1.5), '-1.500000000000')
  assert.throws(() => toText(Number.NaN), RangeError)
})

const prices = fc.array(fc.double({ min: 1, max: 1000, noNaN: true }), { minLength: 40, maxLength: 120 })

test('scaling all prices changes levels alone', () => {
  fc.assert(
    fc.property(prices, fc.double({ min: 0.001, max: 1000, noNaN: true }), (series, factor) => {
      const scaled = series.map((price) => price * factor)
      const [before, after] = [indicatorsOf(series), indicatorsOf(scaled)]
      near(after.sma_fast / factor, before.sma_fast, 1e-9)
      near(after.ema_26 / factor, before.ema_26, 1e-9)
      near(volatilityOf(returnsOf(scaled), 252), volatilityOf(returnsOf(series), 252), 1e-7)
      near(maxDrawdown(scaled), maxDrawdown(series), 1e-9)
      if (before.rsi_14 !== null) near(after.rsi_14, before.rsi_14, 1e-6)
      if (before.bollinger_z_20 !== null) near(after.bollinger_z_20, before.bollinger_z_20, 1e-6)
    }),
    SEED,
  )
})

test('moving all prices by one amount moves averages by it and leaves scores and convergence', () => {
  fc.assert(
    fc.property(prices, fc.double({ min: 0, max: 1000, noNaN: true }), (series, shift) => {
      const moved = series.map((price) => price + shift)
      const [before, after] = [indicatorsOf(series), indicatorsOf(moved)]
      near(after.sma_slow, before.sma_slow + shift, 1e-9)
      near(after.ema_12, before.ema_12 + shift, 1e-9)
      near(after.macd.histogram, before.macd.histogram, 1e-9)
    }),
    SEED,
  )
})

test('every figure stays within its law', () => {
  fc.assert(
    fc.property(prices, (series) => {
      const { rsi_14, bollinger_z_20 } = indicatorsOf(series)
      if (rsi_14 !== null) assert.ok(rsi_14 >= 0 && rsi_14 <= 100)
      // The largest score that one of twenty values can have is the root of nineteen.
      if (bollinger_z_20 !== null) assert.ok(Math.abs(bollinger_z_20) <= Math.sqrt(19) + 1e-9)
      const drawdown = maxDrawdown(series)
      assert.ok(drawdown <= 0 && drawdown > -1)
      const mean = meanOf(series)
      assert.ok(mean >= Math.min(...series) - 1e-9 && mean <= Math.max(...series) + 1e-9)
      const beta = betaOf(returnsOf(series), returnsOf(series))
      if (beta !== null) near(beta, 1, 1e-9)
    }),
    SEED,
  )
})
