/** Where the layers of a model go: a dynamic programme over layers and nodes in their given order, any of which may be
 *  left out. All layers are alike, so a stage costs its layers times the time of one. */

import type { Resolved } from '../../../operation.ts'
import type { PlanRequest } from './organ.ts'

/** Every figure stated, by the request or by its profile. */
export type MeshNode = Resolved<PlanRequest['nodes'][number], 'mtbf_s'>
export type MeshModel = Required<PlanRequest['model']>
export type Objective = NonNullable<PlanRequest['objective']>

interface Stage {
  /** Index of the node. */
  node: number
  layers: number
}

export interface Plan {
  /** Neighbours in the pipeline, the first layers first. */
  stages: Stage[]
  /** One token through all stages and hops. */
  latencyMs: number
  /** From one token to the next. */
  intervalMs: number
}

interface NodeCost {
  layerMs: number
  /** Into the node; the first of a pipeline pays none. */
  hopMs: number
  /** As many layers as fit its memory. */
  capacity: number
}

/** `tokens` go through the layers at once: weights are read once, and every token is computed and carried. */
export function stageMs(node: MeshNode, model: MeshModel, layers: number, tokens = 1): number {
  const read = (layers * model.gb_per_layer) / node.mem_bw_gbs
  const compute = (tokens * layers * model.gflop_per_layer) / (node.tflops * 1000)
  return Math.max(read, compute) * 1000
}

/** Half a round trip and two bytes for each number of the hidden state. */
export const hopMs = (node: MeshNode, model: MeshModel, tokens = 1): number =>
  node.rtt_ms / 2 + (tokens * 2 * model.hidden * 8) / (node.net_mbps * 1000)

export class Planner {
  readonly #costs: NodeCost[]
  readonly #layers: number
  readonly #objective: Objective
  /** Every time that a slowest stage or hop can have, ascending. */
  readonly #intervals: number[]
  /** Used again by every plan: thousands of them may be made. */
  readonly #room: { best: Float64Array; begin: Float64Array; window: Int32Array; taken: Int32Array[] }

  constructor(nodes: readonly MeshNode[], model: MeshModel, objective: Objective) {
    this.#layers = model.layers
    this.#objective = objective
    const size = model.layers + 1
    this.#room = {
      ...{ best: new Float64Array(size), begin: new Float64Array(size), window: new Int32Array(size) },
      taken: nodes.map(() => new Int32Array(size)),
    }
    this.#costs = nodes.map((node) => ({
      layerMs: stageMs(node, model, 1),
      hopMs: hopMs(node, model),
      // 24 GB hold 20 layers of 1.2 GB, whatever the quotient of the two doubles is.
      capacity: Math.min(model.layers, Math.floor(node.mem_gb / model.gb_per_layer + 1e-9)),
    }))
    const times = this.#costs.flatMap(({ layerMs, hopMs: hop, capacity }) => [
      hop,
      ...Array.from({ length: capacity }, (_, at) => layerMs * (at + 1)),
    ])
    this.#intervals = objective === 'throughput' ? [...new Set(times)].sort((a, b) => a - b) : []
  }

  capacity(node: number): number {
    return this.#costs[node]!.capacity
  }

  /** The best plan over the nodes that `isAlive` names; null where the model does not fit them. Of equal plans the one of
   *  fewer hops, so that a mesh is advised only where it is better. */
  plan(isAlive: (node: number) => boolean = () => true): Plan | null {
    const alive = this.#costs.map((cost, node) => (isAlive(node) ? cost : { ...cost, capacity: 0 }))
    if (alive.reduce((sum, { capacity }) => sum + capacity, 0) < this.#layers) return null
    const single = this.singleBest(isAlive)
    const stages = this.#objective === 'latency' ? this.#shortest(alive) : this.#widest(alive)
    if (stages === null) return null
    const plan = this.#priced(stages)
    return single !== null && single.intervalMs <= plan.intervalMs * (1 + 1e-12) ? single : plan
  }

  /** Null where the model fits no single node. */
  singleBest(isAlive: (node: number) => boolean = () => true): Plan | null {
    const fitting = this.#costs.flatMap(({ capacity }, node) =>
      capacity === this.#layers && isAlive(node) ? [this.#priced([{ node, layers: this.#layers }])] : [],
    )
    return fitting.reduce<Plan | null>(
      (best, one) => (best === null || one.latencyMs < best.latencyMs ? one : best),
      null,
    )
  }

  #priced(stages: Stage[]): Plan {
    const times = stages.map(({ node, layers }) => this.#costs[node]!.layerMs * layers)
    const hops = stages.slice(1).map(({ node }) => this.#costs[node]!.hopMs)
    const latencyMs = [...times, ...hops].reduce((sum, ms) => sum + ms, 0)
    return { stages, latencyMs, intervalMs: this.#objective === 'latency' ? latencyMs : Math.max(...times, ...hops) }
  }

  /** The least sum of stages and hops. Of the first `l` layers, `best[l]` is the time over the nodes looked at so far; the
   *  best place for a node to begin is the least of a window that slides with `l`. */
  #shortest(costs: readonly NodeCost[], maxHop = Infinity): Stage[] | null {
    const layers = this.#layers
    const { best, begin, window, taken } = this.#room
    best.fill(Infinity)
    best[0] = 0
    let reach = 0
    for (const [node, { layerMs, hopMs: hop, capacity }] of costs.entries()) {
      const took = taken[node]!.fill(0)
      if (capacity === 0) continue
      const paid = hop > maxHop ? Infinity : hop
      reach = Math.min(layers, reach + capacity)
      for (let l = 1; l < reach; l += 1) begin[l] = best[l]! + paid - layerMs * l
      let [head, tail] = [0, 0]
      for (let l = 1; l <= reach; l += 1) {
        while (tail > head && begin[window[tail - 1]!]! >= begin[l - 1]!) tail -= 1
        window[tail] = l - 1
        tail += 1
        if (window[head]! < l - capacity) head += 1
        const from = window[head]!
        const ms = begin[from]! + layerMs * l
        if (ms < best[l]!) {
          best[l] = ms
          took[l] = l - from
        }
      }
    }
    if (best[layers] === Infinity) return null
    const stages: Stage[] = []
    let left = layers
    for (let node = costs.length - 1; node >= 0; node -= 1) {
      const count = taken[node]![left]!
      if (count > 0) stages.unshift({ node, layers: count })
      left -= count
    }
    return stages
  }

  /** The least of the slowest stage or hop, and of all such plans the one of the least sum. */
  #widest(costs: readonly NodeCost[]): Stage[] | null {
    const alive = costs.filter(({ capacity }) => capacity > 0)
    let [low, high] = [0, this.#intervals.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (holds(alive, this.#intervals[middle]!) >= this.#layers) high = middle
      else low = middle + 1
    }
    const interval = this.#intervals[low]
    if (interval === undefined) return null
    const within = costs.map((cost) => ({ ...cost, capacity: layersWithin(cost, interval) }))
    return this.#shortest(within, interval)
  }
}

function layersWithin({ layerMs, capacity }: NodeCost, ms: number): number {
  const count = Math.min(capacity, Math.floor(ms / layerMs))
  return count < capacity && layerMs * (count + 1) <= ms ? count + 1 : count
}

/** How many layers a pipeline can hold whose stages and hops, but for the hop to the first node, are all within `ms`. */
function holds(costs: readonly NodeCost[], ms: number): number {
  let [after, most] = [0, 0]
  for (let at = costs.length - 1; at >= 0; at -= 1) {
    const layers = layersWithin(costs[at]!, ms)
    most = Math.max(most, layers + after)
    if (costs[at]!.hopMs <= ms) after += layers
  }
  return most
}
