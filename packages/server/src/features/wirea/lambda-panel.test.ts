import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InputError } from '../../errors.ts'
import { panelReply } from './calculators.ts'
import { lambdaPanel } from './lambda-panel.ts'

const SEED = 20_261_116
const near = (found: number | null, expected: number, tolerance = 1e-6) =>
  assert.ok(found !== null && Math.abs(found - expected) <= tolerance, `${found} is not ${expected}`)
const faultOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof InputError, String(error))
    return error.detail[0]!.loc.join('.')
  }
  return assert.fail('it was taken')
}

const panel = (scores: string, more: Partial<Parameters<typeof panelReply>[0]> = {}) =>
  panelReply({ scores, kind: 'geometric', p: 2, ...more })

test('the default panel has the means of the contract', () => {
  const { variants, lambda, ordering_holds, label } = panel('0.97,0.94,0.92,0.99,0.88,0.95')
  assert.deepEqual(
    [variants.arithmetic, variants.geometric, variants.harmonic, variants.power, lambda],
    [0.941667, 0.940997, 0.940319, 0.942329, 0.940997],
  )
  assert.deepEqual([ordering_holds, label], [true, 'SAMPLE'])
})

test('thirteen ones give 1 before the ceiling and 0.97 after it', () => {
  const { raw, lambda, ceiling_applied, label } = panel(new Array(13).fill('1').join(','))
  assert.deepEqual([raw, lambda, ceiling_applied, label], [1, 0.97, true, 'MODELED'])
})

test('the weakest axis is named with what it would need, and null where nothing would do', () => {
  const { raw, weakest, meets_floor } = panel('0.97,0.94,0.92,0.99,0.70,0.60')
  assert.deepEqual([raw, meets_floor], [0.839, false])
  assert.deepEqual(weakest, { index: 5, score: 0.6, needed_for_floor: 0.914186 })
  assert.equal(panel('0.1,0.2').weakest.needed_for_floor, null)
  assert.equal(panel('0,0.95').weakest.needed_for_floor, 0.852632)
  assert.equal(panel('0,0').weakest.needed_for_floor, null)
})

test('a zero on an axis that counts gives 0, one without weight does not', () => {
  for (const kind of ['geometric', 'harmonic'] as const) assert.equal(panel('0,1', { kind }).raw, 0)
  assert.equal(panel('0,1', { kind: 'power', p: -3 }).raw, 0)
  assert.equal(panel('0,1', { kind: 'arithmetic' }).raw, 0.5)
  assert.equal(panel('0,1', { weights: '0,2' }).raw, 1)
  assert.equal(panel('0,0', { kind: 'power', p: 50 }).raw, 0)
})

test('power means agree with the definition, are ordered, and meet the geometric mean at 0', () => {
  const scores = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(scores, fc.double({ min: -50, max: 50, noNaN: true }), (x, p) => {
      const result = lambdaPanel(x, null, 'power', p)
      assert.ok(result.ordering_holds)
      if (Math.abs(p) > 1e-3) {
        const direct = (x.reduce((sum, one) => sum + one ** p, 0) / x.length) ** (1 / p)
        if (Number.isFinite(direct) && direct > 0) near(result.raw, direct, 1e-9)
      }
      near(lambdaPanel(x, null, 'power', 1e-12).raw, lambdaPanel(x, null, 'geometric', 2).raw, 1e-9)
      const sum = result.elasticities.reduce<number>((total, one) => total + one!, 0)
      near(sum, 1, 1e-9)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test('an elasticity is the slope of the logarithm, and leaving an axis out is the mean of the others', () => {
  const x = [0.9, 0.5, 0.7]
  for (const [kind, p] of [
    ['arithmetic', 1],
    ['geometric', 0],
    ['harmonic', -1],
    ['power', 3],
  ] as const) {
    const at = (scores: number[]) => Math.log(lambdaPanel(scores, [1, 2, 3], kind, p).raw)
    const { elasticities, leave_one_out } = lambdaPanel(x, [1, 2, 3], kind, p)
    for (const i of x.keys()) {
      const moved = x.map((one, j) => (i === j ? one * 1.00001 : one))
      near(elasticities[i]!, (at(moved) - at(x)) / Math.log(1.00001), 1e-4)
    }
    near(leave_one_out[0]!.raw_without, lambdaPanel([0.5, 0.7], [2, 3], kind, p).raw, 1e-12)
  }
  assert.equal(lambdaPanel([0.5], null, 'geometric', 2).leave_one_out[0]!.raw_without, null)
})

test('scores and weights have their bounds', () => {
  assert.equal(
    faultOf(() => panel('0.5,1.01')),
    'query.scores.1',
  )
  assert.equal(
    faultOf(() => panel('0.5,1', { weights: '1' })),
    'query.weights',
  )
  assert.equal(
    faultOf(() => panel('0.5,1', { weights: '0,0' })),
    'query.weights',
  )
  assert.equal(panel('1').lambda, 0.97)
})
