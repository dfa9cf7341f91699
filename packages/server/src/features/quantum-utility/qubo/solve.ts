/** The lowest energy of a quadratic function of bits: certain where every assignment was walked or excluded, and said to be
 *  uncertain where not. Work is counted in units that do not depend on the machine. */
import { sfc32 } from '../../../domain/sfc32.ts'
import { branchAndBound, MAX_BRANCHED, type Searched } from './branch-and-bound.ts'
import { type Enumerated, enumerate, MAX_ENUMERATED, statesOf } from './gray-code.ts'
import { type Roof, raiseRoof } from './lower-bound.ts'
import { type Persistent, strictPersistency } from './persistency.ts'
import { type Bits, type Part, type Quadratic, restrict } from './quadratic.ts'
import { type Found, searchUnits, tabuSearch } from './tabu-search.ts'

export const SOLVERS = ['GRAY_CODE_ENUMERATION', 'BRANCH_AND_BOUND', 'TABU_HEURISTIC'] as const
type Solver = (typeof SOLVERS)[number]

interface SolvedPart {
  size: number
  solver: Solver
  certified: boolean
  best: number
  bits: Bits
  lowerBound: number
  degeneracy: number | null
  /** Above the best. */
  second: number | null
  /** Whether the bits are known to be the smallest among equally good ones. */
  smallest: boolean
}

export interface Solution {
  best: number
  bits: Bits
  lowerBound: number
  certified: boolean
  solver: Solver
  /** Null unless every part was enumerated. */
  degeneracy: bigint | null
  second: number | null
  smallest: boolean
  persistent: Persistent[]
  parts: SolvedPart[]
  work: Work
}

interface Work {
  units: number
  states: number
  nodes: number
  flips: number
}

class Budget {
  readonly work: Work = { units: 0, states: 0, nodes: 0, flips: 0 }
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get left(): number {
    return this.#max - this.work.units
  }

  spend(kind: 'states' | 'nodes' | 'flips', count: number, units = count): void {
    this.work[kind] += count
    this.work.units += units
  }
}

export function solve(problem: Quadratic, maxWork: number, seed: number): Solution {
  const budget = new Budget(maxWork)
  const { fixed, found: persistent } = strictPersistency(problem)
  const { constant, parts } = restrict(problem, fixed)
  const bits = Uint8Array.from(fixed, (bit) => Math.max(0, bit))
  // The smallest first: what one part takes is not missing for many others.
  const order = [...parts.entries()].sort(([, a], [, b]) => a.problem.size - b.problem.size)
  const solved = order.map(([at, part]) => {
    const result = solvePart(part, budget, { seed, part: at })
    for (const [place, member] of part.members.entries()) bits[member] = result.bits[place]!
    return result
  })
  const best = sumOf(constant, solved, ({ best }) => best)
  const isEnumerated = solved.every(({ degeneracy }) => degeneracy !== null)
  return {
    best,
    bits,
    lowerBound: sumOf(constant, solved, ({ lowerBound }) => lowerBound),
    certified: solved.every(({ certified }) => certified),
    solver: SOLVERS[Math.max(0, ...solved.map(({ solver }) => SOLVERS.indexOf(solver)))]!,
    degeneracy: isEnumerated ? solved.reduce((product, { degeneracy }) => product * BigInt(degeneracy!), 1n) : null,
    second: isEnumerated ? secondBest(problem, persistent, best, solved, budget) : null,
    smallest: solved.every(({ smallest }) => smallest),
    persistent,
    parts: solved,
    work: budget.work,
  }
}

const sumOf = (constant: number, parts: readonly SolvedPart[], value: (part: SolvedPart) => number): number =>
  parts.reduce((sum, part) => sum + value(part), constant)

function solvePart({ problem }: Part, budget: Budget, stream: { seed: number; part: number }): SolvedPart {
  const { size } = problem
  if (size <= MAX_ENUMERATED && statesOf(size) <= budget.left) {
    const found = enumerate(problem)
    budget.spend('states', found.states)
    return { ...enumeratedPart(found), size }
  }
  const roof = raiseRoof(problem)
  const isBranched = size <= MAX_BRANCHED
  const maxFlips = Math.min(searchUnits(size), isBranched ? budget.left / 2 : budget.left)
  const incumbent = tabuSearch(problem, sfc32('orch.quantum-utility.tabu/v1', stream), Math.max(0, maxFlips))
  budget.spend('flips', incumbent.flips)
  const closed = isBranched ? closeTree(problem, roof, incumbent, budget) : null
  if (closed !== null) return { ...closed, size }
  const { best, bits } = incumbent
  // Nothing lies below the bound: an assignment that reaches it is a minimum, however it was found.
  return {
    ...{ size, solver: 'TABU_HEURISTIC', certified: roof.bound >= best, best, bits },
    lowerBound: Math.min(best, roof.bound),
    ...{ degeneracy: null, second: null, smallest: false },
  }
}

const enumeratedPart = ({ best, bits, degeneracy, second }: Enumerated): Omit<SolvedPart, 'size'> => ({
  ...{ solver: 'GRAY_CODE_ENUMERATION', certified: true, best, bits, lowerBound: best, degeneracy, second },
  smallest: true,
})

/** Null where the budget did not suffice; the incumbent is then the better of both. */
function closeTree(problem: Quadratic, roof: Roof, incumbent: Found, budget: Budget): Omit<SolvedPart, 'size'> | null {
  const search = (limits: { below: number; first?: boolean; fixed?: Int8Array }): Searched => {
    const result = branchAndBound(problem, roof, { ...limits, maxUnits: budget.left })
    budget.spend('nodes', result.nodes, result.units)
    return result
  }
  const { closed, found } = search({ below: incumbent.best })
  if (found !== null) Object.assign(incumbent, { best: found.value, bits: found.bits })
  if (!closed) return null
  const { best } = incumbent
  const { bits, smallest } = smallestBits(incumbent, search)
  return {
    ...{ solver: 'BRANCH_AND_BOUND', certified: true, best, bits, lowerBound: best },
    ...{ degeneracy: null, second: null, smallest },
  }
}

/** One bit after the other: can it be 0 without losing the optimum, given those before it? */
function smallestBits(
  { best, bits: first }: Found,
  search: (limits: { below: number; first: boolean; fixed: Int8Array }) => Searched,
): { bits: Bits; smallest: boolean } {
  let bits = first
  const fixed = new Int8Array(bits.length).fill(-1)
  for (let i = 0; i < bits.length; i++) {
    fixed[i] = 0
    if (bits[i] === 0) continue
    // Whole numbers: below best + 1 is best.
    const { closed, found } = search({ below: best + 1, first: true, fixed })
    if (found !== null) bits = found.bits
    else if (closed) fixed[i] = 1
    else return { bits, smallest: false }
  }
  return { bits, smallest: true }
}

/** The lowest energy above the best, over all assignments: also those in which a persistent bit is wrong. Of these the
 *  first wrong one is looked at with those before it right, unless its margin alone is more than what is known already.
 *  Null where there is none, or where the budget does not suffice to know. */
function secondBest(
  problem: Quadratic,
  persistent: readonly Persistent[],
  best: number,
  parts: readonly SolvedPart[],
  budget: Budget,
): number | null {
  let gap = Math.min(
    ...parts.map((part) => (part.second === null ? Number.POSITIVE_INFINITY : part.second - part.best)),
  )
  const fixed = new Int8Array(problem.size).fill(-1)
  for (const { variable, bit, margin } of persistent) {
    if (margin < gap) {
      fixed[variable] = 1 - bit
      const lowest = minimum(problem, fixed, budget)
      if (lowest === null) return null
      gap = Math.min(gap, lowest - best)
    }
    fixed[variable] = bit
  }
  return Number.isFinite(gap) ? best + gap : null
}

/** Null where it is too large to be enumerated. */
function minimum(problem: Quadratic, fixed: Int8Array, budget: Budget): number | null {
  const { constant, parts } = restrict(problem, fixed)
  let total = constant
  for (const part of parts) {
    const inner = restrict(part.problem, strictPersistency(part.problem).fixed)
    total += inner.constant
    for (const { problem: small } of inner.parts) {
      if (small.size > MAX_ENUMERATED || statesOf(small.size) > budget.left) return null
      const { best, states } = enumerate(small)
      budget.spend('states', states)
      total += best
    }
  }
  return total
}
