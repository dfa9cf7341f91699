/** Eigenvalues of symmetric matrices without negative ones, by Jacobi's rotations from one side (Hestenes 1958). */

/** Row by row. */
export type Matrix = { n: number; values: Float64Array }

/** Rows count as orthogonal when the cosine between them is below this. */
const TOLERANCE = 1e-12
/** A row shorter than this share of the longest is what rounding left of nothing. */
const NOTHING = 1e-13
const MAX_SWEEPS = 60

interface Spectrum {
  /** Ascending. */
  values: number[]
  /** In the same order, each of length 1; the ones of eigenvalue 0 are not known. */
  vectors: Float64Array[]
}

/** Destroys the matrix. Rotations make its rows orthogonal to each other: what is left of row i is then the eigenvector
 *  times its eigenvalue. All that is read and written lies side by side, which is what makes 500 rows bearable. */
export function eigen({ n, values: a }: Matrix): Spectrum {
  const squares = new Float64Array(n)
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    for (let i = 0; i < n; i += 1) squares[i] = dot(a, i * n, i * n, n)
    if (!rotateAll(a, squares, n)) break
  }
  const lengths = Array.from({ length: n }, (_, i) => Math.sqrt(dot(a, i * n, i * n, n)))
  const order = [...lengths.keys()].sort((i, j) => lengths[i]! - lengths[j]!)
  return {
    values: order.map((i) => lengths[i]!),
    vectors: order.map((i) => a.slice(i * n, i * n + n).map((x) => (lengths[i] === 0 ? 0 : x / lengths[i]!))),
  }
}

/** Looks at every pair of rows once; whether one had to be turned. */
function rotateAll(a: Float64Array, squares: Float64Array, n: number): boolean {
  const least = squares.reduce((most, square) => Math.max(most, square), 0) * NOTHING ** 2
  let rotated = false
  for (let p = 0; p < n - 1; p += 1) {
    bringLongest(a, squares, n, p)
    for (let q = p + 1; q < n; q += 1) {
      const pp = squares[p]!
      const qq = squares[q]!
      if (pp <= least || qq <= least) continue
      const pq = dot(a, p * n, q * n, n)
      if (Math.abs(pq) <= TOLERANCE * Math.sqrt(pp * qq)) continue
      rotated = true
      const theta = (qq - pp) / (2 * pq)
      const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
      turn(a, p * n, q * n, n, 1 / Math.sqrt(t * t + 1), t)
      squares[p] = pp - t * pq
      squares[q] = qq + t * pq
    }
  }
  return rotated
}

/** The longest row of those left comes first: it takes half as many sweeps so (de Rijk 1989). */
function bringLongest(a: Float64Array, squares: Float64Array, n: number, p: number): void {
  let longest = p
  for (let k = p + 1; k < n; k += 1) if (squares[k]! > squares[longest]!) longest = k
  if (longest === p) return
  const row = a.slice(p * n, p * n + n)
  a.copyWithin(p * n, longest * n, longest * n + n)
  a.set(row, longest * n)
  const square = squares[p]!
  squares[p] = squares[longest]!
  squares[longest] = square
}

/** Four sums at a time, which the processor can add side by side. */
function dot(a: Float64Array, i: number, j: number, n: number): number {
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  let k = 0
  for (; k + 3 < n; k += 4) {
    s0 += a[i + k]! * a[j + k]!
    s1 += a[i + k + 1]! * a[j + k + 1]!
    s2 += a[i + k + 2]! * a[j + k + 2]!
    s3 += a[i + k + 3]! * a[j + k + 3]!
  }
  for (; k < n; k += 1) s0 += a[i + k]! * a[j + k]!
  return s0 + s1 + s2 + s3
}

function turn(a: Float64Array, i: number, j: number, n: number, c: number, t: number): void {
  const s = t * c
  for (let k = 0; k < n; k += 1) {
    const x = a[i + k]!
    const y = a[j + k]!
    a[i + k] = c * x - s * y
    a[j + k] = s * x + c * y
  }
}
