/** Training: a fresh batch, its gradient, one step of the optimiser, again and again. */
import { ADAM } from './adam.ts'
import type { Autoencoder } from './autoencoder.ts'
import { type DataSource, emptyRows, normalise, type Rows } from './data.ts'
import { accumulate, openTraining, type Training } from './gradient.ts'

/** The share of the steps, at the end, over which the rate falls to zero. */
const DECAY_SHARE = 0.2
const CURVE_POINTS = 20
/** Rows that the trained model is shown again, to compare with those it never saw. */
const MAX_TRAINED_ROWS = 1024

interface Trained {
  /** The mean loss over equal parts of the training, first to last. */
  lossCurve: number[]
  /** The newest rows that were trained on. */
  trainedRows: Rows
}

export function train(
  model: Autoencoder,
  data: DataSource,
  { steps, batch }: { steps: number; batch: number },
  progress: (done: number, total: number) => void,
): Trained {
  const training = openTraining(model)
  const rows = emptyRows(batch, model.d, data.activePerRow)
  const newest = new NewestRows(Math.min(MAX_TRAINED_ROWS, steps * batch), model.d, data.activePerRow)
  const lossCurve = new Array<number>(CURVE_POINTS).fill(0)
  const perPoint = steps / CURVE_POINTS
  for (let step = 1; step <= steps; step++) {
    data.draw(rows)
    newest.push(rows)
    lossCurve[Math.floor((step - 1) / perPoint)]! += accumulate(training, rows, step) / perPoint
    update(training, step, rateAt(step, steps))
    progress(step, steps)
  }
  return { lossCurve, trainedRows: newest.rows() }
}

/** Constant, then down to nothing in a straight line. */
const rateAt = (step: number, steps: number): number =>
  ADAM.rate * Math.min(1, (steps - step + 1) / (DECAY_SHARE * steps))

/** The decoder moves on the sphere: the part of its gradient along each row is taken out, and the row made a unit again. */
function update({ model, encoder, decoder, encoderBias, preBias }: Training, step: number, rate: number): void {
  const { d, n } = model
  const gradient = decoder.gradient
  for (let j = 0, row = 0; j < n; j++, row += d) {
    let along = 0
    for (let i = row; i < row + d; i++) along += gradient[i]! * model.decoder[i]!
    for (let i = row; i < row + d; i++) gradient[i]! -= along * model.decoder[i]!
  }
  for (const parameters of [encoder, decoder, encoderBias, preBias]) parameters.apply(step, rate)
  for (let j = 0; j < n; j++) normalise(model.decoder, j * d, d)
}

/** The newest rows that went by. */
class NewestRows {
  readonly #rows: Rows
  readonly #d: number
  readonly #active: number
  #next = 0

  constructor(count: number, d: number, active: number) {
    this.#rows = emptyRows(count, d, active)
    this.#d = d
    this.#active = active
  }

  push({ count, values, active }: Rows): void {
    for (let row = 0; row < count; row++, this.#next = (this.#next + 1) % this.#rows.count) {
      this.#rows.values.set(values.subarray(row * this.#d, (row + 1) * this.#d), this.#next * this.#d)
      this.#rows.active.set(active.subarray(row * this.#active, (row + 1) * this.#active), this.#next * this.#active)
    }
  }

  rows(): Rows {
    return this.#rows
  }
}
