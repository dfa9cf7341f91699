/** The terms of a Hamiltonian as they are measured: equal strings as one, the identity apart, nothing of weight 0. */
import { type Fault, fault, repeated } from '../faults.ts'
import { exactSum } from '../qubo/fixed-point.ts'
import type { PauliTerm, ShotPlanBody } from '../schemas.ts'
import { isIdentity } from './pauli.ts'

export interface Term {
  /** Of the first of the equal strings. */
  id: string
  pauli: string
  coefficient: number
  /** Variance of one shot. */
  variance: number
  priority: number
}

interface Terms {
  constant: number
  terms: Term[]
  merged: { pauli: string; term_ids: string[]; coefficient: number }[]
  dropped: { term_ids: string[]; pauli: string; reason: 'ZERO_COEFFICIENT' | 'CANCELLED' }[]
}

export function termFaults({ hamiltonian, shot_budget, target_standard_error }: ShotPlanBody): Fault[] {
  const { qubit_count, terms } = hamiltonian
  const place = (at: number, name: string) => ['hamiltonian', 'terms', at, name]
  const priors = new Map<string, number>()
  const faults = repeated(
    terms.map(({ term_id }) => term_id),
    (at) => place(at, 'term_id'),
  )
  if ((shot_budget === undefined) === (target_standard_error === undefined))
    faults.push(fault(['shot_budget'], 'send shot_budget or target_standard_error, one of them'))
  for (const [at, { pauli, prior_expectation: prior }] of terms.entries()) {
    if (pauli.length !== qubit_count)
      faults.push(fault(place(at, 'pauli'), `must have one letter for each of the ${qubit_count} qubits`))
    if (prior === undefined) continue
    if (isIdentity(pauli) && prior !== 1)
      faults.push(fault(place(at, 'prior_expectation'), 'the expectation of the identity is 1'))
    if (priors.has(pauli) && priors.get(pauli) !== prior)
      faults.push(fault(place(at, 'prior_expectation'), 'another term of the same string has another expectation'))
    priors.set(pauli, prior)
  }
  return faults
}

export function readTerms(stated: readonly PauliTerm[]): Terms {
  const strings = Map.groupBy(stated, ({ pauli }) => pauli)
  const result: Terms = { constant: 0, terms: [], merged: [], dropped: [] }
  for (const [pauli, equal] of strings) {
    const term_ids = equal.map(({ term_id }) => term_id)
    const coefficient = exactSum(equal.map((term) => term.coefficient))
    if (equal.length > 1) result.merged.push({ pauli, term_ids, coefficient })
    if (isIdentity(pauli)) result.constant = coefficient
    else if (coefficient === 0) {
      const reason = equal.some((term) => term.coefficient !== 0) ? 'CANCELLED' : 'ZERO_COEFFICIENT'
      result.dropped.push({ term_ids, pauli, reason })
    } else {
      const prior = equal.find(({ prior_expectation }) => prior_expectation !== undefined)?.prior_expectation ?? 0
      // One without a declaration counts as 1.
      const priority = Math.max(...equal.map(({ declared_priority = 1 }) => declared_priority))
      result.terms.push({ id: term_ids[0]!, pauli, coefficient, variance: 1 - prior * prior, priority })
    }
  }
  return result
}
