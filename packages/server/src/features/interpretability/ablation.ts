/** What a fixed linear readout of the reconstruction loses when one feature is taken out of it. */
import { sfc32 } from '../../domain/sfc32.ts'
import type { Autoencoder, Code } from './autoencoder.ts'
import { divergence } from './divergence.ts'
import type { SaeParameters } from './schemas.ts'

const READOUT_CLASSES = 10

/** Rows of N(0, 1/d), the same for every run with this seed and dimension. */
export function readout({ seed, d_model: d }: Pick<SaeParameters, 'seed' | 'd_model'>): Float64Array {
  const random = sfc32('orch.sae-readout/v1', { seed, d_model: d })
  return Float64Array.from({ length: READOUT_CLASSES * d }, () => random.normal() / Math.sqrt(d))
}

/** Collects, for each feature, KL(softmax(R xhat) || softmax(R (xhat - z d))) over the rows in which it fires, in nats. */
export class Ablation {
  readonly #model: Autoencoder
  readonly #readout: Float64Array
  /** The readout of each decoder row: taking out a feature shifts the logits along it. */
  readonly #shift: Float64Array
  readonly #sum: Float64Array
  readonly #count: Uint32Array
  readonly #logits = new Float64Array(READOUT_CLASSES)
  readonly #ablated = new Float64Array(READOUT_CLASSES)

  constructor(model: Autoencoder, weights: Float64Array) {
    const { d, n, decoder } = model
    this.#model = model
    this.#readout = weights
    this.#sum = new Float64Array(n)
    this.#count = new Uint32Array(n)
    this.#shift = new Float64Array(n * READOUT_CLASSES)
    for (let j = 0; j < n; j++) project(weights, d, decoder, j * d, this.#shift, j * READOUT_CLASSES)
  }

  add({ count, features, values }: Code, decoded: Float64Array): void {
    project(this.#readout, this.#model.d, decoded, 0, this.#logits, 0)
    for (let c = 0; c < count; c++) {
      const j = features[c]!
      const value = values[c]!
      for (let r = 0; r < READOUT_CLASSES; r++)
        this.#ablated[r] = this.#logits[r]! - value * this.#shift[j * READOUT_CLASSES + r]!
      this.#sum[j]! += divergence(this.#logits, this.#ablated)
      this.#count[j]! += 1
    }
  }

  /** Null for a feature that never fired. */
  mean(feature: number): number | null {
    const count = this.#count[feature]!
    return count === 0 ? null : this.#sum[feature]! / count
  }
}

function project(
  weights: Float64Array,
  d: number,
  vector: Float64Array,
  at: number,
  into: Float64Array,
  from: number,
): void {
  for (let r = 0; r < READOUT_CLASSES; r++) {
    let sum = 0
    for (let i = 0; i < d; i++) sum += weights[r * d + i]! * vector[at + i]!
    into[from + r] = sum
  }
}
