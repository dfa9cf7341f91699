/** What the service says about a solution. */
import { InputError } from '../../../errors.ts'
import type { Computed } from '../../../platform/compute/job.ts'
import { type BurgersQuery, type BurgersReply, CANONICAL_END } from '../schemas.ts'
import { type BurgersInput, type BurgersResult, TOLERANCE } from './solve.ts'

const MAX_RATIO = 2000
const EQUATIONS = {
  constant: 'u = a',
  tanh: 'u = -C tanh(C (x - x0)/2nu)',
  tan: 'u = C tan(C x/2nu + atan(a/C))',
  rational: 'u = a/(1 - a x/2nu)',
  coth: 'u = -C coth(C x/2nu - atanh(C/a))',
}

export function toInput({ nu, a, b, N }: BurgersQuery): BurgersInput {
  if ((a === undefined) !== (b === undefined)) {
    const missing = a === undefined ? 'a' : 'b'
    const msg = 'send a and b together, or neither: then the canonical ends are taken'
    throw new InputError([{ loc: ['query', missing], msg, type: 'missing' }])
  }
  const endpoints = { a: (a ?? CANONICAL_END) + 0, b: (b ?? -CANONICAL_END) + 0 }
  const ratio = Math.max(Math.abs(endpoints.a), Math.abs(endpoints.b)) / nu
  if (ratio > MAX_RATIO) {
    const msg = `max(|a|, |b|)/nu is ${ratio}, and at most ${MAX_RATIO} is solved; ask for a larger nu`
    throw new InputError([{ loc: ['query', 'nu'], msg, type: 'value', ctx: { ratio, le: MAX_RATIO } }])
  }
  return { nu, ...endpoints, N }
}

export function toBurgersReply(
  { nu, a, b, N }: BurgersInput,
  { value, origin, timing }: Computed<BurgersResult>,
  includeUnconverged: boolean,
): BurgersReply {
  const { solution, exact_reference, stages, ...result } = value
  const isShown = result.converged || includeUnconverged
  return {
    label: 'MODELED',
    modeled_not_measured: true,
    network: false,
    pde: "nu u'' = u u' on [0, 1], u(0) = a, u(1) = b",
    method:
      'Chebyshev-Gauss-Lobatto collocation, damped Newton, continuation in nu, compared with 2N nodes and with the exact solution',
    boundary_conditions: { a, b },
    viscosity_nu: nu,
    N,
    ...result,
    stages: stages.map((stage) => ({
      ...stage,
      final_residual: Number.isFinite(stage.final_residual) ? stage.final_residual : null,
    })),
    residual_history: result.residual_history.filter(Number.isFinite),
    tolerance: TOLERANCE,
    exact_reference: { ...exact_reference, equation: EQUATIONS[exact_reference.branch] },
    solution: isShown ? solution : null,
    cache: origin === 'cache' ? 'hit' : 'miss',
    timing: timing && { wall_ms: timing.wallMs, cpu_ms: timing.cpuMs, queue_ms: timing.queueMs },
    plot: isShown ? plotOf(solution, exact_reference.x0) : null,
  }
}

function plotOf({ x, u, exact }: BurgersResult['solution'], x0: number | null): NonNullable<BurgersReply['plot']> {
  const points = (values: readonly (number | null)[]) =>
    values.flatMap((value, i) => (value === null ? [] : [[x[i]!, value]]))
  return {
    kind: 'line',
    title: 'Steady Burgers: collocation and exact solution',
    x: { name: 'x', unit: null, min: 0, max: 1 },
    y: { name: 'u', unit: null, min: Math.min(...exact), max: Math.max(...exact) },
    series: [
      { name: 'collocation', points: points(u) },
      { name: 'exact', points: points(exact) },
    ],
    reference_lines: x0 !== null && x0 >= 0 && x0 <= 1 ? [{ axis: 'x', value: x0, name: 'centre of the layer' }] : [],
  }
}
