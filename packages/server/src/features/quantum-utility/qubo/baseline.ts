/** The classical answer to a QUBO, with what is certain of it. */
import { portableDigest } from '../../../domain/portable-digest.ts'
import type { QuboBody } from '../schemas.ts'
import { exactSum } from './fixed-point.ts'
import { toIsing } from './ising.ts'
import { toQuadratic, withDefaults } from './problem.ts'
import { type Solution, solve } from './solve.ts'

export function solveBaseline({ problem: sent, work_budget, seed }: Required<QuboBody>) {
  const problem = withDefaults(sent)
  const { form, problem: whole } = toQuadratic(problem)
  const found = solve(whole, work_budget, seed)
  // What was rounded does not tell which of two near assignments is the smaller, nor how many there are.
  const solution = form.tolerance === 0 ? found : { ...found, degeneracy: null, second: null, smallest: false }
  const { certified, bits, lowerBound } = solution
  const value = (integer: number) => exactSum([problem.offset, form.toValue(integer)])
  const reevaluated = evaluate(problem, new Set(problem.variables.filter((_, at) => bits[at] === 1)))
  const objective = form.kind === 'EXACT_DECIMAL' ? value(solution.best) : reevaluated
  assertAgreement(value(solution.best), reevaluated, form.tolerance)
  const bound = certified ? objective : value(lowerBound)
  const lower_bound = form.tolerance === 0 ? bound : bound - 2 * form.tolerance
  return {
    problem_id: problem.problem_id,
    problem_digest: portableDigest(problem),
    variables: problem.variables.length,
    pairs: problem.quadratic.length,
    solver: solution.solver,
    complete: certified,
    certified,
    states_evaluated: solution.work.states + solution.work.nodes + solution.work.flips,
    work: { budget: work_budget, ...solution.work },
    objective,
    assignment: Object.fromEntries(problem.variables.map((name, at) => [name, bits[at]!])),
    tie_break: solution.smallest ? ('SMALLEST_IN_VARIABLE_ORDER' as const) : ('NOT_ESTABLISHED' as const),
    ...secondOf(solution, value, form.toValue),
    lower_bound,
    gap: exactSum([objective, -lower_bound]),
    reevaluated_objective: reevaluated,
    arithmetic: { kind: form.kind, tolerance: form.tolerance },
    persistency: {
      fixed_to_zero: solution.persistent.filter(({ bit }) => bit === 0).length,
      fixed_to_one: solution.persistent.filter(({ bit }) => bit === 1).length,
    },
    components: solution.parts.map(({ size, solver, certified }) => ({ variables: size, solver, certified })),
    ising: toIsing(problem),
    quantum_hardware_used: false as const,
    quantum_advantage_claimed: false as const,
  }
}
export type Baseline = ReturnType<typeof solveBaseline>

function secondOf(
  { degeneracy, second, best }: Solution,
  value: (n: number) => number,
  toValue: (n: number) => number,
) {
  const isSafe = degeneracy !== null && degeneracy <= BigInt(Number.MAX_SAFE_INTEGER)
  return {
    // A count that no double holds is a text.
    degeneracy: degeneracy === null || !isSafe ? (degeneracy?.toString() ?? null) : Number(degeneracy),
    second_best: second === null ? null : value(second),
    gap_to_second: second === null ? null : toValue(second - best),
  }
}

/** From the coefficients as they were sent, exactly, rounded once. */
function evaluate(problem: ReturnType<typeof withDefaults>, on: ReadonlySet<string>): number {
  return exactSum([
    problem.offset,
    ...[...on].map((name) => (Object.hasOwn(problem.linear, name) ? problem.linear[name]! : 0)),
    ...problem.quadratic
      .filter(({ left, right }) => on.has(left) && on.has(right))
      .map(({ coefficient }) => coefficient),
  ])
}

/** A difference would be a fault of ours, which must not be answered as a result. */
function assertAgreement(found: number, reevaluated: number, tolerance: number): void {
  const allowed = 2 * tolerance + 1e-9 * Math.max(Math.abs(found), Math.abs(reevaluated))
  if (Math.abs(found - reevaluated) > allowed) throw new Error('the objective is not what its assignment comes to')
}
