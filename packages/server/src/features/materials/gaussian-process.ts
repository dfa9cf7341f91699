/** A Gaussian process on the residual of a linear mean: k = s1^2 Matern5/2(r/l) + s2^2 z.z'/D + noise^2 (Rasmussen and
 *  Williams 2006). The scale s1 has a closed form, so the search is over l, s2^2/s1^2 and noise^2/s1^2. */
import { cholesky, invertCholesky, solveCholesky } from '../../domain/linear-solve.ts'

export interface Sample {
  values: readonly number[]
  polarity: number
  energy: number
}

/** Relative to s1^2. */
export interface Ratios {
  length: number
  linear: number
  noise: number
}

export interface Trained {
  means: Float64Array
  scales: Float64Array
  /** Standardised descriptors, row by row. */
  z: Float64Array
  dimensions: number
  b0: number
  b1: number
  ratios: Ratios
  /** s1^2. */
  variance: number
  logMarginalLikelihood: number
  energies: Float64Array
  /** Of the kernel divided by s1^2. */
  inverse: Float64Array
  alpha: Float64Array
}

const GRID = { length: [4, 8, 16], linear: [0.01, 0.1, 1], noise: [0.003, 0.02] }
/** The grid is searched on every third row; the refinement sees all of them. */
const GRID_STRIDE = 3
const STEPS = [1.5, 1.2]
const JITTER = 1e-9
const MIN_RATIO = 1e-4

export function trainProcess(samples: readonly Sample[], ratios?: Ratios): Trained {
  const prepared = prepare(samples)
  const best = ratios ?? refine(prepared, searchGrid(prepare(samples.filter((_, i) => i % GRID_STRIDE === 0))))
  return finish(prepared, best)
}

interface Prepared extends Pick<Trained, 'means' | 'scales' | 'z' | 'dimensions' | 'b0' | 'b1' | 'energies'> {
  n: number
  residuals: Float64Array
  distances: Float64Array
  products: Float64Array
}

function prepare(samples: readonly Sample[]): Prepared {
  const n = samples.length
  const dimensions = samples[0]!.values.length
  const [means, scales] = [new Float64Array(dimensions), new Float64Array(dimensions)]
  for (let d = 0; d < dimensions; d++) {
    const column = samples.map(({ values }) => values[d]!)
    means[d] = column.reduce((sum, value) => sum + value, 0) / n
    scales[d] = Math.sqrt(column.reduce((sum, value) => sum + (value - means[d]!) ** 2, 0) / n) || 1
  }
  const z = new Float64Array(n * dimensions)
  samples.forEach(({ values }, i) => {
    for (let d = 0; d < dimensions; d++) z[i * dimensions + d] = (values[d]! - means[d]!) / scales[d]!
  })
  const [b0, b1] = line(samples)
  const energies = Float64Array.from(samples, ({ energy }) => energy)
  const residuals = Float64Array.from(samples, ({ energy, polarity }) => energy - b0 - b1 * polarity)
  const [distances, products] = [new Float64Array(n * n), new Float64Array(n * n)]
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let [square, product] = [0, 0]
      for (let d = 0; d < dimensions; d++) {
        const [p, q] = [z[i * dimensions + d]!, z[j * dimensions + d]!]
        square += (p - q) ** 2
        product += p * q
      }
      distances[i * n + j] = Math.sqrt(square)
      products[i * n + j] = product / dimensions
    }
  return { n, means, scales, z, dimensions, b0, b1, energies, residuals, distances, products }
}

/** Ordinary least squares of the energy on the polarity. */
function line(samples: readonly Sample[]): [b0: number, b1: number] {
  const n = samples.length
  const mean = (of: (one: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / n
  const [p, e] = [mean(({ polarity }) => polarity), mean(({ energy }) => energy)]
  const cross = samples.reduce((sum, { polarity, energy }) => sum + (polarity - p) * (energy - e), 0)
  const square = samples.reduce((sum, { polarity }) => sum + (polarity - p) ** 2, 0)
  const b1 = square > 0 ? cross / square : 0
  return [e - b1 * p, b1]
}

const matern = (distance: number, length: number): number => {
  const r = (Math.sqrt(5) * distance) / length
  return (1 + r + (r * r) / 3) * Math.exp(-r)
}

function factor({ n, distances, products }: Prepared, { length, linear, noise }: Ratios): Float64Array | null {
  const k = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) k[i * n + j] = matern(distances[i * n + j]!, length) + linear * products[i * n + j]!
    k[i * n + i]! += noise + JITTER
  }
  return cholesky(k, n) ? k : null
}

function likelihood(prepared: Prepared, ratios: Ratios): number {
  const lower = factor(prepared, ratios)
  return lower === null ? -Infinity : scored(prepared, lower).logLikelihood
}

function scored({ n, residuals }: Prepared, lower: Float64Array) {
  const alpha = solveCholesky(lower, n, residuals)
  const variance = residuals.reduce((sum, value, i) => sum + value * alpha[i]!, 0) / n
  let logDeterminant = 0
  for (let i = 0; i < n; i++) logDeterminant += Math.log(lower[i * n + i]!)
  const logLikelihood = -(n / 2) * (Math.log(variance) + 1 + Math.log(2 * Math.PI)) - logDeterminant
  return { alpha, variance, logLikelihood }
}

function searchGrid(prepared: Prepared): Ratios {
  const places = GRID.length.flatMap((length) =>
    GRID.linear.flatMap((linear) => GRID.noise.map((noise) => ({ length, linear, noise }))),
  )
  const scores = places.map((place) => likelihood(prepared, place))
  return places[scores.indexOf(Math.max(...scores))]!
}

/** One coordinate after the other, in a fixed order, with steps that become finer. */
function refine(prepared: Prepared, start: Ratios): Ratios {
  let best = start
  let top = likelihood(prepared, start)
  const look = (at: Ratios): boolean => {
    const value = likelihood(prepared, at)
    if (!(value > top)) return false
    top = value
    best = at
    return true
  }
  for (const step of STEPS)
    for (const name of ['noise', 'linear', 'length'] as const) {
      const moved = (by: number): Ratios => ({ ...best, [name]: Math.max(MIN_RATIO, best[name] * by) })
      if (!look(moved(step))) look(moved(1 / step))
    }
  return best
}

function finish(prepared: Prepared, ratios: Ratios): Trained {
  const { n, means, scales, z, dimensions, b0, b1, energies } = prepared
  const lower = factor(prepared, ratios)
  if (lower === null) throw new Error('the kernel is not positive definite')
  const { alpha, variance, logLikelihood } = scored(prepared, lower)
  const inverse = invertCholesky(lower, n)
  return {
    ...{ means, scales, z, dimensions, b0, b1, energies, ratios, variance, alpha, inverse },
    logMarginalLikelihood: logLikelihood,
  }
}

export const standardise = (
  { means, scales }: Pick<Trained, 'means' | 'scales'>,
  values: readonly number[],
): Float64Array => Float64Array.from(values, (value, d) => (value - means[d]!) / scales[d]!)

export const priorVariance = ({ ratios, dimensions, variance }: Trained, z: Float64Array): number =>
  variance * (1 + ratios.noise + (ratios.linear * z.reduce((sum, value) => sum + value * value, 0)) / dimensions)

interface Prediction {
  mean: number
  /** Of a new observation: the noise is in it. */
  sd: number
  nearest: { index: number; distance: number }
}

export function predictAt(model: Trained, values: readonly number[], polarity: number): Prediction {
  const { z, dimensions, ratios, alpha, inverse, variance, b0, b1 } = model
  const n = alpha.length
  const at = standardise(model, values)
  const k = new Float64Array(n)
  let nearest = { index: 0, distance: Infinity }
  for (let i = 0; i < n; i++) {
    let [square, product] = [0, 0]
    for (let d = 0; d < dimensions; d++) {
      square += (z[i * dimensions + d]! - at[d]!) ** 2
      product += z[i * dimensions + d]! * at[d]!
    }
    const distance = Math.sqrt(square)
    if (distance < nearest.distance) nearest = { index: i, distance }
    k[i] = matern(distance, ratios.length) + (ratios.linear * product) / dimensions
  }
  let [mean, explained] = [b0 + b1 * polarity, 0]
  for (let i = 0; i < n; i++) {
    mean += k[i]! * alpha[i]!
    let sum = 0
    for (let j = 0; j < n; j++) sum += inverse[i * n + j]! * k[j]!
    explained += k[i]! * sum
  }
  const left = Math.max(ratios.noise, priorVariance(model, at) / variance - explained)
  return { mean, sd: Math.sqrt(variance * left), nearest }
}

/** Each row predicted from all others, with the scaling, the line and the hyperparameters of all rows. */
export function leaveOneOut({ energies, alpha, inverse, variance }: Trained): { mean: number[]; sd: number[] } {
  const n = energies.length
  const diagonal = Array.from({ length: n }, (_, i) => inverse[i * n + i]!)
  return {
    mean: diagonal.map((value, i) => energies[i]! - alpha[i]! / value),
    sd: diagonal.map((value) => Math.sqrt(variance / value)),
  }
}

/** The factor of an interval: the ceil((n + 1) c)-th smallest scaled error of the rows when they are left out. */
export function intervalFactor(scaledErrors: readonly number[], confidence: number): number {
  const sorted = [...scaledErrors].sort((a, b) => a - b)
  const rank = Math.ceil((sorted.length + 1) * confidence - 1e-9)
  return sorted[Math.min(rank, sorted.length) - 1]!
}
