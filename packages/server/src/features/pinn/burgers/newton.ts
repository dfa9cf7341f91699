/** Newton's method for nu u'' = u u' at collocation nodes, with damping and continuation in the viscosity. */
import { solveLinear } from '../../../domain/linear-solve.ts'
import { type Chebyshev, multiply } from './chebyshev.ts'

const TOLERANCE = 1e-9
const MAX_ITERATIONS = 25
const MIN_STEP = 1 / 64
const [FIRST_NU, NU_FACTOR] = [0.5, 0.6]

interface Stage {
  nu: number
  iterations: number
  damping_steps: number
  converged: boolean
  final_residual: number
}

export interface NewtonRun {
  u: Float64Array
  stages: Stage[]
  converged: boolean
  /** Largest residual before every step of the last stage. */
  residuals: number[]
}

/** From the straight line at a large viscosity to the wanted one. */
export function solveByContinuation(grid: Chebyshev, nu: number, left: number, right: number): NewtonRun {
  const { nodes } = grid
  const [from, to] = [nodes[0]!, nodes.at(-1)!]
  const line = nodes.map((x) => left + ((right - left) * (x - from)) / (to - from))
  let run: NewtonRun = { u: line, stages: [], converged: true, residuals: [] }
  for (const at of viscosities(nu)) {
    run = newtonStage(grid, at, run)
    if (!run.converged) break
  }
  return run
}

function viscosities(nu: number): number[] {
  const list: number[] = []
  for (let at = Math.max(nu, FIRST_NU); at > nu * (1 + 1e-12); at *= NU_FACTOR) list.push(at)
  return [...list, nu]
}

/** One viscosity, from the given values; its own result follows the earlier stages. */
export function newtonStage(grid: Chebyshev, nu: number, before: NewtonRun): NewtonRun {
  const residuals: number[] = []
  let u = before.u
  let damped = 0
  let norm = largest(residualOf(grid, nu, u))
  const end = (converged: boolean, iterations: number): NewtonRun => ({
    u,
    stages: [...before.stages, { nu, iterations, damping_steps: damped, converged, final_residual: norm }],
    converged,
    residuals,
  })
  for (let iteration = 1; iteration <= MAX_ITERATIONS; iteration++) {
    residuals.push(norm)
    const step = newtonStep(grid, nu, u)
    if (step === null) return end(false, iteration)
    let length = 1
    let [next, nextNorm] = moved(grid, nu, u, step, length)
    const size = largest(step)
    // At rounding level the residual need not fall any more: the size of the step decides there.
    while (size >= TOLERANCE && !(nextNorm < norm) && length > MIN_STEP) {
      length /= 2
      damped += 1
      ;[next, nextNorm] = moved(grid, nu, u, step, length)
    }
    if (!Number.isFinite(nextNorm)) return end(false, iteration)
    u = next
    norm = nextNorm
    if (length === 1 && size < TOLERANCE) return end(true, iteration)
  }
  return end(false, MAX_ITERATIONS)
}

function moved(grid: Chebyshev, nu: number, u: Float64Array, step: Float64Array, length: number) {
  const next = u.map((value, i) => value + length * step[i]!)
  return [next, largest(residualOf(grid, nu, next))] as [Float64Array, number]
}

/** Of the inner nodes; the ends hold their values exactly. */
function residualOf({ d1, d2 }: Chebyshev, nu: number, u: Float64Array): Float64Array {
  const [first, second] = [multiply(d1, u), multiply(d2, u)]
  return u.map((value, i) => (i === 0 || i === u.length - 1 ? 0 : nu * second[i]! - value * first[i]!))
}

function newtonStep(grid: Chebyshev, nu: number, u: Float64Array): Float64Array | null {
  const n = u.length
  const inner = n - 2
  const first = multiply(grid.d1, u)
  const residual = residualOf(grid, nu, u)
  const jacobian = new Float64Array(inner * inner)
  const right = new Float64Array(inner)
  for (let i = 0; i < inner; i++) {
    const row = (i + 1) * n
    for (let j = 0; j < inner; j++)
      jacobian[i * inner + j] = nu * grid.d2[row + j + 1]! - u[i + 1]! * grid.d1[row + j + 1]!
    jacobian[i * inner + i]! -= first[i + 1]!
    right[i] = -residual[i + 1]!
  }
  const solved = solveLinear(jacobian, right)
  if (solved === null) return null
  const step = new Float64Array(n)
  step.set(solved, 1)
  return step
}

const largest = (values: Float64Array): number => {
  let most = 0
  for (const value of values) {
    if (!Number.isFinite(value)) return Infinity
    most = Math.max(most, Math.abs(value))
  }
  return most
}
