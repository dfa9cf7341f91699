// The two problems of the comparison, both with a known solution.
import { solveExactly } from '../../packages/server/src/features/pinn/burgers/exact.ts'

export interface Problem {
  id: string
  equation: string
  left: number
  right: number
  exact(x: number): number
  /** The residual of the equation and its derivatives by u, u' and u''. */
  residual(x: number, u: number, u1: number, u2: number): [r: number, du: number, du1: number, du2: number]
  disclosure: string
}

const MODES = [
  { k: 1, size: 1 },
  { k: 4, size: 0.5 },
  { k: 8, size: 0.25 },
]
const sines = (x: number) => MODES.reduce((sum, { k, size }) => sum + size * Math.sin(k * Math.PI * x), 0)
export const source = (x: number): number =>
  MODES.reduce((sum, { k, size }) => sum + size * (k * Math.PI) ** 2 * Math.sin(k * Math.PI * x), 0)

export const NU = 0.05
const END = 0.9999092042625951
const shock = solveExactly(NU, END, -END)
/** Both arms are told of the symmetry: they solve [0, 1/2] with u(1/2) = 0, here stretched to [0, 1]. */
const HALF = 0.5

export const PROBLEMS: readonly Problem[] = [
  {
    id: 'poisson_1d_multimode',
    equation: '-u" = f on [0, 1], u(0) = u(1) = 0, u = sin pi x + 0.5 sin 4 pi x + 0.25 sin 8 pi x',
    left: 0,
    right: 0,
    exact: sines,
    residual: (x, _u, _u1, u2) => [u2 + source(x), 0, 0, 1],
    disclosure:
      'the solution lies in the span of eight sines: a sine basis contains it and is exact from eight terms on',
  },
  {
    id: 'steady_burgers_shock',
    equation: `nu u" = u u' on [0, 1], u(0) = -u(1) = ${END}, nu = ${NU}`,
    left: END,
    right: 0,
    exact: (s) => shock.at(HALF * s),
    residual: (_s, u, u1, u2) => [NU * u2 - HALF * u * u1, -HALF * u1, -HALF * u, NU],
    disclosure:
      'every arm solves [0, 1/2] with u(1/2) = 0 and is told of the symmetry: on the whole interval the place of the layer is conditioned like e^(1/2nu), which ruins any method that has to find it',
  },
]

const POINTS = 513
/** Relative L2 and largest error on 513 equidistant points. */
export function errorsOf({ exact }: Problem, u: (x: number) => number): { rel_l2: number; max_abs: number } {
  let [error, size, most] = [0, 0, 0]
  for (let i = 0; i < POINTS; i++) {
    const x = i / (POINTS - 1)
    const difference = u(x) - exact(x)
    error += difference ** 2
    size += exact(x) ** 2
    most = Math.max(most, Math.abs(difference))
  }
  return { rel_l2: Math.sqrt(error / size), max_abs: most }
}
