// Lambda once more, from the inputs that the receipt itself carries. The number is signed whatever it is: this check
// finds the operator who signed a number that does not follow from what was counted.
import { utf8Decode } from '../encoding.ts'
import { parseJsonText } from '../json-text.ts'
import { type LambdaInputs, lambdaInputsFault } from '../lambda/inputs.ts'
import { LAMBDA_FORMULA_ID, lambdaOf } from '../lambda/lambda.ts'
import type { ReceiptBody, ReceiptKind } from '../receipt.ts'
import { type Check, check, worstOf } from './report.ts'
import { type Fields, isRecord } from './shape.ts'

/** Where each decision stands. Of these kinds the service writes every field: a caller's object in a minted receipt is
 *  never read as a decision, or anybody could mint a receipt that fails. */
const PARTS: Partial<Record<ReceiptKind, readonly string[]>> = {
  decision: [],
  step: [],
  inference: ['input', 'output'],
  'agent-step': ['gate', 'observation'],
}

/** Inputs, which are anything after the name but null and the empty object, or a number that should have some. */
const CARRIES = /"lambda_inputs":(?!null|\{\})|"lambda":-?\d/

/** Of bytes that were shown to be a receipt body. Looking for the name costs less than reading every value. */
export function checkLambdaOf(bytes: Uint8Array): Check | null {
  const text = utf8Decode(bytes)
  return text !== null && CARRIES.test(text) ? checkLambda(parseJsonText(text) as unknown as ReceiptBody) : null
}

/** Null for a receipt that states no lambda and no inputs of one: then there is nothing to compute and nothing is said. A
 *  number without inputs is nobody's to check, and that is said. */
export function checkLambda({ kind, payload }: ReceiptBody): Check | null {
  const names = PARTS[kind]
  if (!names) return null
  const records = names.length === 0 ? [payload] : names.map((name) => payload[name]).filter(isRecord)
  const carrying = records.filter((record) => carriesInputs(record) || typeof record.lambda === 'number')
  if (carrying.length === 0 && typeof payload.lambda !== 'number') return null
  if (carrying.length === 0) return check('lambda', 'UNAVAILABLE', WITHOUT_INPUTS, { stated: payload.lambda })
  const whole = names.length === 0 ? [] : [checkSmallest(payload, records)]
  const judged = [...carrying.map(checkRecord), ...whole]
  const status = worstOf(judged.map((one) => one.status))
  return judged.find((one) => one.status === status) ?? null
}

const carriesInputs = ({ lambda_inputs: inputs }: Fields): boolean =>
  inputs !== undefined && inputs !== null && !(isRecord(inputs) && Object.keys(inputs).length === 0)

const WITHOUT_INPUTS = 'lambda is stated without what it was computed from'

function checkRecord(record: Fields): Check {
  if (!carriesInputs(record)) return check('lambda', 'UNAVAILABLE', WITHOUT_INPUTS, { stated: record.lambda })
  const { lambda_inputs: inputs, lambda_formula: formula = LAMBDA_FORMULA_ID, lambda: stated } = record
  if (formula !== LAMBDA_FORMULA_ID)
    return check('lambda', 'UNAVAILABLE', 'lambda is of a formula that is not known here', { formula })
  const fault = lambdaInputsFault(inputs)
  const reading = fault === null ? lambdaOf(inputs as LambdaInputs) : null
  if (!reading) return check('lambda', 'MISMATCH', `lambda has no usable inputs: ${fault}`, { formula })
  const { value, raw, axes } = reading.lambda
  const details = { formula, stated: stated ?? null, computed: value, computed_raw: raw }
  if (!isNear(stated, value)) return check('lambda', 'MISMATCH', 'lambda does not follow from its inputs', details)
  if (record.lambda_raw !== undefined && !isNear(record.lambda_raw, raw))
    return check('lambda', 'MISMATCH', 'lambda_raw does not follow from the inputs', details)
  if (record.lambda_axes !== undefined && !sameAxes(record.lambda_axes, axes))
    return check('lambda', 'MISMATCH', 'lambda_axes do not follow from the inputs', details)
  return check('lambda', 'VERIFIED', 'lambda was computed again from the inputs in the receipt', details)
}

/** The whole is as good as its worst part, and unknown where one part is. */
function checkSmallest({ lambda: stated }: Fields, records: readonly Fields[]): Check {
  const values = records.map(({ lambda }) => lambda)
  const computed = values.every((value) => typeof value === 'number') ? Math.min(...values) : null
  const holds = computed === null ? stated === null : isNear(stated, computed)
  const details = { formula: LAMBDA_FORMULA_ID, stated: stated ?? null, computed }
  return holds
    ? check('lambda', 'VERIFIED', 'lambda is the smallest of its parts', details)
    : check('lambda', 'MISMATCH', 'lambda is not the smallest of its parts', details)
}

/** Six decimals are stated; the last one may differ by one where two machines round a logarithm differently. */
const isNear = (stated: unknown, computed: number): boolean =>
  typeof stated === 'number' && Math.abs(Math.round(stated * 1e6) - Math.round(computed * 1e6)) <= 1

const sameAxes = (stated: unknown, axes: readonly { name: string; weight: number; value: number }[]): boolean =>
  Array.isArray(stated) &&
  stated.length === axes.length &&
  axes.every(({ name, weight, value }, at) => {
    const one: unknown = stated[at]
    return isRecord(one) && one.name === name && one.weight === weight && one.value === value
  })
