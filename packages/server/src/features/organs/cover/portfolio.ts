/** Aggregate losses of a portfolio: Poisson counts, lognormal amounts, one layer. */
import { inverseNormal, normalCdf, randomStream, type StreamName } from '../random.ts'

export interface PortfolioRequest {
  n: number
  freq: number
  sev_mu: number
  sev_sigma: number
  trials: number
  /** What the layer pays of one loss at most, above the deductible. */
  limit: number | null
  deductible: number
}

/** The distribution of the number of losses, by which one uniform number becomes one count. */
function poissonTable(mean: number): { first: number; cumulative: Float64Array } {
  const spread = Math.ceil(12 * Math.sqrt(mean) + 40)
  const first = Math.max(0, Math.floor(mean) - spread)
  const weights = new Float64Array(Math.floor(mean) + spread - first + 1)
  const mode = Math.floor(mean) - first
  // From the largest weight outwards, so that nothing underflows that counts.
  weights[mode] = 1
  for (let at = mode + 1; at < weights.length; at += 1) weights[at] = (weights[at - 1]! * mean) / (first + at)
  for (let at = mode - 1; at >= 0; at -= 1) weights[at] = (weights[at + 1]! * (first + at + 1)) / mean
  const total = weights.reduceRight((sum, weight) => sum + weight, 0)
  let sum = 0
  return { first, cumulative: weights.map((weight) => (sum += weight / total)) }
}

function draw({ first, cumulative }: ReturnType<typeof poissonTable>, uniform: number): number {
  let [low, high] = [0, cumulative.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (cumulative[middle]! > uniform) high = middle
    else low = middle + 1
  }
  return first + low
}

const CELLS = 4096
/** Of each tail, in cells: some 3% of all amounts. */
const EXACT = 64

/** Amounts by their quantile: exact in the tails; between them, where the curve is smooth, by cubic pieces through its
 *  values and slopes, which differ from it by less than 1 in 10^8 and need neither a logarithm nor an exponential. */
export function lognormal({
  sev_mu,
  sev_sigma,
}: Pick<PortfolioRequest, 'sev_mu' | 'sev_sigma'>): (share: number) => number {
  const exactly = (share: number) => Math.exp(sev_mu + sev_sigma * inverseNormal(share))
  const values = new Float64Array(CELLS + 1)
  const slopes = new Float64Array(CELLS + 1)
  for (let at = EXACT; at <= CELLS - EXACT; at += 1) {
    const z = inverseNormal(at / CELLS)
    values[at] = Math.exp(sev_mu + sev_sigma * z)
    slopes[at] = (values[at]! * sev_sigma * Math.sqrt(2 * Math.PI) * Math.exp(z ** 2 / 2)) / CELLS
  }
  return (share) => {
    const at = Math.floor(share * CELLS)
    if (at < EXACT || at >= CELLS - EXACT) return exactly(share)
    const t = share * CELLS - at
    const [value, slope, next] = [values[at]!, slopes[at]!, slopes[at + 1]!]
    const rise = values[at + 1]! - value
    return value + t * (slope + t * (3 * rise - 2 * slope - next + t * (slope + next - 2 * rise)))
  }
}

/** Losses by trial, each with a stream of its own. */
export function simulatePortfolio({ request, stream }: { request: PortfolioRequest; stream: StreamName }) {
  const { limit, deductible } = request
  const [table, amountOf] = [poissonTable(request.n * request.freq), lognormal(request)]
  const totals = Array.from({ length: request.trials }, (_, trial) => {
    const random = randomStream(stream, trial)
    const count = draw(table, random.uniform())
    let total = 0
    for (let at = 0; at < count; at += 1) {
      const paid = amountOf(random.uniform()) - deductible
      if (paid > 0) total += limit !== null && paid > limit ? limit : paid
    }
    return total
  })
  return summary(totals)
}

function summary(totals: readonly number[]) {
  const n = totals.length
  const sorted = totals.toSorted((one, other) => one - other)
  const mean = sorted.reduce((sum, total) => sum + total, 0) / n
  const squares = sorted.reduce((sum, total) => sum + (total - mean) ** 2, 0)
  const sd = n > 1 ? Math.sqrt(squares / (n - 1)) : null
  return { mean, sd, mean_se: sd === null ? null : sd / Math.sqrt(n), ...tailOf(sorted, 95), ...tailOf(sorted, 99) }
}

/** Nearest rank, and the mean of the worst share beyond it, of which the rank itself may count in part. */
function tailOf(sorted: readonly number[], percent: 95 | 99) {
  const n = sorted.length
  const rank = Math.ceil((n * percent) / 100)
  const value = sorted[rank - 1]!
  const beyond = sorted.slice(rank).reduce((sum, total) => sum + total, 0)
  const tail = (beyond + (rank - (n * percent) / 100) * value) / ((n * (100 - percent)) / 100)
  return { [`var_${percent}`]: value, [`tvar_${percent}`]: Math.max(value, tail) } as Record<
    `var_${typeof percent}` | `tvar_${typeof percent}`,
    number
  >
}

/** What the simulation should come to, in closed form: moments of the lognormal layer, and of the sum by its Poisson count. */
export function expectedLosses({ n, freq, sev_mu: mu, sev_sigma: sigma, limit, deductible }: PortfolioRequest) {
  const upTo = (amount: number, power: 1 | 2): number => {
    const whole = Math.exp(power * mu + (power * sigma) ** 2 / 2)
    if (amount === Infinity) return whole
    const below = (shift: number) =>
      sigma === 0 ? Number(mu < Math.log(amount)) : normalCdf((Math.log(amount) - mu) / sigma - shift)
    return whole * below(power * sigma) + amount ** power * (1 - below(0))
  }
  const top = limit === null ? Infinity : deductible + limit
  const first = upTo(top, 1) - upTo(deductible, 1)
  const second = upTo(top, 2) - upTo(deductible, 2) - 2 * deductible * first
  return { mean: n * freq * first, sd: Math.sqrt(n * freq * Math.max(0, second)) }
}
