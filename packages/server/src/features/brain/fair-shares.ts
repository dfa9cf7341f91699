/** Weighted max-min fair shares by water-filling (Bertsekas and Gallager, Data Networks, section 6.5). */

interface Demand {
  demand: number
  weight: number
}

interface FairShares {
  /** In the order of the demands. */
  budgets: number[]
  unallocated: number
}

/** Nobody gets more than it asks for; whoever gets less has, per unit of weight, at least as much as anybody. */
export function fairShares(demands: readonly Demand[], capacity: number): FairShares {
  const budgets = demands.map(() => 0)
  const ascending = [...demands.keys()].sort(
    (i, j) => demands[i]!.demand / demands[i]!.weight - demands[j]!.demand / demands[j]!.weight || i - j,
  )
  let left = capacity
  let weights = demands.reduce((sum, { weight }) => sum + weight, 0)
  for (const [rank, at] of ascending.entries()) {
    const { demand, weight } = demands[at]!
    if (demand > (weight * left) / weights) {
      for (const other of ascending.slice(rank)) budgets[other] = (demands[other]!.weight * left) / weights
      return { budgets, unallocated: 0 }
    }
    budgets[at] = demand
    left -= demand
    weights -= weight
  }
  return { budgets, unallocated: Math.max(0, left) }
}
