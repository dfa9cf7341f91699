/** Nonlinear least squares by the method of Levenberg and Marquardt (Moré 1978), each step by a QR factorisation. */
import type { Model } from './model.ts'

export interface Fit {
  theta: Float64Array
  ssr: number
  values: Float64Array
  jacobian: Float64Array
  iterations: number
  converged: boolean
  /** Cosine between the residuals and the steepest column of the Jacobian: 0 at a minimum. */
  gradientNorm: number
}

export interface Bounds {
  low: Float64Array
  high: Float64Array
}

const MAX_ITERATIONS = 100
const STEP_TOLERANCE = 1e-10
const FALL_TOLERANCE = 1e-13
const GRADIENT_TOLERANCE = 1e-7
const REST_TOLERANCE = 1e-8

/** The minimum reached from `start`, moving only the `free` ones; null where the model has no solution at the start. */
export function leastSquares(
  model: Model,
  start: Float64Array,
  { low, high }: Bounds,
  {
    free = Array.from(start, (_, i) => i),
    maxIterations = MAX_ITERATIONS,
    isSpent = () => false,
  }: { free?: readonly number[]; maxIterations?: number; isSpent?: () => boolean } = {},
): Fit | null {
  const width = start.length
  let theta = start.map((value, i) => Math.min(high[i]!, Math.max(low[i]!, value)))
  model.admit?.(theta, free)
  let found = model.evaluate(theta)
  if (found === null) return null
  let residuals = difference(model.observations, found.values)
  let ssr = squares(residuals)
  let lambda = 1e-3
  let iterations = 0
  let converged = false
  /** At a bound the data may push outwards: what is pressed against it does not move, and its slope is none of a miss. */
  const isFree = (j: number): boolean => {
    const push = slopeOf(found!.jacobian, width, j, residuals)
    return !(theta[j]! <= low[j]! && push < 0) && !(theta[j]! >= high[j]! && push > 0)
  }
  let moving = free.filter(isFree)
  while (!converged && iterations < maxIterations && !isSpent()) {
    iterations += 1
    if (moving.length === 0) {
      converged = true
      break
    }
    const scale = moving.map((j) => columnNorm(found!.jacobian, width, j) || 1)
    let isBetter = false
    for (let tries = 0; tries < 25 && !isBetter && !isSpent(); tries++) {
      const step = dampedStep(columnsOf(found.jacobian, width, moving), scale, residuals, lambda)
      if (step === null) {
        lambda = Math.max(lambda * 10, 1e-12)
        continue
      }
      const next = theta.slice()
      moving.forEach((j, at) => {
        next[j] = Math.min(high[j]!, Math.max(low[j]!, theta[j]! + step[at]!))
      })
      model.admit?.(next, moving)
      const moved = Math.max(0, ...moving.map((j) => Math.abs(next[j]! - theta[j]!) / (Math.abs(theta[j]!) + 1e-8)))
      if (moved < STEP_TOLERANCE) {
        converged = true
        break
      }
      const tried = model.evaluate(next)
      const nextResiduals: Float64Array | null = tried === null ? null : difference(model.observations, tried.values)
      const nextSsr = nextResiduals === null ? Infinity : squares(nextResiduals)
      if (tried !== null && nextResiduals !== null && nextSsr < ssr) {
        // Next to nothing was gained by a step that was hardly held back, as a share of the variance of the noise.
        const isAtRest = lambda <= 1e-2 && ssr - nextSsr <= (REST_TOLERANCE * ssr) / residuals.length
        converged = isAtRest || ssr - nextSsr <= FALL_TOLERANCE * ssr
        ;[theta, found, residuals, ssr] = [next, tried, nextResiduals, nextSsr]
        moving = free.filter(isFree)
        converged ||= gradientOf(found.jacobian, width, moving, residuals) < GRADIENT_TOLERANCE
        lambda = Math.max(lambda / 10, 1e-15)
        isBetter = true
      } else {
        lambda = Math.max(lambda * 10, 1e-12)
        // Where steps of any length change nothing, the data leave the rest open.
        converged = lambda > 10 && nextSsr - ssr <= FALL_TOLERANCE * ssr
        if (converged) break
        // A step that is damped this far and still gains nothing is one at rounding level.
        if (lambda > 1e12) converged = gradientOf(found.jacobian, width, moving, residuals) < 1e-3
      }
      if (lambda > 1e12) break
    }
    if (!isBetter) break
  }
  const gradientNorm = gradientOf(found.jacobian, width, moving, residuals)
  return { theta, ssr, values: found.values, jacobian: found.jacobian, iterations, converged, gradientNorm }
}

export const difference = (one: Float64Array, other: Float64Array): Float64Array =>
  one.map((value, i) => value - other[i]!)
const squares = (values: Float64Array): number => values.reduce((sum, value) => sum + value * value, 0)

function columnNorm(jacobian: Float64Array, width: number, column: number): number {
  let sum = 0
  for (let at = column; at < jacobian.length; at += width) sum += jacobian[at]! ** 2
  return Math.sqrt(sum)
}

function gradientOf(jacobian: Float64Array, width: number, free: readonly number[], residuals: Float64Array): number {
  const size = Math.sqrt(squares(residuals))
  if (size === 0) return 0
  return Math.max(
    0,
    ...free.map(
      (j) => Math.abs(slopeOf(jacobian, width, j, residuals)) / (size * (columnNorm(jacobian, width, j) || 1)),
    ),
  )
}

function slopeOf(jacobian: Float64Array, width: number, column: number, residuals: Float64Array): number {
  let sum = 0
  for (let i = 0; i < residuals.length; i++) sum += jacobian[i * width + column]! * residuals[i]!
  return sum
}

const columnsOf = (jacobian: Float64Array, width: number, wanted: readonly number[]): Float64Array[] =>
  wanted.map((j) => {
    const column = new Float64Array(jacobian.length / width)
    for (let i = 0; i < column.length; i++) column[i] = jacobian[i * width + j]!
    return column
  })

/** The coefficients with which the columns meet the target best; null where they cannot be told apart. */
export function linearLeastSquares(
  columns: readonly (readonly number[])[],
  target: readonly number[],
): number[] | null {
  const scale = columns.map((column) => Math.hypot(...column) || 1)
  return dampedStep(
    columns.map((column) => Float64Array.from(column)),
    scale,
    Float64Array.from(target),
    1e-14,
  )
}

/** The step that minimises |r - J d|^2 + lambda |D d|^2, by Householder reflections. */
function dampedStep(
  jacobian: readonly Float64Array[],
  scale: readonly number[],
  residuals: Float64Array,
  lambda: number,
): number[] | null {
  const [m, n] = [residuals.length, jacobian.length]
  const rows = m + n
  const columns = jacobian.map((values, at) => {
    const column = new Float64Array(rows)
    for (let i = 0; i < m; i++) column[i] = values[i]! / scale[at]!
    column[m + at] = Math.sqrt(lambda)
    return column
  })
  const right = new Float64Array(rows)
  right.set(residuals)
  const diagonal: number[] = []
  for (let k = 0; k < n; k++) {
    const column = columns[k]!
    let size = 0
    for (let i = k; i < rows; i++) size += column[i]! ** 2
    size = Math.sqrt(size)
    if (!(size > 1e-14)) return null
    const alpha = column[k]! > 0 ? -size : size
    column[k]! -= alpha
    let length = 0
    for (let i = k; i < rows; i++) length += column[i]! ** 2
    for (const target of [...columns.slice(k + 1), right]) reflect(target, column, k, length)
    diagonal.push(alpha)
  }
  const step = new Array<number>(n).fill(0)
  for (let k = n - 1; k >= 0; k--) {
    let sum = right[k]!
    for (let j = k + 1; j < n; j++) sum -= columns[j]![k]! * step[j]!
    step[k] = sum / diagonal[k]!
  }
  return step.map((value, at) => value / scale[at]!)
}

function reflect(target: Float64Array, normal: Float64Array, from: number, length: number): void {
  let sum = 0
  for (let i = from; i < target.length; i++) sum += target[i]! * normal[i]!
  const factor = (2 * sum) / length
  for (let i = from; i < target.length; i++) target[i]! -= factor * normal[i]!
}
