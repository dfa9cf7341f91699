import { unitAt } from './code-points.ts'
import { int32s, uint16s } from './slab.ts'

/** A text derived from the caller's, where every UTF-16 unit still knows the raw code points it came from. */
export interface MappedText {
  text: string
  /** Raw code point offset where the source of unit i begins, and where it ends. */
  startOffsets: Int32Array
  endOffsets: Int32Array
}

export interface Span {
  start: number
  end: number
}

/** The raw span of units from..to. The first and the last unit bound it: no view reorders but the reversed one. */
export function spanOf({ startOffsets, endOffsets }: MappedText, from: number, to: number): Span {
  if (to <= from) return { start: startOffsets[from] ?? 0, end: startOffsets[from] ?? 0 }
  const last = to - 1
  return {
    start: Math.min(startOffsets[from] as number, startOffsets[last] as number),
    end: Math.max(endOffsets[from] as number, endOffsets[last] as number),
  }
}

/** The first of `count` places for which this holds, by halving: it holds for all behind the first. `count` where none does. */
export function firstPlace(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** The raw text of a span. */
export function rawSlice({ text, startOffsets }: MappedText, { start, end }: Span): string {
  const unitAt = (point: number): number =>
    firstPlace(startOffsets.length, (at) => (startOffsets[at] as number) >= point)
  return text.slice(unitAt(start), unitAt(end))
}

const COUNTED = 4096
/** 0, 1, 2, ...: where every unit is a code point, units and code points have the same numbers. */
const NUMBERS = Int32Array.from({ length: COUNTED + 1 }, (_, at) => at)
const SURROGATE = /[\ud800-\udfff]/

export function rawText(text: string): MappedText {
  const { length } = text
  if (length <= COUNTED && !SURROGATE.test(text))
    return { text, startOffsets: NUMBERS.subarray(0, length), endOffsets: NUMBERS.subarray(1, length + 1) }
  const startOffsets = int32s(length)
  const endOffsets = int32s(length)
  let point = 0
  for (let unit = 0; unit < length; unit++) {
    const wide = isPair(text, unit)
    startOffsets[unit] = point
    endOffsets[unit] = point + 1
    if (wide) {
      startOffsets[++unit] = point
      endOffsets[unit] = point + 1
    }
    point++
  }
  return { text, startOffsets, endOffsets }
}

export const partOf = ({ text, startOffsets, endOffsets }: MappedText, from: number, to: number): MappedText => ({
  text: text.slice(from, to),
  startOffsets: startOffsets.subarray(from, to),
  endOffsets: endOffsets.subarray(from, to),
})

/** What stands in these ranges of units; each unit still knows where in the whole it comes from. */
export function extracted(
  { text, startOffsets, endOffsets }: MappedText,
  ranges: readonly { from: number; to: number }[],
): MappedText {
  const taken = { startOffsets: int32s(text.length), endOffsets: int32s(text.length) }
  let length = 0
  for (const { from, to } of ranges) {
    taken.startOffsets.set(startOffsets.subarray(from, to), length)
    taken.endOffsets.set(endOffsets.subarray(from, to), length)
    length += to - from
  }
  return {
    text: ranges.map(({ from, to }) => text.slice(from, to)).join(''),
    startOffsets: taken.startOffsets.subarray(0, length),
    endOffsets: taken.endOffsets.subarray(0, length),
  }
}

/** Every unit of a decoded text stands for the whole encoded run. */
export function wholeRun(text: string, { start, end }: Span): MappedText {
  return { text, startOffsets: int32s(text.length).fill(start), endOffsets: int32s(text.length).fill(end) }
}

export class MappedWriter {
  private size = 0
  private units: Uint16Array
  private startOffsets: Int32Array
  private endOffsets: Int32Array

  constructor(capacity: number) {
    this.units = uint16s(capacity)
    this.startOffsets = int32s(capacity)
    this.endOffsets = int32s(capacity)
  }

  get length(): number {
    return this.size
  }

  unit(code: number, start: number, end: number): void {
    if (this.size === this.units.length) this.grow()
    this.units[this.size] = code
    this.startOffsets[this.size] = start
    this.endOffsets[this.size++] = end
  }

  push(text: string, start: number, end: number): void {
    for (let i = 0; i < text.length; i++) this.unit(text.charCodeAt(i), start, end)
  }

  done(): MappedText {
    return {
      text: stringOf(this.units.subarray(0, this.size)),
      startOffsets: this.startOffsets.subarray(0, this.size),
      endOffsets: this.endOffsets.subarray(0, this.size),
    }
  }

  private grow(): void {
    const capacity = Math.max(2 * this.units.length, 64)
    const units = uint16s(capacity)
    units.set(this.units)
    this.units = units
    this.startOffsets = grown(this.startOffsets, capacity)
    this.endOffsets = grown(this.endOffsets, capacity)
  }
}

/** Where every unit becomes an argument of one call; a string put together from several calls is read slower. */
const MAX_ARGUMENTS = 256
export function stringOf(units: Uint16Array): string {
  if (units.length <= MAX_ARGUMENTS) return String.fromCharCode.apply(null, units as unknown as number[])
  const bytes = Buffer.from(units.buffer, units.byteOffset, units.byteLength)
  return areLatin1(units) ? latin1Of(new Uint8Array(units)) : bytes.toString('utf16le')
}

export const latin1Of = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('latin1')

function areLatin1(units: Uint16Array): boolean {
  let bits = 0
  for (let at = 0; at < units.length; at++) bits |= units[at] as number
  return bits < 256
}

function grown(array: Int32Array, capacity: number): Int32Array {
  const larger = int32s(capacity)
  larger.set(array)
  return larger
}

function isPair(text: string, unit: number): boolean {
  return (text.charCodeAt(unit) & 0xfc00) === 0xd800 && (unitAt(text, unit + 1) & 0xfc00) === 0xdc00
}
