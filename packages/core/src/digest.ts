// The one owner of the digest rule: SHA-256 for receipts, links and statements, SHA3-256 for the evidence pack and
// the lake chain. The host's native code is used where offered and gives the same answers; the pure one runs anywhere.
import { sha256 as pureSha256 } from '@noble/hashes/sha2.js'
import { sha3_256 as pureSha3 } from '@noble/hashes/sha3.js'
import { hexEncode, utf8Encode } from './encoding.ts'

export type DigestEngine = {
  sha256(bytes: Uint8Array): Uint8Array
  /** A string is hashed as its UTF-8 bytes and MUST be well-formed. */
  sha256Hex(data: Uint8Array | string): string
  sha3_256(bytes: Uint8Array): Uint8Array
  sha3_256Hex(data: Uint8Array | string): string
}

/** What core uses of Node's crypto module; typed here because core must not depend on Node's types. */
export type HostCrypto = {
  hash?(algorithm: string, data: Uint8Array | string, encoding: 'hex' | 'latin1'): string
  createPublicKey?(input: { key: Uint8Array; format: 'der'; type: 'spki' }): object
  /** Without an algorithm where the key has only one. */
  verify?(
    algorithm: string | null,
    data: Uint8Array,
    key: { key: object; dsaEncoding?: 'der' | 'ieee-p1363' },
    signature: Uint8Array,
  ): boolean
}

type Host = { process?: { getBuiltinModule?(name: string): unknown } }

/** Reached at run time and not imported, so that the same file bundles for a browser. Null where there is none. */
export const hostCrypto = ((globalThis as Host).process?.getBuiltinModule?.('crypto') ?? null) as HostCrypto | null

const bytesOf = (data: Uint8Array | string): Uint8Array => (typeof data === 'string' ? utf8Encode(data) : data)

const pure: DigestEngine = {
  sha256: pureSha256,
  sha256Hex: (data) => hexEncode(pureSha256(bytesOf(data))),
  sha3_256: pureSha3,
  sha3_256Hex: (data) => hexEncode(pureSha3(bytesOf(data))),
}

function nativeEngine(host: HostCrypto | null): DigestEngine | null {
  const hash = host?.hash
  if (!hash || !hasBoth(hash)) return null
  return {
    sha256: (bytes) => digestOf(hash('sha256', bytes, 'latin1')),
    sha256Hex: (data) => hash('sha256', data, 'hex'),
    sha3_256: (bytes) => digestOf(hash('sha3-256', bytes, 'latin1')),
    sha3_256Hex: (data) => hash('sha3-256', data, 'hex'),
  }
}

/** Hosts built on another TLS library lack SHA-3 and throw on its name: they get the pure engine. */
function hasBoth(hash: NonNullable<HostCrypto['hash']>): boolean {
  const empty = new Uint8Array(0)
  try {
    return (
      hash('sha256', empty, 'hex') === pure.sha256Hex(empty) &&
      hash('sha3-256', empty, 'hex') === pure.sha3_256Hex(empty)
    )
  } catch {
    return false
  }
}

/** One character per byte. A Buffer, Node's other answer, costs three times the hashing of a tree node. */
function digestOf(latin1: string): Uint8Array {
  const bytes = new Uint8Array(latin1.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = latin1.charCodeAt(at)
  return bytes
}

/** Both engines, for the tests that hold them to the same answers. */
export const digestEngines: { pure: DigestEngine; native: DigestEngine | null } = {
  pure,
  native: nativeEngine(hostCrypto),
}

const engine = digestEngines.native ?? pure

export const sha256 = (bytes: Uint8Array): Uint8Array => engine.sha256(bytes)
/** A string is hashed as its UTF-8 bytes. */
export const sha256Hex = (data: Uint8Array | string): string => engine.sha256Hex(hashable(data))
export const sha3_256 = (bytes: Uint8Array): Uint8Array => engine.sha3_256(bytes)
export const sha3_256Hex = (data: Uint8Array | string): string => engine.sha3_256Hex(hashable(data))

/** Engines replace a lone surrogate, and two different texts would then share their digest. */
function hashable(data: Uint8Array | string): Uint8Array | string {
  if (typeof data === 'string' && !data.isWellFormed())
    throw new RangeError('a string with a lone surrogate has no digest')
  return data
}
