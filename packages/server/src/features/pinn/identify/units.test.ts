import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sfc32 } from '../../../domain/sfc32.ts'
import { makeExample } from './example.ts'
import { identify } from './identify.ts'
import type { Problem } from './model.ts'
import { SYSTEMS, type SystemName } from './systems.ts'
import type { OwnBounds } from './units.ts'

const example = (system: SystemName, noise = 0.02, kind: 'identifiable' | 'ill_posed' = 'identifiable'): Problem =>
  makeExample({ system, noise, seed: 5, case: kind, unknowns: SYSTEMS[system].defaultUnknowns, fixed: {} })!.problem

const fitted = (problem: Problem, bounds: OwnBounds = {}) => {
  const { found } = identify({ problem, bounds, seed: 3, starts: 4 })
  return found!.discovered.map(({ name, value, sd, profiled }) => ({
    name,
    refusal: found!.refusals[name]?.code ?? null,
    numbers: found!.refusals[name] === undefined ? [value, sd!, ...(profiled ?? [])] : [],
  }))
}

function assertSame(
  found: ReturnType<typeof fitted>,
  wanted: ReturnType<typeof fitted>,
  unit: (name: string) => number,
) {
  assert.deepEqual(
    found.map(({ name, refusal }) => [name, refusal]),
    wanted.map(({ name, refusal }) => [name, refusal]),
  )
  found.forEach(({ name, numbers }, j) => {
    numbers.forEach((value, i) => {
      const expected = wanted[j]!.numbers[i]! * unit(name)
      assert.ok(Math.abs(value! - expected) <= 2e-4 * Math.abs(expected), `${name} ${i}: ${value} is not ${expected}`)
    })
  })
}

/** The same measurement in units that are so many times smaller. */
function inUnits(problem: Problem, size: number, second: number, time: number) {
  const { kind, parameters } = SYSTEMS[problem.system]
  const unit = (name: string): number => {
    const [x, y, t] = parameters[name]!.powers
    return size ** x * second ** y * (kind === 'differential' ? time : 1) ** t
  }
  const columns = problem.system === 'lotka_volterra' ? [size, second] : [size, size / time]
  return {
    unit,
    problem: {
      ...problem,
      t: kind === 'differential' ? problem.t.map((at) => at * time) : problem.t,
      y: problem.y.map((row) => row.map((value, s) => value * columns[s]!)),
      fixed: Object.fromEntries(Object.entries(problem.fixed).map(([name, value]) => [name, value * unit(name)])),
    },
  }
}

test('in other units of data and time every value and interval is the same in those units, and so are the refusals', () => {
  for (const system of Object.keys(SYSTEMS) as SystemName[])
    for (const kind of ['identifiable', 'ill_posed'] as const) {
      const plain = example(system, 0.02, kind)
      const wanted = fitted(plain)
      for (const [size, second, time] of [
        [1e-9, 1e-9, 1],
        [1e-60, 1e-60, 1e-15],
        [1e9, 1e9, 1e12],
        [1e3, 1e-5, 1e-6],
      ] as const) {
        const { problem, unit } = inUnits(plain, size, second, time)
        assertSame(fitted(problem), wanted, unit)
      }
    }
})

test('a velocity that was observed along may be in any unit of time', () => {
  const plain = example('damped_oscillator', 0.01)
  const random = sfc32('velocities', {})
  const y = plain.t.map((at, i) => {
    const [c, omega] = [0.15, Math.sqrt(4 - 0.15 ** 2)]
    const velocity = -Math.exp(-c * at) * (omega + c ** 2 / omega) * Math.sin(omega * at)
    return [plain.y[i]![0]!, velocity + 0.1 * random.normal()]
  })
  const wanted = fitted({ ...plain, y })
  for (const { name, numbers } of wanted) {
    const truth = { c: 0.3, k: 4 }[name]!
    assert.ok(numbers[2]! < truth && truth < numbers[3]!, `${name} ${numbers}`)
  }
  // The noisier state must not spoil the other one.
  const alone = fitted(plain)
  wanted.forEach(({ numbers }, j) => {
    assert.ok(numbers[1]! <= alone[j]!.numbers[1]! * 1.05)
  })
  for (const time of [1e-6, 1e3]) {
    const { problem, unit } = inUnits({ ...plain, y }, 1, 1, time)
    assertSame(fitted(problem), wanted, unit)
  }
})

test('the time of the first point means nothing to a system that does not depend on time', () => {
  const plain = example('lotka_volterra')
  assertSame(fitted({ ...plain, t: plain.t.map((at) => at + 1900) }), fitted(plain), () => 1)
})

test('bounds that hold the answer change neither value nor interval nor refusal, however wide they are', () => {
  for (const system of ['damped_oscillator', 'duffing', 'logistic', 'lotka_volterra', 'redlich_kister'] as const)
    for (const kind of ['identifiable', 'ill_posed'] as const) {
      const plain = example(system, 0.02, kind)
      const wanted = fitted(plain)
      for (const width of [1e7, 1e12])
        for (const names of [plain.unknowns.slice(0, 1), plain.unknowns]) {
          const bounds = Object.fromEntries(names.map((name) => [name, [-width, width] as const]))
          assertSame(fitted(plain, bounds), wanted, () => 1)
        }
    }
})

test('a damping that noise hides is refused and the spring told, whatever the bounds of the damping', () => {
  const random = sfc32('hidden-damping', { seed: 22 })
  const t = Array.from({ length: 14 }, (_, i) => (3 * i) / 13)
  const y = t.map((at) => [Math.exp(-0.01 * at) * Math.cos(2 * at) + 0.1 * random.normal()])
  const problem = { system: 'damped_oscillator', t, y, unknowns: ['c', 'k'], fixed: {} } as const
  for (const width of [null, 1e3, 1e5, 1e7]) {
    const [c, k] = fitted(problem, width === null ? {} : { c: [-width, width] })
    assert.deepEqual([c!.refusal, k!.refusal], ['RELATIVE_ERROR', null], `${width}`)
    assert.ok(Math.abs(k!.numbers[0]! - 4) < 3 * k!.numbers[1]!)
  }
})
