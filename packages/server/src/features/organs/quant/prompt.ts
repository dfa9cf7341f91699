/** `sma_cross 10 50 cost 5` over the sample series, or at least thirty prices to hold. */
import { NeedsInput, type Structured } from '../organ.ts'
import type { StrategyParams } from './organ.ts'
import { RULES, type Strategy } from './strategies.ts'

/** The series of every prompt that names a strategy and no prices. */
const SAMPLE = { model: 'gbm', n: 1000, mu: 0.06, sigma: 0.2 } as const
export const MIN_PRICES = 30
const MAX_PRICES = 5000
const NAMES: Readonly<Record<string, Strategy>> = {
  hold: 'hold',
  'buy and hold': 'hold',
  sma_cross: 'sma_cross',
  'sma cross': 'sma_cross',
  momentum: 'momentum',
  meanrev: 'meanrev',
  'mean reversion': 'meanrev',
}
const STRATEGY = new RegExp(`^(${Object.keys(NAMES).join('|')})(?![\\w-])`, 'i')
const HOLD = /^(?:buy and )?hold[\s:]+(?=[-\d.])/i
const FIELD = /^\s*(?:(cost|trials)\s+)?(\d{1,6}(?:\.\d{1,6})?)(?=\s|$)/i
const EXAMPLES: StrategyParams = { fast: 10, slow: 50, lookback: 20, entry: 1 }

const missing = (field: string, type: string, example: unknown) => ({ field, type, example })
const PRICES = missing(
  'prices',
  `${MIN_PRICES} to ${MAX_PRICES} prices above 0, with commas between`,
  '100, 101.5, ...',
)
const STRATEGY_MISSING = missing(
  'strategy',
  'hold | sma_cross | momentum | meanrev, and its numbers',
  'sma_cross 10 50 cost 5',
)

function fromPrices(parts: readonly string[]): Structured | NeedsInput {
  const prices = parts.map((part) => (/^(?!0\d)\d{1,9}(?:\.\d{1,9})?$/.test(part) ? Number(part) : 0))
  const isSeries = prices.length >= MIN_PRICES && prices.length <= MAX_PRICES && prices.every((price) => price >= 1e-6)
  return isSeries
    ? { op: 'backtest', prices, strategy: 'hold' }
    : new NeedsInput({ prices_read: prices.filter((price) => price > 0).length }, [PRICES])
}

/** What stands where nothing more was expected. */
const unclear = (rest: string) =>
  missing('prompt', `not understood: ${rest.trim().slice(0, 64).toWellFormed()}`, 'sma_cross 10 50 cost 5')

export function quantPrompt(prompt: string): Structured | NeedsInput {
  const text = prompt.trim()
  // A list of prices is held, whether the word stands before it or not.
  const list = text.replace(HOLD, '')
  const parts = list.split(',').map((part) => part.trim())
  // 1,250 is one price to some and two to others.
  const isMixed = /\d,\d{3}(?!\d)/.test(list) && /,\s/.test(list)
  if (parts.length > 1 && /^[-\d.]/.test(list)) return isMixed ? new NeedsInput({}, [PRICES]) : fromPrices(parts)
  const name = STRATEGY.exec(text)?.[1]?.toLowerCase()
  if (name === undefined) return new NeedsInput({}, [STRATEGY_MISSING, PRICES])
  const strategy = NAMES[name]!
  const numbers: number[] = []
  const named: { cost?: number; trials?: number } = {}
  let rest = text.slice(name.length)
  for (let found = FIELD.exec(rest); found !== null; found = FIELD.exec(rest)) {
    const [whole, label, value] = found
    const field = label?.toLowerCase() as keyof typeof named | undefined
    // What is said twice is not understood.
    if (field !== undefined && named[field] !== undefined) break
    if (field === undefined) numbers.push(Number(value))
    else named[field] = Number(value)
    rest = rest.slice(whole.length)
  }
  // Words that are not understood might have changed what is asked.
  if (rest.trim() !== '') return new NeedsInput({ strategy }, [unclear(rest)])
  return withNumbers(strategy, numbers, named)
}

function withNumbers(
  strategy: Strategy,
  numbers: readonly number[],
  { cost, trials }: { cost?: number; trials?: number },
) {
  const fields = Object.keys(RULES[strategy].defaults) as (keyof StrategyParams)[]
  const params: StrategyParams = Object.fromEntries(numbers.map((value, at) => [fields[at], value]))
  const lacking = fields.filter((field) => params[field] === undefined || !isFitting(field, params))
  const wrong = [
    ...lacking.map((field) => missing(`params.${field}`, `number below ${SAMPLE.n}`, EXAMPLES[field])),
    ...(numbers.length > fields.length ? [unclear(numbers.slice(fields.length).join(' '))] : []),
    ...((cost ?? 0) <= 100 ? [] : [missing('cost_bps', '0 to 100', 5)]),
    ...(Number.isInteger(trials ?? 1) && (trials ?? 1) >= 1 && (trials ?? 1) <= 1000
      ? []
      : [missing('trials', '1 to 1000', 10)]),
  ]
  if (wrong.length > 0) return new NeedsInput({ strategy }, wrong)
  return {
    ...{ op: 'backtest', prices: SAMPLE, strategy },
    ...(fields.length === 0 ? {} : { params }),
    ...(cost === undefined ? {} : { cost_bps: cost }),
    ...(trials === undefined ? {} : { trials }),
  }
}

function isFitting(field: keyof StrategyParams, { fast, slow, lookback, entry }: StrategyParams): boolean {
  if (field === 'entry') return entry! <= 10
  const value = { fast, slow, lookback }[field]!
  const lowest = { fast: 1, slow: (fast ?? 0) + 1, lookback: 2 }[field]
  return Number.isInteger(value) && value >= lowest && value < SAMPLE.n - 1
}
