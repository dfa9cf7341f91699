/** Dense linear algebra on typed arrays, row by row: the few factorisations that the numerical surfaces need. */

/** Solves `a x = b` by Gaussian elimination with partial pivoting. Both arguments are overwritten; null where `a` is
 *  singular to working precision. */
export function solveLinear(a: Float64Array, b: Float64Array): Float64Array | null {
  const n = b.length
  for (let k = 0; k < n; k++) {
    let pivot = k
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i * n + k]!) > Math.abs(a[pivot * n + k]!)) pivot = i
    const top = a[pivot * n + k]!
    if (!(Math.abs(top) > 0) || !Number.isFinite(top)) return null
    if (pivot !== k) swapRows(a, b, n, pivot, k)
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k]! / top
      if (factor === 0) continue
      for (let j = k + 1; j < n; j++) a[i * n + j]! -= factor * a[k * n + j]!
      b[i]! -= factor * b[k]!
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = b[i]!
    for (let j = i + 1; j < n; j++) sum -= a[i * n + j]! * b[j]!
    b[i] = sum / a[i * n + i]!
  }
  return b
}

function swapRows(a: Float64Array, b: Float64Array, n: number, one: number, other: number): void {
  for (let j = 0; j < n; j++) {
    const saved = a[one * n + j]!
    a[one * n + j] = a[other * n + j]!
    a[other * n + j] = saved
  }
  const saved = b[one]!
  b[one] = b[other]!
  b[other] = saved
}

/** The lower factor of a symmetric positive definite matrix, in its place; false where it is not positive definite. Four
 *  columns are taken at once, which is what makes it fast. */
export function cholesky(a: Float64Array, n: number): boolean {
  for (let i = 0; i < n; i++) {
    const row = i * n
    let j = 0
    for (; j + 3 < i; j += 4) fourColumns(a, n, row, j)
    for (; j < i; j++) {
      let sum = a[row + j]!
      for (let k = 0; k < j; k++) sum -= a[row + k]! * a[j * n + k]!
      a[row + j] = sum / a[j * n + j]!
    }
    let diagonal = a[row + i]!
    for (let k = 0; k < i; k++) diagonal -= a[row + k]! ** 2
    if (!(diagonal > 0)) return false
    a[row + i] = Math.sqrt(diagonal)
  }
  return true
}

function fourColumns(a: Float64Array, n: number, row: number, j: number): void {
  const [p, q, r, s] = [j * n, (j + 1) * n, (j + 2) * n, (j + 3) * n]
  let s0 = a[row + j]!
  let s1 = a[row + j + 1]!
  let s2 = a[row + j + 2]!
  let s3 = a[row + j + 3]!
  for (let k = 0; k < j; k++) {
    const x = a[row + k]!
    s0 -= x * a[p + k]!
    s1 -= x * a[q + k]!
    s2 -= x * a[r + k]!
    s3 -= x * a[s + k]!
  }
  s0 /= a[p + j]!
  s1 = (s1 - s0 * a[q + j]!) / a[q + j + 1]!
  s2 = (s2 - s0 * a[r + j]! - s1 * a[r + j + 1]!) / a[r + j + 2]!
  s3 = (s3 - s0 * a[s + j]! - s1 * a[s + j + 1]! - s2 * a[s + j + 2]!) / a[s + j + 3]!
  a[row + j] = s0
  a[row + j + 1] = s1
  a[row + j + 2] = s2
  a[row + j + 3] = s3
}

/** Solves `L L' x = b` for the factor of `cholesky`. */
export function solveCholesky(factor: Float64Array, n: number, b: ArrayLike<number>): Float64Array {
  const x = Float64Array.from(b)
  for (let i = 0; i < n; i++) {
    let sum = x[i]!
    for (let k = 0; k < i; k++) sum -= factor[i * n + k]! * x[k]!
    x[i] = sum / factor[i * n + i]!
  }
  for (let i = n - 1; i >= 0; i--) {
    x[i]! /= factor[i * n + i]!
    for (let k = 0; k < i; k++) x[k]! -= factor[i * n + k]! * x[i]!
  }
  return x
}

/** The inverse of `L L'`. */
export function invertCholesky(factor: Float64Array, n: number): Float64Array {
  const inverse = new Float64Array(n * n)
  // Rows of the inverse of L, by forward substitution over whole rows.
  const lower = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    const scale = 1 / factor[i * n + i]!
    for (let k = 0; k < i; k++) {
      const f = factor[i * n + k]!
      for (let j = 0; j <= k; j++) lower[i * n + j]! -= f * lower[k * n + j]!
    }
    for (let j = 0; j < i; j++) lower[i * n + j]! *= scale
    lower[i * n + i] = scale
  }
  for (let k = 0; k < n; k++)
    for (let i = 0; i <= k; i++) {
      const f = lower[k * n + i]!
      if (f !== 0) for (let j = 0; j <= i; j++) inverse[i * n + j]! += f * lower[k * n + j]!
    }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) inverse[j * n + i] = inverse[i * n + j]!
  return inverse
}

/** Eigenvalues in ascending order and their vectors, one a row, of a small symmetric matrix, by Jacobi's rotations. */
export function symmetricEigen(matrix: readonly (readonly number[])[]): { values: number[]; vectors: number[][] } {
  const n = matrix.length
  const a = matrix.map((row) => [...row])
  const v = a.map((_, i) => a.map((__, j) => (i === j ? 1 : 0)))
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = a[p]![q]!
        off = Math.max(off, Math.abs(apq) / (Math.sqrt(Math.abs(a[p]![p]! * a[q]![q]!)) || 1))
        if (apq !== 0) rotate(a, v, p, q)
      }
    if (off < 1e-15) break
  }
  const order = a.map((row, i) => ({ value: row[i]!, i })).sort((x, y) => x.value - y.value)
  return { values: order.map(({ value }) => value), vectors: order.map(({ i }) => v.map((row) => row[i]!)) }
}

function rotate(a: number[][], v: number[][], p: number, q: number): void {
  const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!)
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1))
  const c = 1 / Math.hypot(t, 1)
  const s = t * c
  for (const row of a) [row[p], row[q]] = [c * row[p]! - s * row[q]!, s * row[p]! + c * row[q]!]
  const [rowP, rowQ] = [[...a[p]!], [...a[q]!]]
  for (let k = 0; k < a.length; k++) {
    a[p]![k] = c * rowP[k]! - s * rowQ[k]!
    a[q]![k] = s * rowP[k]! + c * rowQ[k]!
  }
  for (const row of v) [row[p], row[q]] = [c * row[p]! - s * row[q]!, s * row[p]! + c * row[q]!]
}
