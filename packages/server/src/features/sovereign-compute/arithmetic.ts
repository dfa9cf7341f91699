/** The job of the compute pool: how fast this process multiplies matrices in a worker thread. */

export const SIZE = 256
export const RUNS = 5

export interface Arithmetic {
  median_ms: number
  runs_ms: number[]
  gflops: number
  /** The sum of the product, which is known: whoever computed it has multiplied. */
  checksum: number
}

/** A[i][j] = i + j, B[i][j] = i - j, both modulo 7: small integers, so that the product is exact. */
export function measureArithmetic(): Arithmetic {
  const fill = (entry: (i: number, j: number) => number) =>
    Float64Array.from({ length: SIZE * SIZE }, (_, at) => entry(Math.floor(at / SIZE), at % SIZE))
  const [a, b] = [fill((i, j) => (i + j) % 7), fill((i, j) => (i - j + 7 * SIZE) % 7)]
  const product = new Float64Array(SIZE * SIZE)
  const runs = Array.from({ length: RUNS }, () => {
    const begun = performance.now()
    multiply(a, b, product)
    return performance.now() - begun
  })
  const median = runs.toSorted((one, other) => one - other)[Math.floor(RUNS / 2)]!
  return {
    median_ms: median,
    runs_ms: runs,
    gflops: (2 * SIZE ** 3) / (median / 1000) / 1e9,
    checksum: product.reduce((sum, value) => sum + value, 0),
  }
}

/** Row by row of the second factor, so that memory is read in its order. */
function multiply(a: Float64Array, b: Float64Array, into: Float64Array): void {
  into.fill(0)
  for (let i = 0; i < SIZE; i++)
    for (let k = 0; k < SIZE; k++) {
      const factor = a[i * SIZE + k]!
      for (let j = 0; j < SIZE; j++) into[i * SIZE + j]! += factor * b[k * SIZE + j]!
    }
}
