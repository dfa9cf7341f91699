import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sfc32 } from '../../../domain/sfc32.ts'
import { solveExactly } from '../burgers/exact.ts'
import { identify } from './identify.ts'
import { waldInterval } from './intervals.ts'
import type { Problem } from './model.ts'
import type { OwnBounds } from './units.ts'

type End = 'a' | 'b'
type Truth = Readonly<Record<'nu' | End, number>>

const SEED = 'one end of a layer is fixed, 1'
const otherOf = (end: End): End => (end === 'a' ? 'b' : 'a')

/** By the place of the layer, which the ends as doubles do not tell. */
function layer(nu: number, x0: number): { truth: Truth; at(x: number): number } {
  const { C } = solveExactly(nu / x0, 1, 0)
  const at = (x: number) => -C * Math.tanh((C * (x - x0)) / (2 * nu))
  return { truth: { nu, a: 1, b: at(1) }, at }
}

function problemOf(
  { truth, at }: ReturnType<typeof layer>,
  end: End,
  { noise = 0, size = 1, points = 40, seed = 0, fixed = 1 } = {},
): Problem {
  const random = sfc32(SEED, { seed })
  const t = Array.from({ length: points }, (_, i) => i / (points - 1))
  const y = t.map((x) => [size * (at(x) + noise * random.normal())])
  return {
    system: 'burgers_viscosity',
    t,
    y,
    unknowns: ['nu', otherOf(end)],
    fixed: { [end]: fixed * truth[end] * size },
  }
}

const fitted = (problem: Problem, bounds: OwnBounds = {}) => {
  const { found, work } = identify({ problem, bounds, seed: 0 })
  const one = (name: string) => found!.discovered.find((row) => row.name === name)!
  const interval = (name: string) => one(name).profiled ?? waldInterval(one(name).value, one(name).sd!)
  return {
    found: found!,
    work,
    one,
    interval,
    codes: problem.unknowns.map((name) => found!.refusals[name]?.code ?? null),
  }
}

for (const end of ['a', 'b'] as const)
  for (const noise of [0, 0.05])
    test(`with ${end} fixed and noise ${noise} a layer tells its viscosity and the other end within their intervals (seed "${SEED}")`, () => {
      const random = sfc32(SEED, { end, noise })
      let [covered, count] = [0, 0]
      for (let draw = 0; draw < 18; draw++) {
        const isThick = draw % 3 === 0
        const nu = isThick ? 0.08 + 0.2 * random.uniform() : 0.008 * 6 ** random.uniform()
        const x0 = draw % 2 === 0 ? 0.5 : 0.2 + 0.6 * random.uniform()
        const size = Math.exp(5 * random.normal())
        const shape = layer(nu, x0)
        const { interval, codes } = fitted(problemOf(shape, end, { noise, size, seed: draw }))
        const where = `draw ${draw}: nu ${nu}, x0 ${x0}`
        // The layer may lie so near to the free end that its value is 0 within the noise.
        if (!isThick || noise === 0) assert.deepEqual(codes, [null, null], where)
        for (const name of ['nu', otherOf(end)] as const) {
          if (codes[name === 'nu' ? 0 : 1] !== null) continue
          const [low, high] = interval(name)
          const isCovered = low! <= shape.truth[name] * size && shape.truth[name] * size <= high!
          if (noise === 0) assert.ok(isCovered, `${where}: ${name} ${low} ${high}`)
          covered += isCovered ? 1 : 0
          count += 1
        }
      }
      assert.ok(count >= 30 && covered >= 0.88 * count, `${covered} of ${count}`)
    })

test('a layer between two points refuses its viscosity alone, with an end fixed and without', () => {
  const random = sfc32(SEED, { of: 'gaps' })
  for (let draw = 0; draw < 12; draw++) {
    const shape = layer(0.0005, 0.2 + 0.6 * random.uniform())
    const problem = problemOf(shape, draw % 2 === 0 ? 'a' : 'b', { noise: 0.02, points: 60, seed: draw })
    const { codes } = fitted(problem)
    const both = fitted({ ...problem, unknowns: ['nu', 'a', 'b'], fixed: {} })
    assert.ok(codes[0] !== null && codes[0] !== 'FIXED_CONTRADICTED' && codes[1] === null, `draw ${draw}: ${codes}`)
    assert.deepEqual([both.codes[0] !== null, both.codes[1], both.codes[2]], [true, null, null], `draw ${draw}`)
  }
})

test('beside a fixed end and a fixed viscosity the other end is told', () => {
  const { codes, one } = fitted({
    ...problemOf(layer(0.03, 0.4), 'a', { noise: 0.02 }),
    unknowns: ['b'],
    fixed: { nu: 0.03, a: 1 },
  })
  assert.deepEqual(codes, [null])
  assert.ok(Math.abs(one('b').value + 1) < 1e-3)
})

test('beside a fixed end a layer is the same in other units and mirrored', () => {
  const problem = problemOf(layer(0.03, 0.35), 'a', { noise: 0.02 })
  const wanted = fitted(problem)
  const size = 1e-9
  const small = fitted({ ...problem, y: problem.y.map(([u]) => [u! * size]), fixed: { a: size } })
  const turned = fitted({
    ...problem,
    t: problem.t.map((x) => 1 - x).toReversed(),
    y: problem.y.map(([u]) => [-u!]).toReversed(),
    unknowns: ['a', 'nu'],
    fixed: { b: -1 },
  })
  const same = (one: readonly (number | null)[], other: readonly (number | null)[]) =>
    one.every((value, i) => Math.abs(value! - other[i]!) <= 1e-3 * Math.abs(other[i]!))
  const [low, high] = wanted.interval('b') as [number, number]
  assert.ok(same(turned.interval('a'), [-high, -low]))
  assert.ok(same(small.interval('b'), [size * low, size * high]))
  for (const { interval, one, unit } of [
    { ...small, unit: size },
    { ...turned, unit: 1 },
  ]) {
    assert.ok(same([one('nu').value], [unit * wanted.one('nu').value]))
    assert.ok(
      same(
        interval('nu'),
        wanted.interval('nu').map((value) => unit * value!),
      ),
    )
  }
  assert.ok(
    same(
      [...turned.found.predictions].toReversed(),
      [...wanted.found.predictions].map((value) => -value),
    ),
  )
})

test('the work of a layer beside a fixed end is counted and bounded', () => {
  const { work } = fitted(problemOf(layer(0.01, 0.5), 'b', { noise: 0.05, points: 600 }))
  assert.ok(work > 1e6 && work < 2e7, `${work}`)
})

test('a fixed value that the data contradict refuses what is estimated beside it, and says so', () => {
  for (const end of ['a', 'b'] as const)
    for (const nu of [0.02, 0.2])
      for (const fixed of [1.2, 0.8, -1, 0]) {
        const shape = layer(nu, 0.5)
        const { found, codes } = fitted(problemOf(shape, end, { noise: 0.02, fixed }))
        assert.deepEqual(codes, ['FIXED_CONTRADICTED', 'FIXED_CONTRADICTED'], `${end} ${nu} ${fixed}`)
        assert.match(found.refusals.nu!.reason, new RegExp(`contradict the fixed ${end} = `))
      }
})

test('a bound that the data contradict is no fault of the fixed end', () => {
  const { codes } = fitted(problemOf(layer(0.02, 0.5), 'a', { noise: 0.02 }), { b: [-0.9, 0] })
  assert.ok(codes[1] !== null && !codes.includes('FIXED_CONTRADICTED'), `${codes}`)
})

test('a layer of the boundary that only the last point shows tells the end by that point', () => {
  const { at } = solveExactly(0.005, 1, -0.5)
  const { interval, codes } = fitted(problemOf({ truth: { nu: 0.005, a: 1, b: -0.5 }, at }, 'a', { noise: 0.02 }))
  assert.ok(codes[0] !== null && codes[1] === null, `${codes}`)
  const [low, high] = interval('b') as [number, number]
  assert.ok(low < -0.5 && high > -0.5 && high - low < 0.2, `${low} ${high}`)
})
