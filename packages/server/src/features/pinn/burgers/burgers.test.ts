import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sfc32 } from '../../../domain/sfc32.ts'
import { chebyshev, interpolate, multiply } from './chebyshev.ts'
import { solveExactly } from './exact.ts'
import { solveByContinuation } from './newton.ts'
import { solveBurgers } from './solve.ts'

const SEED = 20261116

test('the exact solution has the constants of the contract on every branch', () => {
  const near = (found: number | null, wanted: number, digits = 1e-9) =>
    assert.ok(found !== null && Math.abs(found - wanted) <= digits, `${found} is not ${wanted}`)
  const tan = solveExactly(0.5, 0.2, 1)
  near(tan.c, 0.235216061)
  near(tan.at(0.5), 0.49659509, 1e-8)
  const coth = solveExactly(0.05, 0.2, 1)
  near(coth.c, -0.0189283971, 1e-10)
  near(coth.at(0.5), 0.23605569, 1e-8)
  near(solveExactly(0.1, -1, 1).c, 0.104374575)
  near(solveExactly(0.5, 1, -1).C, 1.5434046384, 1e-10)
  near(solveExactly(0.05, 1, 0.2).x0, 1.0202732553, 1e-10)
  const canonical = solveExactly(0.05, 0.9999092042625951, -0.9999092042625951)
  near(canonical.C, 1, 1e-14)
  assert.equal(canonical.x0, 0.5)
  assert.equal(solveExactly(0.3, 2, 2).at(0.4), 2)
})

test('the limit between tan and coth is the rational solution', () => {
  // 2 nu (1/a - 1/b) = 1 with a = 1, b = 2, nu = 1.
  const at = solveExactly(1, 1, 2)
  assert.deepEqual([at.branch, at.c], ['rational', 0])
  assert.ok(Math.abs(at.at(0.5) - 1 / (1 - 0.25)) < 1e-14)
  for (const b of [2 - 1e-7, 2 + 1e-7]) assert.ok(Math.abs(solveExactly(1, 1, b).at(0.5) - 4 / 3) < 1e-6)
})

/** Ends and slopes by the first integral, which the solution itself was not evaluated by. */
test(`the exact solution meets both ends to 1e-8 and the first integral inside (seed ${SEED})`, () => {
  const end = fc.double({ min: -10, max: 10, noNaN: true })
  const branches = new Set<string>()
  fc.assert(
    fc.property(
      fc.double({ min: -3, max: 1, noNaN: true }),
      end,
      end,
      fc.double({ min: 0.02, max: 0.98, noNaN: true }),
      (log, a, b, x) => {
        const nu = 10 ** log
        fc.pre(Math.max(Math.abs(a), Math.abs(b)) / nu <= 2000)
        const exact = solveExactly(nu, a, b)
        branches.add(exact.branch)
        const slope = (u: number) => ((u * u) / 2 + exact.c) / nu
        const h = 1e-9 / (1 + Math.abs(slope(a)) + Math.abs(slope(b)))
        assert.ok(Math.abs(exact.at(h) - a) < 1e-8, `left end ${exact.at(h)} of ${a}`)
        assert.ok(Math.abs(exact.at(1 - h) - b) < 1e-8, `right end ${exact.at(1 - h)} of ${b}`)
        const step = 1e-5 * Math.min(1, nu)
        const difference = (exact.at(x + step) - exact.at(x - step)) / (2 * step)
        const u = exact.at(x)
        const size = 1 + u * u + Math.abs(exact.c)
        assert.ok(
          Math.abs(nu * difference - (u * u) / 2 - exact.c) < 2e-4 * size,
          `first integral at ${nu} ${a} ${b} ${x}`,
        )
        assert.ok(u >= Math.min(a, b) - 1e-9 && u <= Math.max(a, b) + 1e-9, 'a solution lies between its ends')
      },
    ),
    { seed: SEED, numRuns: 2000 },
  )
  for (const branch of ['tanh', 'tan', 'coth']) assert.ok(branches.has(branch), branch)
})

test('differentiation and interpolation are exact for polynomials of the degree', () => {
  const { nodes, d1, d2 } = chebyshev(9, 0, 0.5)
  const values = nodes.map((x) => x ** 5 - 2 * x ** 2)
  const [first, second] = [multiply(d1, values), multiply(d2, values)]
  nodes.forEach((x, i) => {
    assert.ok(Math.abs(first[i]! - (5 * x ** 4 - 4 * x)) < 1e-12)
    assert.ok(Math.abs(second[i]! - (20 * x ** 3 - 4)) < 1e-10)
  })
  assert.ok(Math.abs(interpolate(nodes, values, 0.3) - (0.3 ** 5 - 2 * 0.09)) < 1e-15)
})

test('the errors are those of the contract', () => {
  const s = 0.9999
  for (const [nu, a, b, N, bar] of [
    [0.05, s, -s, 48, 1e-12],
    [0.01, s, -s, 48, 1e-7],
    [0.01, s, -s, 64, 1e-9],
    [0.002, s, -s, 128, 1e-8],
    [0.001, s, -s, 128, 1e-5],
    [0.01, 1, -0.5, 64, 1e-6],
    [0.02, 1, -0.99, 128, 1e-10],
  ] as const) {
    const { converged, max_abs_error, symmetric_half_domain } = solveBurgers({ nu, a, b, N })
    assert.ok(converged && max_abs_error! < bar, `nu ${nu}, a ${a}, b ${b}, N ${N}: ${max_abs_error}`)
    assert.equal(symmetric_half_domain, a === (-b as number))
  }
})

test('a Newton iteration that ends far from the solution is not called converged', () => {
  const found = solveBurgers({ nu: 0.02, a: 1, b: -0.999999, N: 48 })
  assert.deepEqual([found.newton_converged, found.converged], [true, false])
  assert.ok(found.max_abs_error! > 1)
  assert.match(found.reason!, /exact/)
})

/** By Simpson's rule on a mesh that is finer than the thinnest layer everywhere and crowds at the ends; the collocation is
 *  solved anew. */
function trueError(nu: number, a: number, b: number, N: number): number {
  const exact = solveExactly(nu, a, b)
  const { nodes, d1, d2 } = chebyshev(N, 0, 1)
  const { u } = solveByContinuation({ nodes, d1, d2 }, nu, a, b)
  const points = 4000
  let [error, size] = [0, 0]
  for (let i = 0; i <= points; i++) {
    const s = i / points
    const x = s * s * s * (10 - 15 * s + 6 * s * s)
    const weight = (i === 0 || i === points ? 1 : i % 2 === 1 ? 4 : 2) * 30 * (s * (1 - s)) ** 2
    error += weight * (interpolate(nodes, u, x) - exact.at(x)) ** 2
    size += weight * exact.at(x) ** 2
  }
  return Math.sqrt(error / size)
}

test('the relative error is an integral: a layer thinner than the spacing of the values does not hide in it', () => {
  for (const [nu, a, b, N] of [
    [0.002, 0, 2, 88],
    [0.002, 0, 1.5, 76],
    [0.0024514639096145877, -1.0574708207192942, 1.3304317221217934, 64],
    [0.001, 0, 2, 124],
    [0.002, 0, 2, 100],
  ] as const) {
    const found = solveBurgers({ nu, a, b, N })
    const wanted = trueError(nu, a, b, N)
    assert.ok(Math.abs(found.rel_l2_vs_exact! / wanted - 1) < 0.01, `${found.rel_l2_vs_exact} is not ${wanted}`)
    assert.equal(found.converged, N === 100)
  }
})

test(`with any number of nodes what converged is right to 0.001 in the integral (seed ${SEED})`, () => {
  const random = sfc32('burgers-nodes', { seed: SEED })
  for (let i = 0; i < 25; i++) {
    const nu = 0.002 * 500 ** (random.uniform() ** 2)
    const [a, b] = [4 * random.uniform() - 2, 4 * random.uniform() - 2]
    const N = 48 + Math.floor(81 * random.uniform())
    const { converged } = solveBurgers({ nu, a, b, N })
    if (converged) assert.ok(trueError(nu, a, b, N) < 1e-3, `${nu} ${a} ${b} ${N}`)
  }
})

test(`of 1000 random problems each is right to 0.001 or says that it is not (seed ${SEED})`, () => {
  const random = sfc32('burgers-acceptance', { seed: SEED })
  const count = { converged: 0, wrong: 0, silent: 0 }
  for (let i = 0; i < 1000; i++) {
    const nu = 0.002 + 0.998 * random.uniform()
    const [a, b] = [4 * random.uniform() - 2, 4 * random.uniform() - 2]
    const { converged, solution, reason } = solveBurgers({ nu, a, b, N: 48 })
    if (!converged) {
      if (reason === null) count.silent += 1
      continue
    }
    count.converged += 1
    const exact = solveExactly(nu, a, b)
    let [error, size] = [0, 0]
    solution.x.forEach((x, k) => {
      error += (solution.u[k]! - exact.at(x)) ** 2
      size += exact.at(x) ** 2
    })
    if (!(Math.sqrt(error / size) < 1e-3)) count.wrong += 1
  }
  assert.deepEqual([count.wrong, count.silent], [0, 0])
  assert.ok(count.converged >= 950, `${count.converged} of 1000 converged`)
})

test('small and equal ends are solved, and zero is no division', () => {
  for (const [a, b] of [
    [0, 0],
    [2, 2],
    [-3, -3],
    [1e-6, -1e-6],
    [1e-6, 0],
    [-1e-200, 1e-200],
    [1e-320, -1e-320],
    [3e-20, 1e-20],
  ] as const) {
    const { converged, rel_l2_vs_exact, solution } = solveBurgers({ nu: 0.1, a, b, N: 8 })
    assert.ok(converged && rel_l2_vs_exact! <= 1e-3, `${a} ${b}`)
    const quarter = a + (b - a) / 4
    assert.ok(Math.abs(solution.exact[32]! - quarter) <= 1e-3 * Math.abs(quarter), `${a} ${b} ${solution.exact[32]}`)
  }
})

test('the same problem gives the same bytes', () => {
  const once = () => JSON.stringify(solveBurgers({ nu: 0.03, a: 1.2, b: -0.4, N: 40 }))
  assert.equal(once(), once())
})
