/** Every measure of one graph; runs in a worker thread. The undirected simple graph is measured, the directed one ordered. */

import { betweenness, closeness, degreeCentrality, pagerank } from './centrality.ts'
import { coreNumbers, cutsOf, orderOf, strongComponents } from './connectivity.ts'
import { componentsOf, distancesFrom, type Graph, type GraphInput, toGraph } from './graph.ts'
import { laplacian, normalisedLaplacian, shiftedAdjacency } from './laplacian.ts'
import { layoutOf } from './layout.ts'
import type { GraphMeasures } from './replies.ts'
import { eigen } from './spectrum.ts'

export const MAX_SPECTRAL_NODES = 500
const TOP = 5
/** Below this an eigenvalue counts as 0: the smallest that is none, of a path of 500, is 4e-5. */
const ZERO = 1e-8

/** Units of work: a visit of an edge from every place, and a rotated row of the eigenvalue problems. */
export const measuresWork = ({ nodes: { length: n }, edges: { length: m } }: GraphInput): number =>
  4 * n * (n + m) + (n <= MAX_SPECTRAL_NODES ? 3 * n ** 3 : 0)

export function measureGraph(input: GraphInput & { layoutSeed: number }): GraphMeasures {
  const { nodes } = input
  const graph = toGraph(input)
  const { n, pairs } = graph
  const named = (place: number): string => nodes[place]!
  const components = componentsOf(graph)
  const { articulation, bridges } = cutsOf(graph)
  const cores = coreNumbers(graph)
  const { backEdges, topological } = orderOf(graph)
  const strong = strongComponents(graph)
  const degeneracy = Math.max(0, ...cores)
  return {
    n_nodes: n,
    n_edges: pairs.length,
    n_directed_edges: graph.next.reduce((sum, list) => sum + list.length, 0),
    density: n > 1 ? (2 * pairs.length) / (n * (n - 1)) : 0,
    ...clusteringOf(graph),
    components: components.length,
    component_sizes: components.map(({ length }) => length).sort((a, b) => b - a),
    ...spectralOf(graph, components.length, named),
    diameter: components.length === 1 ? diameterOf(graph) : null,
    articulation_points: articulation.map(named),
    bridges: bridges.map(([a, b]) => [named(a), named(b)]),
    k_core: { degeneracy, members: [...cores.keys()].filter((i) => cores[i] === degeneracy).map(named) },
    assortativity: assortativityOf(graph),
    dag: {
      is_dag: backEdges.length === 0,
      back_edges: backEdges.map(([a, b]) => [named(a), named(b)]),
      topological_order: topological.map(named),
    },
    sccs: {
      components: strong.length,
      nontrivial: strong.filter(({ length }) => length > 1).map((list) => list.map(named)),
    },
    centrality: {
      degree: highest(degreeCentrality(graph), nodes),
      betweenness: highest(betweenness(graph), nodes),
      closeness: highest(closeness(graph), nodes),
      pagerank: highest(pagerank(graph), nodes),
    },
    layout_seed: input.layoutSeed,
    layout: { positions: layoutOf(graph, input.layoutSeed), edges: pairs.map(([a, b]) => [a, b]) },
  }
}

/** Local clustering is 0 with fewer than two neighbours; transitivity is the share of connected triples that close. */
function clusteringOf({ n, near }: Graph): { avg_clustering: number; transitivity: number } {
  let [sum, closed, triples] = [0, 0, 0]
  for (const others of near) {
    const possible = (others.length * (others.length - 1)) / 2
    if (possible === 0) continue
    const known = new Set(others)
    const links = others.reduce(
      (count, one) => count + near[one]!.filter((two) => two > one && known.has(two)).length,
      0,
    )
    sum += links / possible
    closed += links
    triples += possible
  }
  return { avg_clustering: n === 0 ? 0 : sum / n, transitivity: triples === 0 ? 0 : closed / triples }
}

const diameterOf = (graph: Graph): number =>
  Array.from({ length: graph.n }, (_, node) => Math.max(...distancesFrom(graph, node))).reduce(
    (a, b) => Math.max(a, b),
    0,
  )

/** The correlation of the degrees at both ends of an edge (Newman 2002); null where all ends have the same. */
function assortativityOf({ near, pairs }: Graph): number | null {
  const endDegrees = pairs.flatMap(([a, b]) => [near[a]!.length, near[b]!.length])
  if (endDegrees.length === 0) return null
  const mean = endDegrees.reduce((sum, degree) => sum + degree, 0) / endDegrees.length
  const variance = endDegrees.reduce((sum, degree) => sum + (degree - mean) ** 2, 0)
  if (variance === 0) return null
  return pairs.reduce((sum, [a, b]) => sum + 2 * (near[a]!.length - mean) * (near[b]!.length - mean), 0) / variance
}

function spectralOf(graph: Graph, components: number, named: (place: number) => string) {
  const { n } = graph
  if (n > MAX_SPECTRAL_NODES)
    return {
      ...{ algebraic_connectivity: null, normalised_lambda2: null, zero_multiplicity: null, fiedler_partition: null },
      spectral_radius: null,
      spectral_reason: `eigenvalues are computed for up to ${MAX_SPECTRAL_NODES} nodes; this graph has ${n}`,
    }
  if (n === 0)
    return {
      ...{ algebraic_connectivity: 0, normalised_lambda2: 0, zero_multiplicity: 0, fiedler_partition: null },
      ...{ spectral_radius: 0, spectral_reason: null },
    }
  const { values, vectors } = eigen(laplacian(graph))
  const zeroMultiplicity = values.filter((value) => Math.abs(value) < ZERO).length
  // The kernel of D - A has one vector for each component: two ways to the same number.
  if (zeroMultiplicity !== components)
    throw new Error(`${zeroMultiplicity} eigenvalues are 0, and there are ${components} components`)
  const second = (list: readonly number[]): number | null => (n > 1 ? cleaned(list[1]!) : null)
  return {
    algebraic_connectivity: second(values),
    normalised_lambda2: second(eigen(normalisedLaplacian(graph)).values),
    zero_multiplicity: zeroMultiplicity,
    fiedler_partition: components === 1 && n > 1 ? partitionOf(values, vectors[1]!, named) : null,
    spectral_radius: radiusOf(graph),
    spectral_reason: n === 1 ? 'one node has no second eigenvalue' : null,
  }
}

/** No eigenvalue of an adjacency matrix is further from 0 than the largest degree: by as much it is shifted. */
function radiusOf(graph: Graph): number {
  const shift = Math.max(...graph.near.map((others) => others.length))
  return Math.max(0, cleaned(eigen(shiftedAdjacency(graph, shift)).values.at(-1)! - shift))
}

const cleaned = (value: number): number => (Math.abs(value) < ZERO ? 0 : value)

/** By the sign of the Fiedler vector, turned so that the first place that is not 0 is positive. Where lambda2 comes more
 *  than once its vector is one of many, and so is the partition. */
function partitionOf(values: readonly number[], vector: Float64Array, named: (place: number) => string) {
  const multiplicity = values.filter((value) => Math.abs(value - values[1]!) < ZERO).length
  const sign = Math.sign(vector.find((value) => Math.abs(value) > ZERO) ?? 1)
  const side = (wanted: boolean) =>
    [...vector.keys()].filter((place) => vector[place]! * sign > -ZERO === wanted).map(named)
  return { positive: side(true), negative: side(false), multiplicity, unique: multiplicity === 1 }
}

/** Values that differ by rounding alone are equal: their names decide. */
function highest(values: readonly number[], nodes: readonly string[]): { node: string; value: number }[] {
  const steps = values.map((value) => Math.round(value * 1e12))
  return [...values.keys()]
    .sort((a, b) => steps[b]! - steps[a]! || (nodes[a]! < nodes[b]! ? -1 : 1))
    .slice(0, TOP)
    .map((place) => ({ node: nodes[place]!, value: values[place]! }))
}
