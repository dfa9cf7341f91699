import type { Graph } from './graph.ts'
import type { Matrix } from './spectrum.ts'

const zeros = (n: number): Matrix => ({ n, values: new Float64Array(n * n) })

/** A + shift I. */
export function shiftedAdjacency({ n, pairs }: Graph, shift: number): Matrix {
  const matrix = zeros(n)
  for (let i = 0; i < n; i += 1) matrix.values[i * n + i] = shift
  for (const [i, j] of pairs) matrix.values[i * n + j] = matrix.values[j * n + i] = 1
  return matrix
}

/** D - A. */
export function laplacian({ n, near, pairs }: Graph): Matrix {
  const matrix = zeros(n)
  for (const [i, others] of near.entries()) matrix.values[i * n + i] = others.length
  for (const [i, j] of pairs) matrix.values[i * n + j] = matrix.values[j * n + i] = -1
  return matrix
}

/** I - D^-1/2 A D^-1/2; the row of a place without neighbours is 0. */
export function normalisedLaplacian({ n, near, pairs }: Graph): Matrix {
  const matrix = zeros(n)
  for (const [i, others] of near.entries()) matrix.values[i * n + i] = others.length === 0 ? 0 : 1
  for (const [i, j] of pairs)
    matrix.values[i * n + j] = matrix.values[j * n + i] = -1 / Math.sqrt(near[i]!.length * near[j]!.length)
  return matrix
}
