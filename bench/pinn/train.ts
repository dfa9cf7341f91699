// The neural arm: u = a (1 - x) + b x + x (1 - x) net(x), which meets the ends exactly, trained on the mean squared residual
// at fixed points by Adam and then by L-BFGS with a line search.
import { createNetwork, initialise, parameterCount, type Shape } from './network.ts'
import type { Problem } from './problems.ts'

export interface Training extends Shape {
  rate: number
  points: number
  adamSteps: number
  lbfgsSteps: number
}

export interface Trained {
  loss: number
  evaluations: number
  wallMs: number
  cpuMs: number
  u(x: number): number
}

const MEMORY = 20

export function train(
  problem: Problem,
  training: Training,
  seed: number,
  checkpoint?: (trained: Trained) => void,
): Trained {
  const network = createNetwork(training)
  const xs = Array.from(
    { length: training.points },
    (_, i) => 0.5 - 0.5 * Math.cos(((i + 0.5) * Math.PI) / training.points),
  )
  const p = initialise(training, seed)
  const gradient = new Float64Array(parameterCount(training))
  const begun = performance.now()
  const cpu = process.cpuUsage()
  let evaluations = 0
  const evaluate = (at: Float64Array, into: Float64Array): number => {
    evaluations += 1
    into.fill(0)
    let sum = 0
    for (const x of xs) {
      const [y, y1, y2] = network.forward(at, x) as unknown as [number, number, number]
      const [w, w1] = [x * (1 - x), 1 - 2 * x]
      const u = problem.left * (1 - x) + problem.right * x + w * y
      const u1 = problem.right - problem.left + w1 * y + w * y1
      const u2 = -2 * y + 2 * w1 * y1 + w * y2
      const [r, du, du1, du2] = problem.residual(x, u, u1, u2)
      sum += r * r
      const g = (2 * r) / xs.length
      network.backward(at, g * (du * w + du1 * w1 - 2 * du2), g * (du1 * w + 2 * du2 * w1), g * du2 * w, into)
    }
    return sum / xs.length
  }
  const value = (x: number) => problem.left * (1 - x) + problem.right * x + x * (1 - x) * network.forward(p, x)[0]!
  const state = (loss: number): Trained => ({
    loss,
    evaluations,
    wallMs: performance.now() - begun,
    cpuMs: process.cpuUsage(cpu).user / 1000,
    u: value,
  })
  let loss = adam(p, gradient, evaluate, training, (now) => checkpoint?.(state(now)))
  loss = lbfgs(p, gradient, evaluate, training.lbfgsSteps, loss, (now) => checkpoint?.(state(now)))
  return state(loss)
}

type Evaluate = (at: Float64Array, into: Float64Array) => number

function adam(
  p: Float64Array,
  gradient: Float64Array,
  evaluate: Evaluate,
  { rate, adamSteps }: Training,
  report: (loss: number) => void,
): number {
  const [m, v] = [new Float64Array(p.length), new Float64Array(p.length)]
  let loss = Infinity
  for (let step = 1; step <= adamSteps; step++) {
    loss = evaluate(p, gradient)
    // A cosine schedule, so that the last steps settle.
    const now = (rate * (1 + Math.cos((Math.PI * step) / adamSteps))) / 2
    for (let i = 0; i < p.length; i++) {
      m[i] = 0.9 * m[i]! + 0.1 * gradient[i]!
      v[i] = 0.999 * v[i]! + 0.001 * gradient[i]! ** 2
      p[i]! -= (now * m[i]!) / (1 - 0.9 ** step) / (Math.sqrt(v[i]! / (1 - 0.999 ** step)) + 1e-8)
    }
    if (step === adamSteps || step === Math.round(adamSteps / 4)) report(loss)
  }
  return loss
}

function lbfgs(
  p: Float64Array,
  gradient: Float64Array,
  evaluate: Evaluate,
  steps: number,
  from: number,
  report: (loss: number) => void,
): number {
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
  const pairs: { s: Float64Array; y: Float64Array; rho: number }[] = []
  let loss = steps === 0 ? from : evaluate(p, gradient)
  const next = new Float64Array(p.length)
  for (let step = 1; step <= steps; step++) {
    const direction = twoLoop(gradient, pairs, dot)
    let slope = dot(direction, gradient)
    if (slope >= 0) {
      pairs.length = 0
      for (let i = 0; i < p.length; i++) direction[i] = -gradient[i]!
      slope = -dot(gradient, gradient)
    }
    const old = { p: p.slice(), gradient: gradient.slice(), loss }
    let length = pairs.length === 0 ? Math.min(1, 1 / Math.sqrt(-slope)) : 1
    let [low, high] = [0, Infinity]
    let accepted = false
    for (let tries = 0; tries < 30 && !accepted; tries++) {
      for (let i = 0; i < p.length; i++) next[i] = old.p[i]! + length * direction[i]!
      loss = evaluate(next, gradient)
      if (!(loss <= old.loss + 1e-4 * length * slope)) high = length
      else if (dot(direction, gradient) < 0.9 * slope) low = length
      else accepted = true
      if (!accepted) length = high === Infinity ? 2 * length : (low + high) / 2
    }
    if (!accepted && !(loss < old.loss)) {
      p.set(old.p)
      loss = old.loss
      break
    }
    p.set(next)
    const s = p.map((value, i) => value - old.p[i]!)
    const y = gradient.map((value, i) => value - old.gradient[i]!)
    const curvature = dot(s, y)
    if (curvature > 1e-14 * dot(y, y)) pairs.push({ s, y, rho: 1 / curvature })
    if (pairs.length > MEMORY) pairs.shift()
    if (step === Math.round(steps / 8) || step === Math.round(steps / 2)) report(loss)
  }
  return loss
}

function twoLoop(
  gradient: Float64Array,
  pairs: readonly { s: Float64Array; y: Float64Array; rho: number }[],
  dot: (a: Float64Array, b: Float64Array) => number,
): Float64Array {
  const q = gradient.slice()
  const alphas = [...pairs].reverse().map(({ s, y, rho }) => {
    const alpha = rho * dot(s, q)
    for (let i = 0; i < q.length; i++) q[i]! -= alpha * y[i]!
    return alpha
  })
  const newest = pairs.at(-1)
  if (newest !== undefined) {
    const scale = 1 / (newest.rho * dot(newest.y, newest.y))
    for (let i = 0; i < q.length; i++) q[i]! *= scale
  }
  pairs.forEach(({ s, y, rho }, at) => {
    const beta = rho * dot(y, q)
    const alpha = alphas[pairs.length - 1 - at]!
    for (let i = 0; i < q.length; i++) q[i]! += (alpha - beta) * s[i]!
  })
  return q.map((value) => -value)
}
