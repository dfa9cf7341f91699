/** What holds a graph together, and which way its edges go. No recursion: a chain of any length is walked. */
import type { Graph } from './graph.ts'

/** Places and edges whose removal leaves more components (Hopcroft and Tarjan 1973). */
export function cutsOf({ n, near }: Graph): { articulation: number[]; bridges: [number, number][] } {
  const [order, low, parent] = [new Int32Array(n).fill(-1), new Int32Array(n), new Int32Array(n).fill(-1)]
  const isCut = new Uint8Array(n)
  const bridges: [number, number][] = []
  let time = 0
  for (let root = 0; root < n; root += 1) {
    if (order[root] !== -1) continue
    let children = 0
    const path: { node: number; at: number }[] = [{ node: root, at: 0 }]
    order[root] = low[root] = time++
    while (path.length > 0) {
      const top = path.at(-1)!
      const { node } = top
      const other = near[node]![top.at++]
      if (other === undefined) {
        path.pop()
        const above = parent[node]!
        if (above === -1) continue
        low[above] = Math.min(low[above]!, low[node]!)
        if (low[node]! > order[above]!) bridges.push(above < node ? [above, node] : [node, above])
        if (above !== root && low[node]! >= order[above]!) isCut[above] = 1
      } else if (order[other] === -1) {
        parent[other] = node
        if (node === root) children += 1
        order[other] = low[other] = time++
        path.push({ node: other, at: 0 })
      } else if (other !== parent[node]) low[node] = Math.min(low[node]!, order[other]!)
    }
    if (children > 1) isCut[root] = 1
  }
  return {
    articulation: [...isCut.keys()].filter((node) => isCut[node] === 1),
    bridges: bridges.sort(([a, b], [c, d]) => a - c || b - d),
  }
}

/** The largest k for which each place belongs to a part whose places all have k neighbours in it (Seidman 1983). */
export function coreNumbers({ n, near }: Graph): number[] {
  const degree = near.map((others) => others.length)
  const core = new Array<number>(n).fill(0)
  const left = new Set(degree.keys())
  let k = 0
  while (left.size > 0) {
    let least = -1
    for (const node of left) if (least === -1 || degree[node]! < degree[least]!) least = node
    k = Math.max(k, degree[least]!)
    core[least] = k
    left.delete(least)
    for (const other of near[least]!) if (left.has(other)) degree[other]! -= 1
  }
  return core
}

/** Depth first over the directed edges: what leads back to a place on the path closes a cycle. */
export function orderOf({ n, next }: Graph): { backEdges: [number, number][]; topological: number[] } {
  const state = new Uint8Array(n)
  const backEdges: [number, number][] = []
  const finished: number[] = []
  for (let root = 0; root < n; root += 1) {
    if (state[root] !== 0) continue
    state[root] = 1
    const path = [{ node: root, at: 0 }]
    while (path.length > 0) {
      const top = path.at(-1)!
      const to = next[top.node]![top.at++]
      if (to === undefined) {
        state[top.node] = 2
        finished.push(top.node)
        path.pop()
      } else if (state[to] === 1) backEdges.push([top.node, to])
      else if (state[to] === 0) {
        state[to] = 1
        path.push({ node: to, at: 0 })
      }
    }
  }
  return { backEdges, topological: backEdges.length === 0 ? finished.reverse() : [] }
}

/** Sets of places that lead to each other (Tarjan 1972), in the order of their smallest place. */
export function strongComponents({ n, next }: Graph): number[][] {
  const [order, low] = [new Int32Array(n).fill(-1), new Int32Array(n)]
  const onStack = new Uint8Array(n)
  const stack: number[] = []
  const found: number[][] = []
  let time = 0
  for (let root = 0; root < n; root += 1) {
    if (order[root] !== -1) continue
    const path = [{ node: root, at: 0 }]
    while (path.length > 0) {
      const top = path.at(-1)!
      const { node } = top
      if (top.at === 0) {
        order[node] = low[node] = time++
        stack.push(node)
        onStack[node] = 1
      }
      const to = next[node]![top.at++]
      if (to !== undefined) {
        if (order[to] === -1) path.push({ node: to, at: 0 })
        else if (onStack[to]) low[node] = Math.min(low[node]!, order[to]!)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above) low[above.node] = Math.min(low[above.node]!, low[node]!)
      if (low[node] !== order[node]) continue
      const members = stack.splice(stack.lastIndexOf(node))
      for (const member of members) onStack[member] = 0
      found.push(members.sort((a, b) => a - b))
    }
  }
  return found.sort(([a], [b]) => a! - b!)
}
