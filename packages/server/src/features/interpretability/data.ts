/** Synthetic activations whose true features are known: each row is a sum of a few of them plus noise. */
import { sfc32 } from '../../domain/sfc32.ts'
import type { SaeParameters } from './schemas.ts'

const TRUE_FEATURES_PER_DIMENSION = 2
export const ACTIVE_PER_ROW = 3
export const NOISE = 0.02
export const COEFFICIENTS = [0.5, 1.5] as const
export const HELD_OUT_ROWS = 4096

/** Rows one after the other; `active` names the true features of each row. */
export interface Rows {
  count: number
  values: Float64Array
  active: Int32Array
}

export interface DataSource {
  trueCount: number
  activePerRow: number
  /** Unit vectors, one after the other. */
  trueFeatures: Float64Array
  heldOut: Rows
  /** Fills the rows with fresh data. */
  draw(rows: Rows): void
}

/** The key is the seed and the dimension alone: runs that differ in anything else see the same truth and the same held-out
 *  rows, so that their figures can be compared. */
export function openData({ seed, d_model: d }: Pick<SaeParameters, 'seed' | 'd_model'>): DataSource {
  const random = sfc32('orch.sae-data/v1', { seed, d_model: d })
  const trueCount = TRUE_FEATURES_PER_DIMENSION * d
  const activePerRow = Math.min(ACTIVE_PER_ROW, trueCount)
  const trueFeatures = unitRows(trueCount, d, () => random.normal())
  const drawRow = (values: Float64Array, at: number, active: Int32Array, from: number) => {
    for (let n = 0; n < activePerRow; n++) active[from + n] = unused(active, from, n, () => random.integer(trueCount))
    for (let i = 0; i < d; i++) values[at + i] = NOISE * random.normal()
    for (let n = 0; n < activePerRow; n++) {
      const a = COEFFICIENTS[0] + (COEFFICIENTS[1] - COEFFICIENTS[0]) * random.uniform()
      const g = active[from + n]! * d
      for (let i = 0; i < d; i++) values[at + i]! += a * trueFeatures[g + i]!
    }
  }
  const draw = ({ count, values, active }: Rows) => {
    for (let row = 0; row < count; row++) drawRow(values, row * d, active, row * activePerRow)
  }
  const heldOut = emptyRows(HELD_OUT_ROWS, d, activePerRow)
  draw(heldOut)
  return { trueCount, activePerRow, trueFeatures, heldOut, draw }
}

export const emptyRows = (count: number, d: number, activePerRow: number): Rows => ({
  count,
  values: new Float64Array(count * d),
  active: new Int32Array(count * activePerRow),
})

/** Every subset of that size is as likely as any other: a repeated draw is thrown away. */
function unused(active: Int32Array, from: number, drawn: number, draw: () => number): number {
  for (;;) {
    const candidate = draw()
    if (!active.subarray(from, from + drawn).includes(candidate)) return candidate
  }
}

export function unitRows(count: number, d: number, normal: () => number): Float64Array {
  const rows = Float64Array.from({ length: count * d }, normal)
  for (let at = 0; at < rows.length; at += d) normalise(rows, at, d)
  return rows
}

export function normalise(rows: Float64Array, at: number, d: number): void {
  let square = 0
  for (let i = at; i < at + d; i++) square += rows[i]! ** 2
  const norm = Math.sqrt(square)
  if (norm > 0) for (let i = at; i < at + d; i++) rows[i]! /= norm
}
