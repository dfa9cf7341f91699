// RFC 8785 (JCS): the one byte form of everything that is hashed or signed. A value that has no single JSON form is
// refused, never repaired: what JSON.stringify would drop or rewrite in silence must not change under a signature.

const MAX_DEPTH = 512
/** Python's repr turns to an exponent below this magnitude, JavaScript only below 1e-6. */
const SMALLEST_PORTABLE_DECIMAL = 1e-4

export class CanonicalError extends Error {
  readonly path: (string | number)[]
  readonly reason: string

  constructor(path: (string | number)[], reason: string) {
    super(`no canonical form: ${reason} at ${path.length === 0 ? 'the root' : path.join('.')}`)
    this.name = 'CanonicalError'
    this.path = path
    this.reason = reason
  }
}

export const canonicalize = (value: unknown): string => new Writer(false).write(value, 0)

/**
 * The canonical form of a value that `assertPortable` accepts, in one walk. What is hashed is written with this, so
 * that json.dumps(sort_keys=True, separators=(",",":"), ensure_ascii=False) gives a Python verifier the same bytes.
 */
export const canonicalizePortable = (value: unknown): string => new Writer(true).write(value, 0)

const encoder = new TextEncoder()
export const canonicalBytes = (value: unknown): Uint8Array => encoder.encode(canonicalize(value))
export const canonicalBytesPortable = (value: unknown): Uint8Array => encoder.encode(canonicalizePortable(value))

/**
 * Python sorts keys by code point where JCS sorts by UTF-16 unit: keys are ASCII. It keeps integers beyond 2^53 that
 * a double rounds: integers are safe. It prints 0.00005 as 5e-05 and -0 as -0: neither may occur.
 */
export function assertPortable(value: unknown): void {
  canonicalizePortable(value)
}

/**
 * A score to 6 decimals, portable as long as it is below 2^53: under 0.0001, where Python turns to an exponent, only
 * 0 and 0.0001 are left. toFixed rounds the exact binary value, so every engine gives the same digits.
 */
export function round6(n: number): number {
  if (!Number.isFinite(n)) throw new CanonicalError([], 'a number that is not finite')
  const rounded = Number(n.toFixed(6))
  const small = Math.abs(rounded) < SMALLEST_PORTABLE_DECIMAL
  return (small ? Number(n.toFixed(4)) : rounded) + 0
}

class Writer {
  private readonly portable: boolean
  private readonly path: (string | number)[] = []

  constructor(portable: boolean) {
    this.portable = portable
  }

  write(value: unknown, depth: number): string {
    switch (typeof value) {
      case 'string':
        return this.string(value, depth)
      case 'number':
        return this.number(value, depth)
      case 'boolean':
        return value ? 'true' : 'false'
      case 'object':
        if (value === null) return 'null'
        if (depth >= MAX_DEPTH) this.fail('nesting that is too deep or never ends', depth)
        return Array.isArray(value) ? this.array(value, depth) : this.object(value, depth)
      default:
        return this.fail(`a value of type ${typeof value}`, depth)
    }
  }

  private array(items: unknown[], depth: number): string {
    let out = '['
    for (let i = 0; i < items.length; i++) {
      this.path[depth] = i
      if (i > 0) out += ','
      out += this.write(items[i], depth + 1)
    }
    return `${out}]`
  }

  private object(value: object, depth: number): string {
    if (!isPlain(value)) this.fail('an object that is not plain data', depth)
    const record = value as Record<string, unknown>
    let out = '{'
    for (const key of sortedKeys(record)) {
      this.path[depth] = key
      if (out.length > 1) out += ','
      out += this.key(key, depth + 1) + this.write(record[key], depth + 1)
    }
    return `${out}}`
  }

  private key(key: string, depth: number): string {
    const known = quotedKeys.get(key)
    if (known !== undefined) return known
    if (NOT_ASCII.test(key)) {
      if (this.portable) this.fail('a key that is not ASCII', depth)
      return `${this.string(key, depth)}:`
    }
    return remember(key, `${this.string(key, depth)}:`)
  }

  /** JSON.stringify escapes exactly as JCS asks, except that it would write a lone surrogate as an escape. */
  private string(text: string, depth: number): string {
    if (!NEEDS_CARE.test(text)) return `"${text}"`
    if (!text.isWellFormed()) this.fail('a lone surrogate', depth)
    return JSON.stringify(text)
  }

  private number(value: number, depth: number): string {
    if (!Number.isFinite(value)) this.fail('a number that is not finite', depth)
    if (this.portable && !isPortableNumber(value)) this.fail('a number that other languages print differently', depth)
    return `${value}`
  }

  private fail(reason: string, depth: number): never {
    throw new CanonicalError(this.path.slice(0, depth), reason)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON must escape
const NEEDS_CARE = /[\u0000-\u001f"\\\ud800-\udfff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range starts at NUL
const NOT_ASCII = /[^\u0000-\u007f]/

/**
 * Field names repeat on every receipt, so the quoted form of ASCII keys is kept. Keys may be a caller's: the cache has
 * a fixed size and a full one only costs speed.
 */
const quotedKeys = new Map<string, string>()
const MAX_QUOTED_KEYS = 1024
const MAX_QUOTED_KEY = 64

function remember(key: string, quoted: string): string {
  if (quotedKeys.size < MAX_QUOTED_KEYS && key.length <= MAX_QUOTED_KEY) quotedKeys.set(key, quoted)
  return quoted
}

/** Without an exponent in both languages; a fraction is below 2^53 by the nature of doubles. */
function isPortableNumber(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && !Object.is(value, -0)
  return Math.abs(value) >= SMALLEST_PORTABLE_DECIMAL
}

/** Object literals of any realm and null-prototype objects; not Date, Map, typed arrays or class instances. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}

/** `<` on strings compares UTF-16 code units, as RFC 8785 asks; insertion sort wins on the few keys a receipt has. */
function sortedKeys(record: Record<string, unknown>): string[] {
  const keys = Object.keys(record)
  if (keys.length > 48) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}
