/** Split conformal prediction tried on data whose law is known: how often a band that promises a share does cover it, and
 *  whether the measured shares lie in the law that theory gives them. Runs in a worker thread. */
import { type Sfc32, sfc32 } from '../../domain/sfc32.ts'
import { wilson } from '../../domain/wilson.ts'
import type { CoverageResult } from './replies.ts'
import type { CoverageInput } from './schemas.ts'
import { betaQuantile, ceiling } from './special-functions.ts'

export const SIMULATOR = 'orch.wirea.forecast-coverage'
export const VERSION = 'v1'
const FIT_ROWS = 200
export const TEST_ROWS = 2000
/** By so much the mean has moved at the end of a drifting test set. */
const DRIFT = 3
const GAMMA = 0.01
/** The mean of the trials is taken to lie in its law up to this many standard deviations: 99.9 % of all runs. */
const MAX_Z = 3.290527
type Row = readonly [x: number, y: number]

/** Units of work: a row drawn and predicted. */
export const coverageWork = ({ n, trials }: CoverageInput): number => trials * (FIT_ROWS + n + TEST_ROWS)

export function forecastCoverage(input: CoverageInput): CoverageResult {
  const { target, n, seed, trials: count, scenario } = input
  const k = ceiling((n + 1) * target)
  const law = {
    coverage_target: target,
    n,
    k,
    scenario,
    trials_asked: count,
    minimum_n: ceiling(target / (1 - target)),
  }
  if (k > n) return { ...law, ...INFINITE_BAND }
  // The same rows whatever is asked of them: a run with more trials begins with those of the shorter one.
  const random = sfc32(`${SIMULATOR}/${VERSION}`, { n, seed })
  const trials = Array.from({ length: count }, () => runTrial(random, input, k))
  const share = (hits: number) => hits / TEST_ROWS
  const mean = trials.reduce((sum, { hits }) => sum + share(hits), 0) / count
  const beta: [number, number] = [k, n + 1 - k]
  const isExchangeable = scenario === 'iid'
  const z = (mean - k / (n + 1)) / Math.sqrt(shareVariance(...beta) / count)
  return {
    ...law,
    insufficient_n: false,
    band: 'FINITE',
    band_halfwidth: trials.reduce((sum, { halfwidth }) => sum + halfwidth, 0) / count,
    // Under drift calibration and test rows are not exchangeable: nothing is promised, and there is no law to lie in.
    expected_coverage: isExchangeable ? k / (n + 1) : null,
    guarantee: isExchangeable ? [target, target + 1 / (n + 1)] : null,
    coverage_law: isExchangeable ? { beta, p05: betaQuantile(0.05, ...beta), p95: betaQuantile(0.95, ...beta) } : null,
    law_reason: isExchangeable ? null : 'under drift calibration and test rows are not exchangeable: no law holds',
    trials: trials.map(({ hits, halfwidth }) => ({
      coverage: share(hits),
      wilson95: wilson(hits, TEST_ROWS),
      halfwidth,
    })),
    mean_coverage: mean,
    within_law: isExchangeable ? Math.abs(z) <= MAX_Z : null,
    law_z: isExchangeable ? z : null,
    adaptive: isExchangeable ? null : adaptiveResult(trials, target),
  }
}

/** What no finite number of calibration rows of this size can promise is not promised, and nothing is measured. */
const INFINITE_BAND = {
  insufficient_n: true,
  band: 'INFINITE' as const,
  band_halfwidth: null,
  expected_coverage: null,
  guarantee: null,
  coverage_law: null,
  law_reason: 'no finite band of so few calibration rows can promise the target: nothing was measured',
  trials: [],
  mean_coverage: null,
  within_law: null,
  law_z: null,
  adaptive: null,
}

interface Trial {
  hits: number
  halfwidth: number
  adaptive: { hits: number; infinite: number } | null
}

function runTrial(random: Sfc32, { target, n, scenario }: CoverageInput, k: number): Trial {
  const rows = (length: number): Row[] => Array.from({ length }, () => drawRow(random))
  const predict = fitCubic(rows(FIT_ROWS))
  const calibration = Float64Array.from(rows(n), ([x, y]) => Math.abs(y - predict(x))).sort()
  const shift = (at: number): number => (scenario === 'drift' ? (DRIFT * at) / (TEST_ROWS - 1) : 0)
  const residuals = Float64Array.from(rows(TEST_ROWS), ([x, y], at) => Math.abs(y + shift(at) - predict(x)))
  const halfwidth = calibration[k - 1]!
  return {
    hits: residuals.reduce((sum, residual) => sum + Number(residual <= halfwidth), 0),
    halfwidth,
    adaptive: scenario === 'drift' ? runAdaptive(residuals, calibration, 1 - target) : null,
  }
}

/** y = 2x + sin 3x + (0.3 + 0.2|x|) N(0, 1), x uniform in [-2, 2]. */
function drawRow(random: Sfc32): Row {
  const x = -2 + 4 * random.uniform()
  return [x, 2 * x + Math.sin(3 * x) + (0.3 + 0.2 * Math.abs(x)) * random.normal()]
}

/** Least squares by the normal equations: with x in [-2, 2] and 200 rows they are well conditioned. */
function fitCubic(rows: readonly Row[]): (x: number) => number {
  const system = Array.from({ length: 4 }, () => new Float64Array(5))
  for (const [x, y] of rows) {
    const powers = [1, x, x * x, x ** 3]
    for (let i = 0; i < 4; i += 1) {
      for (let j = 0; j < 4; j += 1) system[i]![j]! += powers[i]! * powers[j]!
      system[i]![4]! += powers[i]! * y
    }
  }
  for (let column = 0; column < 4; column += 1)
    for (let row = 0; row < 4; row += 1) {
      // Positive definite: no pivot is zero, and none has to be looked for.
      if (row === column) continue
      const factor = system[row]![column]! / system[column]![column]!
      for (let at = column; at < 5; at += 1) system[row]![at]! -= factor * system[column]![at]!
    }
  const [a, b, c, d] = system.map((row, i) => row[4]! / row[i]!) as [number, number, number, number]
  return (x) => a + x * (b + x * (c + x * d))
}

/** Gibbs and Candes (2021): a miss widens the band of the next row, a hit narrows it. Above level 1 the band is infinite
 *  and covers; below 0 it is empty and misses. */
function runAdaptive(residuals: Float64Array, calibration: Float64Array, alpha: number) {
  const n = calibration.length
  let [level, hits, infinite] = [alpha, 0, 0]
  for (const residual of residuals) {
    const k = ceiling((n + 1) * (1 - level))
    const isHit = k > n || (k >= 1 && residual <= calibration[k - 1]!)
    if (k > n) infinite += 1
    if (isHit) hits += 1
    level += GAMMA * (alpha - Number(!isHit))
  }
  return { hits, infinite }
}

function adaptiveResult(trials: readonly Trial[], target: number) {
  const shares = trials.map(({ adaptive }) => adaptive!.hits / TEST_ROWS)
  const [coverage, widest] = [mean(shares), Math.max(...shares.map((share) => Math.abs(share - target)))]
  // Holds for every sequence of rows, drifting or not.
  const bound = (Math.max(target, 1 - target) + GAMMA) / (TEST_ROWS * GAMMA)
  return {
    gamma: GAMMA,
    coverage,
    fixed_coverage: mean(trials.map(({ hits }) => hits / TEST_ROWS)),
    infinite_share: mean(trials.map(({ adaptive }) => adaptive!.infinite / TEST_ROWS)),
    bound,
    within_bound: widest <= bound,
    drift: DRIFT,
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Of the share of test rows covered in one trial: hits are beta-binomial. */
function shareVariance(a: number, b: number): number {
  const whole = a + b
  return (a * b * (whole + TEST_ROWS)) / (TEST_ROWS * whole ** 2 * (whole + 1))
}
