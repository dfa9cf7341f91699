/** Terms that one setting measures together, by sorted insertion (Crawford and others, Quantum 5, 385, 2021): the largest
 *  coefficients first, each into the first group that takes it. */
import type { GROUPINGS } from '../schemas.ts'
import { commutes, isQubitWiseCompatible, merged, type Pauli, parsePauli } from './pauli.ts'
import type { Term } from './terms.ts'

export interface Group {
  terms: Term[]
  /** The letters of all terms; null where no product basis measures them. */
  basis: Pauli | null
}

export function groupTerms(terms: readonly Term[], grouping: (typeof GROUPINGS)[number]): Group[] {
  const groups: (Group & { members: Pauli[] })[] = []
  // Equal coefficients keep the order they were sent in.
  for (const term of terms.toSorted((a, b) => Math.abs(b.coefficient) - Math.abs(a.coefficient))) {
    const pauli = parsePauli(term.pauli)
    const group = grouping === 'none' ? undefined : groups.find((candidate) => takes(candidate, pauli, grouping))
    if (group === undefined) {
      groups.push({ terms: [term], basis: pauli, members: [pauli] })
      continue
    }
    group.terms.push(term)
    group.members.push(pauli)
    group.basis = group.basis !== null && isQubitWiseCompatible(group.basis, pauli) ? merged(group.basis, pauli) : null
  }
  return groups.map(({ terms, basis }) => ({ terms, basis }))
}

const takes = (
  { basis, members }: { basis: Pauli | null; members: readonly Pauli[] },
  pauli: Pauli,
  grouping: 'qubit_wise' | 'general',
): boolean =>
  grouping === 'qubit_wise' ? isQubitWiseCompatible(basis!, pauli) : members.every((member) => commutes(member, pauli))
