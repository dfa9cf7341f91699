/** Small graphs whose measures are known, to try the operation on. */
import type { GraphInput } from './graph.ts'

const between = (names: readonly string[], edges: readonly (readonly [string, string])[]): GraphInput => ({
  nodes: names,
  edges: edges.map(([from, to]) => [names.indexOf(from), names.indexOf(to)] as const),
})
const numbered = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i))
const triangle = (a: string, b: string, c: string): [string, string][] => [
  [a, b],
  [b, c],
  [a, c],
]

const HUB_EDGES: [string, string][] = [
  ...numbered(8).map((leaf): [string, string] => ['h', leaf]),
  ['1', '2'],
  ['1', '0'],
  ['1', '3'],
  ['4', '5'],
  ['5', '6'],
]

export const FIXTURES = {
  'fixture-hub9': between(['h', ...numbered(8)], HUB_EDGES),
  'fixture-path9': between(
    numbered(9),
    numbered(8).map((at): [string, string] => [at, String(Number(at) + 1)]),
  ),
  'fixture-two-triangles': between(numbered(6), [...triangle('0', '1', '2'), ...triangle('3', '4', '5')]),
  'fixture-barbell6': between(numbered(6), [...triangle('0', '1', '2'), ...triangle('3', '4', '5'), ['2', '3']]),
} satisfies Record<string, GraphInput>
