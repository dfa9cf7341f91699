import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundDeep } from '../../../domain/rounded.ts'
import { FIXTURES } from './fixtures.ts'
import type { GraphInput } from './graph.ts'
import { MAX_SPECTRAL_NODES, measureGraph } from './measures.ts'
import { chainGraph, ontology, organism, threatGraph } from './sources.ts'

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
  assert.deepEqual(chainGraph([]), { nodes: [], edges: [], linksLeftOut: 0 })
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
