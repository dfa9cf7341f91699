/** A TopK sparse autoencoder: z = TopK(ReLU(W_e (x - b_p) + b_e)), xhat = W_d z + b_p. Rows of both matrices belong to a
 *  feature and lie one after the other. */
import { sfc32 } from '../../domain/sfc32.ts'
import { unitRows } from './data.ts'
import type { SaeParameters } from './schemas.ts'

export interface Autoencoder {
  d: number
  n: number
  k: number
  encoder: Float64Array
  decoder: Float64Array
  encoderBias: Float64Array
  /** Subtracted before the encoder and added after the decoder. */
  preBias: Float64Array
}

/** The key leaves the sparsity out, so that runs which differ in it alone begin with the same dictionary. */
export function initialise({ seed, d_model: d, n_features: n, top_k: k }: SaeParameters): Autoencoder {
  const random = sfc32('orch.sae-model/v1', { seed, d_model: d, n_features: n })
  const decoder = unitRows(n, d, () => random.normal())
  return {
    ...{ d, n, k, decoder, encoder: decoder.slice() },
    encoderBias: new Float64Array(n),
    preBias: new Float64Array(d),
  }
}

export const copyOf = (model: Autoencoder): Autoencoder => ({
  ...model,
  encoder: model.encoder.slice(),
  decoder: model.decoder.slice(),
  encoderBias: model.encoderBias.slice(),
  preBias: model.preBias.slice(),
})

/** The positive codes of one row, the largest first; of equal ones the lower feature first. */
export interface Code {
  count: number
  features: Int32Array
  values: Float64Array
}

export const emptyCode = (size: number): Code => ({
  count: 0,
  features: new Int32Array(size),
  values: new Float64Array(size),
})

/** What the encoder gives before TopK, for the row at `at`; `centred` receives x - b_p. */
export function preActivate(
  { d, n, encoder, encoderBias, preBias }: Autoencoder,
  values: Float64Array,
  at: number,
  centred: Float64Array,
  activations: Float64Array,
): void {
  for (let i = 0; i < d; i++) centred[i] = values[at + i]! - preBias[i]!
  // Four sums at a time: most of the training is spent here, and one sum would wait for itself.
  const whole = d - (d % 4)
  for (let j = 0, row = 0; j < n; j++, row += d) {
    let s0 = encoderBias[j]!
    let s1 = 0
    let s2 = 0
    let s3 = 0
    for (let i = 0; i < whole; i += 4) {
      s0 += encoder[row + i]! * centred[i]!
      s1 += encoder[row + i + 1]! * centred[i + 1]!
      s2 += encoder[row + i + 2]! * centred[i + 2]!
      s3 += encoder[row + i + 3]! * centred[i + 3]!
    }
    for (let i = whole; i < d; i++) s0 += encoder[row + i]! * centred[i]!
    activations[j] = s0 + s1 + (s2 + s3)
  }
}

/** The largest positive activations, as many as the code holds; of all features or of those that `among` marks. */
export function selectTop(activations: Float64Array, code: Code, size: number, among: Uint8Array | null = null): void {
  const { features, values } = code
  // What is not greater than this has no place: zero, and the least of a full code.
  let [count, least] = [0, 0]
  for (let j = 0; j < activations.length; j++) {
    const value = activations[j]!
    if (!(value > least) || (among !== null && among[j] === 0)) continue
    let at = count < size ? count++ : size - 1
    for (; at > 0 && values[at - 1]! < value; at--) {
      values[at] = values[at - 1]!
      features[at] = features[at - 1]!
    }
    values[at] = value
    features[at] = j
    if (count === size) least = values[size - 1]!
  }
  code.count = count
}

/** Adds W_d z to what stands in `into`. */
export function addDecoded({ d, decoder }: Autoencoder, { count, features, values }: Code, into: Float64Array): void {
  for (let c = 0; c < count; c++) {
    const row = features[c]! * d
    const value = values[c]!
    for (let i = 0; i < d; i++) into[i]! += value * decoder[row + i]!
  }
}
