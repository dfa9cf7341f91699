/** Weights as the safetensors format holds them: a header of names, shapes and places, then the numbers in F16. */

export interface Tensor {
  shape: readonly number[]
  values: Float32Array
}

const MAX_HEADER = 1_000_000

/** Refuses whatever is not exactly what the header says: no gap, no overlap, no byte too many. */
export function readSafetensors(bytes: Uint8Array): Map<string, Tensor> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = bytes.length < 8 ? Number.POSITIVE_INFINITY : Number(view.getBigUint64(0, true))
  if (length > MAX_HEADER || 8 + length > bytes.length) throw new TypeError('the weights have no readable header')
  const header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(8, 8 + length)))
  const rows = Object.entries(header as Record<string, { dtype: string; shape: number[]; data_offsets: number[] }>)
    .filter(([name]) => name !== '__metadata__')
    .sort(([, one], [, other]) => one.data_offsets[0]! - other.data_offsets[0]!)
  const tensors = new Map<string, Tensor>()
  let at = 0
  for (const [name, { dtype, shape, data_offsets: place }] of rows) {
    const count = shape.reduce((product, each) => product * each, 1)
    if (dtype !== 'F16' || place[0] !== at || place[1] !== at + 2 * count)
      throw new TypeError(`the tensor ${name} is not where or what the header says`)
    tensors.set(name, { shape, values: fromHalf(view, 8 + length + at, count) })
    at += 2 * count
  }
  if (8 + length + at !== bytes.length) throw new TypeError('the weights are longer or shorter than their header says')
  return tensors
}

function fromHalf(view: DataView, start: number, count: number): Float32Array {
  const values = new Float32Array(count)
  for (let index = 0; index < count; index++) values[index] = halfToNumber(view.getUint16(start + 2 * index, true))
  return values
}

/** IEEE 754 binary16: every value of it is a binary32 too. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
