/** How far a composition lies from what the model was trained on. */
import { cholesky, solveCholesky } from '../../domain/linear-solve.ts'
import { leaveOneOut, priorVariance, type Trained } from './gaussian-process.ts'

/** Directions in which the training rows do not vary at all, such as range = max - min, must not decide. */
const RIDGE = 1e-8
const QUANTILE = 0.99

export interface Domain {
  /** Of the covariance of the standardised descriptors. */
  covarianceFactor: Float64Array
  limits: { variance_ratio: number; neighbour_distance: number; mahalanobis: number }
}

export interface Distances {
  variance_ratio: number
  neighbour_distance: number
  mahalanobis: number
}

export function learnDomain(model: Trained): { domain: Domain; rows: Distances[] } {
  const { z, dimensions } = model
  const n = z.length / dimensions
  const covariance = new Float64Array(dimensions * dimensions)
  for (let i = 0; i < n; i++)
    for (let a = 0; a < dimensions; a++)
      for (let b = 0; b <= a; b++)
        covariance[a * dimensions + b]! += (z[i * dimensions + a]! * z[i * dimensions + b]!) / (n - 1)
  for (let a = 0; a < dimensions; a++) covariance[a * dimensions + a]! += RIDGE
  if (!cholesky(covariance, dimensions)) throw new Error('the covariance of the descriptors is not positive definite')
  const { sd } = leaveOneOut(model)
  const rows = Array.from({ length: n }, (_, i) => {
    const row = z.subarray(i * dimensions, (i + 1) * dimensions)
    return {
      variance_ratio: sd[i]! ** 2 / priorVariance(model, row),
      neighbour_distance: nearestOther(z, dimensions, i),
      mahalanobis: mahalanobis(covariance, row),
    }
  })
  const limit = (of: (one: Distances) => number) => quantile(rows.map(of))
  return {
    domain: {
      covarianceFactor: covariance,
      limits: {
        variance_ratio: limit(({ variance_ratio }) => variance_ratio),
        neighbour_distance: limit(({ neighbour_distance }) => neighbour_distance),
        mahalanobis: limit((one) => one.mahalanobis),
      },
    },
    rows,
  }
}

/** Above 1: farther out by one of the measures than 99 of 100 training rows. */
export const oodScore = (one: Distances, { limits }: Domain): number =>
  Math.max(
    one.variance_ratio / limits.variance_ratio,
    one.neighbour_distance / limits.neighbour_distance,
    one.mahalanobis / limits.mahalanobis,
  )

export function mahalanobis(factor: Float64Array, z: Float64Array): number {
  const solved = solveCholesky(factor, z.length, z)
  return Math.sqrt(
    Math.max(
      0,
      z.reduce((sum, value, d) => sum + value * solved[d]!, 0),
    ),
  )
}

function nearestOther(z: Float64Array, dimensions: number, index: number): number {
  let least = Infinity
  for (let i = 0; i < z.length / dimensions; i++) {
    if (i === index) continue
    let sum = 0
    for (let d = 0; d < dimensions; d++) sum += (z[i * dimensions + d]! - z[index * dimensions + d]!) ** 2
    least = Math.min(least, sum)
  }
  return Math.sqrt(least)
}

function quantile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(QUANTILE * sorted.length) - 1]!
}
