/** One candidate: its margin, its interval and what a single unknown would have to be. */
import { type Fraction, product, quotient, sum } from '../../../domain/exact-number.ts'
import { type CandidateInputs, COSTS, type InputName, type ScoreBody } from '../schemas.ts'
import { compare, dollars, fractionOf, inFull, minus, ZERO } from './money.ts'

export const INPUTS = ['bounded_value_usd', ...COSTS, 'estimated_accuracy'] as const satisfies readonly InputName[]
/** The weakest first. */
export const BASES = ['UNKNOWN', 'DECLARED', 'ASSERTED_MEASURED', 'RECEIPTED'] as const
type Basis = (typeof BASES)[number]

interface Range {
  low: Fraction
  value: Fraction
  high: Fraction
}
export type Ranges = Record<InputName, Range>

export interface Judged {
  candidate: ScoreBody['candidates'][number]
  bases: Record<InputName, Basis>
  unknown: InputName[]
  /** Null while anything is unknown. */
  ranges: Ranges | null
  margin: Fraction | null
}

const mapInputs = <T>(value: (name: InputName) => T): Record<InputName, T> =>
  Object.fromEntries(INPUTS.map((name) => [name, value(name)])) as Record<InputName, T>

export function judge(candidate: Judged['candidate'], receipted: ReadonlySet<string>): Judged {
  const { inputs } = candidate
  const bases = mapInputs((name) => basisOf(inputs[name], receipted))
  const unknown = INPUTS.filter((name) => inputs[name].value === null)
  const ranges = unknown.length > 0 ? null : mapInputs((name) => rangeOf(inputs[name]))
  return { candidate, bases, unknown, ranges, margin: ranges && marginOf(ranges, 'value', 'value') }
}

/** A receipt in the ledger lifts the basis, and nothing else does. */
function basisOf({ value, basis, receipt_digest }: CandidateInputs[InputName], receipted: ReadonlySet<string>): Basis {
  if (value === null) return 'UNKNOWN'
  return receipt_digest !== undefined && receipted.has(receipt_digest) ? 'RECEIPTED' : basis
}

function rangeOf({ value, low = value!, high = value! }: CandidateInputs[InputName]): Range {
  return { low: fractionOf(low), value: fractionOf(value!), high: fractionOf(high) }
}

type Side = keyof Range

/** Value times accuracy, less the costs. All inputs are at least 0, so each end of the interval has its own ends. */
function marginOf(ranges: Ranges, gains: Side, costs: Side): Fraction {
  const weighted = product(ranges.bounded_value_usd[gains], ranges.estimated_accuracy[gains])
  return minus(
    weighted,
    COSTS.reduce((total, name) => sum(total, ranges[name][costs]), ZERO),
  )
}

export const intervalOf = (ranges: Ranges) => ({
  low: marginOf(ranges, 'low', 'high'),
  high: marginOf(ranges, 'high', 'low'),
})

export const weakest = (bases: Record<InputName, Basis>): Basis =>
  BASES[Math.min(...Object.values(bases).map((basis) => BASES.indexOf(basis)))]!

export function dispositionOf({ margin }: Judged) {
  if (margin === null) return 'UNKNOWN_INPUTS' as const
  return margin.numerator > 0n ? ('POSITIVE_MARGIN' as const) : ('NON_POSITIVE_MARGIN' as const)
}

/** What the one unknown input would have to be for a margin of 0; null unless exactly one is unknown. */
export function breakEven({ unknown, candidate: { inputs } }: Judged) {
  const [input, ...others] = unknown
  if (input === undefined || others.length > 0) return null
  const at = (name: InputName) => fractionOf(inputs[name].value!)
  const costs = COSTS.filter((name) => name !== input).reduce((total, name) => sum(total, at(name)), ZERO)
  const isCost = (COSTS as readonly string[]).includes(input)
  const needed = isCost
    ? minus(product(at('bounded_value_usd'), at('estimated_accuracy')), costs)
    : quotient(costs, at(input === 'bounded_value_usd' ? 'estimated_accuracy' : 'bounded_value_usd'))
  const highest = input === 'estimated_accuracy' ? fractionOf('1') : null
  const attainable = needed !== null && needed.numerator >= 0n && (highest === null || compare(needed, highest) <= 0)
  return {
    input,
    value: needed === null ? null : input === 'estimated_accuracy' ? inFull(needed).value : dollars(needed),
    exact: needed !== null && inFull(needed).exact,
    attainable,
    meaning: isCost ? ('MARGIN_IS_POSITIVE_BELOW' as const) : ('MARGIN_IS_POSITIVE_ABOVE' as const),
  }
}
