/** The explicit Runge-Kutta method of Dormand and Prince (1980), order 5(4), with steps that end at every wanted time. */

/** Counts right-hand sides over a whole fit, those of the sensitivities too: a count bounds the time, and it is the same on
 *  every machine. */
export class WorkCounter {
  count = 0
  readonly cap: number
  constructor(cap: number) {
    this.cap = cap
  }
  add(evaluations: number): void {
    this.count += evaluations
    if (this.count > this.cap) throw new WorkExceeded(this.count, this.cap)
  }
}

export class WorkExceeded extends Error {
  readonly work: number
  readonly cap: number
  constructor(work: number, cap: number) {
    super('more right-hand sides than allowed')
    this.work = work
    this.cap = cap
  }
}

const A10 = 1 / 5
const [A20, A21] = [3 / 40, 9 / 40]
const [A30, A31, A32] = [44 / 45, -56 / 15, 32 / 9]
const [A40, A41, A42, A43] = [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]
const [A50, A51, A52, A53, A54] = [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]
const [A60, A62, A63, A64, A65] = [35 / 384, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
const E = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]
const MAX_STEPS = 20_000
const LARGEST = 1e12

type Rate = (t: number, x: Float64Array, into: Float64Array) => void

/** The states at the times, the first of which is that of the start; null where the solution escapes or the steps become
 *  too small. `controlled`: how many leading components decide about the step. */
export function integrate(
  rate: Rate,
  start: Float64Array,
  times: readonly number[],
  tolerance: number,
  work: WorkCounter,
  controlled = start.length,
): Float64Array[] | null {
  const n = start.length
  const k = Array.from({ length: 7 }, () => new Float64Array(n))
  let x = start.slice()
  let next = new Float64Array(n)
  let t = times[0]!
  rate(t, x, k[0]!)
  const found = [x.slice()]
  const size = sizes(x, n)
  let h = Math.min(
    (times.at(-1)! - t) / 100,
    (0.01 * (norm(x, size, controlled) || 1e-3)) / (norm(k[0]!, size, controlled) || 1e-3),
  )
  let steps = 0
  for (const target of times.slice(1)) {
    while (t < target) {
      if (++steps > MAX_STEPS) return null
      const isLast = t + h * 1.000001 >= target
      const step = isLast ? target - t : h
      if (!(step > 1e-14 * Math.max(1, Math.abs(t)))) {
        if (isLast) break
        return null
      }
      stages(rate, t, x, step, k, next)
      work.add((6 * n) / controlled)
      const error = errorOf(x, next, k, step, tolerance, controlled)
      if (!Number.isFinite(error)) {
        h = step / 5
        continue
      }
      if (error <= 1) {
        t = isLast ? target : t + step
        ;[x, next] = [next, x]
        ;[k[0], k[6]] = [k[6]!, k[0]!]
        for (let i = 0; i < controlled; i++) if (!(Math.abs(x[i]!) < LARGEST)) return null
      }
      const factor = Math.min(5, Math.max(0.2, 0.9 * (error || 1e-10) ** -0.2))
      // A step that was cut short by a wanted time says little against the length before.
      h = error <= 1 && isLast ? Math.max(h, step * factor) : step * factor
    }
    t = target
    found.push(x.slice())
  }
  return found
}

/** Each sum in one pass: this is where a fit spends its time. */
function stages(
  rate: Rate,
  t: number,
  x: Float64Array,
  h: number,
  k: readonly Float64Array[],
  next: Float64Array,
): void {
  const [k0, k1, k2, k3, k4, k5, k6] = [k[0]!, k[1]!, k[2]!, k[3]!, k[4]!, k[5]!, k[6]!]
  const n = x.length
  for (let i = 0; i < n; i++) next[i] = x[i]! + h * A10 * k0[i]!
  rate(t + h / 5, next, k1)
  for (let i = 0; i < n; i++) next[i] = x[i]! + h * (A20 * k0[i]! + A21 * k1[i]!)
  rate(t + (3 * h) / 10, next, k2)
  for (let i = 0; i < n; i++) next[i] = x[i]! + h * (A30 * k0[i]! + A31 * k1[i]! + A32 * k2[i]!)
  rate(t + (4 * h) / 5, next, k3)
  for (let i = 0; i < n; i++) next[i] = x[i]! + h * (A40 * k0[i]! + A41 * k1[i]! + A42 * k2[i]! + A43 * k3[i]!)
  rate(t + (8 * h) / 9, next, k4)
  for (let i = 0; i < n; i++)
    next[i] = x[i]! + h * (A50 * k0[i]! + A51 * k1[i]! + A52 * k2[i]! + A53 * k3[i]! + A54 * k4[i]!)
  rate(t + h, next, k5)
  for (let i = 0; i < n; i++)
    next[i] = x[i]! + h * (A60 * k0[i]! + A62 * k2[i]! + A63 * k3[i]! + A64 * k4[i]! + A65 * k5[i]!)
  rate(t + h, next, k6)
}

function errorOf(
  x: Float64Array,
  next: Float64Array,
  k: readonly Float64Array[],
  h: number,
  tolerance: number,
  controlled: number,
): number {
  let sum = 0
  for (let i = 0; i < controlled; i++) {
    let error = 0
    for (let s = 0; s < 7; s++) error += E[s]! * k[s]![i]!
    sum += ((h * error) / (tolerance * (1e-3 + Math.max(Math.abs(x[i]!), Math.abs(next[i]!))))) ** 2
  }
  return Math.sqrt(sum / controlled)
}

const sizes = (x: Float64Array, n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => 1e-3 + Math.abs(x[i]!))
const norm = (values: Float64Array, size: Float64Array, n: number): number => {
  let sum = 0
  for (let i = 0; i < n; i++) sum += (values[i]! / size[i]!) ** 2
  return Math.sqrt(sum / n)
}
