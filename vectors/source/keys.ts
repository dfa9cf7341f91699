// TEST ONLY. Private keys that everybody knows: SHA-256 of the sentence beside each. Never pin them anywhere else.
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import {
  formatVkey,
  hexEncode,
  importPublicKey,
  noteKeyHash,
  type NoteSigner,
  pemEncode,
  pointToSpki,
  rawToDer,
  sha256,
  utf8Encode,
} from '../../packages/core/src/index.ts'

export const ORIGIN = 'orch.test/log'

export function signingKey(sentence: string) {
  const secret = sha256(utf8Encode(sentence))
  const spki = pointToSpki(p256.getPublicKey(secret, false))
  const key = importPublicKey(spki)!
  const rawSign = (message: Uint8Array): Uint8Array => p256.sign(message, secret, { lowS: false, prehash: true })
  return {
    sentence,
    secret_hex: hexEncode(secret),
    keyid: key.keyid,
    pem: pemEncode(spki, 'PUBLIC KEY'),
    rawSign,
    /** RFC 6979 nonces: running the script again gives the same bytes. */
    sign: (message: Uint8Array): Uint8Array => rawToDer(rawSign(message)),
  }
}
export type SigningKey = ReturnType<typeof signingKey>

export function logKey(sentence: string, name = ORIGIN) {
  const secret = sha256(utf8Encode(sentence))
  const publicKey = ed25519.getPublicKey(secret)
  const signer: NoteSigner = {
    name,
    keyHash: noteKeyHash(name, publicKey),
    sign: (text) => ed25519.sign(text, secret),
  }
  return { sentence, secret_hex: hexEncode(secret), vkey: formatVkey(name, publicKey), signer }
}

export const production = signingKey('orch test-only production key')
export const demo = signingKey('orch test-only demo key')
export const unpinned = signingKey('orch test-only key that nobody pinned')
export const log = logKey('orch test-only log key')
export const otherLog = logKey('orch test-only log key that nobody pinned')

const published = ({ sentence, secret_hex, keyid, pem }: SigningKey) => ({ sentence, secret_hex, keyid, pem })
export const keysFile = {
  warning: 'TEST ONLY: every secret here is public. secret_hex = SHA-256 of sentence.',
  p256: { production: published(production), demo: published(demo), stranger: published(unpinned) },
  ed25519: {
    log: { sentence: log.sentence, secret_hex: log.secret_hex, vkey: log.vkey },
    stranger: { sentence: otherLog.sentence, secret_hex: otherLog.secret_hex, vkey: otherLog.vkey },
  },
}
