/** What a simulated ledger says of itself: nobody signs in it, and its log says so. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { EMPTY_RECORD, formatVkey, noteKeyHash, signRecord, withUnsigned } from '@orch/core'

const NAME = 'simulated'
const secret = new Uint8Array(32).fill(7)
const publicKey = ed25519.getPublicKey(secret)

export const SIMULATED_VKEY = formatVkey(NAME, publicKey)

export const SIMULATED_NOTE = await signRecord(withUnsigned(EMPTY_RECORD, { from: 0, to: Number.MAX_SAFE_INTEGER }), {
  name: NAME,
  keyHash: noteKeyHash(NAME, publicKey),
  sign: (text) => ed25519.sign(text, secret),
})
