/** The job: steady Burgers by collocation, with its error against the exact solution. It says that it converged only where
 *  Newton's method, the comparison with twice as many nodes and the exact solution all agree. */
import { chebyshev, interpolate, multiply } from './chebyshev.ts'
import { type ExactSolution, solveExactly } from './exact.ts'
import { type NewtonRun, newtonStage, solveByContinuation } from './newton.ts'

export interface BurgersInput {
  nu: number
  a: number
  b: number
  N: number
}

export const TOLERANCE = 1e-3
const OUTPUT_POINTS = 129
/** The errors are integrals over this many points, which crowd at both ends as the layers there do; inside, the thinnest layer
 *  that is solved has four of them. */
const INTEGRATION_POINTS = 4096

export function solveBurgers({ nu, a, b, N }: BurgersInput) {
  const exact = solveExactly(nu, a, b)
  // The position of the layer is conditioned like e^(C/2nu): where symmetry fixes it, it must not be computed.
  const isSymmetric = a === -b && a !== 0
  const [end, right] = isSymmetric ? [0.5, 0] : [1, b]
  const coarse = { grid: chebyshev(N, 0, end), run: null as unknown as NewtonRun }
  coarse.run = solveByContinuation(coarse.grid, nu, a, right)
  const fineGrid = chebyshev(2 * N, 0, end)
  const start = fineGrid.nodes.map((x) => interpolate(coarse.grid.nodes, coarse.run.u, x))
  const fine = newtonStage(fineGrid, nu, { u: start, stages: [], converged: true, residuals: [] })
  const whole = wholeInterval(isSymmetric)
  const x = Array.from({ length: OUTPUT_POINTS }, (_, i) => i / (OUTPUT_POINTS - 1))
  const u = x.map((at) => whole(coarse.grid.nodes, coarse.run.u, at))
  const fineU = x.map((at) => whole(fineGrid.nodes, fine.u, at))
  const aPosteriori = coarse.run.converged && fine.converged ? maxDifference(u, fineU) : null
  const errors = errorsOf((at) => whole(coarse.grid.nodes, coarse.run.u, at), exact, Math.max(Math.abs(a), Math.abs(b)))
  const atNodes = maxDifference([...coarse.run.u], [...coarse.grid.nodes].map(exact.at))
  const between = Math.max(errors.max, maxDifference(u, x.map(exact.at)))
  const maxError = Math.max(atNodes, between)
  const faults = [
    ...(coarse.run.converged ? [] : ['Newton’s method did not converge']),
    ...(coarse.run.converged && !fine.converged ? ['Newton’s method did not converge with twice as many nodes'] : []),
    ...(aPosteriori !== null && !(aPosteriori <= TOLERANCE) ? ['the solutions with N and 2N nodes differ'] : []),
    ...(maxError <= TOLERANCE && errors.relative <= TOLERANCE ? [] : ['the solution differs from the exact one']),
  ]
  const flux = multiply(coarse.grid.d1, coarse.run.u).map((slope, i) => nu * slope - coarse.run.u[i]! ** 2 / 2)
  return {
    symmetric_half_domain: isSymmetric,
    newton_iterations: coarse.run.stages.reduce((sum, { iterations }) => sum + iterations, 0),
    damping_steps: coarse.run.stages.reduce((sum, { damping_steps }) => sum + damping_steps, 0),
    stages: coarse.run.stages,
    residual_history: coarse.run.residuals,
    newton_converged: coarse.run.converged,
    converged: faults.length === 0,
    reason: faults.length === 0 ? null : `${faults.join('; ')} (tolerance ${TOLERANCE})`,
    a_posteriori_error: aPosteriori,
    rel_l2_vs_exact: finite(errors.relative),
    max_abs_error: finite(atNodes),
    max_abs_error_between: finite(between),
    flux_invariant_spread: finite(Math.max(...flux) - Math.min(...flux)),
    exact_reference: { branch: exact.branch, c: exact.c, C: exact.C, x0: exact.x0 },
    layer: layerOf(nu, exact, coarse.grid.nodes, isSymmetric),
    conditioning_log: exact.branch === 'tanh' ? exact.C / (2 * nu) : 0,
    solution: { x, u: u.map(finite), exact: x.map(exact.at) },
  }
}

export type BurgersResult = ReturnType<typeof solveBurgers>

/** The value anywhere in [0, 1]; of the symmetric problem the left half was solved and is odd about the middle. */
const wholeInterval =
  (isSymmetric: boolean) =>
  (nodes: Float64Array, values: Float64Array, x: number): number =>
    isSymmetric && x > 0.5 ? -interpolate(nodes, values, 1 - x) : interpolate(nodes, values, x)

/** By the rule of midpoints in the angle of x = (1 - cos angle)/2, in units of the larger end: its square may underflow. */
function errorsOf(u: (x: number) => number, exact: ExactSolution, unit: number) {
  let [max, misses, sizes] = [0, 0, 0]
  for (let i = 0; i < INTEGRATION_POINTS; i++) {
    const angle = ((i + 0.5) * Math.PI) / INTEGRATION_POINTS
    const x = Math.sin(angle / 2) ** 2
    const truth = exact.at(x)
    const miss = Math.abs(u(x) - truth)
    if (!(miss <= max)) max = Number.isNaN(miss) ? Infinity : miss
    misses += Math.sin(angle) * (miss / (unit || 1)) ** 2
    sizes += Math.sin(angle) * (truth / (unit || 1)) ** 2
  }
  return { max, relative: misses === 0 ? 0 : Math.sqrt(misses / sizes) }
}

function maxDifference(one: readonly number[], other: readonly number[]): number {
  let most = 0
  for (let i = 0; i < one.length; i++) {
    const difference = Math.abs(one[i]! - other[i]!)
    if (!Number.isFinite(difference)) return Infinity
    most = Math.max(most, difference)
  }
  return most
}

/** Of a decreasing solution, where the layer lies inside of the interval or at its edge. */
function layerOf(nu: number, { branch, C, x0 }: ExactSolution, nodes: Float64Array, isSymmetric: boolean) {
  if (branch !== 'tanh' || x0 === null) return { width: null, points_inside: null }
  const width = (4 * nu) / C
  const all = isSymmetric ? [...nodes, ...nodes.map((x) => 1 - x)] : [...nodes]
  return { width, points_inside: new Set(all.filter((x) => Math.abs(x - x0) <= width / 2)).size }
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
