// The trust value: a weighted geometric mean of the axes. It can hold a request for review and never lets one pass.
import { LAMBDA } from '../doctrine.ts'
import { AXIS_WEIGHTS, type Axis, type AxisName, axisValues } from './axes.ts'
import { type LambdaInputs, lambdaInputsFault } from './inputs.ts'

export const LAMBDA_FORMULA_ID = 'orch.lambda/v1'

export interface Lambda {
  value: number
  raw: number
  floor: number
  trust_ceiling: number
  passed: boolean
  status: typeof LAMBDA.status
  is_theorem: false
  label: 'MODELED'
  formula: typeof LAMBDA_FORMULA_ID
  axes: Axis[]
}

interface LambdaReading {
  lambda: Lambda
  charge_micro: number
}

/** Null where there is nothing to compute from, such as no evaluation that was planned. */
export function lambdaOf(inputs: LambdaInputs): LambdaReading | null {
  if (lambdaInputsFault(inputs) !== null) return null
  const { axes, charge_micro } = axisValues(inputs)
  const raw = rawOf(axes)
  const value = Math.min(LAMBDA.trust_ceiling, raw)
  const lambda: Lambda = {
    value,
    raw,
    floor: LAMBDA.floor,
    trust_ceiling: LAMBDA.trust_ceiling,
    passed: value >= LAMBDA.floor,
    status: LAMBDA.status,
    is_theorem: LAMBDA.is_theorem,
    label: 'MODELED',
    formula: LAMBDA_FORMULA_ID,
    axes: NAMES.map((name) => ({
      name,
      weight: AXIS_WEIGHTS[name] / 100,
      value: axes[name] / 1e6,
      inputs: INPUTS_OF[name](inputs, charge_micro),
    })),
  }
  return { lambda, charge_micro }
}

const NAMES = Object.keys(AXIS_WEIGHTS) as AxisName[]

/** Logarithms are taken of the rounded axes, so a verifier that has only those gets the same number. */
function rawOf(axes: Record<AxisName, number>): number {
  let sum = 0
  for (const name of NAMES) sum += (AXIS_WEIGHTS[name] / 100) * Math.log(axes[name] / 1e6)
  return Math.floor(Math.exp(sum) * 1e6 + 0.5) / 1e6
}

const INPUTS_OF: Record<AxisName, (inputs: LambdaInputs, charge_micro: number) => Record<string, unknown>> = {
  integrity: ({ threats }) => ({ threats }),
  privacy: ({ values }) => ({ values }),
  sensitivity: ({ sensitivity }) => ({ class: sensitivity }),
  consequence: ({ effect, origin, severity_milli }) => ({ effect, origin, severity_milli }),
  transparency: ({ invisible, mixed_script_words, decoded_children }) => ({
    invisible,
    mixed_script_words,
    decoded_children,
  }),
  coverage: ({ completed, planned }) => ({ completed, planned }),
  budget: ({ spent_micro, budget_micro }, charge_micro) => ({ spent_micro, charge_micro, budget_micro }),
}
