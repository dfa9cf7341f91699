/** Where to draw the places: springs along the edges, repulsion between all (Fruchterman and Reingold 1991), from seeded
 *  places on. A picture only; nothing is measured from it. */
import { type Sfc32, sfc32 } from '../../../domain/sfc32.ts'
import type { Graph } from './graph.ts'

const ALGORITHM = 'orch.wirea.graph-layout/v1'
const ITERATIONS = 60
/** Every pair is looked at in every round: larger graphs are drawn on a circle. */
const MAX_SPRINGS = 300
type Point = [x: number, y: number]

/** In the unit square. */
export function layoutOf(graph: Graph, seed: number): Point[] {
  const { n } = graph
  if (n > MAX_SPRINGS) return Array.from({ length: n }, (_, i) => onCircle(i / n))
  return fitted(springs(graph, sfc32(ALGORITHM, { seed, n })))
}

const onCircle = (turn: number): Point => [
  0.5 + 0.5 * Math.cos(2 * Math.PI * turn),
  0.5 + 0.5 * Math.sin(2 * Math.PI * turn),
]

function springs({ n, pairs }: Graph, random: Sfc32): Point[] {
  const [x, y] = [Float64Array.from({ length: n }, random.uniform), Float64Array.from({ length: n }, random.uniform)]
  const rest = Math.sqrt(1 / Math.max(1, n))
  const [dx, dy] = [new Float64Array(n), new Float64Array(n)]
  const push = (i: number, j: number, strength: (distance: number) => number) => {
    const [ux, uy] = [x[i]! - x[j]!, y[i]! - y[j]!]
    const distance = Math.max(1e-6, Math.hypot(ux, uy))
    const force = strength(distance) / distance
    dx[i]! += ux * force
    dy[i]! += uy * force
    dx[j]! -= ux * force
    dy[j]! -= uy * force
  }
  for (let round = 0; round < ITERATIONS; round += 1) {
    dx.fill(0)
    dy.fill(0)
    for (let i = 0; i < n; i += 1) for (let j = 0; j < i; j += 1) push(i, j, (distance) => rest ** 2 / distance)
    for (const [i, j] of pairs) push(i, j, (distance) => -(distance ** 2) / rest)
    const farthest = 0.1 * (1 - round / ITERATIONS)
    for (let i = 0; i < n; i += 1) {
      const length = Math.max(1e-9, Math.hypot(dx[i]!, dy[i]!))
      x[i]! += (dx[i]! / length) * Math.min(length, farthest)
      y[i]! += (dy[i]! / length) * Math.min(length, farthest)
    }
  }
  return Array.from({ length: n }, (_, i): Point => [x[i]!, y[i]!])
}

function fitted(points: readonly Point[]): Point[] {
  const scaled = (of: (point: Point) => number) => {
    const values = points.map(of)
    const [low, high] = [Math.min(...values), Math.max(...values)]
    return (point: Point): number => (high > low ? (of(point) - low) / (high - low) : 0.5)
  }
  const [toX, toY] = [scaled(([x]) => x), scaled(([, y]) => y)]
  return points.map((point) => [toX(point), toY(point)])
}
