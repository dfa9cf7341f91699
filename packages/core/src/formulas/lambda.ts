// What is known of the trust value besides the conjecture, each as a property that runs on the function that decides; and
// the reason why the conjecture stays one, as a computation anybody can repeat.
import { LAMBDA } from '../doctrine.ts'
import { pae } from '../dsse.ts'
import { utf8Decode } from '../encoding.ts'
import {
  EFFECT_FACTOR,
  FINDING_WEIGHTS,
  type LambdaInputs,
  ORIGIN_FACTOR,
  SENSITIVITY_FACTOR,
} from '../lambda/inputs.ts'
import { type Lambda, lambdaOf } from '../lambda/lambda.ts'
import { DEFAULT_CASES, DEFAULT_SEED, type PropertyRun, runProperty } from './check.ts'
import type { Property } from './properties.ts'
import type { Random } from './sfc32.ts'

/** A zero factor gives 0. Rounding is that of doubles: bounds hold to a few units in the last place. */
export function geometricMean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no mean of nothing')
  if (values.some((value) => !(value >= 0))) throw new RangeError('a geometric mean takes numbers from 0 up')
  if (values.includes(0)) return 0
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

const CLOSE = 1e-12
const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= CLOSE * Math.max(1, Math.abs(a), Math.abs(b))
/** Half a unit of the sixth decimal, to which axes and value are rounded. */
const ROUNDED = 1e-6

/** Inputs under which every axis is 1. */
const CLEAN: LambdaInputs = {
  ...{ threats: [], values: [], sensitivity: 'PUBLIC', effect: 'none', origin: 'user', severity_milli: 0 },
  ...{ invisible: 0, mixed_script_words: 0, decoded_children: 0, completed: 1, planned: 1 },
  ...{ spent_micro: 0, budget_micro: 1_000_000 },
}

function lambdaFor(inputs: LambdaInputs): Lambda {
  const reading = lambdaOf(inputs)
  if (reading === null) throw new RangeError('there is no lambda of these inputs')
  return reading.lambda
}

/** Inputs as a receipt may carry them. */
export function drawInputs(random: Random): LambdaInputs {
  const word = <T extends string>(words: Readonly<Record<T, unknown>>): T => {
    const all = Object.keys(words) as T[]
    return all[random.below(all.length)]!
  }
  const rules = () =>
    Array.from({ length: random.below(4) }, (_, i) => ({
      rule: `rule-${i}`,
      severity: word(FINDING_WEIGHTS['pii-egress-guard']),
      values: 1 + random.below(9),
    }))
  const planned = 1 + random.below(5)
  return {
    threats: rules(),
    values: rules(),
    sensitivity: word(SENSITIVITY_FACTOR),
    effect: word(EFFECT_FACTOR),
    origin: word(ORIGIN_FACTOR),
    severity_milli: random.below(10_001),
    invisible: random.below(12),
    mixed_script_words: random.below(5),
    decoded_children: random.below(6),
    completed: random.below(planned + 1),
    planned,
    spent_micro: random.below(1_200_000),
    budget_micro: 1 + random.below(1_000_000),
  }
}

export type SemanticClaim = { id: string; name: string; statement: string; assumption: string; property: Property }

export const SEMANTIC_CLAIMS: readonly SemanticClaim[] = [
  {
    id: 'lambda-bounds',
    name: 'lambda bounds',
    statement: 'min <= L <= max over the axes of orch.lambda/v1, before the ceiling; at most the ceiling after it',
    assumption: 'the weighted function that decides, on drawn inputs; compared within its rounding to six decimals',
    property(random) {
      const { raw, value, trust_ceiling, axes } = lambdaFor(drawInputs(random))
      const values = axes.map((axis) => axis.value)
      const [low, high] = [Math.min(...values), Math.max(...values)]
      if (raw < low - ROUNDED || raw > high + ROUNDED) return `${raw} lies outside ${low} to ${high}`
      return value === Math.min(raw, trust_ceiling) ? null : `${value} is not ${raw} under the ceiling`
    },
  },
  {
    id: 'lambda-normalisation',
    name: 'lambda normalisation',
    statement: 'axes that are all 1 give 1 before the ceiling, and no finding, effect or charge raises the value',
    assumption: 'the weighted function that decides, on drawn inputs',
    property(random) {
      const drawn = lambdaFor(drawInputs(random))
      const { raw, value } = lambdaFor(CLEAN)
      if (raw !== 1 || value !== LAMBDA.trust_ceiling) return `axes that are all 1 give ${raw}`
      return drawn.value <= value ? null : `${drawn.value} is more than the best of all inputs gives`
    },
  },
  {
    id: 'lambda-uniqueness-if-separable',
    name: 'lambda uniqueness, if separable',
    statement: 'a symmetric product of powers with exponents that add up to 1 is the geometric mean',
    assumption: 'the aggregator factors into one power per input; without that it is a conjecture',
    property(random) {
      const [x, y] = [0.1 + random.uniform(), 1.2 + random.uniform()]
      const w = random.below(2) === 0 ? 0.5 : random.uniform()
      const product = (a: number, b: number): number => a ** w * b ** (1 - w)
      const isSymmetric = isClose(product(x, y), product(y, x))
      if (Math.abs(w - 0.5) < 1e-9 !== isSymmetric) return `weight ${w} is ${isSymmetric ? '' : 'not '}symmetric`
      return !isSymmetric || isClose(product(x, y), geometricMean([x, y])) ? null : `weight ${w} is another mean`
    },
  },
  {
    id: 'dsse-binding',
    name: 'DSSE binding',
    statement: 'the signed bytes determine the payload type and the payload',
    assumption: 'ECDSA P-256 is unforgeable; only that the encoding is one to one is checked here',
    property(random) {
      const text = (): string =>
        String.fromCharCode(...Array.from({ length: random.below(12) }, () => 0x20 + random.below(95)))
      const [type, payload] = [text(), text()]
      const read = readPae(pae(type, new TextEncoder().encode(payload)))
      return read?.type === type && read.payload === payload
        ? null
        : `${JSON.stringify([type, payload])} reads otherwise`
    },
  },
]

/** Read back by the lengths alone, as a verifier that trusts no delimiter would. */
function readPae(bytes: Uint8Array): { type: string; payload: string } | null {
  const whole = utf8Decode(bytes) ?? ''
  const head = /^DSSEv1 (\d+) /.exec(whole)
  if (!head) return null
  const type = whole.slice(head[0].length, head[0].length + Number(head[1]))
  const rest = /^ (\d+) /.exec(whole.slice(head[0].length + type.length))
  if (!rest) return null
  const payload = whole.slice(head[0].length + type.length + rest[0].length)
  return payload.length === Number(rest[1]) ? { type, payload } : null
}

export type SemanticCheck = { claim_id: string } & PropertyRun

export const checkSemantics = (seed = DEFAULT_SEED, cases = DEFAULT_CASES): SemanticCheck[] =>
  SEMANTIC_CLAIMS.map(({ id, property }) => ({ claim_id: id, ...runProperty(id, property, seed, cases) }))

export type Counterexample = {
  formula_id: 'F23'
  aggregator: string
  input: [number, number]
  value: number
  geometric_mean: number
  satisfies: Record<'monotone' | 'homogeneous' | 'diagonal' | 'at_most_max' | 'symmetric', boolean>
  /** True: the five properties do not single the geometric mean out, so uniqueness without separability is open. */
  stands: boolean
}

/** F23: the maximum has all five properties and is not the geometric mean. */
export function lambdaCounterexample(aggregate: (a: number, b: number) => number = Math.max): Counterexample {
  const grid = [0, 0.25, 1, 2, 4, 7].flatMap((a) => [0, 0.5, 1, 3, 4].map((b) => [a, b] as const))
  const holds = (test: (a: number, b: number) => boolean): boolean => grid.every(([a, b]) => test(a, b))
  const satisfies = {
    monotone: holds((a, b) => aggregate(a + 1, b) >= aggregate(a, b) && aggregate(a, b + 1) >= aggregate(a, b)),
    homogeneous: holds((a, b) => aggregate(2 * a, 2 * b) === 2 * aggregate(a, b)),
    diagonal: holds((a) => aggregate(a, a) === a),
    at_most_max: holds((a, b) => aggregate(a, b) <= Math.max(a, b)),
    symmetric: holds((a, b) => aggregate(a, b) === aggregate(b, a)),
  }
  const value = aggregate(4, 1)
  const stands = Object.values(satisfies).every(Boolean) && value !== 2
  return { formula_id: 'F23', aggregator: 'max', input: [4, 1], value, geometric_mean: 2, satisfies, stands }
}
