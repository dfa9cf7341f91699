import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeExample } from './example.ts'
import { identify } from './identify.ts'
import { integrate, WorkCounter, WorkExceeded } from './integrate.ts'
import { identifyJob } from './job.ts'
import { createModel } from './model.ts'
import { describeResiduals } from './residuals.ts'
import { mixingStability } from './stability.ts'
import { parameterVector, SYSTEMS, type SystemName, type Values } from './systems.ts'

interface Asked {
  system?: SystemName
  noise?: number
  seed?: number
  case?: 'identifiable' | 'ill_posed'
  unknowns?: readonly string[]
  fixed?: Values
  starts?: number
  profile?: boolean | readonly string[]
}

function run({ system = 'duffing', noise = 0.01, seed = 1, case: kind = 'identifiable', fixed = {}, ...rest }: Asked) {
  const unknowns = rest.unknowns ?? SYSTEMS[system].defaultUnknowns
  const example = makeExample({ system, noise, seed, case: kind, unknowns, fixed })!
  const { found } = identify({
    problem: example.problem,
    bounds: {},
    seed,
    starts: rest.starts ?? 1,
    profile: rest.profile ?? false,
  })
  assert.ok(found !== null)
  const one = (name: string) => found.discovered.find((row) => row.name === name)!
  return { found, one, example, asserted: (name: string) => found.refusals[name] === undefined }
}

test('the integrator keeps an oscillator on its circle and counts its work', () => {
  const work = new WorkCounter(1e6)
  const rate = (_t: number, x: Float64Array, into: Float64Array) => {
    into[0] = x[1]!
    into[1] = -x[0]!
  }
  const states = integrate(rate, Float64Array.of(1, 0), [0, 1, Math.PI, 20], 1e-8, work)!
  ;[0, 1, Math.PI, 20].forEach((t, i) => {
    assert.ok(Math.abs(states[i]![0]! - Math.cos(t)) < 1e-6)
  })
  const alone = work.count
  assert.ok(alone > 0)
  const two = new WorkCounter(1e6)
  const twice = (t: number, x: Float64Array, into: Float64Array) => {
    rate(t, x, into)
    rate(t, x.subarray(2), into.subarray(2))
  }
  integrate(twice, Float64Array.of(1, 0, 1, 0), [0, 1, Math.PI, 20], 1e-8, two, 2)
  assert.equal(two.count, 2 * alone, 'sensitivities are counted')
  assert.throws(() => integrate(rate, Float64Array.of(1, 0), [0, 1e5], 1e-8, new WorkCounter(100)), WorkExceeded)
  // An explosion has no solution over the whole range, and is no error.
  const explode = (_t: number, x: Float64Array, into: Float64Array) => {
    into[0] = x[0]! ** 2
  }
  assert.equal(integrate(explode, Float64Array.of(1), [0, 2], 1e-8, work), null)
})

test('the sensitivities are the derivatives of the trajectory', () => {
  for (const system of Object.keys(SYSTEMS) as SystemName[]) {
    const unknowns = SYSTEMS[system].defaultUnknowns
    const { problem, truth } = makeExample({ system, noise: 0, seed: 1, case: 'identifiable', unknowns, fixed: {} })!
    const model = createModel(problem, new WorkCounter(1e8))
    const state = SYSTEMS[system].example.state ?? []
    const theta = Float64Array.from([...unknowns.map((name) => truth[name]!), ...state])
    const { jacobian, values } = model.evaluate(theta)!
    theta.forEach((value, j) => {
      const h = 1e-4 * Math.max(0.1, Math.abs(value))
      const moved = (by: number) => model.evaluate(theta.map((one, k) => (k === j ? one + by : one)))!.values
      const [up, down] = [moved(h), moved(-h)]
      values.forEach((_, i) => {
        const expected = (up[i]! - down[i]!) / (2 * h)
        const found = jacobian[i * theta.length + j]!
        assert.ok(
          Math.abs(found - expected) <= 2e-4 * (1 + Math.abs(expected)),
          `${system} ${j} ${i}: ${found} ${expected}`,
        )
      })
    })
  }
})

test('without noise the parameters of every system come back', () => {
  for (const system of Object.keys(SYSTEMS) as SystemName[]) {
    const { found, example } = run({ system, noise: 0, starts: 8 })
    assert.ok(found.fit.converged, system)
    for (const { name, value } of found.discovered) {
      const truth = example.truth[name]!
      assert.ok(Math.abs(value - truth) <= 1e-6 * Math.max(1, Math.abs(truth)), `${system} ${name}: ${value}`)
    }
  }
})

test('without noise every interval is that of the floor and holds the truth', () => {
  for (const system of Object.keys(SYSTEMS) as SystemName[]) {
    const { found, example, asserted } = run({ system, noise: 0, starts: 4, profile: true })
    assert.ok(found.exact)
    for (const { name, value, sd, profiled } of found.discovered) {
      assert.ok(asserted(name) && profiled === null, `${system} ${name}`)
      assert.ok(Math.abs(value - example.truth[name]!) < sd!, `${system} ${name}: ${value} ${sd}`)
    }
  }
})

test('at one and five percent of noise the cubic term is as uncertain as it must be', () => {
  const fine = run({ noise: 0.01 }).one('al')
  assert.ok(Math.abs(fine.value - 1) < 0.06 && Math.abs(fine.sd! - 0.011) < 0.003, `${fine.value} ${fine.sd}`)
  const coarse = Array.from({ length: 10 }, (_, seed) => run({ noise: 0.05, seed, starts: 2 }).one('al').sd!)
  const mean = coarse.reduce((sum, sd) => sum + sd, 0) / coarse.length
  assert.ok(Math.abs(mean - 0.055) < 0.01, `${mean}`)
})

test('the interval of alpha holds the truth in at least 90 of 100 seeds at five percent of noise', () => {
  let [inside, wald] = [0, 0]
  for (let seed = 1; seed <= 100; seed++) {
    const { one, asserted } = run({ noise: 0.05, seed, profile: ['al'], starts: 2 })
    const { profiled, value, sd } = one('al')
    assert.ok(asserted('al'), `seed ${seed}`)
    if (profiled![0]! <= 1 && 1 <= profiled![1]!) inside += 1
    if (Math.abs(value - 1) <= 1.96 * sd!) wald += 1
  }
  assert.ok(inside >= 90 && inside <= 99, `${inside} of 100 by the profile, ${wald} by the curvature`)
})

test('a mixture over the whole range tells three coefficients, a narrow window one', () => {
  const count = { L0: 0, L1: 0, L2: 0 }
  const narrow = { L0: 0, L1: 0, L2: 0 }
  const covered = { L0: 0, L1: 0, L2: 0 }
  const names = ['L0', 'L1', 'L2'] as const
  const relative: number[][] = [[], [], []]
  for (let seed = 1; seed <= 200; seed++) {
    const wide = run({ system: 'redlich_kister', noise: 0.015, seed, profile: true })
    names.forEach((name, i) => {
      const { value, sd, profiled } = wide.one(name)
      relative[i]!.push(sd! / Math.abs(wide.example.truth[name]!))
      if (wide.asserted(name)) count[name] += 1
      const truth = wide.example.truth[name]!
      const [low, high] = profiled ?? [value - 1.96 * sd!, value + 1.96 * sd!]
      if (low! <= truth && truth <= high!) covered[name] += 1
    })
    const short = run({ system: 'redlich_kister', noise: 0.03, seed, case: 'ill_posed' })
    for (const name of names) if (short.asserted(name)) narrow[name] += 1
  }
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  assert.deepEqual(
    relative.map((values, i) => Math.abs(mean(values) / [0.006, 0.06, 0.21][i]! - 1) < 0.3),
    [true, true, true],
  )
  assert.deepEqual([count.L0, count.L1], [200, 200])
  assert.ok(count.L2 >= 190, `${count.L2}`)
  for (const name of names) assert.ok(covered[name] >= 180 && covered[name] <= 198, `${name} ${covered[name]}`)
  assert.equal(narrow.L0, 200)
  assert.ok(narrow.L1 <= 24, `L1 asserted ${narrow.L1}`)
  assert.ok(narrow.L2 <= 6, `L2 asserted ${narrow.L2}`)
})

test('a parameter without effect refuses itself and leaves the others asserted', () => {
  // Without a force its frequency cannot show.
  const example = makeExample({
    system: 'duffing',
    noise: 0,
    seed: 1,
    case: 'identifiable',
    unknowns: ['c', 'd', 'al'],
    fixed: {},
  })!
  const start: Record<string, number> = { ...example.truth, F: 0 }
  const rate = (t: number, x: Float64Array, into: Float64Array) => {
    const system = SYSTEMS.duffing
    if (system.kind === 'differential') system.rate(t, x, parameterVector('duffing', start), into)
  }
  const states = integrate(rate, Float64Array.of(1.5, 0), example.problem.t, 1e-11, new WorkCounter(1e7))!
  const y = states.map((x, i) => [x[0]! + 0.005 * Math.sin(1e4 * i * i)])
  const problem = { ...example.problem, y, unknowns: ['c', 'd', 'al', 'w'], fixed: { F: 0 } }
  const { found } = identify({ problem, bounds: {}, seed: 1, starts: 4 })
  assert.deepEqual(Object.keys(found!.refusals), ['w'])
  assert.equal(found!.refusals.w!.code, 'NO_EFFECT')
  for (const name of ['c', 'd', 'al']) {
    const { value } = found!.discovered.find((row) => row.name === name)!
    assert.ok(Math.abs(value - start[name]!) < 0.05, `${name} ${value}`)
  }
})

test('two parameters that only act as one are both refused', () => {
  // Of prey alone, the size of the predators and their effect cannot be told apart.
  const example = makeExample({
    system: 'lotka_volterra',
    noise: 0.01,
    seed: 3,
    case: 'identifiable',
    unknowns: ['alpha', 'beta', 'delta', 'gamma'],
    fixed: {},
  })!
  const problem = { ...example.problem, y: example.problem.y.map(([prey]) => [prey!]) }
  const bounds = { alpha: [0.2, 3], beta: [0.1, 2], delta: [0.1, 1], gamma: [0.2, 2] } as const
  const { found } = identify({ problem, bounds, seed: 1, starts: 8, profile: false })
  assert.ok(found!.refusals.beta !== undefined)
  assert.equal(found!.refusals.alpha, undefined)
})

test('residuals with a pattern are found, white ones are not accused', () => {
  const wave = describeResiduals([Array.from({ length: 100 }, (_, i) => Math.sin(i / 8))], 3)
  assert.ok(wave.runs_p! < 1e-6 && wave.durbin_watson! < 0.2)
  const { found } = run({ noise: 0.05, seed: 5 })
  assert.ok(found.residuals.runs_p! > 0.001 && Math.abs(found.residuals.durbin_watson! - 2) < 0.6)
})

test('an ideal mixture is stable everywhere, a strongly positive one falls apart', () => {
  assert.deepEqual(mixingStability(() => 0, 298.15).miscibility_gaps, [])
  // A regular solution with L = 3 RT: the two phases are where ln(x/(1-x)) = 3 (2x - 1), x = 0.0707.
  const rt = 8.31446261815324 * 298.15
  const { miscibility_gaps } = mixingStability((x) => 3 * rt * x * (1 - x), 298.15)
  assert.equal(miscibility_gaps.length, 1)
  assert.ok(Math.abs(miscibility_gaps[0]!.from - 0.0707) < 0.006 && Math.abs(miscibility_gaps[0]!.to - 0.9293) < 0.006)
})

test('the same data give the same result', () => {
  const once = () => JSON.stringify(run({ system: 'logistic', seed: 4, starts: 8, profile: true }).found)
  assert.equal(once(), once())
})

test('an example that has no finite solution over its window is said to be none', () => {
  const wanted = (fixed: Record<string, number>) => ({
    ...{ system: 'duffing' as const, unknowns: ['c', 'd'], fixed, bounds: {}, seed: 1, temperature: 300, data: null },
    example: { noise: 0.05, case: 'identifiable' as const },
  })
  assert.equal(identifyJob(wanted({ al: -100 })).state, 'no_example')
  assert.match(identifyJob(wanted({ w: 1e6 })).state, /^(?:no_example|work_exceeded)$/)
})
