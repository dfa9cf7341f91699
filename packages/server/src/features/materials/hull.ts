/** The convex hull below a composition: the mixture of tabulated phases with the least energy. A linear program with one row
 *  for each element, solved by the simplex method from the elements themselves, and certified by its dual. */
import type { Phase } from './tables.ts'

type HullPhase = Pick<Phase, 'formula' | 'fractions' | 'energy'>

interface Hull {
  competing_energy: number
  /** Shares of the atoms. */
  decomposition: { formula: string; atom_fraction: number }[]
  phases_considered: number
  /** By how much a phase lies below the plane that proves the result; 0 up to rounding. */
  certificate_gap: number
}

const EPSILON = 1e-12
const MAX_PIVOTS = 2000
/** A smaller share is 0 in the six places of a reply. */
const MIN_SHARE = 5e-7

/** `phases` lie in the system of the target; the elements at energy 0 are added. */
export function competingPhases(target: Readonly<Record<string, number>>, phases: readonly HullPhase[]): Hull {
  const symbols = Object.keys(target).sort()
  const elements = symbols.map((symbol) => ({ formula: symbol, fractions: { [symbol]: 1 }, energy: 0 }))
  const all: HullPhase[] = [...elements, ...phases]
  const rows = symbols.map((symbol) => all.map(({ fractions }) => (fractions as Record<string, number>)[symbol] ?? 0))
  const right = symbols.map((symbol) => target[symbol]!)
  const basis = symbols.map((_, i) => i)
  const cost = all.map(({ energy }) => energy)
  for (let pivots = 0; pivots < MAX_PIVOTS; pivots++) {
    // Bland's rule: the first of those that gain, so that it ends also where steps of length 0 occur.
    const entering = all.findIndex((_, j) => reduced(j, rows, basis, cost) < -EPSILON)
    if (entering < 0) break
    pivot(rows, right, basis, entering)
  }
  const share = new Map(basis.map((j, i) => [j, right[i]!]))
  const gap = Math.max(0, ...all.map((_, j) => -reduced(j, rows, basis, cost)))
  return {
    competing_energy: basis.reduce((sum, j, i) => sum + cost[j]! * right[i]!, 0) + 0,
    decomposition: [...share]
      .filter(([, fraction]) => fraction >= MIN_SHARE)
      .map(([j, fraction]) => ({ formula: all[j]!.formula, atom_fraction: fraction }))
      .sort((one, other) => other.atom_fraction - one.atom_fraction || (one.formula < other.formula ? -1 : 1)),
    phases_considered: phases.length,
    certificate_gap: gap < 1e-9 ? 0 : gap,
  }
}

/** `rows` are those of the tableau, in which the basis is the identity. */
const reduced = (j: number, rows: readonly number[][], basis: readonly number[], cost: readonly number[]): number =>
  cost[j]! - basis.reduce((sum, b, i) => sum + cost[b]! * rows[i]![j]!, 0)

function pivot(rows: number[][], right: number[], basis: number[], entering: number): void {
  let leaving = -1
  let least = Infinity
  rows.forEach((row, i) => {
    if (row[entering]! <= EPSILON) return
    const ratio = right[i]! / row[entering]!
    if (ratio < least - EPSILON || (ratio <= least + EPSILON && leaving >= 0 && basis[i]! < basis[leaving]!)) {
      least = Math.min(least, ratio)
      leaving = i
    }
  })
  const divisor = rows[leaving]![entering]!
  rows[leaving] = rows[leaving]!.map((value) => value / divisor)
  right[leaving]! /= divisor
  rows.forEach((row, i) => {
    const factor = row[entering]!
    if (i === leaving || factor === 0) return
    rows[i] = row.map((value, j) => value - factor * rows[leaving]![j]!)
    right[i] = Math.max(0, right[i]! - factor * right[leaving]!)
  })
  basis[leaving] = entering
}
