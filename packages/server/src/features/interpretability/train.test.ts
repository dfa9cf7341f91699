import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sfc32 } from '../../domain/sfc32.ts'
import { Adam } from './adam.ts'
import { type Autoencoder, emptyCode, initialise, selectTop } from './autoencoder.ts'
import { emptyRows, HELD_OUT_ROWS, openData } from './data.ts'
import { densityOf } from './density.ts'
import { divergence } from './divergence.ts'
import { accumulate, openTraining } from './gradient.ts'
import { matchFeatures } from './matching.ts'
import { reconstruct } from './reconstruction.ts'
import { train } from './train.ts'

const PARAMETERS = { seed: 3, d_model: 6, n_features: 10, top_k: 2, batch: 8 }

test('TopK takes the greatest positive activations, of equal ones the lower feature first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -3, max: 6 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 8 }),
      (activations, size) => {
        const code = emptyCode(size)
        selectTop(Float64Array.from(activations), code, size)
        const expected = activations
          .map((value, feature) => ({ value, feature }))
          .filter(({ value }) => value > 0)
          .sort((one, other) => other.value - one.value || one.feature - other.feature)
          .slice(0, size)
        const found = Array.from({ length: code.count }, (_, at) => ({
          value: code.values[at]!,
          feature: code.features[at]!,
        }))
        assert.deepEqual(found, expected)
      },
    ),
    { seed: 16, numRuns: 300 },
  )
})

test('true features are units, a row holds three different ones, and the rest of it is noise', () => {
  const { trueFeatures, trueCount, heldOut, activePerRow } = openData({ seed: 1, d_model: 8 })
  assert.deepEqual([trueCount, activePerRow, heldOut.count], [16, 3, HELD_OUT_ROWS])
  for (let g = 0; g < trueCount; g++)
    assert.ok(Math.abs(Math.hypot(...trueFeatures.subarray(g * 8, g * 8 + 8)) - 1) < 1e-12)
  const used = new Set<number>()
  for (let row = 0; row < heldOut.count; row++) {
    const active = [...heldOut.active.subarray(row * 3, row * 3 + 3)]
    assert.equal(new Set(active).size, 3)
    for (const g of active) used.add(g)
  }
  assert.equal(used.size, trueCount, 'every feature is there')
})

test('data and held-out rows depend on seed and dimension alone', () => {
  const [one, other] = [
    { seed: 5, d_model: 4, top_k: 1 },
    { seed: 5, d_model: 4, top_k: 9 },
  ].map(openData)
  assert.deepEqual(one!.heldOut, other!.heldOut)
  assert.notDeepEqual(openData({ seed: 6, d_model: 4 }).heldOut.values, one!.heldOut.values)
})

/** The loss of one batch by its definition, nothing shared with the code that trains. `errors` are those that the silent
 *  features learn from; null where none is silent. */
function lossByDefinition(model: Autoencoder, values: Float64Array, rows: number, errors: number[][] | null): number {
  const { d, n, k } = model
  let sum = 0
  for (let row = 0; row < rows; row++) {
    const x = Array.from({ length: d }, (_, i) => values[row * d + i]!)
    const codes = Array.from({ length: n }, (_, j) => {
      const dot = x.reduce((total, value, i) => total + model.encoder[j * d + i]! * (value - model.preBias[i]!), 0)
      return Math.max(0, dot + model.encoderBias[j]!)
    })
    const decoded = (size: number, bias: Float64Array) => {
      const threshold = codes.toSorted((a, b) => b - a)[size - 1]!
      const z = codes.map((code) => (code >= threshold ? code : 0))
      return x.map((_, i) => z.reduce((total, code, j) => total + code * model.decoder[j * d + i]!, bias[i]!))
    }
    const square = (target: number[], made: number[]) =>
      target.reduce((total, value, i) => total + (value - made[i]!) ** 2, 0)
    sum += square(x, decoded(k, model.preBias))
    if (errors !== null) sum += square(errors[row]!, decoded(Math.floor(d / 2), new Float64Array(d))) / 32
  }
  return sum / (rows * d)
}

/** What the model leaves of each row. */
function errorsOf(model: Autoencoder, rows: Parameters<typeof reconstruct>[1]): number[][] {
  const errors: number[][] = []
  reconstruct(model, rows, (row, _, decoded) =>
    errors.push([...decoded].map((value, i) => rows.values[row * model.d + i]! - value)),
  )
  return errors
}

for (const [when, step] of [
  ['while no feature is silent', 1],
  ['with the loss of silent features', 60],
] as const)
  test(`the gradients are the numerical ones of the loss, ${when}`, () => {
    const data = openData(PARAMETERS)
    const model = initialise(PARAMETERS)
    model.preBias.fill(0.05)
    model.encoderBias.fill(-0.02)
    const rows = emptyRows(8, PARAMETERS.d_model, data.activePerRow)
    data.draw(rows)
    const training = openTraining(model)
    const loss = accumulate(training, rows, step)
    const errors = step === 1 ? null : errorsOf(model, rows)
    const near = (found: number, expected: number, what: string) =>
      assert.ok(Math.abs(found - expected) <= 1e-6, `${what}: ${found} is not ${expected}`)
    near(loss, lossByDefinition(model, rows.values, 8, errors), 'the loss')
    const h = 1e-6
    for (const name of ['encoder', 'decoder', 'encoderBias', 'preBias'] as const)
      for (let at = 0; at < model[name].length; at++) {
        const at0 = model[name][at]!
        const nearby = [at0 + h, at0 - h].map((value) => {
          model[name][at] = value
          return lossByDefinition(model, rows.values, 8, errors)
        })
        model[name][at] = at0
        near(training[name].gradient[at]!, (nearby[0]! - nearby[1]!) / (2 * h), `${name} ${at}`)
      }
  })

test('decoder rows stay units while they are trained', () => {
  const data = openData(PARAMETERS)
  const model = initialise(PARAMETERS)
  train(model, data, { steps: 60, batch: 8 }, () => undefined)
  for (let j = 0; j < model.n; j++)
    assert.ok(Math.abs(Math.hypot(...model.decoder.subarray(j * model.d, (j + 1) * model.d)) - 1) < 1e-12)
})

test('Adam finds the lowest point of a quadratic', () => {
  const values = Float64Array.of(4, -3)
  const adam = new Adam(values)
  for (let step = 1; step <= 4000; step++) {
    adam.gradient.set([2 * (values[0]! - 1), 20 * (values[1]! + 2)])
    adam.apply(step, 0.01)
  }
  assert.ok(Math.abs(values[0]! - 1) < 1e-3 && Math.abs(values[1]! + 2) < 1e-3)
})

test('a model that is the truth reconstructs all but the noise, and its cosines are 1', () => {
  const data = openData({ seed: 9, d_model: 12 })
  const n = data.trueCount
  const exact = {
    ...initialise({ seed: 9, d_model: 12, n_features: n, top_k: 3, batch: 8 }),
    decoder: data.trueFeatures,
  }
  const { mcc, meanMaxCosine, matches } = matchFeatures(exact, data.trueFeatures)
  assert.ok(Math.abs(mcc - 1) < 1e-9 && Math.abs(meanMaxCosine - 1) < 1e-9)
  assert.ok(matches.every(({ trueFeature, feature }) => trueFeature === feature))
  const inverted = { ...exact, decoder: data.trueFeatures.map((value) => -value) }
  assert.ok(matchFeatures(inverted, data.trueFeatures).mcc < 0.9, 'a row that points the other way is no match')
})

test('a model that answers the mean explains nothing: its unexplained variance is 1', () => {
  const { heldOut } = openData(PARAMETERS)
  const d = PARAMETERS.d_model
  const model = { ...initialise(PARAMETERS), encoderBias: new Float64Array(10).fill(-1e9) }
  for (let row = 0; row < heldOut.count; row++)
    for (let i = 0; i < d; i++) model.preBias[i]! += heldOut.values[row * d + i]! / heldOut.count
  const { fvu, l0Mean } = reconstruct(model, heldOut)
  assert.ok(Math.abs(fvu - 1) < 1e-9 && l0Mean === 0)
})

test('the divergence of logits is never negative, and that of a known pair is known', () => {
  const logits = (...shares: number[]) => Float64Array.from(shares, Math.log)
  const known = 0.5 * Math.log(0.5 / 0.25) + 0.5 * Math.log(0.5 / 0.75)
  assert.ok(Math.abs(divergence(logits(0.5, 0.5), logits(0.25, 0.75)) - known) < 1e-12)
  const ten = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 10, maxLength: 10 })
  fc.assert(
    fc.property(ten, ten, (p, q) => {
      const [one, other] = [Float64Array.from(p), Float64Array.from(q)]
      assert.ok(divergence(one, other) >= 0)
      assert.equal(divergence(one, one), 0)
    }),
    { seed: 16, numRuns: 500 },
  )
})

test('the histogram of densities holds every feature that fired, in the bin of its frequency', () => {
  const { bin_edges_log10: edges, counts } = densityOf(Uint32Array.of(0, 1, 4096, 64, 64), 4096)
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    4,
  )
  assert.deepEqual([counts[0], counts[10], counts[19]], [1, 2, 1])
  assert.deepEqual([edges.length, edges[20]], [21, 0])
  assert.ok(Math.abs(edges[0]! - Math.log10(1 / 4096)) < 1e-12)
})

test('the generator is uniform, normal and without favourites, as far as a hundred thousand draws can tell', () => {
  const random = sfc32('test', { seed: 1 })
  const draws = Array.from({ length: 100_000 }, () => random.normal())
  const mean = draws.reduce((sum, value) => sum + value, 0) / draws.length
  const variance = draws.reduce((sum, value) => sum + (value - mean) ** 2, 0) / draws.length
  assert.ok(Math.abs(mean) < 0.02 && Math.abs(variance - 1) < 0.03)
  const seen = new Uint32Array(7)
  for (let n = 0; n < 70_000; n++) seen[random.integer(7)]! += 1
  assert.ok(seen.every((count) => Math.abs(count - 10_000) < 500))
})
