/** The forward pass of the decoder: weights in F32, every sum in f64 and in the order of its index, so that the same
 *  tokens give the same bits on every run, whatever is computed beside them. */
import type { Tensor } from './safetensors.ts'

export interface ModelConfig {
  layers: number
  width: number
  heads: number
  hidden: number
  context: number
  vocabulary: number
  rope_base: number
  rms_epsilon: number
}

interface Layer {
  attentionNorm: Float32Array
  mlpNorm: Float32Array
  query: Float32Array
  key: Float32Array
  value: Float32Array
  output: Float32Array
  gate: Float32Array
  up: Float32Array
  down: Float32Array
}

export interface Model {
  config: ModelConfig
  embedding: Float32Array
  layers: readonly Layer[]
  finalNorm: Float32Array
  /** Of every position and frequency. */
  cos: Float64Array
  sin: Float64Array
}

export function toModel(config: ModelConfig, tensors: ReadonlyMap<string, Tensor>): Model {
  const { width, hidden, vocabulary, layers, heads, context, rope_base } = config
  const named = (name: string, ...shape: number[]): Float32Array => {
    const found = tensors.get(name)
    if (found === undefined || found.shape.join() !== shape.join())
      throw new TypeError(`the weights have no ${name} of ${shape.join(' x ')}`)
    return found.values
  }
  const layerOf = (index: number): Layer => {
    const of = (name: string, ...shape: number[]) => named(`layers.${index}.${name}`, ...shape)
    return {
      attentionNorm: of('attention_norm', width),
      mlpNorm: of('mlp_norm', width),
      query: of('query', width, width),
      key: of('key', width, width),
      value: of('value', width, width),
      output: of('output', width, width),
      gate: of('gate', hidden, width),
      up: of('up', hidden, width),
      down: of('down', width, hidden),
    }
  }
  const half = width / heads / 2
  const angle = (index: number) => Math.floor(index / half) * rope_base ** (-(index % half) / half)
  const table = (turn: (angle: number) => number) =>
    Float64Array.from({ length: context * half }, (_, index) => turn(angle(index)))
  return {
    config,
    embedding: named('embedding', vocabulary, width),
    layers: Array.from({ length: layers }, (_, index) => layerOf(index)),
    finalNorm: named('final_norm', width),
    cos: table(Math.cos),
    sin: table(Math.sin),
  }
}

/** Keys and values of the positions seen so far: what comes next is computed from them alone. */
export class Session {
  readonly #model: Model
  readonly #keys: readonly Float64Array[]
  readonly #values: readonly Float64Array[]
  #length = 0

  constructor(model: Model, capacity = model.config.context) {
    this.#model = model
    const rows = () =>
      model.layers.map(() => new Float64Array(Math.min(capacity, model.config.context) * model.config.width))
    this.#keys = rows()
    this.#values = rows()
  }

  get length(): number {
    return this.#length
  }

  /** Logits after each of these tokens, one row of the vocabulary for each; of the last one only where asked. */
  take(tokens: readonly number[], { lastOnly = false }: { lastOnly?: boolean } = {}): Float64Array {
    const { config, embedding, layers, finalNorm } = this.#model
    const { width, vocabulary, rms_epsilon: epsilon } = config
    const count = tokens.length
    if (count === 0 || (this.#length + count) * width > this.#keys[0]!.length)
      throw new RangeError('there is no room for these tokens')
    const state = new Float64Array(count * width)
    for (let row = 0; row < count; row++)
      for (let at = 0; at < width; at++) state[row * width + at] = embedding[tokens[row]! * width + at]!
    for (const [index, layer] of layers.entries()) {
      this.#attend(layer, index, state, count)
      this.#transform(layer, state, count)
    }
    this.#length += count
    const from = lastOnly ? count - 1 : 0
    const normed = normalised(state.subarray(from * width), finalNorm, count - from, epsilon)
    return multiplied(normed, embedding, count - from, width, vocabulary)
  }

  #attend(layer: Layer, index: number, state: Float64Array, count: number): void {
    const { width, heads, rms_epsilon: epsilon } = this.#model.config
    const normed = normalised(state, layer.attentionNorm, count, epsilon)
    const queries = multiplied(normed, layer.query, count, width, width)
    const keys = multiplied(normed, layer.key, count, width, width)
    this.#rotate(queries, count)
    this.#rotate(keys, count)
    const [allKeys, allValues] = [this.#keys[index]!, this.#values[index]!]
    allKeys.set(keys, this.#length * width)
    allValues.set(multiplied(normed, layer.value, count, width, width), this.#length * width)
    const mixed = new Float64Array(count * width)
    const size = width / heads
    const scores = new Float64Array(this.#length + count)
    for (let row = 0; row < count; row++)
      for (let head = 0; head < heads; head++)
        mixHead(queries, allKeys, allValues, scores, mixed, row * width + head * size, head * size, {
          ...{ width, size, seen: this.#length + row + 1 },
        })
    addTo(state, multiplied(mixed, layer.output, count, width, width))
  }

  #transform(layer: Layer, state: Float64Array, count: number): void {
    const { width, hidden, rms_epsilon: epsilon } = this.#model.config
    const normed = normalised(state, layer.mlpNorm, count, epsilon)
    const gate = multiplied(normed, layer.gate, count, width, hidden)
    const up = multiplied(normed, layer.up, count, width, hidden)
    for (let at = 0; at < gate.length; at++) gate[at] = (gate[at]! / (1 + Math.exp(-gate[at]!))) * up[at]!
    addTo(state, multiplied(gate, layer.down, count, hidden, width))
  }

  /** Coordinate i of a head is turned against coordinate i + half of it. */
  #rotate(rows: Float64Array, count: number): void {
    const { config, cos, sin } = this.#model
    const half = config.width / config.heads / 2
    for (let row = 0; row < count; row++)
      for (let head = 0; head < config.heads; head++)
        for (let at = 0; at < half; at++) {
          const one = row * config.width + head * 2 * half + at
          const turn = (this.#length + row) * half + at
          const a = rows[one]!
          const b = rows[one + half]!
          rows[one] = a * cos[turn]! - b * sin[turn]!
          rows[one + half] = b * cos[turn]! + a * sin[turn]!
        }
  }
}

function mixHead(
  queries: Float64Array,
  keys: Float64Array,
  values: Float64Array,
  scores: Float64Array,
  mixed: Float64Array,
  query: number,
  offset: number,
  { width, size, seen }: { width: number; size: number; seen: number },
): void {
  const scale = 1 / Math.sqrt(size)
  let most = Number.NEGATIVE_INFINITY
  for (let position = 0; position < seen; position++) {
    const key = position * width + offset
    let sum = 0
    for (let at = 0; at < size; at++) sum += queries[query + at]! * keys[key + at]!
    scores[position] = sum * scale
    if (sum * scale > most) most = sum * scale
  }
  let total = 0
  for (let position = 0; position < seen; position++) {
    const share = Math.exp(scores[position]! - most)
    scores[position] = share
    total += share
    const value = position * width + offset
    for (let at = 0; at < size; at++) mixed[query + at]! += share * values[value + at]!
  }
  for (let at = 0; at < size; at++) mixed[query + at]! /= total
}

function normalised(rows: Float64Array, gain: Float32Array, count: number, epsilon: number): Float64Array {
  const width = gain.length
  const normed = new Float64Array(count * width)
  for (let row = 0; row < count; row++) {
    let squares = 0
    for (let at = row * width; at < (row + 1) * width; at++) squares += rows[at]! * rows[at]!
    const factor = 1 / Math.sqrt(squares / width + epsilon)
    for (let at = 0; at < width; at++) normed[row * width + at] = rows[row * width + at]! * factor * gain[at]!
  }
  return normed
}

/** rows x transposed weights. Four rows and two outputs are summed side by side; each sum runs over its index from first
 *  to last, whatever is computed beside it, so one row alone gives the same bits. */
function multiplied(
  rows: Float64Array,
  weights: Float32Array,
  count: number,
  inner: number,
  outer: number,
): Float64Array {
  const result = new Float64Array(count * outer)
  let row = 0
  for (; row + 4 <= count; row += 4) multiplyFourRows(rows, weights, result, row, inner, outer)
  for (; row < count; row++) multiplyRow(rows, weights, result, row, inner, outer)
  return result
}

// One declaration for each number: the inner loops are compiled to registers, and a list would be made in every turn.
function multiplyFourRows(
  rows: Float64Array,
  weights: Float32Array,
  result: Float64Array,
  row: number,
  inner: number,
  outer: number,
): void {
  const r0 = row * inner
  const r1 = r0 + inner
  const r2 = r1 + inner
  const r3 = r2 + inner
  for (let out = 0; out < outer; out += 2) {
    const w0 = out * inner
    const w1 = w0 + inner
    let a0 = 0
    let a1 = 0
    let a2 = 0
    let a3 = 0
    let b0 = 0
    let b1 = 0
    let b2 = 0
    let b3 = 0
    for (let at = 0; at < inner; at++) {
      const p = weights[w0 + at]!
      const q = weights[w1 + at]!
      const x = rows[r0 + at]!
      const y = rows[r1 + at]!
      const z = rows[r2 + at]!
      const u = rows[r3 + at]!
      a0 += x * p
      a1 += y * p
      a2 += z * p
      a3 += u * p
      b0 += x * q
      b1 += y * q
      b2 += z * q
      b3 += u * q
    }
    const first = row * outer + out
    result[first] = a0
    result[first + 1] = b0
    result[first + outer] = a1
    result[first + outer + 1] = b1
    result[first + 2 * outer] = a2
    result[first + 2 * outer + 1] = b2
    result[first + 3 * outer] = a3
    result[first + 3 * outer + 1] = b3
  }
}

function multiplyRow(
  rows: Float64Array,
  weights: Float32Array,
  result: Float64Array,
  row: number,
  inner: number,
  outer: number,
): void {
  const one = row * inner
  for (let out = 0; out < outer; out += 4) {
    const w0 = out * inner
    const w1 = w0 + inner
    const w2 = w1 + inner
    const w3 = w2 + inner
    let a0 = 0
    let a1 = 0
    let a2 = 0
    let a3 = 0
    for (let at = 0; at < inner; at++) {
      const x = rows[one + at]!
      a0 += x * weights[w0 + at]!
      a1 += x * weights[w1 + at]!
      a2 += x * weights[w2 + at]!
      a3 += x * weights[w3 + at]!
    }
    const first = row * outer + out
    result[first] = a0
    result[first + 1] = a1
    result[first + 2] = a2
    result[first + 3] = a3
  }
}

function addTo(state: Float64Array, more: Float64Array): void {
  for (let at = 0; at < state.length; at++) state[at]! += more[at]!
}
