/** Reads gzip (RFC 1952), zlib (1950) and what is inside both (1951) within a bound. By hand, for a text is examined in one synchronous walk and domain code
 *  knows neither node nor a stream; null for everything that is not whole members of at most so many bytes together. */
import { breaksUtf8 } from './code-points.ts'

interface Bits {
  bytes: Uint8Array
  at: number
  buffer: number
  count: number
}

interface Huffman {
  counts: Uint16Array
  symbols: Uint16Array
}

class NotDeflated extends Error {}
/** Made once: most of what is tried is nothing of the kind, and to note the stack takes longer than to find that out. */
const NOT_DEFLATED = new NotDeflated()

const HEADER = 10
const MAX_BITS = 15
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

const NO_BYTES = new Uint8Array(0)

/** Bytes that grow as they come; where they are to be text, only those that may be. */
class Output {
  size = 0
  bytes = NO_BYTES
  private before = 0
  private readonly isText: boolean

  constructor(kind: 'text' | 'bytes') {
    this.isText = kind === 'text'
  }

  clear(): void {
    this.size = 0
    this.before = 0
  }

  push(byte: number): void {
    if (this.isText && breaksUtf8(this.before, byte)) throw NOT_DEFLATED
    this.before = byte
    if (this.size === this.bytes.length) {
      const larger = new Uint8Array(Math.max(1024, 2 * this.size))
      larger.set(this.bytes)
      this.bytes = larger
    }
    this.bytes[this.size++] = byte
  }
}

export const isGzip = (bytes: Uint8Array): boolean =>
  bytes.length > HEADER + 8 && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8

/** All members behind one another, as a reader downstream would. */
export function gunzip(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  const out = new Output('bytes')
  try {
    for (let rest = bytes; rest.length > 0; ) {
      if (!isGzip(rest)) return null
      const bits = { bytes: rest.subarray(bodyAt(rest)), at: 0, buffer: 0, count: 0 }
      inflate(bits, out, maxBytes)
      if (bits.at + TRAILER > bits.bytes.length) return null
      rest = bits.bytes.subarray(bits.at + TRAILER)
    }
    return out.bytes.subarray(0, out.size)
  } catch (refused) {
    if (refused instanceof NotDeflated) return null
    throw refused
  }
}

const MIN_DEFLATED = 12
/** A checksum. */
const ZLIB_TRAILER = 4

/** For what may be compressed: most of it is not, and needs no room of its own. */
const tried = new Output('text')

/** UTF-8 without a header or with that of zlib; all of it, or it was something else. */
export function inflated(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  if (bytes.length < MIN_DEFLATED) return null
  const [first, second] = [bytes[0] as number, bytes[1] as number]
  const isZlib = (first & 15) === 8 && (256 * first + second) % 31 === 0
  const bits = { bytes: isZlib ? bytes.subarray(2, -ZLIB_TRAILER) : bytes, at: 0, buffer: 0, count: 0 }
  tried.clear()
  try {
    inflate(bits, tried, maxBytes)
  } catch (refused) {
    if (refused instanceof NotDeflated) return null
    throw refused
  }
  return bits.at === bits.bytes.length ? tried.bytes.slice(0, tried.size) : null
}

/** Checksum and size. */
const TRAILER = 8
const [HEADER_CHECK, EXTRA, NAME, COMMENT] = [2, 4, 8, 16]

/** Behind the optional fields: what `gzip` itself puts there is the name of the file. */
function bodyAt(bytes: Uint8Array): number {
  const flags = bytes[3] as number
  let at = HEADER
  if ((flags & EXTRA) !== 0) at += 2 + (bytes[at] as number) + 256 * (bytes[at + 1] as number)
  for (const field of [NAME, COMMENT]) {
    if ((flags & field) === 0) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) throw NOT_DEFLATED
    at = end + 1
  }
  return at + ((flags & HEADER_CHECK) !== 0 ? 2 : 0)
}

function inflate(bits: Bits, out: Output, maxBytes: number): void {
  for (let last = 0; last === 0; ) {
    last = take(bits, 1)
    const kind = take(bits, 2)
    if (kind === 0) stored(bits, out, maxBytes)
    else if (kind === 1) compressed(bits, out, maxBytes, FIXED_LENGTHS, FIXED_DISTANCES)
    else if (kind === 2) compressed(bits, out, maxBytes, ...dynamicTables(bits))
    else throw NOT_DEFLATED
  }
}

function take(bits: Bits, need: number): number {
  while (bits.count < need) {
    const byte = bits.bytes[bits.at++]
    if (byte === undefined) throw NOT_DEFLATED
    bits.buffer |= byte << bits.count
    bits.count += 8
  }
  const value = bits.buffer & ((1 << need) - 1)
  bits.buffer >>>= need
  bits.count -= need
  return value
}

function stored(bits: Bits, out: Output, maxBytes: number): void {
  bits.buffer = 0
  bits.count = 0
  const size = take(bits, 8) | (take(bits, 8) << 8)
  const complement = take(bits, 8) | (take(bits, 8) << 8)
  if ((size ^ complement) !== 0xffff) throw NOT_DEFLATED
  if (out.size + size > maxBytes || bits.at + size > bits.bytes.length) throw NOT_DEFLATED
  for (let i = 0; i < size; i++) out.push(bits.bytes[bits.at++] as number)
}

/** More codes than there is room for are no table, nor are fewer, but for one alone or none. */
function tableOf(lengths: readonly number[]): Huffman {
  const counts = new Uint16Array(MAX_BITS + 1)
  for (const length of lengths) counts[length] = (counts[length] as number) + 1
  counts[0] = 0
  let [room, longest] = [1, 0]
  for (let length = 1; length <= MAX_BITS; length++) {
    room = 2 * room - (counts[length] as number)
    if (room < 0) throw NOT_DEFLATED
    if (counts[length] !== 0) longest = length
  }
  if (room > 0 && longest > 1) throw NOT_DEFLATED
  const offsets = new Uint16Array(MAX_BITS + 2)
  for (let length = 1; length <= MAX_BITS; length++)
    offsets[length + 1] = (offsets[length] as number) + (counts[length] as number)
  const symbols = new Uint16Array(lengths.length)
  lengths.forEach((length, symbol) => {
    if (length === 0) return
    symbols[offsets[length] as number] = symbol
    offsets[length] = (offsets[length] as number) + 1
  })
  return { counts, symbols }
}

function symbolOf(bits: Bits, { counts, symbols }: Huffman): number {
  let [code, first, index] = [0, 0, 0]
  for (let length = 1; length <= MAX_BITS; length++) {
    if (bits.count === 0) code |= take(bits, 1)
    else {
      code |= bits.buffer & 1
      bits.buffer >>>= 1
      bits.count--
    }
    const count = counts[length] as number
    if (code - count < first) return symbols[index + (code - first)] as number
    index += count
    first = (first + count) << 1
    code <<= 1
  }
  throw NOT_DEFLATED
}

const row = (length: number, count: number): number[] => new Array<number>(count).fill(length)
const FIXED_LENGTHS = tableOf([...row(8, 144), ...row(9, 112), ...row(7, 24), ...row(8, 8)])
const FIXED_DISTANCES = tableOf(row(5, 32))
const [MAX_LITERALS, MAX_DISTANCES, END] = [286, 30, 256]

function dynamicTables(bits: Bits): [Huffman, Huffman] {
  const [literals, distances, codes] = [take(bits, 5) + 257, take(bits, 5) + 1, take(bits, 4) + 4]
  if (literals > MAX_LITERALS || distances > MAX_DISTANCES) throw NOT_DEFLATED
  const orders = row(0, 19)
  for (let i = 0; i < codes; i++) orders[ORDER[i] as number] = take(bits, 3)
  const table = tableOf(orders)
  const lengths: number[] = []
  while (lengths.length < literals + distances) {
    const symbol = symbolOf(bits, table)
    if (symbol < 16) lengths.push(symbol)
    else {
      const length = symbol === 16 ? (lengths.at(-1) ?? 0) : 0
      const count = symbol === 16 ? 3 + take(bits, 2) : symbol === 17 ? 3 + take(bits, 3) : 11 + take(bits, 7)
      for (let i = 0; i < count; i++) lengths.push(length)
    }
  }
  if (lengths.length > literals + distances || lengths[END] === 0) throw NOT_DEFLATED
  return [tableOf(lengths.slice(0, literals)), tableOf(lengths.slice(literals))]
}

/** Lengths grow by one for a while, then by twice as much with every further bit; distances likewise. */
function extended(symbol: number, first: number, group: number, bits: Bits): number {
  if (symbol < 2 * group) return symbol + first
  const extra = Math.floor(symbol / group) - 1
  return first + (((symbol % group) + group) << extra) + take(bits, extra)
}

const LONGEST = 28
/** Codes for more are not in use. */
const MAX_DISTANCE = 32_768

function compressed(bits: Bits, out: Output, maxBytes: number, lengths: Huffman, distances: Huffman): void {
  for (;;) {
    const symbol = symbolOf(bits, lengths)
    if (symbol === END) return
    if (out.size >= maxBytes) throw NOT_DEFLATED
    if (symbol < 256) {
      out.push(symbol)
      continue
    }
    const length = symbol - 257 === LONGEST ? 258 : extended(symbol - 257, 3, 4, bits)
    const distance = extended(symbolOf(bits, distances), 1, 2, bits)
    if (distance > Math.min(out.size, MAX_DISTANCE) || out.size + length > maxBytes) throw NOT_DEFLATED
    for (let i = 0; i < length; i++) out.push(out.bytes[out.size - distance] as number)
  }
}
