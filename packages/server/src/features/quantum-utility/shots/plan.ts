/** How often each measurement setting of a Hamiltonian is to be run. Nothing is run here. */
import { type Fault, fault } from '../faults.ts'
import { MAX_SHOTS, type ShotPlanBody } from '../schemas.ts'
import { significant } from '../significant.ts'
import { allocate, bestMove, errorOf, improve, uniformShots, varianceOf } from './allocation.ts'
import { type Group, groupTerms } from './grouping.ts'
import { pauliText, rotationTo } from './pauli.ts'
import { readTerms, type Term } from './terms.ts'

interface Weighed extends Group {
  /** Standard deviation of one shot, covariances taken as 0. */
  weight: number
  /** The same when everything in the group moves together: no covariance makes it larger. */
  bound: number
  priority: number
}

const deviation = ({ coefficient, variance }: Term): number => Math.abs(coefficient) * Math.sqrt(variance)

const weigh = (group: Group): Weighed => ({
  ...group,
  weight: Math.hypot(...group.terms.map(deviation)),
  bound: group.terms.reduce((sum, term) => sum + deviation(term), 0),
  priority: Math.max(...group.terms.map(({ priority }) => priority)),
})

type Planned = { plan: ReturnType<typeof describe> } | { faults: Fault[] }

export function planShots(body: Required<Pick<ShotPlanBody, 'grouping'>> & ShotPlanBody): Planned {
  const { hamiltonian, grouping } = body
  const read = readTerms(hamiltonian.terms)
  const groups = groupTerms(read.terms, grouping).map(weigh)
  const found = groups.length === 0 ? { shots: [] } : shotsFor(groups, read.terms, body)
  if ('fault' in found) return { faults: [found.fault] }
  return { plan: describe(body, read, groups, found.shots) }
}

type Shots = { shots: number[] } | { fault: Fault }

function shotsFor(groups: readonly Weighed[], terms: readonly Term[], body: ShotPlanBody): Shots {
  const { shot_budget, target_standard_error: error } = body
  if (shot_budget === undefined) return shotsForError(groups, terms, error!)
  if (shot_budget < groups.length) {
    const msg = `${groups.length} groups need a shot each; the budget is ${shot_budget}`
    return { fault: fault(['shot_budget'], msg, 'minimum') }
  }
  return { shots: allocated(groups, terms, shot_budget) }
}

/** Whole numbers by largest remainder; where their rounding costs so much that equal shots for every term were better, the
 *  best whole numbers. A declared priority is followed as it is. */
function allocated(groups: readonly Weighed[], terms: readonly Term[], shots: number): number[] {
  const weights = groups.map(({ weight }) => weight)
  const plan = allocate(
    groups.map(({ weight, priority }) => weight * priority),
    shots,
  )
  const uniform = uniformShots(terms.length, shots)
  if (uniform === null || groups.some(({ priority }) => priority !== 1)) return plan
  const naive = errorOf(terms.map(deviation), uniform)
  return errorOf(weights, plan) <= naive ? plan : improve(weights, plan)
}

/** The number that the formula gives, and more only where whole shots or the one shot that each group has need more. */
function shotsForError(groups: readonly Weighed[], terms: readonly Term[], error: number): Shots {
  const isMet = (shots: number) =>
    errorOf(
      groups.map(({ weight }) => weight),
      allocated(groups, terms, shots),
    ) <= error
  let high = Math.max(groups.length, formulaShots(groups, error))
  let low = high
  while (high <= MAX_SHOTS && !isMet(high)) {
    low = high + 1
    high = Math.min(MAX_SHOTS, 2 * high) === high ? MAX_SHOTS + 1 : Math.min(MAX_SHOTS, 2 * high)
  }
  if (high > MAX_SHOTS) {
    const msg = `this error needs more than ${MAX_SHOTS} shots, or cannot be had with these priorities`
    return { fault: fault(['target_standard_error'], msg, 'minimum') }
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isMet(middle)) high = middle
    else low = middle + 1
  }
  return { shots: allocated(groups, terms, high) }
}

/** ceil((sum of weights)^2 / error^2), for weights that are followed. */
const formulaShots = (groups: readonly Weighed[], error: number): number =>
  Math.ceil((groups.reduce((sum, { weight }) => sum + weight, 0) / error) ** 2)

function describe(
  { hamiltonian, grouping, target_standard_error: error }: Required<Pick<ShotPlanBody, 'grouping'>> & ShotPlanBody,
  { constant, terms, merged, dropped }: ReturnType<typeof readTerms>,
  groups: readonly Weighed[],
  shots: readonly number[],
) {
  const weights = groups.map(({ weight }) => weight)
  const total = shots.reduce((sum, count) => sum + count, 0)
  const variance = varianceOf(weights, shots)
  const singles = terms.map(deviation)
  const uniform = uniformShots(terms.length, total)
  const hasPriority = hamiltonian.terms.some(({ declared_priority }) => declared_priority !== undefined)
  const asGrouped = grouping === 'general' ? null : hamiltonian.qubit_count
  return {
    problem_id: hamiltonian.problem_id,
    grouping,
    constant,
    measured_terms: terms.length,
    groups: groups.map((group, at) => ({
      basis: asGrouped === null ? null : pauliText(group.basis!, asGrouped),
      term_ids: group.terms.map(({ id }) => id),
      weight: significant(group.weight),
      shots: shots[at]!,
      predicted_variance: significant(group.weight ** 2 / shots[at]!),
      rotation: asGrouped === null ? null : rotationTo(pauliText(group.basis!, asGrouped)),
    })),
    predicted_variance: significant(variance),
    predicted_standard_error: significant(errorOf(weights, shots)),
    variance_upper_bound: significant(
      varianceOf(
        groups.map(({ bound }) => bound),
        shots,
      ),
    ),
    // Largest remainder rounds well, and not always best.
    variance_optimal: !hasPriority && (groups.length === 0 || bestMove(weights, shots) === null),
    comparison: {
      uniform: uniform === null ? null : significant(varianceOf(singles, uniform)),
      per_term_optimal: total === 0 ? 0 : significant(singles.reduce((sum, one) => sum + one, 0) ** 2 / total),
      grouped: significant(variance),
    },
    merged,
    dropped,
    shots_allocated: total,
    shots_by_formula: error === undefined ? null : formulaShots(groups, error),
    covariances: 'TAKEN_AS_ZERO' as const,
    qubit_order: 'character k of a string acts on qubit k, the leftmost is qubit 0',
  }
}
