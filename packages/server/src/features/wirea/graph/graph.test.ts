import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundDeep } from '../../../domain/rounded.ts'
import { sfc32 } from '../../../domain/sfc32.ts'
import { betweenness, closeness, degreeCentrality, pagerank } from './centrality.ts'
import { coreNumbers } from './connectivity.ts'
import { FIXTURES } from './fixtures.ts'
import { type GraphInput, toGraph } from './graph.ts'
import { laplacian, normalisedLaplacian, shiftedAdjacency } from './laplacian.ts'
import { MAX_SPECTRAL_NODES, measureGraph } from './measures.ts'
import { chainGraph, ontology, organism, threatGraph } from './sources.ts'
import { eigen, type Matrix } from './spectrum.ts'

const near = (found: number | null, expected: number, tolerance = 1e-9, what = '') =>
  assert.ok(found !== null && Math.abs(found - expected) <= tolerance, `${what} ${found} is not ${expected}`)
const measure = (input: GraphInput) => measureGraph({ ...input, layoutSeed: 1 })
const rounded = (name: keyof typeof FIXTURES) => roundDeep(measure(FIXTURES[name]))

test('the fixtures have the measures of the contract', () => {
  const hub = rounded('fixture-hub9')
  assert.deepEqual(
    [
      hub.n_edges,
      hub.density,
      hub.avg_clustering,
      hub.transitivity,
      hub.algebraic_connectivity,
      hub.normalised_lambda2,
    ],
    [13, 0.361111, 0.705026, 0.357143, 1, 0.407006],
  )
  assert.equal(hub.fiedler_partition?.unique, false)
  const path = rounded('fixture-path9')
  assert.deepEqual([path.algebraic_connectivity, path.normalised_lambda2, path.diameter], [0.120615, 0.07612, 8])
  assert.deepEqual([path.bridges.length, path.articulation_points.length], [8, 7])
  const triangles = rounded('fixture-two-triangles')
  assert.deepEqual(
    [triangles.components, triangles.algebraic_connectivity, triangles.zero_multiplicity, triangles.diameter],
    [2, 0, 2, null],
  )
  const barbell = rounded('fixture-barbell6')
  assert.deepEqual(
    [barbell.algebraic_connectivity, barbell.normalised_lambda2, barbell.avg_clustering, barbell.bridges],
    [0.438447, 0.204666, 0.777778, [['2', '3']]],
  )
  assert.deepEqual(barbell.fiedler_partition, {
    positive: ['0', '1', '2'],
    negative: ['3', '4', '5'],
    multiplicity: 1,
    unique: true,
  })
})

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
function assertSpectrum(make: () => Matrix, what: string): number[] {
  const rows = rowsOf(make())
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

    const laplace = assertSpectrum(() => laplacian(graph), `${what} L`)
    const normalised = assertSpectrum(() => normalisedLaplacian(graph), `${what} N`)
    const shifted = assertSpectrum(() => shiftedAdjacency(graph, n), `${what} A`)
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

test('known spectra: complete graph, star, cycle and hypercube', () => {
  const graphOf = (n: number, edge: (i: number, j: number) => boolean): GraphInput => ({
    nodes: Array.from({ length: n }, (_, i) => String(i)),
    edges: Array.from({ length: n }, (_, i) => i).flatMap((i) =>
      Array.from({ length: n }, (_, j) => j).flatMap((j) => (i < j && edge(i, j) ? [[i, j] as const] : [])),
    ),
  })
  near(measure(graphOf(7, () => true)).algebraic_connectivity, 7)
  near(measure(graphOf(7, (i) => i === 0)).spectral_radius, Math.sqrt(6))
  near(
    measure(graphOf(12, (i, j) => j === i + 1 || (i === 0 && j === 11))).algebraic_connectivity,
    2 - 2 * Math.cos(Math.PI / 6),
  )
  const cube = measure(graphOf(64, (i, j) => Math.log2(i ^ j) % 1 === 0))
  near(cube.algebraic_connectivity, 2)
  near(cube.normalised_lambda2, 2 / 6)
  assert.deepEqual([cube.diameter, cube.fiedler_partition?.multiplicity, cube.assortativity], [6, 6, null])
  near(measure(graphOf(7, (i) => i === 0)).assortativity, -1)
})

test('no node, one node, loops and edges both ways are measured as what they are', () => {
  const none = measure({ nodes: [], edges: [] })
  assert.deepEqual(
    [
      none.n_nodes,
      none.components,
      none.algebraic_connectivity,
      none.spectral_radius,
      none.dag.is_dag,
      none.sccs.components,
    ],
    [0, 0, 0, 0, true, 0],
  )
  const one = measure({ nodes: ['a'], edges: [[0, 0]] })
  assert.deepEqual(
    [one.n_edges, one.components, one.algebraic_connectivity, one.diameter, one.dag.is_dag, one.dag.back_edges],
    [0, 1, null, 0, false, [['a', 'a']]],
  )
  const both = measure({
    nodes: ['a', 'b'],
    edges: [
      [0, 1],
      [1, 0],
    ],
  })
  assert.deepEqual([both.n_edges, both.n_directed_edges, both.sccs.nontrivial], [1, 2, [['a', 'b']]])
})

test('above 500 nodes there is no spectrum, and a reason for it', () => {
  const path = (n: number) => ({
    nodes: Array.from({ length: n }, (_, i) => String(i)),
    edges: Array.from({ length: n - 1 }, (_, i) => [i, i + 1] as const),
  })
  const large = measure(path(MAX_SPECTRAL_NODES + 1))
  assert.deepEqual([large.algebraic_connectivity, large.spectral_radius, large.components], [null, null, 1])
  assert.match(large.spectral_reason!, /up to 500 nodes; this graph has 501/)
  assert.equal(large.bridges.length, MAX_SPECTRAL_NODES)
})

test('measured twice, byte by byte the same', () => {
  for (const input of Object.values(FIXTURES))
    assert.equal(JSON.stringify(measure(input)), JSON.stringify(measure(input)))
})

test('the graphs of the service are made of what it knows', () => {
  const organs = organism([
    { id: 'N5', dependsOn: ['N3'] },
    { id: 'N3', dependsOn: [] },
  ])
  assert.deepEqual(organs, { nodes: ['N5', 'N3'], edges: [[0, 1]] })
  assert.deepEqual(chainGraph([]), { nodes: [], edges: [] })
  const gates = threatGraph(['one', 'two'], [{ id: 'R1', gate: 'two' }])
  assert.deepEqual(gates.nodes, ['text', 'normalise', 'one', 'two', 'decision', 'rule:R1'])
  assert.equal(measure(gates).dag.is_dag, true)
  const described = ontology({
    paths: {
      '/a': { get: { operationId: 'a', tags: ['G'], ...{ responses: { 200: { $ref: '#/components/responses/r' } } } } },
      '/b': { get: { operationId: 'b', tags: ['G'], 'x-orch-alias-of': 'a' } },
    },
    components: {
      schemas: { S: { properties: { t: { $ref: '#/components/schemas/T' } } }, T: {} },
      responses: { r: { content: { schema: { $ref: '#/components/schemas/S' } } } },
    },
  })
  assert.deepEqual(described.nodes, ['group:G', 'operation:a', 'schema:S', 'schema:T'])
  assert.deepEqual(described.edges, [
    [0, 1],
    [1, 2],
    [2, 3],
  ])
})
