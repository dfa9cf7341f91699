// A small tanh network of one input with its first and second derivative carried along, and the gradient of a loss of all
// three by hand-written reverse mode. No framework: what is measured is the method, on the same runtime as the solvers.
import { sfc32 } from '../../packages/server/src/domain/sfc32.ts'

export interface Shape {
  width: number
  layers: number
  /** The input runs over [-scale, scale]: a larger one lets the first layer make sharper features. */
  scale: number
}

export const parameterCount = ({ width, layers }: Shape): number =>
  2 * width + (layers - 1) * (width * width + width) + width + 1

/** Glorot's normal initialisation, biases of the first layer spread over the input. */
export function initialise(shape: Shape, seed: number): Float64Array {
  const random = sfc32('pinn-bench-network/v1', { ...shape, seed })
  const { width, layers, scale } = shape
  const values: number[] = []
  for (let i = 0; i < width; i++) values.push(random.normal() * Math.sqrt(2 / (1 + width)) * Math.sqrt(width))
  for (let i = 0; i < width; i++) values.push((random.uniform() * 2 - 1) * scale)
  for (let layer = 1; layer < layers; layer++) {
    for (let i = 0; i < width * width; i++) values.push(random.normal() * Math.sqrt(1 / width))
    for (let i = 0; i < width; i++) values.push(0)
  }
  for (let i = 0; i < width; i++) values.push(random.normal() * Math.sqrt(1 / width))
  values.push(0)
  return Float64Array.from(values)
}

/** Value, slope and curvature at x; `adjoint` given those of the loss adds the gradient of the parameters. */
export function createNetwork(shape: Shape) {
  const { width, layers, scale } = shape
  const make = () => Array.from({ length: layers }, () => new Float64Array(width))
  const [t, z1, z2, h1, h2] = [make(), make(), make(), make(), make()]
  const out = new Float64Array(3)
  let input = 0
  const offset = (layer: number) => (layer === 0 ? 0 : 2 * width + (layer - 1) * (width * width + width))

  function forward(p: Float64Array, x: number): Float64Array {
    input = scale * (2 * x - 1)
    for (let i = 0; i < width; i++) activate(0, i, p[i]! * input + p[width + i]!, p[i]! * 2 * scale, 0)
    for (let layer = 1; layer < layers; layer++) {
      const at = offset(layer)
      const [bt, b1, b2] = [t[layer - 1]!, h1[layer - 1]!, h2[layer - 1]!]
      for (let i = 0; i < width; i++) {
        let [a0, a1, a2] = [p[at + width * width + i]!, 0, 0]
        const row = at + i * width
        for (let j = 0; j < width; j++) {
          const w = p[row + j]!
          a0 += w * bt[j]!
          a1 += w * b1[j]!
          a2 += w * b2[j]!
        }
        activate(layer, i, a0, a1, a2)
      }
    }
    const last = offset(layers)
    let [o0, o1, o2] = [p[last + width]!, 0, 0]
    for (let j = 0; j < width; j++) {
      const w = p[last + j]!
      o0 += w * t[layers - 1]![j]!
      o1 += w * h1[layers - 1]![j]!
      o2 += w * h2[layers - 1]![j]!
    }
    out[0] = o0
    out[1] = o1
    out[2] = o2
    return out
  }

  function activate(layer: number, i: number, a0: number, a1: number, a2: number): void {
    const value = Math.tanh(a0)
    const s = 1 - value * value
    t[layer]![i] = value
    z1[layer]![i] = a1
    z2[layer]![i] = a2
    h1[layer]![i] = s * a1
    h2[layer]![i] = s * a2 - 2 * value * s * a1 * a1
  }

  let [g0, g1, g2] = [new Float64Array(width), new Float64Array(width), new Float64Array(width)]
  let [q0, q1, q2] = [new Float64Array(width), new Float64Array(width), new Float64Array(width)]

  /** Of the newest forward pass. */
  function backward(p: Float64Array, a0: number, a1: number, a2: number, gradient: Float64Array): void {
    const last = offset(layers)
    for (let j = 0; j < width; j++) {
      gradient[last + j]! += a0 * t[layers - 1]![j]! + a1 * h1[layers - 1]![j]! + a2 * h2[layers - 1]![j]!
      const w = p[last + j]!
      g0[j] = a0 * w
      g1[j] = a1 * w
      g2[j] = a2 * w
    }
    gradient[last + width]! += a0
    for (let layer = layers - 1; layer >= 0; layer--) {
      const at = offset(layer)
      q0.fill(0)
      q1.fill(0)
      q2.fill(0)
      for (let i = 0; i < width; i++) {
        const value = t[layer]![i]!
        const s = 1 - value * value
        const [y1, y2] = [z1[layer]![i]!, z2[layer]![i]!]
        const c0 =
          g0[i]! * s - 2 * value * s * (g1[i]! * y1 + g2[i]! * y2) - 2 * g2[i]! * s * (1 - 3 * value * value) * y1 * y1
        const c1 = g1[i]! * s - 4 * g2[i]! * value * s * y1
        const c2 = g2[i]! * s
        if (layer === 0) {
          gradient[i]! += c0 * input + c1 * 2 * scale
          gradient[width + i]! += c0
          continue
        }
        gradient[at + width * width + i]! += c0
        const row = at + i * width
        const [bt, b1, b2] = [t[layer - 1]!, h1[layer - 1]!, h2[layer - 1]!]
        for (let j = 0; j < width; j++) {
          gradient[row + j]! += c0 * bt[j]! + c1 * b1[j]! + c2 * b2[j]!
          const w = p[row + j]!
          q0[j]! += c0 * w
          q1[j]! += c1 * w
          q2[j]! += c2 * w
        }
      }
      ;[g0, q0] = [q0, g0]
      ;[g1, q1] = [q1, g1]
      ;[g2, q2] = [q2, g2]
    }
  }
  return { forward, backward }
}
