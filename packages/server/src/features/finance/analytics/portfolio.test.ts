import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assetsOf, type PortfolioInput, portfolioOf } from './portfolio.ts'
import { tailOf } from './tail.ts'
import { V1, V2 } from './vectors.ts'

const SEED = { seed: 20_261_117, numRuns: 300 }
const EXAMPLE: PortfolioInput = {
  symbols: ['A', 'B'],
  prices: [V1, V2],
  weights: [0.6, 0.4],
  periods: 252,
  confidence: 0.95,
}
const computed = (over: Partial<PortfolioInput> = {}) => portfolioOf({ ...EXAMPLE, ...over })!

test('the example gives the figures of the contract', () => {
  const { portfolio, tail, tail_reason } = computed()
  assert.deepEqual(portfolio.covariance_annual, {
    A: { A: '0.027826022408', B: '0.003055290774' },
    B: { A: '0.003055290774', B: '0.010350219476' },
  })
  assert.equal(portfolio.correlation.A!.B, '0.180033035389')
  assert.equal(portfolio.volatility, '0.114629589351')
  assert.equal(portfolio.sharpe, '8.800924475001')
  assert.equal(portfolio.max_drawdown, '-0.039369250575')
  assert.equal(portfolio.diversification_ratio, '1.228140263099')
  const { A, B } = portfolio.risk_contributions!
  assert.deepEqual([A!.absolute, B!.absolute], ['0.093785888213', '0.020843701137'])
  assert.deepEqual([A!.percent.slice(0, 11), B!.percent.slice(0, 11)], ['81.81647404', '18.18352595'])
  assert.deepEqual(tail, {
    confidence: 0.95,
    n: 59,
    k: 57,
    var: '0.007255302854',
    es: '0.007627784269',
    horizon_periods: 1,
  })
  assert.equal(tail_reason, null)
})

test('the tail is counted on the decimals, not on their doubles', () => {
  const rank = (confidence: number, n: number) => tailOf(Array(n).fill(0.01), confidence)?.k
  assert.deepEqual([rank(0.95, 20), rank(0.95, 59), rank(0.999, 1000), rank(0.5, 21)], [19, 57, 999, 11])
  // 0.55 * 100 is 55.00000000000001 in doubles, and its ceiling would be 56.
  assert.deepEqual([rank(0.55, 100), rank(0.7, 110), rank(0.57, 100)], [55, 77, 57])
})

test('a tail needs twenty returns, and a gain is a negative loss', () => {
  const gains = (n: number) => Array.from({ length: n }, (_, at) => 0.01 + at / 1000)
  assert.equal(tailOf(gains(19), 0.95), null)
  const tail = tailOf(gains(20), 0.95)!
  assert.deepEqual([tail.k, tail.var, tail.es], [19, '-0.011000000000', '-0.010500000000'])
  const short = computed({ prices: [V1.slice(0, 20), V2.slice(0, 20)] })
  assert.deepEqual([short.tail, short.tail_reason], [null, 'TOO_FEW_RETURNS'])
})

test('series of unequal lengths have no portfolio, and each is computed all the same', () => {
  const unequal = { ...EXAMPLE, prices: [V1, V2.slice(1)] }
  assert.equal(portfolioOf(unequal), null)
  assert.equal(assetsOf(unequal).per_asset.A!.volatility, '0.166811337769')
})

test('without weights all assets have the same one, and the reply says so', () => {
  const { portfolio } = computed({ weights: null })
  assert.deepEqual([portfolio.weights, portfolio.weights_source], [{ A: 0.5, B: 0.5 }, 'EQUAL_DEFAULT'])
})

test('a price that never moves has no correlation and no Sharpe ratio, and shares no risk', () => {
  const { portfolio } = computed({ prices: [V1, V2.map(() => 0.1)] })
  assert.deepEqual([portfolio.correlation.A!.B, portfolio.correlation.B!.B], [null, null])
  assert.equal(portfolio.risk_contributions!.B!.absolute, '0.000000000000')
  const still = computed({ prices: [V1.map(() => 0.1), V2.map(() => 7)] })
  assert.equal(still.portfolio.volatility, '0.000000000000')
  assert.deepEqual([still.portfolio.sharpe, still.portfolio.risk_contributions], [null, null])
  assert.equal(assetsOf({ ...EXAMPLE, prices: [V1, V2.map(() => 1)] }).aggregate.mean_sharpe, null)
})

test('positions that cancel each other leave nothing but rounding, which is nothing', () => {
  const doubled = V1.reduce<number[]>((path, price, at) => {
    path.push(at === 0 ? 100 : path.at(-1)! * (1 + 2 * (price / V1[at - 1]! - 1)))
    return path
  }, [])
  const { portfolio } = computed({ prices: [V1, doubled], weights: [2, -1] })
  assert.equal(portfolio.volatility, '0.000000000000')
  assert.equal(portfolio.sharpe, null)
})

test('a path that comes to nothing ends there', () => {
  const { portfolio } = computed({
    prices: [
      [100, 10, 100, 200],
      [100, 100, 100, 100],
    ],
    weights: [2, -1],
  })
  assert.deepEqual([portfolio.wiped_out_at, portfolio.max_drawdown], [1, '-1.800000000000'])
})

test('prices at the ends of their range give finite figures without an exponent', () => {
  const wild = Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? 1e-12 : 1e12))
  const text = JSON.stringify([
    computed({ prices: [wild, wild.toReversed()], weights: [2, -1], periods: 365 }),
    assetsOf({ ...EXAMPLE, prices: [wild, wild] }),
  ])
  assert.doesNotMatch(text, /e\+|NaN|Infinity/)
})

const series = (length: number) =>
  fc.array(fc.double({ min: 10, max: 1000, noNaN: true }), { minLength: length, maxLength: length })
const book = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 25, max: 60 }))
  .chain(([assets, length]) =>
    fc.tuple(
      fc.array(series(length), { minLength: assets, maxLength: assets }),
      fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: assets, maxLength: assets }),
    ),
  )
const inputOf = ([prices, raw]: [number[][], number[]]): PortfolioInput => ({
  symbols: prices.map((_, at) => `S${at}`),
  prices,
  weights: raw,
  periods: 252,
  confidence: 0.9,
})

test('contributions add up to the volatility, and the covariance is symmetric and never negative', () => {
  fc.assert(
    fc.property(
      book,
      fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 }),
      (drawn, x) => {
        const input = inputOf(drawn)
        const { portfolio, tail } = portfolioOf(input)!
        const { symbols } = input
        const volatility = Number(portfolio.volatility)
        if (portfolio.risk_contributions !== null) {
          const parts = Object.values(portfolio.risk_contributions)
          const sum = parts.reduce((total, one) => total + Number(one.absolute), 0)
          assert.ok(Math.abs(sum - volatility) <= 1e-9 * Math.max(1, volatility))
        }
        let form = 0
        for (const [a, one] of symbols.entries())
          for (const [b, other] of symbols.entries()) {
            const cell = portfolio.covariance_annual[one]![other]!
            assert.equal(cell, portfolio.covariance_annual[other]![one])
            form += x[a]! * x[b]! * Number(cell)
          }
        const size = symbols.reduce((most, one) => Math.max(most, Number(portfolio.covariance_annual[one]![one])), 1)
        assert.ok(form >= -1e-12 * size * symbols.length ** 2, String(form))
        assert.ok(Number(tail!.es) >= Number(tail!.var))
      },
    ),
    SEED,
  )
})

test('scaling the prices of every asset changes no statistic', () => {
  fc.assert(
    fc.property(book, fc.integer({ min: -20, max: 20 }), (drawn, power) => {
      const input = inputOf(drawn)
      const scaled = { ...input, prices: input.prices.map((one) => one.map((price) => price * 2 ** power)) }
      assert.deepEqual(portfolioOf(scaled), portfolioOf(input))
      assert.deepEqual(assetsOf(scaled), assetsOf(input))
    }),
    SEED,
  )
})

test('the order of the assets changes nothing but the order', () => {
  fc.assert(
    fc.property(book, (drawn) => {
      const input = inputOf(drawn)
      const turned = {
        ...input,
        symbols: input.symbols.toReversed(),
        prices: input.prices.toReversed(),
        weights: input.weights!.toReversed(),
      }
      const [there, back] = [portfolioOf(input)!, portfolioOf(turned)!]
      assert.ok(Math.abs(Number(there.portfolio.volatility) - Number(back.portfolio.volatility)) <= 1e-9)
      assert.deepEqual(there.portfolio.covariance_annual, back.portfolio.covariance_annual)
    }),
    SEED,
  )
})
