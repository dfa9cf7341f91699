// Strict codecs: every byte string has exactly one text that decodes to it, so nothing signed or hashed can be
// respelled and still pass. Decoders answer null on anything else; the caller says what was wrong with the input.

type Alphabet = 'base64' | 'base64url'

/** Base64 here is always padded. Hex decoding takes either case; `hexDecode` narrows it. */
export type TextCodec = {
  fromBase64(text: string, alphabet: Alphabet): Uint8Array | null
  toBase64(bytes: Uint8Array, alphabet: Alphabet): string
  fromHex(text: string): Uint8Array | null
  toHex(bytes: Uint8Array): string
}

const LETTERS: Record<Alphabet, string> = {
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
}

const pure: TextCodec = {
  /** Reads up to the first foreign character; padding, trailing bits and leftovers are judged by encoding back. */
  fromBase64(text, alphabet) {
    const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
    let bits = 0
    let bitCount = 0
    let size = 0
    for (const letter of text) {
      const value = LETTERS[alphabet].indexOf(letter)
      if (value < 0) break
      bits = ((bits << 6) | value) & 0xfff
      bitCount += 6
      if (bitCount < 8) continue
      bitCount -= 8
      bytes[size++] = bits >> bitCount
    }
    const found = bytes.slice(0, size)
    return pure.toBase64(found, alphabet) === text ? found : null
  },
  toBase64(bytes, alphabet) {
    const letters = LETTERS[alphabet]
    let out = ''
    for (let i = 0; i < bytes.length; i += 3) {
      const [a = 0, b = 0, c = 0] = bytes.subarray(i, i + 3)
      const word = (a << 16) | (b << 8) | c
      for (let j = 0; j < 4; j++) out += i + j > bytes.length ? '=' : letters.charAt((word >> (18 - 6 * j)) & 63)
    }
    return out
  },
  fromHex(text) {
    if (text.length % 2 !== 0 || /[^0-9a-fA-F]/.test(text)) return null
    return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))
  },
  toHex: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
}

type NativeFrom = {
  fromBase64(text: string, options: { alphabet: Alphabet; lastChunkHandling: 'strict' }): Uint8Array
  fromHex(text: string): Uint8Array
}
type NativeTo = { toBase64(options: { alphabet: Alphabet }): string; toHex(): string }

const from = Uint8Array as unknown as NativeFrom
const to = (bytes: Uint8Array): NativeTo => bytes as unknown as NativeTo

const native: TextCodec = {
  /** The native decoder skips ASCII whitespace: a text longer than the canonical one for its bytes had some. */
  fromBase64(text, alphabet) {
    const bytes = nullIfRefused(() => from.fromBase64(text, { alphabet, lastChunkHandling: 'strict' }))
    return bytes && text.length === 4 * Math.ceil(bytes.length / 3) ? bytes : null
  },
  toBase64: (bytes, alphabet) => to(bytes).toBase64({ alphabet }),
  fromHex: (text) => nullIfRefused(() => from.fromHex(text)),
  toHex: (bytes) => to(bytes).toHex(),
}

function nullIfRefused(decode: () => Uint8Array): Uint8Array | null {
  try {
    return decode()
  } catch {
    return null
  }
}

/** Both engines, for the tests that hold them to the same answers. Browsers before 2025 have only the pure one. */
export const textCodecs: { pure: TextCodec; native: TextCodec | null } = {
  pure,
  native: typeof from.fromBase64 === 'function' && typeof from.fromHex === 'function' ? native : null,
}
const codec = textCodecs.native ?? pure

/** Standard alphabet, padding required, trailing bits zero, no whitespace. */
export const base64Decode = (text: string): Uint8Array | null => codec.fromBase64(text, 'base64')
export const base64Encode = (bytes: Uint8Array): string => codec.toBase64(bytes, 'base64')

/** URL alphabet, padding forbidden, trailing bits zero, no whitespace. */
export function base64urlDecode(text: string): Uint8Array | null {
  return text.includes('=') ? null : codec.fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, '='), 'base64url')
}
export const base64urlEncode = (bytes: Uint8Array): string => codec.toBase64(bytes, 'base64url').replace(/=+$/, '')

export const hexEncode = (bytes: Uint8Array): string => codec.toHex(bytes)
/** Lowercase only, as digests are written, unless the caller asks otherwise: two spellings would be two identities. */
export function hexDecode(text: string, options: { anyCase?: boolean } = {}): Uint8Array | null {
  return !options.anyCase && /[A-F]/.test(text) ? null : codec.fromHex(text)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Throws on a lone surrogate: TextEncoder would replace it, and two different texts would share their bytes. */
export function utf8Encode(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new RangeError('a string with a lone surrogate has no UTF-8 form')
  return encoder.encode(text)
}

/** A byte order mark is kept, so that what was decoded encodes to the same bytes. */
export function utf8Decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** Exactly one block of this label (RFC 7468), nothing but white space around it. */
export function pemDecode(text: string, label: string): Uint8Array | null {
  const begin = `-----BEGIN ${label}-----`
  const end = `-----END ${label}-----`
  const block = text.trim()
  if (block.length < begin.length + end.length || !block.startsWith(begin) || !block.endsWith(end)) return null
  const body = block.slice(begin.length, -end.length)
  if (!/^\r?\n/.test(body) || !body.endsWith('\n')) return null
  return base64Decode(body.replace(/\r?\n/g, ''))
}

export function pemEncode(bytes: Uint8Array, label: string): string {
  const lines = base64Encode(bytes).match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

const SEQUENCE = 0x30
const INTEGER = 0x02

/**
 * A strict DER ECDSA-Sig-Value as r || s of 32 bytes each. BER spellings (long lengths, padded or negative integers,
 * trailing bytes) are refused: openssl and a browser must agree on which bytes are a signature. At P-256 the whole
 * value is at most 72 bytes, so the short form is the only length DER allows. The range of r and s is judged later.
 */
export function derToRaw(der: Uint8Array): Uint8Array | null {
  if (der.length < 8 || der.length > 72 || der[0] !== SEQUENCE || der[1] !== der.length - 2) return null
  const raw = new Uint8Array(64)
  const afterR = readInteger(der, 2, raw, 32)
  if (afterR === null) return null
  return readInteger(der, afterR, raw, 64) === der.length ? raw : null
}

/** Writes the integer at `at` into the 32 bytes of `raw` before `end`, right-aligned; the offset after it, or null. */
function readInteger(der: Uint8Array, at: number, raw: Uint8Array, end: number): number | null {
  const size = der[at + 1] ?? 0
  const start = at + 2
  if (der[at] !== INTEGER || size < 1 || size > 33 || start + size > der.length) return null
  const lead = der[start] as number
  const next = der[start + 1] as number
  if (lead > 0x7f || (lead === 0 && size > 1 && next < 0x80)) return null
  const digits = lead === 0 ? size - 1 : size
  if (digits > 32) return null
  for (let back = 1; back <= digits; back += 1) raw[end - back] = der[start + size - back] as number
  return start + size
}

export function rawToDer(raw: Uint8Array): Uint8Array {
  if (raw.length !== 64) throw new RangeError('a raw P-256 signature is 64 bytes')
  const body = [...integer(raw.subarray(0, 32)), ...integer(raw.subarray(32))]
  return Uint8Array.of(SEQUENCE, body.length, ...body)
}

function integer(digits: Uint8Array): number[] {
  const first = digits.findIndex((byte) => byte !== 0)
  const minimal = first < 0 ? [0] : [...digits.subarray(first)]
  if ((minimal[0] as number) > 0x7f) minimal.unshift(0)
  return [INTEGER, minimal.length, ...minimal]
}

/** SEQUENCE { SEQUENCE { id-ecPublicKey, prime256v1 }, BIT STRING } up to the point: fixed for every such key. */
const SPKI_PREFIX = hexDecode('3059301306072a8648ce3d020106082a8648ce3d030107034200') as Uint8Array
const POINT_SIZE = 65

/** The 65-byte uncompressed point of a P-256 SubjectPublicKeyInfo; any other key, curve or point form is null. */
export function spkiToPoint(der: Uint8Array): Uint8Array | null {
  if (der.length !== SPKI_PREFIX.length + POINT_SIZE || der[SPKI_PREFIX.length] !== 0x04) return null
  return SPKI_PREFIX.every((byte, i) => der[i] === byte) ? new Uint8Array(der.subarray(SPKI_PREFIX.length)) : null
}

export function pointToSpki(point: Uint8Array): Uint8Array {
  if (point.length !== POINT_SIZE || point[0] !== 0x04) throw new RangeError('an uncompressed P-256 point is 65 bytes')
  const spki = new Uint8Array(SPKI_PREFIX.length + POINT_SIZE)
  spki.set(SPKI_PREFIX)
  spki.set(point, SPKI_PREFIX.length)
  return spki
}
