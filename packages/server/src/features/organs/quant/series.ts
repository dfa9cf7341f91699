/** Prices that a seed draws, for a strategy to be tried on. Drift and volatility are those of a year. */
import type { Random } from '../random.ts'
import type { BacktestFields } from './organ.ts'

export const MODELS = ['gbm', 'ou', 'regime'] as const

export type SeriesModel = Exclude<BacktestFields['prices'], readonly unknown[]>

const START = 100
/** Of the distance to its level, a mean-reverting series loses half in so many periods. */
export const HALF_LIFE = 10
/** Two states: in the second the drift is turned round and the volatility is larger. */
export const SWITCH = 0.02
export const STRESS = 2.5

export function drawPrices({ model, n, mu, sigma }: SeriesModel, periodsPerYear: number, random: Random): number[] {
  const dt = 1 / periodsPerYear
  const step = (drift: number, vol: number) => (drift - vol ** 2 / 2) * dt + vol * Math.sqrt(dt) * random.normal()
  const keep = 0.5 ** (1 / HALF_LIFE)
  let [log, gap, isStressed] = [Math.log(START), 0, false]
  const prices = [START]
  while (prices.length < n) {
    if (model === 'gbm') log += step(mu, sigma)
    else if (model === 'regime') {
      if (random.uniform() < SWITCH) isStressed = !isStressed
      log += isStressed ? step(-mu, STRESS * sigma) : step(mu, sigma)
    } else {
      log += mu * dt
      gap = gap * keep + sigma * Math.sqrt(dt) * random.normal()
    }
    prices.push(Math.exp(log + gap))
  }
  return prices
}
