import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sfc32 } from '../../../domain/sfc32.ts'
import { solveExactly } from '../burgers/exact.ts'
import { identify } from './identify.ts'
import type { Problem } from './model.ts'
import type { OwnBounds } from './units.ts'

type Truth = Readonly<Record<'nu' | 'a' | 'b', number>>

function profile({ nu, a, b }: Truth, [from, to]: readonly [number, number] = [0, 1], noise = 0.02): Problem {
  const random = sfc32('layers', { nu: `${nu}`, b: `${b}` })
  const t = Array.from({ length: 60 }, (_, i) => from + ((to - from) * i) / 59)
  const { at } = solveExactly(nu, a, b)
  const y = t.map((x) => [at(x) + noise * random.normal()])
  return { system: 'burgers_viscosity', t, y, unknowns: ['nu', 'a', 'b'], fixed: {} }
}

const fitted = (problem: Problem, bounds: OwnBounds = {}) => {
  const found = identify({ problem, bounds, seed: 0 }).found!
  const one = (name: string) => found.discovered.find((row) => row.name === name)!
  return { found, one, codes: problem.unknowns.map((name) => found.refusals[name]?.code ?? null) }
}

test('a thin layer tells its viscosity and both ends, in the middle and off it', () => {
  const cases: [Truth, [number, number]?][] = [
    [{ nu: 0.1, a: 1, b: -1 }],
    [{ nu: 0.05, a: 1, b: -1 }],
    [{ nu: 0.02, a: 1, b: -1 }],
    [{ nu: 0.005, a: 1, b: -1 }],
    [{ nu: 0.001, a: 1, b: -1 }, [0.49, 0.51]],
    [{ nu: 0.01, a: 1, b: -0.999999 }],
    [{ nu: 0.01, a: 0.99, b: -1 }],
    [{ nu: 0.04, a: 3, b: -2.999 }],
  ]
  for (const [truth, window] of cases) {
    const { one, codes } = fitted(profile(truth, window, 0.02 * truth.a))
    assert.deepEqual(codes, [null, null, null], `${truth.nu}`)
    for (const name of ['nu', 'a', 'b'] as const) {
      const { value, sd, profiled } = one(name)
      assert.ok(Math.abs(value - truth[name]) < 3.5 * sd!, `${truth.nu} ${name}: ${value} ${sd}`)
      assert.ok(profiled![0]! < value && value < profiled![1]! && profiled![1]! - profiled![0]! < 5 * sd!, name)
    }
    assert.ok(one('nu').sd! < 0.05 * truth.nu)
  }
})

test('a layer between two points refuses its viscosity alone', () => {
  const { codes } = fitted(profile({ nu: 0.001, a: 1, b: -1 }))
  assert.deepEqual(
    codes.map((code) => code === null),
    [false, true, true],
  )
})

test('a thin layer without noise comes back as it was', () => {
  const truth = { nu: 0.02, a: 1, b: -1 }
  const { one, found } = fitted(profile(truth, [0, 1], 0))
  assert.ok(found.exact)
  for (const name of ['nu', 'a', 'b'] as const) assert.ok(Math.abs(one(name).value - truth[name]) < 1e-6, name)
})

test('a thin layer is the same in other units, mirrored, and within bounds that hold it', () => {
  const problem = profile({ nu: 0.02, a: 1, b: -1 })
  const wanted = fitted(problem)
  const size = 1e-9
  const small = fitted({ ...problem, y: problem.y.map(([u]) => [u! * size]) })
  const turned = fitted({
    ...problem,
    t: problem.t.map((x) => 1 - x).toReversed(),
    y: problem.y.map(([u]) => [-u!]).toReversed(),
  })
  const bounded = fitted(problem, { nu: [1e-4, 1], a: [-50, 50], b: [-50, 50] })
  const same = (one: number, other: number) => Math.abs(one - other) <= 2e-4 * Math.abs(other)
  for (const [name, mirror, sign] of [
    ['nu', 'nu', 1],
    ['a', 'b', -1],
    ['b', 'a', -1],
  ] as const) {
    const { value, sd, profiled } = wanted.one(name)
    assert.ok(same(small.one(name).value, size * value) && same(small.one(name).sd!, size * sd!))
    assert.ok(same(turned.one(mirror).value, sign * value) && same(turned.one(mirror).sd!, sd!))
    assert.ok(same(bounded.one(name).profiled![0]!, profiled![0]!))
  }
})

test('bounds that keep the best end out refuse it', () => {
  const { found } = fitted(profile({ nu: 0.02, a: 1, b: -1 }), { b: [-0.9, 0] })
  assert.ok(found.refusals.b !== undefined)
})
