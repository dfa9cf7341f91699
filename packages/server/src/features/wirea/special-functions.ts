/** The distributions that exact intervals and tests are made of. Accuracy is about 12 digits, far behind what is sent. */

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]
const TINY = 1e-300
const EPSILON = 1e-16
const MAX_TERMS = 100_000

/** For x above 0, by Lanczos. */
function logGamma(x: number): number {
  const y = x - 1
  const t = y + 7.5
  let sum = LANCZOS[0]!
  for (let i = 1; i < LANCZOS.length; i += 1) sum += LANCZOS[i]! / (y + i)
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(sum)
}

/** The distribution function of Beta(a, b) at x. */
function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  // The fraction converges quickly on this side alone.
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b
}

/** The continued fraction of the incomplete beta function, after Lentz. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m < MAX_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    const change = d * c
    value *= change
    if (Math.abs(change - 1) < EPSILON) break
  }
  return value
}

const away = (value: number): number => (Math.abs(value) < TINY ? TINY : value)

/** The smallest x with at least probability p below it, by bisection down to the last bit. */
export function betaQuantile(p: number, a: number, b: number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 200; step += 1) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (betaCdf(middle, a, b) < p) low = middle
    else high = middle
  }
  return high
}

/** P(B <= k) of so many hits in n tries. */
export const binomialCdf = (k: number, n: number, p: number): number =>
  k < 0 ? 0 : k >= n ? 1 : betaCdf(1 - p, n - k, k + 1)

/** The smallest k with P(B <= k) >= u. */
export function binomialQuantile(u: number, n: number, p: number): number {
  let [low, high] = [0, n]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (binomialCdf(middle, n, p) >= u) high = middle
    else low = middle + 1
  }
  return low
}

/** P(X >= x) of chi-square with `df` degrees of freedom. Small values keep their digits: they are summed, not subtracted. */
export function chiSquareTail(x: number, df: number): number {
  const [a, half] = [df / 2, x / 2]
  if (half <= 0) return 1
  const front = Math.exp(a * Math.log(half) - half - logGamma(a))
  return half < a + 1 ? 1 - front * gammaSeries(half, a) : front * gammaFraction(half, a)
}

function gammaSeries(x: number, a: number): number {
  let term = 1 / a
  let sum = term
  for (let n = 1; n < MAX_TERMS && Math.abs(term) > Math.abs(sum) * EPSILON; n += 1) {
    term *= x / (a + n)
    sum += term
  }
  return sum
}

function gammaFraction(x: number, a: number): number {
  let b = x + 1 - a
  let c = 1 / TINY
  let d = 1 / away(b)
  let value = d
  for (let n = 1; n < MAX_TERMS; n += 1) {
    const step = -n * (n - a)
    b += 2
    d = 1 / away(step * d + b)
    c = away(b + step / c)
    const change = d * c
    value *= change
    if (Math.abs(change - 1) < EPSILON) break
  }
  return value
}

/** P(|Z| >= |z|) of the standard normal: the square of it is chi-square with one degree. */
export const normalTwoSided = (z: number): number => chiSquareTail(z * z, 1)

/** A probability to six significant digits: to six decimals the small ones, which matter most, would be zero. */
export const significant = (p: number): number => Number(p.toPrecision(6))

/** The smallest integer from x on, where x is a whole number as far as doubles go. */
export const ceiling = (x: number): number => Math.ceil(x - 1e-9)
