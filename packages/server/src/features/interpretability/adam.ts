/** Adam (Kingma and Ba 2015) over one array of parameters, bias corrected. */

export const ADAM = { rate: 3e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 } as const

export class Adam {
  readonly gradient: Float64Array
  readonly #values: Float64Array
  readonly #mean: Float64Array
  readonly #square: Float64Array

  constructor(values: Float64Array) {
    this.#values = values
    this.gradient = new Float64Array(values.length)
    this.#mean = new Float64Array(values.length)
    this.#square = new Float64Array(values.length)
  }

  /** `step` counts from 1. Both corrections of the bias are moved out of the loop, as the paper does in its section 2. */
  apply(step: number, rate: number): void {
    const { beta1, beta2, epsilon } = ADAM
    const [values, gradient, mean, square] = [this.#values, this.gradient, this.#mean, this.#square]
    const second = Math.sqrt(1 - beta2 ** step)
    const [size, floor] = [(rate * second) / (1 - beta1 ** step), epsilon * second]
    for (let i = 0; i < values.length; i++) {
      const g = gradient[i]!
      const m = beta1 * mean[i]! + (1 - beta1) * g
      const v = beta2 * square[i]! + (1 - beta2) * g * g
      mean[i] = m
      square[i] = v
      values[i]! -= (size * m) / (Math.sqrt(v) + floor)
    }
  }
}
