/** From positions to returns after costs, and the figures of a series of returns. */

interface Run {
  /** Of each period, after the cost of the trade at its beginning. */
  returns: Float64Array
  equity: Float64Array
  turnover: number
}

/** A share of the equity is held at `positions[t]` from close t to the next; what the prices moved it to is traded back. */
export function runPositions(
  prices: readonly number[],
  positions: Float64Array,
  costBps: number,
  [from, to]: readonly [number, number] = [0, positions.length],
): Run {
  const returns = new Float64Array(to - from)
  const equity = new Float64Array(to - from + 1).fill(0)
  equity[0] = 1
  let [exposure, turnover] = [0, 0]
  // Nothing is left to trade with once the equity is gone.
  for (let t = from; t < to && equity[t - from]! > 0; t += 1) {
    const position = positions[t]!
    const traded = Math.abs(position - exposure)
    const move = prices[t + 1]! / prices[t]! - 1
    const grown = 1 + position * move
    turnover += traded
    returns[t - from] = Math.max(0, grown) * Math.max(0, 1 - (costBps / 10_000) * traded) - 1
    equity[t - from + 1] = equity[t - from]! * (1 + returns[t - from]!)
    exposure = (position * (1 + move)) / grown
  }
  return { returns, equity, turnover }
}

interface Moments {
  mean: number
  sd: number | null
  skew: number
  /** Not in excess: 3 for a normal distribution. */
  kurtosis: number
}

/** With n - 1; null where the returns do not vary: equal ones differ in their last digits. */
function spreadOf(returns: Float64Array): Pick<Moments, 'mean' | 'sd'> {
  const n = returns.length
  let [mean, squares] = [0, 0]
  for (const value of returns) mean += value / n
  for (const value of returns) squares += (value - mean) * (value - mean)
  const sd = n > 1 ? Math.sqrt(squares / (n - 1)) : 0
  return { mean, sd: sd <= 1e-12 * Math.max(1, Math.abs(mean)) ? null : sd }
}

export function momentsOf(returns: Float64Array): Moments {
  const n = returns.length
  const { mean, sd } = spreadOf(returns)
  if (sd === null) return { mean, sd, skew: 0, kurtosis: 3 }
  const power = (exponent: number) => returns.reduce((sum, value) => sum + (value - mean) ** exponent, 0) / n
  const variance = power(2)
  return { mean, sd, skew: power(3) / variance ** 1.5, kurtosis: power(4) / variance ** 2 }
}

/** Of one period; null where the returns do not vary. */
export function sharpeOf(returns: Float64Array): number | null {
  const { mean, sd } = spreadOf(returns)
  return sd === null ? null : mean / sd
}

export function figuresOf({ returns, equity, turnover }: Run, positions: Float64Array, periodsPerYear: number) {
  const n = returns.length
  const { mean, sd, ...shape } = momentsOf(returns)
  const year = Math.sqrt(periodsPerYear)
  const downside = Math.sqrt(returns.reduce((sum, value) => sum + Math.min(0, value) ** 2, 0) / n)
  const cagr = equity[n]! ** (periodsPerYear / n) - 1
  const drawdown = maxDrawdown(equity)
  const invested = returns.filter((_, t) => positions[t] !== 0)
  return {
    final_equity: equity[n]!,
    cagr,
    vol: (sd ?? 0) * year,
    sharpe: sd === null ? null : (mean / sd) * year,
    sortino: downside === 0 || sd === null ? null : (mean / downside) * year,
    max_drawdown: drawdown,
    calmar: drawdown === 0 ? null : cagr / drawdown,
    turnover: (turnover * periodsPerYear) / n,
    hit_rate: invested.length === 0 ? null : invested.filter((value) => value > 0).length / invested.length,
    periods: n,
    skew: sd === null ? null : shape.skew,
    kurtosis: sd === null ? null : shape.kurtosis,
  }
}

function maxDrawdown(equity: Float64Array): number {
  let [peak, worst] = [0, 0]
  for (const value of equity) {
    peak = Math.max(peak, value)
    worst = Math.max(worst, 1 - value / peak)
  }
  return worst
}
