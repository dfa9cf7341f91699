// The seven axes of lambda, each from whole numbers that the receipt carries, so that anybody can work them out again.
import { EFFECT_FACTOR, FINDING_WEIGHTS, type LambdaInputs, ORIGIN_FACTOR, SENSITIVITY_FACTOR } from './inputs.ts'

/** A ratio, as a count of millionths between 0.01 and 1. Axis values are ratios of whole numbers and are rounded once,
 *  half up, to six decimals. Floating point would round a half by the dust in its last bits, and another language's dust
 *  would differ. */
function micro(numerator: bigint, denominator: bigint): number {
  if (denominator <= 0n) throw new RangeError('a ratio needs a positive denominator')
  const rounded = (2n * 1_000_000n * numerator + denominator) / (2n * denominator)
  return Number(rounded < MIN ? MIN : rounded > MAX ? MAX : rounded)
}

const MIN = 10_000n
const MAX = 1_000_000n

/** The product of (1 - w) over weights in hundredths. */
function survivors(weights: readonly number[]): number {
  let numerator = 1n
  for (const weight of weights) numerator *= BigInt(100 - weight)
  return micro(numerator, 100n ** BigInt(weights.length))
}

export interface Axis {
  name: AxisName
  weight: number
  value: number
  inputs: Record<string, unknown>
}

export type AxisName = 'integrity' | 'privacy' | 'sensitivity' | 'consequence' | 'transparency' | 'coverage' | 'budget'

/** In hundredths; they add up to 100. */
export const AXIS_WEIGHTS: Readonly<Record<AxisName, number>> = {
  integrity: 25,
  privacy: 20,
  sensitivity: 15,
  consequence: 15,
  transparency: 10,
  coverage: 10,
  budget: 5,
}

const WORST_VALUES = 8

const integrity = ({ threats }: LambdaInputs): number =>
  survivors(threats.map(({ severity }) => FINDING_WEIGHTS['threat-signature-scan'][severity]))

function privacy({ values }: LambdaInputs): number {
  const weights = values.flatMap(({ severity, values: count }) =>
    Array<number>(Math.min(count, WORST_VALUES)).fill(FINDING_WEIGHTS['pii-egress-guard'][severity]),
  )
  return survivors(weights.sort((a, b) => b - a).slice(0, WORST_VALUES))
}

const sensitivity = (inputs: LambdaInputs): number => micro(SENSITIVITY_FACTOR[inputs.sensitivity], 100n)

/** Severity counts from 5 upward and takes at most three tenths. */
function consequence({ effect, origin, severity_milli }: LambdaInputs): number {
  const grave = BigInt(Math.max(0, severity_milli - 5000))
  return micro(EFFECT_FACTOR[effect] * ORIGIN_FACTOR[origin] * (50_000n - 3n * grave), 100n * 100n * 50_000n)
}

/** 1 - (0.5 min(1, i/8) + 0.3 min(1, m/3) + 0.2 min(1, d/4)), over 80. */
function transparency({ invisible, mixed_script_words, decoded_children }: LambdaInputs): number {
  const lost = 5 * Math.min(8, invisible) + 8 * Math.min(3, mixed_script_words) + 4 * Math.min(4, decoded_children)
  return micro(BigInt(80 - lost), 80n)
}

const coverage = ({ completed, planned }: LambdaInputs): number => micro(BigInt(completed), BigInt(planned))

function budget({ spent_micro, budget_micro }: LambdaInputs, charge: number): number {
  if (budget_micro === 0) return micro(1n, 2n)
  const limit = BigInt(budget_micro)
  const used = BigInt(Math.min(budget_micro, spent_micro + charge))
  return micro(2n * limit * limit - used * used, 2n * limit * limit)
}

/** In millionths, the charge included: stated, or what the five axes about this call leave to be wished for. */
interface AxisValues {
  axes: Record<AxisName, number>
  charge_micro: number
}

const FULL_CHARGE = 250_000

export function axisValues(inputs: LambdaInputs): AxisValues {
  const own = {
    integrity: integrity(inputs),
    privacy: privacy(inputs),
    sensitivity: sensitivity(inputs),
    consequence: consequence(inputs),
    transparency: transparency(inputs),
  }
  const charge_micro = inputs.charge_micro ?? chargeOf(Math.min(...Object.values(own)))
  return { axes: { ...own, coverage: coverage(inputs), budget: budget(inputs, charge_micro) }, charge_micro }
}

/** round(250000 x (1 - least)), half up, on whole numbers. */
const chargeOf = (least: number): number => Math.floor((2 * FULL_CHARGE * (1_000_000 - least) + 1_000_000) / 2_000_000)
