/** The gradient of the loss of one batch: of the reconstruction error, and of what silent features could add to it. */
import { Adam } from './adam.ts'
import { type Autoencoder, addDecoded, type Code, emptyCode, preActivate, selectTop } from './autoencoder.ts'
import type { Rows } from './data.ts'

/** Weight of the loss of the silent features (Gao et al. 2024). */
const AUX_WEIGHT = 1 / 32
/** A feature that has not fired for so many steps counts as silent. */
const SILENT_STEPS = 50

export interface Training {
  model: Autoencoder
  encoder: Adam
  decoder: Adam
  encoderBias: Adam
  preBias: Adam
  /** The step in which a feature last fired. */
  firedAt: Int32Array
  silent: Uint8Array
  auxSize: number
  work: { centred: Float64Array; activations: Float64Array; error: Float64Array; missing: Float64Array }
  code: Code
  auxCode: Code
}

export function openTraining(model: Autoencoder): Training {
  const { d, n, k } = model
  const auxSize = Math.floor(d / 2)
  return {
    model,
    encoder: new Adam(model.encoder),
    decoder: new Adam(model.decoder),
    encoderBias: new Adam(model.encoderBias),
    preBias: new Adam(model.preBias),
    firedAt: new Int32Array(n),
    silent: new Uint8Array(n),
    auxSize,
    work: {
      centred: new Float64Array(d),
      activations: new Float64Array(n),
      error: new Float64Array(d),
      missing: new Float64Array(d),
    },
    code: emptyCode(k),
    auxCode: emptyCode(auxSize),
  }
}

/** The gradients of one batch; returns its loss. */
export function accumulate(training: Training, rows: Rows, step: number): number {
  const { model, encoder, decoder, encoderBias, preBias, firedAt, silent, work, code, auxCode, auxSize } = training
  const { d, n, k } = model
  for (const { gradient } of [encoder, decoder, encoderBias, preBias]) gradient.fill(0)
  let silentCount = 0
  for (let j = 0; j < n; j++) {
    silent[j] = step - firedAt[j]! > SILENT_STEPS ? 1 : 0
    silentCount += silent[j]!
  }
  const scale = 1 / (rows.count * d)
  let loss = 0
  for (let row = 0; row < rows.count; row++) {
    const at = row * d
    preActivate(model, rows.values, at, work.centred, work.activations)
    selectTop(work.activations, code, k)
    for (let c = 0; c < code.count; c++) firedAt[code.features[c]!] = step
    loss += scale * residual(model, code, rows.values, at, work.error, model.preBias)
    backward(training, code, work.error, -2 * scale, true)
    if (silentCount === 0) continue
    selectTop(work.activations, auxCode, auxSize, silent)
    // The error is a given here: the silent features learn what it lacks, and it does not learn from them.
    loss += AUX_WEIGHT * scale * residual(model, auxCode, work.error, 0, work.missing, null)
    backward(training, auxCode, work.missing, -2 * AUX_WEIGHT * scale, false)
  }
  return loss
}

/** What the code leaves of the row, in `into`; returns its square. */
function residual(
  model: Autoencoder,
  code: Code,
  values: Float64Array,
  at: number,
  into: Float64Array,
  bias: Float64Array | null,
): number {
  into.fill(0)
  addDecoded(model, code, into)
  let square = 0
  for (let i = 0; i < model.d; i++) {
    into[i] = values[at + i]! - into[i]! - (bias === null ? 0 : bias[i]!)
    square += into[i]! ** 2
  }
  return square
}

/** Adds the gradient of `factor / -2 * |left|^2` of one row, where `left` is what the code leaves. */
function backward(training: Training, code: Code, left: Float64Array, factor: number, decodesBias: boolean): void {
  const { model, work } = training
  const { d, encoder, decoder } = model
  const [ge, gd] = [training.encoder.gradient, training.decoder.gradient]
  const [gb, gp] = [training.encoderBias.gradient, training.preBias.gradient]
  if (decodesBias) for (let i = 0; i < d; i++) gp[i]! += factor * left[i]!
  for (let c = 0; c < code.count; c++) {
    const j = code.features[c]!
    const value = code.values[c]!
    const row = j * d
    let back = 0
    for (let i = 0; i < d; i++) {
      const g = factor * left[i]!
      back += g * decoder[row + i]!
      gd[row + i]! += g * value
    }
    gb[j]! += back
    for (let i = 0; i < d; i++) {
      ge[row + i]! += back * work.centred[i]!
      gp[i]! -= back * encoder[row + i]!
    }
  }
}
