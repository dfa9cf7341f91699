/** Probabilities in bins, with what a bin needs to say of itself. */
import { type Interval, wilson } from '../../../domain/wilson.ts'
import type { BinaryCases } from './binary.ts'

export interface Bin {
  lower: number
  upper: number
  cases: number
  /** Null in an empty bin. */
  mean_probability: number | null
  frequency: number | null
  wilson95: Interval | null
  /** Of the probabilities, and of probabilities and outcomes, within the bin. */
  variance: number
  covariance: number
}

/** A boundary that doubles miss by their rounding belongs to the bin that it begins. */
const BOUNDARY = 1e-9

export const widthBin = (p: number, bins: number): number => Math.min(bins - 1, Math.floor(p * bins + BOUNDARY))

export function equalWidthBins(cases: BinaryCases, bins: number): Bin[] {
  const members = Array.from({ length: bins }, (): number[] => [])
  for (const [i, p] of cases.probs.entries()) members[widthBin(p, bins)]!.push(i)
  return members.map((indexes, at) => toBin(cases, indexes, at / bins, (at + 1) / bins))
}

/** As many cases in each as can be; equal probabilities are never parted, so that the order of the cases cannot matter. */
export function equalMassBins(cases: BinaryCases, bins: number): Bin[] {
  const { probs } = cases
  const order = [...probs.keys()].sort((a, b) => probs[a]! - probs[b]!)
  const members = Array.from({ length: bins }, (): number[] => [])
  let firstOfTie = 0
  for (const [rank, i] of order.entries()) {
    if (rank > 0 && probs[i] !== probs[order[rank - 1]!]) firstOfTie = rank
    members[Math.floor((firstOfTie * bins) / order.length)]!.push(i)
  }
  return members
    .filter((indexes) => indexes.length > 0)
    .map((indexes) => toBin(cases, indexes, probs[indexes[0]!]!, probs[indexes.at(-1)!]!))
}

function toBin({ probs, outcomes }: BinaryCases, indexes: readonly number[], lower: number, upper: number): Bin {
  const size = indexes.length
  if (size === 0)
    return {
      lower,
      upper,
      cases: size,
      mean_probability: null,
      frequency: null,
      wilson95: null,
      variance: 0,
      covariance: 0,
    }
  const hits = indexes.reduce((sum, i) => sum + outcomes[i]!, 0)
  const mean = indexes.reduce((sum, i) => sum + probs[i]!, 0) / size
  const frequency = hits / size
  return {
    ...{ lower, upper, cases: size, mean_probability: mean, frequency, wilson95: wilson(hits, size) },
    variance: indexes.reduce((sum, i) => sum + (probs[i]! - mean) ** 2, 0) / size,
    covariance: indexes.reduce((sum, i) => sum + (probs[i]! - mean) * (outcomes[i]! - frequency), 0) / size,
  }
}

/** How far the mean probability of a filled bin lies from its frequency. */
export const gapOf = ({ mean_probability, frequency }: Bin): number => mean_probability! - frequency!
