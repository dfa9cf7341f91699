/** How well a model gives back rows it is shown, and which features it uses for it. */
import { type Autoencoder, addDecoded, type Code, emptyCode, preActivate, selectTop } from './autoencoder.ts'
import type { Rows } from './data.ts'

interface Reconstruction {
  fvu: number
  mse: number
  cosine: number
  l0Mean: number
}

/** Called for every row with its code and what the model makes of it; both are used again for the next row. */
type Visit = (row: number, code: Code, decoded: Float64Array) => void

export function reconstruct(
  model: Autoencoder,
  { count, values }: Rows,
  visit: Visit = () => undefined,
): Reconstruction {
  const { d, n, k } = model
  const [centred, activations, decoded] = [new Float64Array(d), new Float64Array(n), new Float64Array(d)]
  const code = emptyCode(k)
  let [squares, cosines, codes] = [0, 0, 0]
  for (let row = 0; row < count; row++) {
    const at = row * d
    preActivate(model, values, at, centred, activations)
    selectTop(activations, code, k)
    decoded.set(model.preBias)
    addDecoded(model, code, decoded)
    codes += code.count
    let square = 0
    let dot = 0
    let given = 0
    let made = 0
    for (let i = 0; i < d; i++) {
      const x = values[at + i]!
      const y = decoded[i]!
      square += (x - y) ** 2
      dot += x * y
      given += x * x
      made += y * y
    }
    squares += square
    cosines += given > 0 && made > 0 ? dot / Math.sqrt(given * made) : 0
    visit(row, code, decoded)
  }
  const total = squaresAroundMean(values, count, d)
  return { fvu: squares / total, mse: squares / (count * d), cosine: cosines / count, l0Mean: codes / count }
}

function squaresAroundMean(values: Float64Array, count: number, d: number): number {
  const mean = new Float64Array(d)
  for (let at = 0; at < count * d; at += d) for (let i = 0; i < d; i++) mean[i]! += values[at + i]! / count
  let sum = 0
  for (let at = 0; at < count * d; at += d) for (let i = 0; i < d; i++) sum += (values[at + i]! - mean[i]!) ** 2
  return sum
}
