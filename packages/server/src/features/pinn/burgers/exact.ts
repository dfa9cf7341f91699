/** The exact solution of nu u'' = u u' on [0, 1] with u(0) = a, u(1) = b, for every input: the first integral
 *  nu u' = u^2/2 + c is separable, and c follows from the two ends by a bisection. */

type Branch = 'constant' | 'tanh' | 'tan' | 'rational' | 'coth'

export interface ExactSolution {
  branch: Branch
  c: number
  C: number
  /** Where the layer is centred; it may lie outside of the interval. Null where the branch has none. */
  x0: number | null
  at(x: number): number
}

/** Below this distance of the criterion from 1 the two neighbouring branches and their limit agree to rounding. */
const RATIONAL_WIDTH = 1e-14
/** Ends below this share of the viscosity are joined by a straight line to rounding. */
const LINEAR = 1e-17
const [MIN_LOG, MAX_LOG] = [-4100, 12]

export function solveExactly(nu: number, a: number, b: number): ExactSolution {
  if (a === b) return { branch: 'constant', c: -(a * a) / 2, C: Math.abs(a), x0: null, at: () => a }
  if (Math.max(Math.abs(a), Math.abs(b)) < LINEAR * nu) return nearlyLinear(nu, a, b)
  if (a > b) return tanhBranch(nu, a, b)
  const criterion = a * b <= 0 ? Infinity : 2 * nu * (1 / a - 1 / b)
  if (Math.abs(criterion - 1) <= RATIONAL_WIDTH)
    return { branch: 'rational', c: 0, C: 0, x0: null, at: (x) => fromAnEnd(nu, a, b, 0, 0, x) }
  return criterion > 1 ? tanBranch(nu, a, b) : cothBranch(nu, a, b)
}

/** The constants of the branch are those of its limit; squares of the ends may underflow, the values do not. */
function nearlyLinear(nu: number, a: number, b: number): ExactSolution {
  const c = nu * (b - a) - (a * a + a * b + b * b) / 6
  const isFalling = a > b
  return {
    branch: isFalling ? 'tanh' : 'tan',
    c,
    C: Math.sqrt(2 * Math.abs(c)),
    x0: isFalling ? a / (a - b) : null,
    at: (x) => endsOr(x, a, b, a * (1 - x) + b * x),
  }
}

/** ln(e^p + e^q), where p may be minus infinity. */
const logAddExp = (p: number, q: number): number => Math.max(p, q) + Math.log1p(Math.exp(-Math.abs(p - q)))

/** Decreasing solutions. C = M + e^s is kept as s: for thin layers C equals M in every digit of a double. */
function tanhBranch(nu: number, a: number, b: number): ExactSolution {
  const m = Math.max(Math.abs(a), Math.abs(b))
  const angle = (s: number, u: number) => logAddExp(Math.log(m + u), s) - logAddExp(Math.log(m - u), s)
  const span = (s: number) => {
    const C = m + Math.exp(s)
    const argument = (C * (a - b)) / (C * C - a * b)
    return argument < 0.5 ? 2 * Math.atanh(argument) : angle(s, a) - angle(s, b)
  }
  const s = bisect((at) => span(at) / (m + Math.exp(at)) - 1 / nu, MIN_LOG, MAX_LOG)
  const C = m + Math.exp(s)
  const shift = a / C < 0.5 && a / C > -0.5 ? Math.atanh(a / C) : angle(s, a) / 2
  const x0 = a === -b ? 0.5 : (2 * nu * shift) / C
  return {
    branch: 'tanh',
    c: -(C * C) / 2,
    C,
    x0,
    at: (x) => endsOr(x, a, b, -C * Math.tanh((C * (x - x0)) / (2 * nu))),
  }
}

function tanBranch(nu: number, a: number, b: number): ExactSolution {
  const excess = (logC: number) => {
    const C = Math.exp(logC)
    return Math.atan2(C * (b - a), C * C + a * b) - C / (2 * nu)
  }
  const C = Math.exp(bisect(excess, -745, Math.log(2 * Math.PI * nu) + 1e-9))
  const first = Math.atan(a / C)
  const at = (x: number): number =>
    a * b > 0 ? fromAnEnd(nu, a, b, C, 1, x) : endsOr(x, a, b, C * Math.tan((C * x) / (2 * nu) + first))
  return { branch: 'tan', c: (C * C) / 2, C, x0: null, at }
}

/** Increasing solutions without a zero, steep at one end. C = m - e^s, where m is the smaller of the two ends. */
function cothBranch(nu: number, a: number, b: number): ExactSolution {
  const [m, other] = [Math.min(Math.abs(a), Math.abs(b)), Math.max(Math.abs(a), Math.abs(b))]
  const excess = (s: number) => {
    const C = m - Math.exp(s)
    if (C < 1e-4 * m) return 1 / m - 1 / other + ((1 / m ** 3 - 1 / other ** 3) * C * C) / 3 - 1 / (2 * nu)
    const near = (Math.log(m + C) - s) / 2
    const far = (Math.log(other + C) - logAddExp(Math.log(other - m), s)) / 2
    return (near - far) / C - 1 / (2 * nu)
  }
  const s = bisect(excess, MIN_LOG, Math.log(m))
  const C = m - Math.exp(s)
  return { branch: 'coth', c: -(C * C) / 2, C, x0: null, at: (x) => fromAnEnd(nu, a, b, C, -1, x) }
}

/** Where both ends have one sign, the addition theorem from the end that is farther from 0 has no cancellation: all of its
 *  terms have one sign. `sign` is that of c. */
function fromAnEnd(nu: number, a: number, b: number, C: number, sign: number, x: number): number {
  const isRight = b > 0
  const distance = (isRight ? 1 - x : x) / (2 * nu)
  const size = isRight ? b : -a
  const slope = C * distance < 1e-9 ? distance : (sign > 0 ? Math.tan(C * distance) : Math.tanh(C * distance)) / C
  const value = (size - sign * C * C * slope) / (1 + size * slope)
  return endsOr(x, a, b, isRight ? value : -value)
}

const endsOr = (x: number, a: number, b: number, value: number): number => (x === 0 ? a : x === 1 ? b : value)

/** The zero of a decreasing function. */
function bisect(f: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to]
  for (let i = 0; i < 200 && high - low > 1e-16 * Math.max(1, Math.abs(low)); i++) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (f(middle) > 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}
