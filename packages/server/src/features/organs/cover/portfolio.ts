/** Aggregate losses of a portfolio: Poisson counts, lognormal amounts, one layer. */
import { inverseNormal, normalCdf, type Random, randomStream, type StreamName } from '../random.ts'

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

type Severity = Pick<PortfolioRequest, 'sev_mu' | 'sev_sigma'>

const exactly = ({ sev_mu, sev_sigma }: Severity, share: number): number =>
  Math.exp(sev_mu + sev_sigma * inverseNormal(share))

/** Four coefficients of a cubic for each cell, through the values and the slopes of the quantile at its ends. */
export function quantilePieces(severity: Severity): Float64Array {
  const slopeAt = (share: number, value: number) =>
    (value * severity.sev_sigma * Math.sqrt(2 * Math.PI) * Math.exp(inverseNormal(share) ** 2 / 2)) / CELLS
  const pieces = new Float64Array(4 * CELLS)
  for (let at = EXACT; at < CELLS - EXACT; at += 1) {
    const [share, end] = [at / CELLS, (at + 1) / CELLS]
    const [from, to] = [exactly(severity, share), exactly(severity, end)]
    const [rise, slope, next] = [to - from, slopeAt(share, from), slopeAt(end, to)]
    pieces.set([from, slope, 3 * rise - 2 * slope - next, slope + next - 2 * rise], 4 * at)
  }
  return pieces
}

/** The amount at a quantile: exact in the tails; between them, where the curve is smooth, by its pieces, which differ from
 *  it by less than 1 in 10^8 and need neither a logarithm nor an exponential. */
export function amountAt(severity: Severity, pieces: Float64Array, share: number): number {
  const at = (share * CELLS) >>> 0
  if (at < EXACT || at >= CELLS - EXACT) return exactly(severity, share)
  const t = share * CELLS - at
  const k = at << 2
  return pieces[k]! + t * (pieces[k + 1]! + t * (pieces[k + 2]! + t * pieces[k + 3]!))
}

function trialTotal(request: PortfolioRequest, pieces: Float64Array, count: number, random: Random): number {
  const { deductible } = request
  const most = request.limit ?? Infinity
  let total = 0
  for (let at = 0; at < count; at += 1) {
    const paid = amountAt(request, pieces, random.uniform()) - deductible
    total += Math.max(0, Math.min(paid, most))
  }
  return total
}

/** Losses by trial, each with a stream of its own. */
export function simulatePortfolio({ request, stream }: { request: PortfolioRequest; stream: StreamName }) {
  const [table, pieces] = [poissonTable(request.n * request.freq), quantilePieces(request)]
  const totals = Array.from({ length: request.trials }, (_, trial) => {
    const random = randomStream(stream, trial)
    return trialTotal(request, pieces, draw(table, random.uniform()), random)
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
