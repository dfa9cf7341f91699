/** P(Z > z) of a standard normal: the continued fraction of Laplace far out, a series in the middle; relative error below
 *  1e-13. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z)
  if (z > 38.5) return 0
  const density = Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI)
  if (z > 3) {
    let fraction = 0
    for (let k = 100; k >= 1; k--) fraction = k / (z + fraction)
    return density / (z + fraction)
  }
  let [term, sum] = [z, z]
  for (let k = 3; Math.abs(term) > 1e-18 * Math.abs(sum) && k < 400; k += 2) {
    term *= (z * z) / k
    sum += term
  }
  return 0.5 - density * sum
}
