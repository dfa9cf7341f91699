/** The shape of a workflow: which edges join, which lead back, and what lies behind a node. */

interface GraphNode {
  id: string
  kind: 'agent' | 'tool' | 'gate' | 'human'
  mean_ms: number
  dist: 'fixed' | 'exp'
  p_fail: number
  retries: number
  backoff_ms: number
  cost: number
}

export type When = 'success' | 'failure' | 'always'

interface GraphEdge {
  from: string
  to: string
  when?: When
}

export interface Workflow {
  nodes: GraphNode[]
  edges: GraphEdge[]
  max_steps: number
  trials: number
}

interface Link {
  /** Index of the node at the other end. */
  node: number
  when: When
}

export interface Structure {
  incoming: Link[][]
  outgoing: Link[][]
  /** Edges that lead back, by the node that they leave: they start their target again and are no part of any join. */
  loops: Link[][]
  /** Nodes before those behind them. */
  order: number[]
  /** The node and all that lies behind it. */
  behind: number[][]
}

/** Edges lead back that close a cycle of a depth-first walk, from nodes without incoming edges first and then in the order
 *  of the list. Every edge must name known nodes. */
export function structureOf({ nodes, edges }: Pick<Workflow, 'nodes' | 'edges'>): Structure {
  const indexes = new Map(nodes.map(({ id }, at) => [id, at]))
  const empty = (): Link[][] => nodes.map(() => [])
  const [all, incoming, outgoing, loops] = [empty(), empty(), empty(), empty()]
  const isTarget = new Set<number>()
  for (const { from, to, when = 'success' } of edges) {
    all[indexes.get(from)!]!.push({ node: indexes.get(to)!, when })
    isTarget.add(indexes.get(to)!)
  }
  const [open, finished] = [new Set<number>(), [] as number[]]
  const walk = (at: number): void => {
    if (open.has(at)) return
    open.add(at)
    for (const { node, when } of all[at]!) {
      if (open.has(node) && !finished.includes(node)) loops[at]!.push({ node, when })
      else {
        outgoing[at]!.push({ node, when })
        incoming[node]!.push({ node: at, when })
        walk(node)
      }
    }
    finished.push(at)
  }
  const everywhere = nodes.map((_, at) => at)
  for (const at of [...everywhere.filter((one) => !isTarget.has(one)), ...everywhere]) walk(at)
  const order = finished.toReversed()
  return { incoming, outgoing, loops, order, behind: behindEach(outgoing, order) }
}

function behindEach(outgoing: readonly Link[][], order: readonly number[]): number[][] {
  const behind: Set<number>[] = outgoing.map((_, at) => new Set([at]))
  for (const at of order.toReversed())
    for (const { node } of outgoing[at]!) for (const one of behind[node]!) behind[at]!.add(one)
  return behind.map((set) => [...set].sort((a, b) => a - b))
}

/** The nodes of a cycle none of whose edges has a condition, the first of them at both ends; null where there is none. */
export function unconditionalCycle({ nodes, edges }: Pick<Workflow, 'nodes' | 'edges'>): string[] | null {
  const targets = new Map(nodes.map(({ id }) => [id, [] as string[]]))
  for (const { from, to, when } of edges) if (when === undefined) targets.get(from)?.push(to)
  const [path, seen] = [[] as string[], new Set<string>()]
  const find = (id: string): string[] | null => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id]
    if (seen.has(id)) return null
    seen.add(id)
    path.push(id)
    for (const to of targets.get(id) ?? []) {
      const cycle = find(to)
      if (cycle !== null) return cycle
    }
    path.pop()
    return null
  }
  for (const { id } of nodes) {
    const cycle = find(id)
    if (cycle !== null) return cycle
  }
  return null
}

/** What a node takes on average, its retries and the pauses before them included. */
function expectedMs({ mean_ms, p_fail, retries, backoff_ms }: GraphNode): number {
  let [total, share] = [mean_ms, 1]
  for (let retry = 1; retry <= retries; retry += 1) {
    share *= p_fail
    total += share * (mean_ms + backoff_ms * 2 ** (retry - 1))
  }
  return total
}

/** The critical path method over expected times: the longest way through the workflow, and by how much each node may be
 *  late. Edges that lead back are left out, and every node counts as run. */
export function criticalPath({ nodes }: Pick<Workflow, 'nodes'>, { incoming, outgoing, order }: Structure) {
  const times = nodes.map(expectedMs)
  const finishTimes = nodes.map(() => 0)
  const before = nodes.map(() => -1)
  for (const at of order) {
    let start = 0
    for (const { node } of incoming[at]!)
      if (before[at] === -1 || finishTimes[node]! > start) [start, before[at]] = [finishTimes[node]!, node]
    finishTimes[at] = start + times[at]!
  }
  const total = Math.max(...finishTimes)
  const latest = nodes.map(() => total)
  for (const at of order.toReversed())
    for (const { node } of outgoing[at]!) latest[at] = Math.min(latest[at]!, latest[node]! - times[node]!)
  const path: string[] = []
  for (let at = finishTimes.indexOf(total); at !== -1; at = before[at]!) path.unshift(nodes[at]!.id)
  return { total, path, slack: latest.map((ms, at) => Math.max(0, ms - finishTimes[at]!)), times }
}
