// The one generator of the project: seeded, the same on every engine, and no source of secrets.
import { canonicalize } from '../canonical.ts'
import { sha256 } from '../digest.ts'
import { utf8Encode } from '../encoding.ts'

export type Random = {
  /** 32 bits, unsigned. */
  next(): number
  /** A whole number from 0 to n - 1, n at most 2^32. */
  below(n: number): number
  /** 53 bits in [0, 1). */
  uniform(): number
}

const DISCARDED = 12

/** The state is the start of SHA-256("<algorithm>|<canonical parameters>"): equal inputs give equal draws. */
export function sfc32(algorithm: string, parameters: unknown): Random {
  const digest = sha256(utf8Encode(`${algorithm}|${canonicalize(parameters)}`))
  const words = new DataView(digest.buffer, digest.byteOffset, digest.byteLength)
  let a = words.getUint32(0, true)
  let b = words.getUint32(4, true)
  let c = words.getUint32(8, true)
  let counter = 1
  const next = (): number => {
    const drawn = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + drawn) | 0
    return drawn >>> 0
  }
  for (let i = 0; i < DISCARDED; i += 1) next()
  const uniform = (): number => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53
  return { next, uniform, below: (n) => Math.floor((next() / 2 ** 32) * n) }
}
