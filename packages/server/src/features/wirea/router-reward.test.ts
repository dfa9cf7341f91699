import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { roundDeep } from '../../domain/rounded.ts'
import { InputError } from '../../errors.ts'
import { REWARD_EXAMPLE } from './examples.ts'
import { judgeQuality } from './quality-job.ts'
import { checkReward, rankCandidates, rewardResult } from './router-reward.ts'
import type { RewardBody } from './schemas.ts'

const rank = (body: RewardBody) => {
  checkReward(body)
  return roundDeep(rewardResult(body, rankCandidates(body), null))
}
const { candidates } = REWARD_EXAMPLE
const rewards = ({ ranked }: ReturnType<typeof rank>) =>
  ['frontier', 'large', 'medium', 'local'].map((name) => ranked.find(({ model }) => model === name)!.reward)

test('the example has the rewards, the winner and the margin of the contract under every preset', () => {
  const balanced = rank(REWARD_EXAMPLE)
  assert.deepEqual(rewards(balanced), [-0.18, -0.075, 0.165, 0.225])
  assert.deepEqual([balanced.selected, balanced.margin, balanced.winner_holds_for!.alpha[1]], ['local', 0.06, 0.772727])
  const performance = rank({ preset: 'performance', candidates })
  assert.deepEqual([performance.selected, performance.ranked[0]!.reward], ['frontier', 0.96])
  const cost = rank({ preset: 'cost', candidates })
  assert.deepEqual([rewards(cost), cost.selected], [[-0.668, -0.524, -0.142, 0.044], 'local'])
})

test('the names of the specification mean the same presets, and nothing said means balanced', () => {
  for (const [name, preset] of [
    ['Performance-First', 'performance'],
    ['Balanced', 'balanced'],
    ['Cost-First', 'cost'],
  ] as const) {
    assert.deepEqual(rank({ preset: name, candidates }), rank({ preset, candidates }))
    assert.equal(rank({ preset: name, candidates }).preset, preset)
  }
  assert.equal(rank({ candidates }).preset, 'balanced')
  assert.equal(rank({ weights: { alpha: 1, beta: 0, gamma: 0 }, candidates }).preset, null)
})

const unit = fc.integer({ min: 0, max: 1_000_000 }).map((n) => n / 1e6)
const weight = fc.integer({ min: 0, max: 10_000_000 }).map((n) => n / 1e6)
const bodies = fc.record({
  weights: fc.record({ alpha: weight, beta: weight, gamma: weight }),
  candidates: fc
    .array(fc.record({ quality: unit, cost: unit, latency: unit }), { minLength: 1, maxLength: 8 })
    .map((list) => list.map((one, i) => ({ model: `m${i}`, ...one }))),
})

test('rewards are exact: they agree with whole numbers computed by hand', () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const whole = (value: number) => BigInt(Math.round(value * 1e6))
      for (const { model, reward_exact } of rewardResult(body, rankCandidates(body), null).ranked) {
        const { quality, cost, latency } = body.candidates.find((one) => one.model === model)!
        const { alpha, beta, gamma } = body.weights
        const exact = whole(alpha) * whole(quality) - whole(beta) * whole(cost) - whole(gamma) * whole(latency)
        const [, minus, digits, places] = /^(-?)(\d+)\.(\d{12})$/.exec(reward_exact)!
        assert.equal(BigInt(`${digits}${places}`) * (minus ? -1n : 1n), exact)
      }
    }),
    { seed: 5, numRuns: 200 },
  )
})

test('the winner wins all over the range that is told for each weight, and outside it somebody else does', () => {
  fc.assert(
    fc.property(
      bodies,
      fc.constantFrom('alpha', 'beta', 'gamma'),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (body, name, at) => {
        const { selected, winner_holds_for } = rewardResult(body, rankCandidates(body), null)
        const [low, high] = winner_holds_for![name] as [number, number]
        assert.ok(low <= body.weights[name] + 1e-9 && body.weights[name] <= high + 1e-9)
        const leads = (value: number) => {
          const scoreOf = ({ quality, cost, latency }: (typeof body.candidates)[number]) => {
            const moved: Record<string, number> = { ...body.weights, [name]: value }
            return moved.alpha! * quality - moved.beta! * cost - moved.gamma! * latency
          }
          const own = scoreOf(body.candidates.find(({ model }) => model === selected)!)
          return own - Math.max(...body.candidates.map(scoreOf))
        }
        assert.ok(leads(low + at * (high - low)) >= -1e-9)
        if (low > 1e-3) assert.ok(leads(low * 0.99 - 1e-6) < 0)
        if (high < 9.9) assert.ok(leads(high * 1.01 + 1e-6) < 0)
      },
    ),
    { seed: 5, numRuns: 300 },
  )
})

test('raw costs are normalised, constraints reject with a reason, and nothing is selected when all are', () => {
  const raw = [
    { model: 'a', quality: 0.9, usd_per_1k: 5, latency_ms: 500 },
    { model: 'b', quality: 0.8, cost: 0.1, latency: 0.1 },
  ]
  const normalisation = { cost_max: 10, latency_max: 1000 }
  const [first] = rank({ candidates: raw, normalisation, preset: 'performance' }).ranked
  assert.deepEqual([first!.model, first!.cost, first!.latency], ['a', 0.5, 0.5])
  const result = rank({ candidates: raw, normalisation, constraints: { min_quality: 0.85, max_cost: 0.4 } })
  assert.deepEqual([result.selected, result.margin, result.winner_holds_for, result.ranked], [null, null, null, []])
  assert.deepEqual(
    result.rejected.map(({ model, reason }) => [model, reason.split(' ')[0]]),
    [
      ['a', 'cost'],
      ['b', 'quality'],
    ],
  )
  const fault = (body: RewardBody) => {
    try {
      checkReward(body)
    } catch (error) {
      if (error instanceof InputError) return error.detail[0]!.loc.join('.')
    }
    return null
  }
  assert.equal(fault({ candidates: raw }), 'body.normalisation')
  assert.equal(
    fault({ candidates: raw, normalisation: { cost_max: 4, latency_max: 1000 } }),
    'body.candidates.0.usd_per_1k',
  )
  assert.equal(fault({ candidates: [raw[1]!, raw[1]!] }), 'body.candidates.1.model')
  assert.equal(
    fault({ candidates: [raw[1]!], preset: 'cost', weights: { alpha: 1, beta: 1, gamma: 1 } }),
    'body.weights',
  )
})

test('what lies behind the sixth decimal is not read, by the reward or by the ranges', () => {
  const body: RewardBody = {
    weights: { alpha: 1e-9, beta: 5, gamma: 1 },
    candidates: [
      { model: 'a', quality: 1e-320, cost: 5e-324, latency: 0.5 },
      { model: 'b', quality: 0, cost: 0, latency: 0.5 },
      { model: 'c', quality: 1e-16, cost: 0, latency: 1 },
    ],
  }
  const { ranked, winner_holds_for, weights } = rank(body)
  assert.deepEqual(
    [ranked[0]!.model, weights.alpha, winner_holds_for],
    ['a', 0, { alpha: [0, 10], beta: [0, 10], gamma: [0, 10] }],
  )
})

test('equal rewards go to the higher quality, then to the first name; only the undominated are on the front', () => {
  const tie = rank({
    weights: { alpha: 0, beta: 0, gamma: 0 },
    candidates: [
      { model: 'b', quality: 0.5, cost: 0.5, latency: 0.5 },
      { model: 'a', quality: 0.5, cost: 0.6, latency: 0.5 },
      { model: 'c', quality: 0.7, cost: 0.9, latency: 0.9 },
    ],
  })
  assert.deepEqual(
    tie.ranked.map(({ model, pareto }) => [model, pareto]),
    [
      ['c', true],
      ['a', false],
      ['b', true],
    ],
  )
  assert.equal(tie.margin, 0)
})

test('the chance to be best agrees with an integral, adds up to 1, and is the same every time', () => {
  const two = {
    alpha: 1,
    candidates: [
      { quality: 0.8, trials: 10, penalty: 0 },
      { quality: 0.6, trials: 10, penalty: 0 },
    ],
  }
  const { best, lower } = judgeQuality(two)
  const found = best!
  assert.deepEqual(judgeQuality(two), { best, lower })
  assert.equal(found[0]! + found[1]!, 1)
  // P(Beta(9, 3) > Beta(7, 5)) on a fine grid.
  const grid = Array.from({ length: 4000 }, (_, i) => (i + 0.5) / 4000)
  const densities = (a: number, b: number) => {
    const raw = grid.map((x) => x ** (a - 1) * (1 - x) ** (b - 1))
    const total = raw.reduce((sum, one) => sum + one, 0)
    return raw.map((one) => one / total)
  }
  const [first, second] = [densities(9, 3), densities(7, 5)]
  let [below, chance] = [0, 0]
  for (const i of grid.keys()) {
    chance += first[i]! * below
    below += second[i]!
  }
  assert.ok(Math.abs(found[0]! - chance) < 0.03, `${found[0]} is not ${chance}`)
  // The lower bound has 5 % of the first below it.
  const under = grid.reduce((sum, x, i) => (x < lower[0]! ? sum + first[i]! : sum), 0)
  assert.ok(Math.abs(under - 0.05) < 0.001, `${under}`)
})

test('without trials nothing is open, with those of some only their own bound is told', () => {
  const candidates = [
    { quality: 0.8, trials: null, penalty: 0 },
    { quality: 0.6, trials: 1_000_000, penalty: 0 },
  ]
  const { best, lower } = judgeQuality({ alpha: 1, candidates })
  assert.deepEqual([best, lower[0]], [null, null])
  // Of a million trials the bound is that of the normal distribution.
  assert.ok(Math.abs(lower[1]! - (0.6 - 1.6449 * Math.sqrt(0.24 / 1e6))) < 1e-6)
})
