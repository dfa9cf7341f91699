import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sfc32 } from '../../../domain/sfc32.ts'
import { betweenness, closeness, degreeCentrality, pagerank } from './centrality.ts'
import { coreNumbers } from './connectivity.ts'
import { type GraphInput, toGraph } from './graph.ts'
import { laplacian, normalisedLaplacian, shiftedAdjacency } from './laplacian.ts'
import { measureGraph } from './measures.ts'
import { eigen, type Matrix } from './spectrum.ts'

const near = (found: number | null, expected: number, tolerance = 1e-9, what = '') =>
  assert.ok(found !== null && Math.abs(found - expected) <= tolerance, `${what} ${found} is not ${expected}`)
const measure = (input: GraphInput) => measureGraph({ ...input, layoutSeed: 1 })

// A reference made of other methods: matrices, removal and enumeration in place of walks and rotations.
function randomGraph(at: number): GraphInput {
  const random = sfc32('orch.test.random-graphs', { at })
  const n = 1 + random.integer(10)
  const share = random.uniform() * 0.7
  const nodes = Array.from({ length: n }, (_, i) => `v${i}`)
  const edges = nodes.flatMap((_, i) =>
    nodes.flatMap((_, j) => (random.uniform() < share / 2 ? [[i, j] as const] : [])),
  )
  return { nodes, edges }
}

const simpleMatrix = ({ nodes, edges }: GraphInput): number[][] => {
  const a = nodes.map(() => nodes.map(() => 0))
  for (const [i, j] of edges) if (i !== j) a[i]![j] = a[j]![i] = 1
  return a
}

/** By unions, without a walk. */
function countComponents(a: number[][], without: ReadonlySet<number> = new Set()): number {
  const name = a.map((_, i) => i)
  for (let round = 0; round < a.length; round += 1)
    for (const [i, row] of a.entries())
      for (const [j, edge] of row.entries())
        if (edge && !without.has(i) && !without.has(j)) name[i] = name[j] = Math.min(name[i]!, name[j]!)
  return new Set(name.filter((_, i) => !without.has(i))).size
}

/** Floyd and Warshall, with the number of shortest paths. */
function allPaths(a: number[][]) {
  const n = a.length
  const d = a.map((row, i) => row.map((edge, j) => (i === j ? 0 : edge ? 1 : Infinity)))
  for (let k = 0; k < n; k += 1)
    for (let i = 0; i < n; i += 1) for (let j = 0; j < n; j += 1) d[i]![j] = Math.min(d[i]![j]!, d[i]![k]! + d[k]![j]!)
  const sigma = (i: number, j: number): number =>
    i === j ? 1 : a[j]!.reduce((sum, edge, k) => (edge && d[i]![k]! + 1 === d[i]![j] ? sum + sigma(i, k) : sum), 0)
  return { d, sigma }
}

/** The characteristic polynomial at x, by elimination with pivots. */
function determinant(matrix: number[][]): number {
  const m = matrix.map((row) => [...row])
  let value = 1
  for (let c = 0; c < m.length; c += 1) {
    const pivot = m
      .map((row, i) => [Math.abs(row[c]!), i] as const)
      .slice(c)
      .sort((x, y) => y[0] - x[0])[0]![1]
    if (Math.abs(m[pivot]![c]!) < 1e-14) return 0
    if (pivot !== c) {
      ;[m[c], m[pivot]] = [m[pivot]!, m[c]!]
      value = -value
    }
    value *= m[c]![c]!
    for (let r = c + 1; r < m.length; r += 1) {
      const factor = m[r]![c]! / m[c]![c]!
      for (let k = c; k < m.length; k += 1) m[r]![k]! -= factor * m[c]![k]!
    }
  }
  return value
}

const rowsOf = ({ n, values }: Matrix): number[][] =>
  Array.from({ length: n }, (_, i) => [...values.slice(i * n, i * n + n)])

/** What eigenvalues must be, without another eigensolver: trace, sum of squares, determinants of A - x for several x. */
function assertSpectrum(make: () => Matrix, rows: number[][], what: string): number[] {
  for (const [i, row] of rowsOf(make()).entries())
    for (const [j, x] of row.entries()) near(x, rows[i]![j]!, 1e-15, what)
  const { values, vectors } = eigen(make())
  near(
    values.reduce((sum, value) => sum + value, 0),
    rows.reduce((sum, row, i) => sum + row[i]!, 0),
    1e-9,
    what,
  )
  near(
    values.reduce((sum, value) => sum + value ** 2, 0),
    rows.flat().reduce((sum, x) => sum + x * x, 0),
    1e-8,
    what,
  )
  for (const x of [-0.37, 0.61, 2.3]) {
    const shifted = rows.map((row, i) => row.map((value, j) => (i === j ? value - x : value)))
    const expected = determinant(shifted)
    const size = values.reduce((product, value) => product * (value + Math.abs(x)), 1)
    near(
      values.reduce((product, value) => product * (value - x), 1),
      expected,
      1e-11 * Math.max(1, size),
      what,
    )
  }
  for (const [k, vector] of vectors.entries()) {
    if (values[k]! < 1e-9) continue
    for (const [i, row] of rows.entries())
      near(
        row.reduce((sum, value, j) => sum + value * vector[j]!, 0),
        values[k]! * vector[i]!,
        1e-9,
        what,
      )
  }
  return values
}

test('200 random graphs: components, both Laplacians, cuts and centralities agree with the reference', () => {
  for (let at = 0; at < 200; at += 1) {
    const input = randomGraph(at)
    const graph = toGraph(input)
    const found = measure(input)
    const a = simpleMatrix(input)
    const n = a.length
    const what = `graph ${at}`
    const count = countComponents(a)
    assert.deepEqual([found.components, found.zero_multiplicity], [count, count], what)

    const edges = a.flatMap((row, i) => row.flatMap((edge, j) => (edge && i < j ? [[i, j] as const] : [])))
    const cuts = a.flatMap((row, i) =>
      countComponents(a, new Set([i])) > count - Number(row.every((x) => !x)) ? [`v${i}`] : [],
    )
    assert.deepEqual(found.articulation_points, cuts, what)
    const bridges = edges.filter(([i, j]) => {
      const without = a.map((row) => [...row])
      without[i]![j] = without[j]![i] = 0
      return countComponents(without) > count
    })
    assert.deepEqual(
      found.bridges,
      bridges.map(([i, j]) => [`v${i}`, `v${j}`]),
      what,
    )

    const sums = a.map((row) => row.reduce((x, y) => x + y, 0))
    const matrixOf = (diagonal: (i: number) => number, edge: (i: number, j: number) => number): number[][] =>
      a.map((row, i) => row.map((x, j) => (i === j ? diagonal(i) : x === 0 ? 0 : edge(i, j))))
    const laplace = assertSpectrum(
      () => laplacian(graph),
      matrixOf(
        (i) => sums[i]!,
        () => -1,
      ),
      `${what} L`,
    )
    const normalised = assertSpectrum(
      () => normalisedLaplacian(graph),
      matrixOf(
        (i) => Math.sign(sums[i]!),
        (i, j) => -1 / Math.sqrt(sums[i]! * sums[j]!),
      ),
      `${what} N`,
    )
    const shifted = assertSpectrum(
      () => shiftedAdjacency(graph, n),
      matrixOf(
        () => n,
        () => 1,
      ),
      `${what} A`,
    )
    if (n > 1) {
      near(found.algebraic_connectivity, laplace[1]!, 1e-8, what)
      near(found.normalised_lambda2, normalised[1]!, 1e-8, what)
    }
    near(found.spectral_radius, shifted.at(-1)! - n, 1e-8, what)

    const { d, sigma } = allPaths(a)
    for (const [v, value] of betweenness(graph).entries()) {
      let sum = 0
      for (let s = 0; s < n; s += 1)
        for (let t = 0; t < n; t += 1)
          if (s !== v && t !== v && s !== t && d[s]![v]! + d[v]![t]! === d[s]![t] && d[s]![t] !== Infinity)
            sum += (sigma(s, v) * sigma(v, t)) / sigma(s, t)
      near(value, n > 2 ? sum / ((n - 1) * (n - 2)) : 0, 1e-9, what)
    }
    for (const [v, value] of closeness(graph).entries()) {
      const reached = d[v]!.filter((steps) => steps > 0 && steps !== Infinity)
      const sum = reached.reduce((total, steps) => total + steps, 0)
      near(value, sum === 0 ? 0 : reached.length ** 2 / sum / (n - 1), 1e-12, what)
    }
    assert.deepEqual(
      degreeCentrality(graph),
      a.map((row) => (n > 1 ? row.reduce((x, y) => x + y) / (n - 1) : 0)),
    )
    // Stationary: the ranks solve their own equation and add up to 1.
    const rank = pagerank(graph)
    const degree = a.map((row) => row.reduce((x, y) => x + y, 0))
    const stranded = rank.reduce((sum, value, i) => sum + (degree[i] === 0 ? value : 0), 0)
    for (const [v, value] of rank.entries()) {
      const inflow = a[v]!.reduce((sum, edge, u) => (edge ? sum + rank[u]! / degree[u]! : sum), 0)
      near(value, (0.15 + 0.85 * stranded) / n + 0.85 * inflow, 1e-10, what)
    }
    near(
      rank.reduce((x, y) => x + y, 0),
      1,
      1e-10,
      what,
    )
    const finite = d.flat()
    assert.equal(found.diameter, count === 1 ? Math.max(...finite) : null, what)

    // The core of a place by removing whatever has too few neighbours.
    const core = (k: number): Set<number> => {
      const left = new Set(a.keys())
      for (let round = 0; round < n; round += 1)
        for (const v of [...left]) if (a[v]!.filter((edge, u) => edge && left.has(u)).length < k) left.delete(v)
      return left
    }
    for (const [v, k] of coreNumbers(graph).entries())
      assert.ok(core(k).has(v) && !core(k + 1).has(v), `${what} core of ${v}`)

    // Reachability along the directed edges, by closure.
    const reach = input.nodes.map((_, i) => input.nodes.map((_, j) => input.edges.some(([x, y]) => x === i && y === j)))
    for (let k = 0; k < n; k += 1)
      for (let i = 0; i < n; i += 1) for (let j = 0; j < n; j += 1) reach[i]![j] ||= reach[i]![k]! && reach[k]![j]!
    const isDag = input.nodes.every((_, i) => !reach[i]![i])
    assert.equal(found.dag.is_dag, isDag, what)
    const classes = new Set(
      input.nodes.map((_, i) => input.nodes.findIndex((_, j) => i === j || (reach[i]![j]! && reach[j]![i]!))),
    )
    assert.equal(found.sccs.components, classes.size, what)
    if (isDag) {
      const place = new Map(found.dag.topological_order.map((name, i) => [name, i]))
      assert.equal(place.size, n)
      for (const [i, j] of input.edges) assert.ok(place.get(`v${i}`)! < place.get(`v${j}`)!, what)
    } else assert.deepEqual(found.dag.topological_order, [])

    const local = a.map((row) => {
      const others = row.flatMap((edge, j) => (edge ? [j] : []))
      const pairs = others.flatMap((x) => others.filter((y) => y > x).map((y) => a[x]![y]!))
      return { closed: pairs.reduce((x, y) => x + y, 0), of: pairs.length }
    })
    near(found.avg_clustering, local.reduce((sum, { closed, of }) => sum + (of ? closed / of : 0), 0) / n, 1e-12, what)
    const triples = local.reduce((sum, { of }) => sum + of, 0)
    near(found.transitivity, triples ? local.reduce((sum, { closed }) => sum + closed, 0) / triples : 0, 1e-12, what)
  }
})
