import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createNetwork, initialise, parameterCount } from './network.ts'
import { errorsOf, PROBLEMS } from './problems.ts'
import { SOLVERS } from './solvers.ts'
import { train } from './train.ts'

const SHAPE = { width: 5, layers: 2, scale: 2 }

test('the network carries its own derivatives, and its gradient is that of finite differences', () => {
  const network = createNetwork(SHAPE)
  const p = initialise(SHAPE, 1)
  assert.equal(p.length, parameterCount(SHAPE))
  const at = (x: number) => [...network.forward(p, x)] as [number, number, number]
  const h = 1e-4
  const [value, slope, curvature] = at(0.3)
  assert.ok(Math.abs(slope - (at(0.3 + h)[0] - at(0.3 - h)[0]) / (2 * h)) < 1e-5 * (1 + Math.abs(slope)))
  assert.ok(Math.abs(curvature - (at(0.3 + h)[1] - at(0.3 - h)[1]) / (2 * h)) < 1e-5 * (1 + Math.abs(curvature)))
  assert.ok(Number.isFinite(value))
  const gradient = new Float64Array(p.length)
  const loss = (q: Float64Array) => {
    const out = network.forward(q, 0.3)
    return 0.7 * out[0]! + 0.4 * out[1]! - 0.2 * out[2]!
  }
  loss(p)
  network.backward(p, 0.7, 0.4, -0.2, gradient)
  p.forEach((_, i) => {
    const moved = (by: number) => loss(p.map((one, k) => (k === i ? one + by : one)))
    assert.ok(Math.abs((moved(1e-5) - moved(-1e-5)) / 2e-5 - gradient[i]!) < 1e-6, `parameter ${i}`)
  })
})

test('training lowers the residual, meets the ends, and depends on nothing but its seed', () => {
  const settings = { ...SHAPE, rate: 0.01, points: 24, adamSteps: 60, lbfgsSteps: 30 }
  for (const problem of PROBLEMS) {
    const [short, long, again] = [
      train(problem, { ...settings, adamSteps: 1, lbfgsSteps: 0 }, 3),
      train(problem, settings, 3),
      train(problem, settings, 3),
    ]
    assert.ok(long.loss < short.loss / 2, `${long.loss} ${short.loss}`)
    assert.equal(long.loss, again.loss)
    assert.deepEqual([long.u(0), long.u(1)], [problem.left, problem.right])
  }
})

test('the direct solvers reach what the artifact says', () => {
  for (const arm of SOLVERS) {
    const problem = PROBLEMS.find(({ id }) => id === arm.problem)!
    assert.ok(errorsOf(problem, arm.solve(problem, arm.sizes.at(-1)!)).rel_l2 < 1e-7, arm.id)
  }
})

test('the committed artifact has the digest beside it', () => {
  const folder = new URL('../../packages/server/data/pinn/', import.meta.url)
  const digest = createHash('sha256')
    .update(readFileSync(new URL('bench.json', folder)))
    .digest('hex')
  assert.equal(readFileSync(new URL('bench.json.sha256', folder), 'utf8'), `${digest}  bench.json\n`)
})
