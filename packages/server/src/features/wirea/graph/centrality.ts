/** How central each place is in the undirected simple graph; normalised as networkx does it. */
import { distancesFrom, type Graph } from './graph.ts'

const DAMPING = 0.85
const TOLERANCE = 1e-13
const MAX_ROUNDS = 1000

export const degreeCentrality = ({ n, near }: Graph): number[] =>
  near.map((others) => (n > 1 ? others.length / (n - 1) : 0))

/** The share of shortest paths between two others that lead through a place (Brandes 2001). */
export function betweenness({ n, near }: Graph): number[] {
  const centrality = new Array<number>(n).fill(0)
  for (let source = 0; source < n; source += 1) {
    const [paths, distance, dependency] = [new Float64Array(n), new Int32Array(n).fill(-1), new Float64Array(n)]
    paths[source] = 1
    distance[source] = 0
    const queue = [source]
    for (let at = 0; at < queue.length; at += 1)
      for (const other of near[queue[at]!]!) {
        if (distance[other] === -1) {
          distance[other] = distance[queue[at]!]! + 1
          queue.push(other)
        }
        if (distance[other] === distance[queue[at]!]! + 1) paths[other]! += paths[queue[at]!]!
      }
    for (const node of queue.reverse()) {
      for (const before of near[node]!)
        if (distance[before] === distance[node]! - 1)
          dependency[before]! += (paths[before]! / paths[node]!) * (1 + dependency[node]!)
      if (node !== source) centrality[node]! += dependency[node]!
    }
  }
  // Every pair was counted from both its ends.
  return centrality.map((sum) => (n > 2 ? sum / ((n - 1) * (n - 2)) : 0))
}

/** The inverse of the mean distance, scaled by the share of places that can be reached (Wasserman and Faust). */
export const closeness = (graph: Graph): number[] =>
  Array.from({ length: graph.n }, (_, node) => {
    const reached = distancesFrom(graph, node).filter((steps) => steps > 0)
    const sum = reached.reduce((total, steps) => total + steps, 0)
    return sum === 0 ? 0 : (reached.length / sum) * (reached.length / (graph.n - 1))
  })

/** Where a walker is found who follows an edge with probability 0.85 and jumps anywhere else; who has no edge jumps. */
export function pagerank({ n, near }: Graph): number[] {
  let rank = new Float64Array(n).fill(1 / n)
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const stranded = rank.reduce((sum, value, node) => (near[node]!.length === 0 ? sum + value : sum), 0)
    const after = new Float64Array(n).fill((1 - DAMPING + DAMPING * stranded) / n)
    for (const [node, others] of near.entries())
      for (const other of others) after[other]! += (DAMPING * rank[node]!) / others.length
    const change = after.reduce((sum, value, node) => sum + Math.abs(value - rank[node]!), 0)
    rank = after
    if (change < TOLERANCE) break
  }
  return [...rank]
}
