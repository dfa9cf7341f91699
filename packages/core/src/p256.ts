// ECDSA P-256 over SHA-256, and nothing else: the algorithm is that of the pinned key, never named by the message.
// All engines sit behind one strict parse, so they differ in speed and not in what they accept.
//
// (r, n-s) verifies whenever (r, s) does: anybody can turn one valid signature into another without the key. That is
// no second receipt, because a receipt's identity is the digest of its payload; signature bytes are never compared,
// deduplicated on or hashed into a link. Refusing high s would only refuse half of what openssl and HSMs make.
import { p256 } from '@noble/curves/nist.js'
import { hostCrypto, sha256Hex } from './digest.ts'
import { derToRaw, hexDecode, pemDecode, spkiToPoint } from './encoding.ts'

/** Made by `importPublicKey` only: the point has been checked to be on the curve. */
export type PublicKey = {
  readonly spki: Uint8Array
  readonly point: Uint8Array
  /** SHA-256 hex of the SPKI DER. */
  readonly keyid: string
}

/** A PEM text or SPKI DER bytes. Null unless it is a P-256 key with an uncompressed point on the curve. */
export function importPublicKey(input: string | Uint8Array): PublicKey | null {
  const der = typeof input === 'string' ? pemDecode(input, 'PUBLIC KEY') : input
  const point = der && spkiToPoint(der)
  if (!point || !isOnCurve(point)) return null
  const spki = new Uint8Array(der)
  return Object.freeze({ spki, point, keyid: sha256Hex(spki) })
}

/** The cofactor is 1: every point on the curve other than infinity, which has no such encoding, is in the group. */
function isOnCurve(point: Uint8Array): boolean {
  try {
    p256.Point.fromBytes(point).assertValidity()
    return true
  } catch {
    return false
  }
}

/** Verifies a strict DER signature with the fastest engine of the host. */
export async function verifyP256(key: PublicKey, message: Uint8Array, der: Uint8Array): Promise<boolean> {
  const raw = derToRaw(der)
  return raw !== null && verifyP256Raw(key, message, raw)
}

/** As `verifyP256`, with r || s of 32 bytes each. */
export async function verifyP256Raw(key: PublicKey, message: Uint8Array, raw: Uint8Array): Promise<boolean> {
  return isSignatureInRange(raw) && engine(key, message, raw)
}

/** For verification in bulk: Node's native code, or the pure engine where there is none. */
export function verifyP256Sync(key: PublicKey, message: Uint8Array, der: Uint8Array): boolean {
  const raw = derToRaw(der)
  if (raw === null || !isSignatureInRange(raw)) return false
  // Strict DER of numbers in range is what every engine reads alike, so the native one may have it as it came.
  return nativeDer ? nativeDer(key, message, der) : pure(key, message, raw)
}

const ORDER = hexDecode('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551') as Uint8Array

/** Both r and s in 1..n-1: zero lets a careless engine accept anything, and r + n is another spelling of r. */
export function isSignatureInRange(raw: Uint8Array): boolean {
  return raw.length === 64 && isScalar(raw, 0) && isScalar(raw, 32)
}

function isScalar(raw: Uint8Array, start: number): boolean {
  let at = 0
  while (at < ORDER.length && raw[start + at] === ORDER[at]) at += 1
  if (at === ORDER.length || (raw[start + at] as number) > (ORDER[at] as number)) return false
  for (let i = start; i < start + ORDER.length; i += 1) if (raw[i] !== 0) return true
  return false
}

type SyncEngine = (key: PublicKey, message: Uint8Array, signature: Uint8Array) => boolean
type AsyncEngine = (key: PublicKey, message: Uint8Array, raw: Uint8Array) => Promise<boolean>

const pure: SyncEngine = (key, message, raw) => p256.verify(raw, message, key.point, { lowS: false, prehash: true })

function nativeEngine(dsaEncoding: 'der' | 'ieee-p1363'): SyncEngine | null {
  const { createPublicKey, verify } = hostCrypto ?? {}
  if (!createPublicKey || !verify) return null
  const handleOf = remembered((key) => createPublicKey({ key: key.spki, format: 'der', type: 'spki' }))
  return (key, message, signature) => verify('sha256', message, { key: handleOf(key), dsaEncoding }, signature)
}

/** Absent outside secure contexts, where a page served over plain HTTP falls back to the pure engine. */
function webCryptoEngine(): AsyncEngine | null {
  const subtle = globalThis.crypto?.subtle
  if (!subtle) return null
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const handleOf = remembered((key) => subtle.importKey('spki', owned(key.spki), algorithm, false, ['verify']))
  return async (key, message, raw) => subtle.verify(algorithm, await handleOf(key), owned(raw), owned(message))
}

/** WebCrypto's types exclude shared memory, which it would refuse at run time. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => bytes as Uint8Array<ArrayBuffer>

/** One parsed handle per key for as long as the key itself lives. */
function remembered<T>(make: (key: PublicKey) => T): (key: PublicKey) => T {
  const handles = new WeakMap<PublicKey, T>()
  return (key) => {
    const known = handles.get(key)
    if (known !== undefined) return known
    const made = make(key)
    handles.set(key, made)
    return made
  }
}

/** All three, for the tests that hold them to the same answers. They presume a raw signature that is in range. */
export const p256Engines: { pure: SyncEngine; native: SyncEngine | null; webCrypto: AsyncEngine | null } = {
  pure,
  native: nativeEngine('ieee-p1363'),
  webCrypto: webCryptoEngine(),
}

const nativeDer = nativeEngine('der')
const engine: SyncEngine | AsyncEngine = p256Engines.native ?? p256Engines.webCrypto ?? pure
