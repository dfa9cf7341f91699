/** The caller's holdings: what a schema cannot say of them, and the reply with its digests. */
import Big from 'big.js'
import { flags } from '../../../domain/observation.ts'
import { plainDecimal, portableDigest } from '../../../domain/portable-digest.ts'
import { InputError } from '../../../errors.ts'
import type { Call } from '../../../operation.ts'
import type { Draft } from '../../../ports.ts'
import { COMPONENT, ENVELOPE_SCHEMA } from './component.ts'
import { digestOf } from './history.ts'
import { MAX_PRICE, MIN_PRICE } from './indicators.ts'
import { ledgerDraft } from './ledger-result.ts'
import { assetsOf, type PortfolioInput, portfolioOf } from './portfolio.ts'
import type { PortfolioBody, PortfolioResult } from './schemas.ts'
import { V1, V2 } from './vectors.ts'

export const PORTFOLIO = 'finance.portfolio'
const BASIS =
  'sample moments of the caller’s simple returns at fixed weights, a risk-free rate of 0, and the historical tail of one period, by the formulas at /api/orch/v1/finance/contract; the prices were not verified'
const DEFAULT_CONFIDENCE = 0.95
const WEIGHT_TOLERANCE = '1e-9'
const MAX_FAULTS = 32

export const PORTFOLIO_EXAMPLE: PortfolioBody = {
  holdings: { A: [...V1], B: [...V2] },
  periods_per_year: 252,
  weights: { A: 0.6, B: 0.4 },
}

export function portfolioDraft(
  { body, inputSource }: Pick<Call<unknown, unknown, PortfolioBody>, 'body' | 'inputSource'>,
  revision: string,
): Draft {
  checkHoldings(body)
  const inputsDigest = portableDigest(body)
  const answer = {
    schema: ENVELOPE_SCHEMA,
    ok: true,
    state: 'COMPUTED',
    label: 'MODELED',
    operation: 'portfolio',
    basis: BASIS,
    source_revision: revision,
    component: COMPONENT,
    input_source: inputSource,
    inputs: {
      origin: 'caller',
      label: 'SAMPLE',
      verified: false,
      inputs_sha256: inputsDigest,
      periods_per_year: body.periods_per_year,
    },
    result: portfolioResult(body),
    error: null,
    ...flags,
  }
  return ledgerDraft(PORTFOLIO, answer, inputsDigest, inputSource)
}

function portfolioResult(body: PortfolioBody): PortfolioResult {
  const input = toInput(body)
  const { per_asset, aggregate } = assetsOf(input)
  const computed = portfolioOf(input)
  const assets = Object.entries(per_asset).map(([symbol, figures]) => {
    const written = body.holdings[symbol]!.map((price) => (typeof price === 'number' ? plainDecimal(price) : price))
    return [symbol, { ...figures, input_sha256: digestOf(written) }]
  })
  const unequal = { portfolio: null, tail: null, tail_reason: 'UNEQUAL_LENGTHS' as const }
  return {
    per_asset: Object.fromEntries(assets),
    aggregate,
    portfolio_reason: computed === null ? 'UNEQUAL_LENGTHS' : null,
    ...(computed ?? unequal),
  }
}

function toInput({
  holdings,
  weights,
  periods_per_year,
  confidence = DEFAULT_CONFIDENCE,
}: PortfolioBody): PortfolioInput {
  const symbols = Object.keys(holdings)
  return {
    symbols,
    prices: symbols.map((symbol) => holdings[symbol]!.map(Number)),
    weights: weights === undefined ? null : symbols.map((symbol) => weights[symbol]!),
    periods: periods_per_year,
    confidence,
  }
}

function checkHoldings({ holdings, weights }: PortfolioBody): void {
  const symbols = Object.keys(holdings)
  const faults: InputError['detail'] = symbols.flatMap((symbol) =>
    holdings[symbol]!.flatMap((price, at) =>
      typeof price === 'number' || isInRange(price)
        ? []
        : [fault(['holdings', symbol, at], 'must be a decimal from 0.000000000001 to 1000000000000')],
    ),
  )
  if (weights !== undefined) faults.push(...weightFaults(symbols, weights))
  if (faults.length > 0) throw new InputError(faults.slice(0, MAX_FAULTS))
}

/** On the digits: the nearest double of a price just beyond a bound may be the bound. */
const isInRange = (price: string): boolean => new Big(price).gte(MIN_PRICE) && new Big(price).lte(MAX_PRICE)

function weightFaults(symbols: readonly string[], weights: Record<string, number>): InputError['detail'] {
  const absent = symbols.filter((symbol) => !Object.hasOwn(weights, symbol))
  const foreign = Object.keys(weights).filter((symbol) => !symbols.includes(symbol))
  const misfits = [
    ...absent.map((symbol) =>
      fault(['weights', symbol], 'must be given, as it is for no symbol or for all', 'missing'),
    ),
    ...foreign.map((symbol) => fault(['weights', symbol], 'is not a symbol of holdings', 'extra_forbidden')),
  ]
  if (misfits.length > 0) return misfits
  const sum = Object.values(weights).reduce((total, weight) => total.plus(weight), new Big(0))
  if (sum.minus(1).abs().lte(WEIGHT_TOLERANCE)) return []
  return [fault(['weights'], `must add up to 1 within 1e-9, and add up to ${sum.toFixed()}`)]
}

const fault = (place: (string | number)[], msg: string, type = 'value') => ({ loc: ['body', ...place], msg, type })
