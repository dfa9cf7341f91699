/** A graph as the measures take it: names, directed edges between their places, and the simple undirected graph below. */

export interface GraphInput {
  nodes: readonly string[]
  /** By place in `nodes`. */
  edges: readonly (readonly [from: number, to: number])[]
}

export interface Graph {
  n: number
  /** Neighbours in the undirected simple graph, ascending. */
  near: readonly (readonly number[])[]
  /** Its edges, each once, the smaller place first. */
  pairs: readonly (readonly [number, number])[]
  /** Successors along the directed edges, ascending, each once; loops included. */
  next: readonly (readonly number[])[]
}

export function toGraph({ nodes, edges }: GraphInput): Graph {
  const near = nodes.map(() => new Set<number>())
  const next = nodes.map(() => new Set<number>())
  for (const [from, to] of edges) {
    next[from]!.add(to)
    if (from === to) continue
    near[from]!.add(to)
    near[to]!.add(from)
  }
  const ascending = (sets: readonly Set<number>[]) => sets.map((set) => [...set].sort((a, b) => a - b))
  const lists = ascending(near)
  return {
    n: nodes.length,
    near: lists,
    pairs: lists.flatMap((others, one) => others.filter((other) => one < other).map((other) => [one, other] as const)),
    next: ascending(next),
  }
}

/** Places by component, in the order of their smallest place. */
export function componentsOf({ n, near }: Graph): number[][] {
  const seen = new Uint8Array(n)
  const components: number[][] = []
  for (let start = 0; start < n; start += 1) {
    if (seen[start]) continue
    seen[start] = 1
    const members = [start]
    for (let at = 0; at < members.length; at += 1)
      for (const other of near[members[at]!]!)
        if (!seen[other]) {
          seen[other] = 1
          members.push(other)
        }
    components.push(members.sort((a, b) => a - b))
  }
  return components
}

/** Steps to every place; -1 where no path leads. */
export function distancesFrom({ n, near }: Graph, start: number): Int32Array {
  const distance = new Int32Array(n).fill(-1)
  distance[start] = 0
  const queue = [start]
  for (let at = 0; at < queue.length; at += 1)
    for (const other of near[queue[at]!]!)
      if (distance[other] === -1) {
        distance[other] = distance[queue[at]!]! + 1
        queue.push(other)
      }
  return distance
}
