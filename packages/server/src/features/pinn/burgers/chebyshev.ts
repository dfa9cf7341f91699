/** Chebyshev-Gauss-Lobatto collocation on an interval: nodes, differentiation and interpolation (Trefethen, Spectral
 *  Methods in MATLAB, 2000; barycentric form of Berrut and Trefethen 2004). */

export interface Chebyshev {
  /** Ascending, both ends included. */
  nodes: Float64Array
  /** First derivative, row by row. */
  d1: Float64Array
  d2: Float64Array
}

export function chebyshev(degree: number, from: number, to: number): Chebyshev {
  const n = degree + 1
  const half = (to - from) / 2
  const nodes = Float64Array.from(
    { length: n },
    (_, i) => from + half * 2 * Math.sin((i * Math.PI) / (2 * degree)) ** 2,
  )
  const d1 = new Float64Array(n * n)
  const end = (i: number) => (i === 0 || i === degree ? 2 : 1)
  for (let i = 0; i < n; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) {
      if (i === j) continue
      // The difference of two cosines as a product of sines loses no digits.
      const difference =
        2 * half * Math.sin(((i + j) * Math.PI) / (2 * degree)) * Math.sin(((i - j) * Math.PI) / (2 * degree))
      const value = ((end(i) / end(j)) * ((i + j) % 2 === 0 ? 1 : -1)) / difference
      d1[i * n + j] = value
      sum += value
    }
    d1[i * n + i] = -sum
  }
  return { nodes, d1, d2: secondDerivative(d1, nodes) }
}

/** From the first by the recursion of Welfert (1997), which is more accurate than the square of it. */
function secondDerivative(d1: Float64Array, nodes: Float64Array): Float64Array {
  const n = nodes.length
  const d2 = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) {
      if (i === j) continue
      const value = 2 * d1[i * n + j]! * (d1[i * n + i]! - 1 / (nodes[i]! - nodes[j]!))
      d2[i * n + j] = value
      sum += value
    }
    d2[i * n + i] = -sum
  }
  return d2
}

export const multiply = (matrix: Float64Array, vector: Float64Array): Float64Array =>
  vector.map((_, i) => {
    let sum = 0
    for (let j = 0; j < vector.length; j++) sum += matrix[i * vector.length + j]! * vector[j]!
    return sum
  })

export function interpolate(nodes: Float64Array, values: Float64Array, x: number): number {
  let [above, below] = [0, 0]
  for (let j = 0; j < nodes.length; j++) {
    const distance = x - nodes[j]!
    if (distance === 0) return values[j]!
    const weight = ((j % 2 === 0 ? 1 : -1) * (j === 0 || j === nodes.length - 1 ? 0.5 : 1)) / distance
    above += weight * values[j]!
    below += weight
  }
  return above / below
}
