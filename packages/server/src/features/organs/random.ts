/** Seeded random numbers of the organs: one stream for each (organ, version, op, seed, trial). */
import { canonicalBytes, sha256 } from '@orch/core'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'

export interface Random {
  /** Uniform in [0, 1) from 53 bits. */
  uniform(): number
  /** Uniform among the integers from `low` to `high`, both included. */
  integer(low: number, high: number): number
  exponential(mean: number): number
  /** Standard normal, by the inverse of the distribution. */
  normal(): number
}

export interface StreamName {
  organ: string
  version: string
  op: string
  seed: number
}

/** The state of the generator is the digest of the name, so that no two streams are related by their seeds. */
export function randomStream({ organ, version, op, seed }: StreamName, trial = 0): Random {
  const digest = new DataView(sha256(canonicalBytes([organ, version, op, seed, trial])).buffer)
  const words = [0, 4, 8, 12].map((at) => digest.getInt32(at))
  const generator = xoroshiro128plusFromState(words as [number, number, number, number])
  const uniform = (): number => {
    const high = generator.next() >>> 5
    const low = generator.next() >>> 6
    return (high * 67_108_864 + low) / 9_007_199_254_740_992
  }
  return {
    uniform,
    integer: (low, high) => low + Math.floor(uniform() * (high - low + 1)),
    exponential: (mean) => -mean * Math.log1p(-uniform()),
    normal: () => inverseNormal((Math.floor(uniform() * 9_007_199_254_740_992) + 0.5) / 9_007_199_254_740_992),
  }
}

function polynomial(coefficients: readonly number[], x: number): number {
  let sum = 0
  for (let at = coefficients.length - 1; at >= 0; at -= 1) sum = sum * x + coefficients[at]!
  return sum
}

/** The standard normal quantile, by AS241 (Wichura 1988, PPND16): about 1 part in 10^16. */
export function inverseNormal(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : Number.NaN
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    return (q * polynomial(CENTRAL_TOP, r)) / polynomial(CENTRAL_BOTTOM, r)
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p))
  const tail =
    r <= 5
      ? polynomial(MIDDLE_TOP, r - 1.6) / polynomial(MIDDLE_BOTTOM, r - 1.6)
      : polynomial(FAR_TOP, r - 5) / polynomial(FAR_BOTTOM, r - 5)
  return q < 0 ? -tail : tail
}

/** By the series of Marsaglia (2004), exact to the last digits of a double. */
export function normalCdf(x: number): number {
  if (Math.abs(x) > 8) return x > 0 ? 1 : 0
  let [term, sum] = [x, x]
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= x ** 2 / odd
    sum += term
  }
  return 0.5 + (sum * Math.exp(-(x ** 2) / 2)) / Math.sqrt(2 * Math.PI)
}

const CENTRAL_TOP = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
  33430.57558358813, 2509.0809287301227,
]
const CENTRAL_BOTTOM = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271, 28729.085735721943,
  5226.495278852854,
]
const MIDDLE_TOP = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684, 0.2417807251774506,
  0.022723844989269184, 0.0007745450142783414,
]
const MIDDLE_BOTTOM = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
  0.0005475938084995345, 1.0507500716444169e-9,
]
const FAR_TOP = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
  0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
]
const FAR_BOTTOM = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
  1.421511758316446e-7, 2.0442631033899397e-15,
]
