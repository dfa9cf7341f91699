// The one owner of the digest rule: SHA-256 for receipts, links and statements, SHA3-256 for the evidence pack and
// the lake chain. The host's native code is used where offered and gives the same answers; the pure one runs anywhere.
import { sha256 as pureSha256 } from '@noble/hashes/sha2.js'
import { sha3_256 as pureSha3 } from '@noble/hashes/sha3.js'
import { hexEncode, utf8Encode } from './encoding.ts'

export type DigestEngine = {
  sha256(bytes: Uint8Array): Uint8Array
  sha256Hex(bytes: Uint8Array): string
  sha3_256(bytes: Uint8Array): Uint8Array
  sha3_256Hex(bytes: Uint8Array): string
}

/** What core uses of Node's crypto module; typed here because core must not depend on Node's types. */
export type HostCrypto = {
  hash?(algorithm: string, data: Uint8Array, encoding: 'hex'): string
  hash?(algorithm: string, data: Uint8Array, encoding: 'buffer'): Uint8Array
  createPublicKey?(input: { key: Uint8Array; format: 'der'; type: 'spki' }): object
  verify?(
    algorithm: string,
    data: Uint8Array,
    key: { key: object; dsaEncoding: 'ieee-p1363' },
    signature: Uint8Array,
  ): boolean
}

type Host = { process?: { getBuiltinModule?(name: string): unknown } }

/** Reached at run time and not imported, so that the same file bundles for a browser. Null where there is none. */
export const hostCrypto = ((globalThis as Host).process?.getBuiltinModule?.('crypto') ?? null) as HostCrypto | null

const pure: DigestEngine = {
  sha256: pureSha256,
  sha256Hex: (bytes) => hexEncode(pureSha256(bytes)),
  sha3_256: pureSha3,
  sha3_256Hex: (bytes) => hexEncode(pureSha3(bytes)),
}

function nativeEngine(host: HostCrypto | null): DigestEngine | null {
  const hash = host?.hash
  if (!hash || !hasBoth(hash)) return null
  return {
    sha256: (bytes) => plain(hash('sha256', bytes, 'buffer')),
    sha256Hex: (bytes) => hash('sha256', bytes, 'hex'),
    sha3_256: (bytes) => plain(hash('sha3-256', bytes, 'buffer')),
    sha3_256Hex: (bytes) => hash('sha3-256', bytes, 'hex'),
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

/** Node answers with a Buffer, whose slice, toString and JSON form differ from those of the declared type. */
const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Both engines, for the tests that hold them to the same answers. */
export const digestEngines: { pure: DigestEngine; native: DigestEngine | null } = {
  pure,
  native: nativeEngine(hostCrypto),
}

const engine = digestEngines.native ?? pure
const bytesOf = (data: Uint8Array | string): Uint8Array => (typeof data === 'string' ? utf8Encode(data) : data)

export const sha256 = (bytes: Uint8Array): Uint8Array => engine.sha256(bytes)
/** A string is hashed as its UTF-8 bytes. */
export const sha256Hex = (data: Uint8Array | string): string => engine.sha256Hex(bytesOf(data))
export const sha3_256 = (bytes: Uint8Array): Uint8Array => engine.sha3_256(bytes)
export const sha3_256Hex = (data: Uint8Array | string): string => engine.sha3_256Hex(bytesOf(data))
