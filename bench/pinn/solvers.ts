// The arms that solve the equations directly.
import { solveLinear } from '../../packages/server/src/domain/linear-solve.ts'
import { chebyshev, interpolate } from '../../packages/server/src/features/pinn/burgers/chebyshev.ts'
import { solveByContinuation } from '../../packages/server/src/features/pinn/burgers/newton.ts'
import { NU, type Problem, source } from './problems.ts'

export interface SolverArm {
  id: string
  description: string
  problem: string
  sizes: readonly number[]
  solve(problem: Problem, size: number): (x: number) => number
}

export const SOLVERS: readonly SolverArm[] = [
  {
    id: 'chebyshev_collocation',
    description: 'polynomial of degree N through the Chebyshev-Gauss-Lobatto points, dense elimination',
    problem: 'poisson_1d_multimode',
    sizes: [16, 24, 32, 40, 48, 64, 96],
    solve(_problem, size) {
      const { nodes, d2 } = chebyshev(size, 0, 1)
      const inner = size - 1
      const a = new Float64Array(inner * inner)
      for (let i = 0; i < inner; i++)
        for (let j = 0; j < inner; j++) a[i * inner + j] = d2[(i + 1) * (size + 1) + j + 1]!
      const b = Float64Array.from({ length: inner }, (_, i) => -source(nodes[i + 1]!))
      const u = new Float64Array(size + 1)
      u.set(solveLinear(a, b)!, 1)
      return (x) => interpolate(nodes, u, x)
    },
  },
  {
    id: 'finite_differences',
    description: 'second order on N equidistant intervals, tridiagonal elimination, linear interpolation between',
    problem: 'poisson_1d_multimode',
    sizes: [64, 256, 1024, 4096, 16384],
    solve(_problem, size) {
      const h = 1 / size
      const [c, u] = [new Float64Array(size + 1), new Float64Array(size + 1)]
      for (let i = 1; i < size; i++) {
        const m = 2 - c[i - 1]!
        c[i] = 1 / m
        u[i] = (h * h * source(i * h) + u[i - 1]!) / m
      }
      for (let i = size - 1; i > 0; i--) u[i]! += c[i]! * u[i + 1]!
      return (x) => {
        const at = Math.min(size - 1, Math.floor(x * size))
        return u[at]! + (x * size - at) * (u[at + 1]! - u[at]!)
      }
    },
  },
  {
    id: 'sine_galerkin',
    description: 'N sines, coefficients by the rectangle rule on 2N points; the basis contains the solution',
    problem: 'poisson_1d_multimode',
    sizes: [4, 8, 16],
    solve(_problem, size) {
      const points = 2 * size + 2
      const c = Array.from({ length: size }, (_, k) => {
        let sum = 0
        for (let i = 1; i < points; i++) sum += source(i / points) * Math.sin(((k + 1) * Math.PI * i) / points)
        return (2 * sum) / points / ((k + 1) * Math.PI) ** 2
      })
      return (x) => c.reduce((sum, value, k) => sum + value * Math.sin((k + 1) * Math.PI * x), 0)
    },
  },
  {
    id: 'chebyshev_newton',
    description: 'the solver of the service: collocation on one half, Newton with continuation',
    problem: 'steady_burgers_shock',
    sizes: [8, 16, 24, 32, 48],
    solve({ left }, size) {
      const grid = chebyshev(size, 0, 0.5)
      const { u } = solveByContinuation(grid, NU, left, 0)
      return (s) => interpolate(grid.nodes, u, s / 2)
    },
  },
]
