/** A premium by the bundled manual, factor by factor. Every factor is an exact decimal; only the premium is rounded. */
import Big from 'big.js'
import type { RequestFault } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import { dateOf, dayOf } from './dates.ts'
import manual from './rates.json' with { type: 'json' }

export const LINES = ['auto', 'home', 'gl'] as const
export type Line = (typeof LINES)[number]
export const QUOTE_DAYS = 30
/** Of a quote that does not name its day: a clock would make the same request another one tomorrow. */
export const AS_OF = '2026-01-01'
export const MONEY_PATTERN = '^(?:0|[1-9]\\d{0,11})(?:\\.\\d{1,2})?$'
export const EXPOSURE_PATTERN = '^(?:0|[1-9]\\d{0,11})(?:\\.\\d{1,4})?$'

export interface QuoteRequest {
  line: Line
  exposure: string
  limit: string
  deductible: string
  /** A level of the manual, or a relativity of the caller's own as a decimal. */
  factors: Record<string, string>
  as_of: string
}

type Table = readonly (readonly [amount: string, factor: string])[]
type LineRates = {
  exposure_unit: string
  limit_by: string
  limit: Table
  deductible: Table
  factors: Record<string, Record<string, string>>
}

const ratesOf = (line: Line): LineRates => manual.lines[line] as unknown as LineRates
const DECIMAL = /^\d/
const MAX_RELATIVITY = 10
const FACTOR_DIGITS = 4
const [FIRST_EDITION] = manual.editions

const editionOf = (asOf: string) => manual.editions.findLast(({ effective }) => effective <= asOf)

/** The limit as the table of the line reads it: property is rated by the share of the value that is insured. */
const limitKey = ({ line, limit, exposure }: QuoteRequest): Big =>
  ratesOf(line).limit_by === 'amount' ? new Big(limit) : least(new Big(limit).div(exposure), new Big(1))

const least = (one: Big, other: Big): Big => (one.lt(other) ? one : other)

const outside = (table: Table, key: Big): string | null =>
  key.lt(table[0]![0]) || key.gt(table.at(-1)![0])
    ? `must be from ${table[0]![0]} to ${table.at(-1)![0]}: the manual rates nothing else`
    : null

export function quoteFaults(request: QuoteRequest): RequestFault[] {
  const { line, exposure, limit, deductible, factors, as_of } = request
  if (dayOf(as_of) === null) return [{ place: ['as_of'], message: 'is no day of the calendar' }]
  if (editionOf(as_of) === undefined)
    return [
      { place: ['as_of'], message: `must be ${FIRST_EDITION!.effective} or later: no manual was in force before` },
    ]
  const zero = Object.entries({ exposure, limit }).flatMap(([field, amount]) =>
    new Big(amount).eq(0) ? [{ place: [field], message: 'must be above 0' }] : [],
  )
  if (zero.length > 0) return zero
  const rates = ratesOf(line)
  const faults: RequestFault[] = []
  const ofLimit = outside(rates.limit, limitKey(request))
  if (ofLimit !== null) faults.push({ place: ['limit'], message: ofLimit })
  const ofDeductible = outside(rates.deductible, new Big(deductible))
  if (ofDeductible !== null) faults.push({ place: ['deductible'], message: ofDeductible })
  if (new Big(deductible).gte(limit)) faults.push({ place: ['deductible'], message: 'must be below the limit' })
  return [...faults, ...Object.entries(factors).flatMap(([name, value]) => factorFault(rates, name, value))]
}

const STEPS: readonly string[] = ['exposure', 'base', 'limit', 'deductible']

function factorFault({ factors }: LineRates, name: string, value: string): RequestFault[] {
  const place = ['factors', name]
  if (STEPS.includes(name)) return [{ place, message: 'is a step of its own and no factor' }]
  if (DECIMAL.test(value)) {
    const isRelativity = new Big(value).gt(0) && new Big(value).lte(MAX_RELATIVITY)
    return isRelativity ? [] : [{ place, message: `must be above 0 and at most ${MAX_RELATIVITY}` }]
  }
  const levels = Object.hasOwn(factors, name) ? factors[name]! : null
  if (levels === null)
    return [{ place, message: `must be a decimal: the manual rates ${Object.keys(factors).join(', ')} by level` }]
  return Object.hasOwn(levels, value)
    ? []
    : [{ place, message: `must be a decimal or one of ${Object.keys(levels).join(', ')}` }]
}

/** Linear between the two amounts of the table; of an amount in the table it is its very factor. */
function interpolated(table: Table, key: Big): string {
  const at = table.findLastIndex(([amount]) => key.gte(amount))
  const [[low, from], [high, to]] = [table[at]!, table[at + 1] ?? table[at]!]
  if (key.eq(low)) return from
  const share = key.minus(low).div(new Big(high).minus(low))
  return share.times(new Big(to).minus(from)).plus(from).toFixed(FACTOR_DIGITS)
}

const OVER_INSURED: Limit = {
  code: 'OVER_INSURED',
  detail: 'the limit is above the insured value: nothing is charged for the part that could never be paid',
}
const MANUAL_ONLY: Limit = {
  code: 'ILLUSTRATIVE_RATES',
  detail:
    'the manual is made up for this simulation and filed nowhere; no minimum premium, tax, fee or commission is in it',
}

export function quote(request: QuoteRequest) {
  const { line, exposure, limit, deductible, factors, as_of } = request
  const { exposure_unit, limit: limits, deductible: deductibles, factors: levels, limit_by } = ratesOf(line)
  const edition = editionOf(as_of)!
  const chosen = Object.entries(factors)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) =>
      DECIMAL.test(value)
        ? { step: name, level: null, factor: value, source: 'caller' as const }
        : { step: name, level: value, factor: levels[name]![value]!, source: 'manual' as const },
    )
  const steps = [
    { step: 'exposure', level: exposure_unit, factor: exposure, source: 'caller' as const },
    { step: 'base', level: edition.effective, factor: edition.base[line], source: 'manual' as const },
    ...chosen,
    { step: 'limit', level: limit, factor: interpolated(limits, limitKey(request)), source: 'manual' as const },
    {
      step: 'deductible',
      level: deductible,
      factor: interpolated(deductibles, new Big(deductible)),
      source: 'manual' as const,
    },
  ]
  let running = new Big(1)
  const breakdown = steps.map((one) => {
    running = running.times(one.factor)
    return { ...one, running: running.toFixed() }
  })
  const isOver = limit_by !== 'amount' && new Big(limit).gt(exposure)
  return {
    result: {
      line,
      premium: running.toFixed(2, Big.roundHalfUp),
      breakdown,
      rates_effective: edition.effective,
      as_of,
      valid_until: dateOf(dayOf(as_of)! + QUOTE_DAYS),
    },
    limits: [MANUAL_ONLY, ...(isOver ? [OVER_INSURED] : [])],
  }
}
