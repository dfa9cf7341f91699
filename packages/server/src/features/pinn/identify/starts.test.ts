import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sfc32 } from '../../../domain/sfc32.ts'
import { solveExactly } from '../burgers/exact.ts'
import { identify } from './identify.ts'
import { integrate, WorkCounter } from './integrate.ts'
import type { Problem } from './model.ts'
import { parameterVector, SYSTEMS, type Values } from './systems.ts'

const TRUTH = { alpha: 1, beta: 0.5, delta: 0.3, gamma: 0.8 }
const NAMES = Object.keys(TRUTH) as (keyof typeof TRUTH)[]

const grid = (points: number, to: number) => Array.from({ length: points }, (_, i) => (to * i) / (points - 1))

function populations(points: number, to: number, state: number[], seed: number, truth: Values = TRUTH): Problem {
  const system = SYSTEMS.lotka_volterra
  const p = parameterVector('lotka_volterra', truth)
  const random = sfc32('populations', { seed })
  const t = grid(points, to)
  const rate = (at: number, x: Float64Array, into: Float64Array) =>
    system.kind === 'differential' && system.rate(at, x, p, into)
  const states = integrate(rate, Float64Array.from(state), t, 1e-10, new WorkCounter(1e7))!
  const y = states.map((x) => [...x].map((value) => value + 0.03 * random.normal()))
  return { system: 'lotka_volterra', t, y, unknowns: NAMES, fixed: {} }
}

test('two populations tell all four rates in windows of any length', () => {
  for (const [points, to, state] of [
    [80, 15, [2, 1]],
    [60, 20, [5, 1]],
    [60, 10, [2, 1]],
    [200, 40, [1, 3]],
    [120, 60, [8, 0.2]],
  ] as const) {
    const { found } = identify({ problem: populations(points, to, [...state], 1), bounds: {}, seed: 1 })
    assert.deepEqual(found!.refusals, {}, `${points} to ${to}`)
    for (const { name, value, sd } of found!.discovered)
      assert.ok(Math.abs(value - TRUTH[name as 'alpha']) < 4 * sd!, `${name} ${value} ${sd}`)
  }
})

test('a driven spring with two wells tells all five parameters, its frequency too', () => {
  const truth: Values = { c: 0.3, d: -1, al: 1, F: 0.5, w: 1.2 }
  const random = sfc32('wells', {})
  const t = grid(200, 20)
  const p = parameterVector('duffing', truth)
  const { duffing } = SYSTEMS
  const rate = (at: number, x: Float64Array, into: Float64Array) =>
    duffing.kind === 'differential' && duffing.rate(at, x, p, into)
  const states = integrate(rate, Float64Array.of(0.5, 0), t, 1e-10, new WorkCounter(1e7))!
  const y = states.map((x) => [x[0]! + 0.02 * random.normal()])
  for (const unknowns of [
    ['c', 'd', 'al'],
    ['c', 'd', 'al', 'F', 'w'],
  ]) {
    const fixed: Values = unknowns.length === 3 ? { F: 0.5, w: 1.2 } : {}
    const { found } = identify({ problem: { system: 'duffing', t, y, unknowns, fixed }, bounds: {}, seed: 1 })
    assert.deepEqual(found!.refusals, {})
    for (const { name, value, sd } of found!.discovered)
      assert.ok(Math.abs(value - truth[name]!) < 4 * sd!, `${name} ${value} ${sd}`)
  }
})

test('the frequency of a force is told however long after the time 0 the data begin', () => {
  const truth: Values = { c: 0.1, d: 1, al: 0.5, F: 0.8, w: 2.3 }
  const { duffing } = SYSTEMS
  const p = parameterVector('duffing', truth)
  const rate = (at: number, x: Float64Array, into: Float64Array) =>
    duffing.kind === 'differential' && duffing.rate(at, x, p, into)
  for (const begin of [40, 1000]) {
    const random = sfc32('late', { begin })
    const t = grid(150, 25).map((at) => begin + at)
    const states = integrate(rate, Float64Array.of(0.3, 0), t, 1e-10, new WorkCounter(1e7))!
    const y = states.map((x) => [x[0]! + 0.01 * random.normal()])
    const problem = { system: 'duffing', t, y, unknowns: Object.keys(truth), fixed: {} } as const
    const { found } = identify({ problem, bounds: {}, seed: 0, profile: false })
    for (const { name, value, sd } of found!.discovered)
      assert.ok(Math.abs(value - truth[name]!) < 4 * sd!, `${begin}: ${name} ${value} ${sd}`)
  }
})

test('of the prey alone everything but the effect of the uncounted hunters is told', () => {
  for (const [points, to, state] of [
    [80, 15, [2, 1]],
    [60, 20, [5, 1]],
  ] as const) {
    const both = populations(points, to, [...state], 4)
    const { found } = identify({ problem: { ...both, y: both.y.map(([prey]) => [prey!]) }, bounds: {}, seed: 1 })
    assert.deepEqual(Object.keys(found!.refusals), ['beta'])
    const known = { ...both, y: both.y.map(([prey]) => [prey!]), unknowns: ['alpha', 'delta'] }
    const model = identify({ problem: { ...known, fixed: { beta: 0.5, gamma: 0.8 } }, bounds: {}, seed: 1 }).found!
    assert.deepEqual(model.refusals, {})
    const hunters = model.initial[1]!.value
    assert.ok(Math.abs(hunters - state[1]) < 0.2, `${hunters}`)
  }
})

test('starts that did not converge agree about nothing', () => {
  // A wave that no population makes.
  const t = grid(40, 10)
  const y = t.map((at) => [Math.sin(3 * at), Math.cos(7 * at)])
  const problem: Problem = { system: 'lotka_volterra', t, y, unknowns: NAMES, fixed: {} }
  const { found } = identify({ problem, bounds: {}, seed: 1 })
  assert.ok(found!.fit.converged || found!.agreeing === 0)
})

test('data of another system are answered within the work that is allowed', () => {
  const t = grid(150, 20)
  const rate = (_: number, x: Float64Array, into: Float64Array) => {
    into[0] = x[1]!
    into[1] = 1.5 * (1 - x[0]! ** 2) * x[1]! - x[0]!
  }
  const states = integrate(rate, Float64Array.of(2, 0), t, 1e-10, new WorkCounter(1e7))!
  const problem = { system: 'duffing', t, y: states.map((x) => [x[0]!]), unknowns: ['c', 'd', 'al'] } as const
  const { found, work } = identify({ problem: { ...problem, fixed: { F: 0, w: 1 } }, bounds: {}, seed: 1 })
  assert.ok(found !== null && found.residuals.runs_p! < 0.001 && work <= 2e7, `${work}`)
})

test('growth that has not slowed down tells its rate and refuses its limit alone', () => {
  const t = grid(30, 5)
  for (const noise of [0, 0.02]) {
    const random = sfc32('growth', { noise })
    const y = t.map((at) => [0.2 * Math.exp(0.8 * at) + noise * random.normal()])
    const problem: Problem = { system: 'logistic', t, y, unknowns: ['r', 'K'], fixed: {} }
    const { found } = identify({ problem, bounds: {}, seed: 1 })
    assert.deepEqual(Object.keys(found!.refusals), ['K'])
    const r = found!.discovered[0]!
    assert.ok(Math.abs(r.value - 0.8) < 3 * r.sd!, `${r.value} ${r.sd}`)
  }
})

test('a bound that keeps the best value out refuses its own parameter and no other', () => {
  const random = sfc32('outside', {})
  const t = grid(60, 10)
  const y = t.map((at) => [Math.exp(-0.15 * at) * Math.cos(2 * at) + 0.01 * random.normal()])
  const problem: Problem = { system: 'damped_oscillator', t, y, unknowns: ['c', 'k'], fixed: {} }
  const { found } = identify({ problem, bounds: { c: [0.5, 2] }, seed: 1 })
  assert.deepEqual([found!.refusals.c?.code, found!.refusals.k], ['AT_BOUND', undefined])
  assert.match(found!.refusals.c!.reason, /bound 0\.5$/)
})

test('a viscosity below what the model can show is refused at that limit, one that it can show is told', () => {
  const fitted = (nu: number, a: number, b: number, reach: number) => {
    const random = sfc32('thin layers', { nu: `${nu}` })
    const t = Array.from({ length: 60 }, (_, i) => 0.5 + reach * ((2 * i) / 59 - 1))
    const exact = t.map((x) => solveExactly(nu, a, b).at(x))
    const size = 0.02 * Math.hypot(...exact) * 60 ** -0.5
    const y = exact.map((value) => [value + size * random.normal()])
    const problem = { system: 'burgers_viscosity', t, y, unknowns: ['nu'], fixed: { a, b } } as const
    const { found } = identify({ problem, bounds: {}, seed: 0 })
    return { refusal: found!.refusals.nu?.code ?? null, ...found!.discovered[0]! }
  }
  for (const nu of [1e-2, 1e-4, 1e-8]) {
    const { refusal, profiled } = fitted(nu, -1, 1, 0.48)
    assert.equal(refusal, null)
    assert.ok(profiled![0]! < nu * 1.02 && profiled![1]! > nu * 0.98, `${profiled} is not ${nu}`)
  }
  assert.equal(fitted(5e-4, 1, -1, 0.005).refusal, null)
  assert.equal(fitted(1e-4, 1, -1, 0.001).refusal, 'AT_BOUND')
})
